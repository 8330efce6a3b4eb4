// Asks for the status while somebody looks, one request at a time, and says how old the newest answer is.
//
// Age counts from when the request was sent, so it is never told younger than it is, and by two clocks: the steady one
// stops while a computer sleeps, the other jumps when it is set. A snapshot that repeats the last one's boot and uptime
// (a proxy's copy, a stopped daemon behind a manager) does not make the data younger.

export const STALE_AFTER_MS = 5000;
const TIMEOUT_MS = 5000;
const SLOWEST_MS = 10000;

export class Poller {
  constructor({ url, interval, headers, onChange }) {
    Object.assign(this, { url, interval, headers, onChange });
    this.snapshot = null;
    this.failure = null; // {kind: "network" | "timeout" | "http" | "token" | "format", text, since, count}
    this.sent = null; // {steady, wall} of the request that brought the snapshot
    this.nextAt = null;
    this.running = false;
    this.onVisible = () => (document.visibilityState === "visible" ? this.refresh() : this.#cancelTimer());
  }

  start() {
    if (this.running) return;
    this.running = true;
    document.addEventListener("visibilitychange", this.onVisible);
    this.onVisible();
  }

  stop() {
    this.running = false;
    document.removeEventListener("visibilitychange", this.onVisible);
    this.#cancelTimer();
    this.abort?.abort();
  }

  get ageMs() {
    return this.sent && Math.max(performance.now() - this.sent.steady, Date.now() - this.sent.wall);
  }

  // "connecting" | "live" | "stale" | "gone" | "locked"
  get state() {
    if (this.failure?.kind === "token") return "locked";
    if (this.failure?.kind === "network" && (this.failure.count > 1 || !this.snapshot)) return "gone";
    if (!this.snapshot) return this.failure ? "gone" : "connecting";
    return this.ageMs > STALE_AFTER_MS ? "stale" : "live";
  }

  async refresh() {
    this.#cancelTimer();
    if (!this.running || this.pending) return;
    this.pending = true;
    const sent = { steady: performance.now(), wall: Date.now() };
    try {
      this.#accept(await this.#ask(), sent);
    } catch (error) {
      this.#reject(error);
    }
    this.pending = false;
    if (!this.running) return;
    if (document.visibilityState === "visible") this.#schedule();
    this.onChange();
  }

  async #ask() {
    this.abort = new AbortController();
    const timer = setTimeout(() => this.abort.abort("timeout"), TIMEOUT_MS);
    try {
      const reply = await fetch(this.url, { headers: this.headers(), cache: "no-store", signal: this.abort.signal });
      if (reply.status === 401) throw new Failure("token", "This daemon asks for its token.");
      if (!reply.ok) throw new Failure("http", `The answer was ${reply.status} ${reply.statusText}: ${await errorText(reply)}`);
      return await readSnapshot(reply);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (this.abort.signal.aborted) throw new Failure("timeout", `No answer within ${TIMEOUT_MS / 1000} s.`);
      throw new Failure("network", "The connection fails.");
    } finally {
      clearTimeout(timer);
    }
  }

  #accept(snapshot, sent) {
    const repeated =
      this.snapshot?.boot_id === snapshot.boot_id && this.snapshot?.uptime_secs === snapshot.uptime_secs;
    if (!repeated) this.sent = sent;
    this.snapshot = snapshot;
    this.failure = null;
  }

  #reject(failure) {
    const same = this.failure?.kind === failure.kind;
    this.failure = {
      kind: failure.kind,
      text: failure.message,
      since: this.failure?.since ?? Date.now(),
      count: same ? this.failure.count + 1 : 1,
    };
  }

  #schedule() {
    const pause = Math.min(SLOWEST_MS, this.interval * 2 ** Math.max(0, (this.failure?.count ?? 0) - 1));
    this.nextAt = performance.now() + pause;
    this.timer = setTimeout(() => this.refresh(), pause);
  }

  #cancelTimer() {
    clearTimeout(this.timer);
    this.nextAt = null;
  }
}

class Failure extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

async function errorText(reply) {
  const text = await reply.text().catch(() => "");
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text.slice(0, 200);
  }
}

async function readSnapshot(reply) {
  const text = await reply.text();
  let snapshot;
  try {
    snapshot = JSON.parse(text);
  } catch {
    throw new Failure("format", "The answer is not JSON.");
  }
  if (typeof snapshot?.uptime_secs !== "number" || !Array.isArray(snapshot.pipelines)) {
    throw new Failure("format", "The answer is not the status of a cuzk daemon.");
  }
  return snapshot;
}
