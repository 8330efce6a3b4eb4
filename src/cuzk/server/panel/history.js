// What this page has seen since it was opened, of one run of the daemon: ended jobs, which the daemon drops after a
// while, and how many proofs were made when. A restart of the daemon (another boot_id) starts anew.

import { OPEN_STATES } from "./model.js";

const MOST_ENDED = 50;
const WINDOW_SECS = 600;
const LEAST_SECS = 60;
const BARS = 20;

export class History {
  constructor() {
    this.#reset(null);
  }

  #reset(bootId) {
    this.bootId = bootId;
    this.ended = new Map();
    this.samples = [];
  }

  add(snapshot) {
    if (snapshot.boot_id !== this.bootId) this.#reset(snapshot.boot_id);
    for (const job of snapshot.pipelines) {
      if (OPEN_STATES.has(job.state)) continue;
      const endedAt = this.ended.get(endedKey(job))?.endedAt ?? snapshot.time - (job.finished_secs_ago ?? 0);
      this.ended.set(endedKey(job), { ...job, endedAt });
    }
    const newestFirst = [...this.ended].sort(([, a], [, b]) => b.endedAt - a.endedAt);
    this.ended = new Map(newestFirst.slice(0, MOST_ENDED));
    const { total_completed: jobs, partitions_proved: partitions } = snapshot.counters;
    this.samples.push({ at: snapshot.uptime_secs, jobs, partitions });
    while (this.samples.length > 2 && this.samples[1].at <= snapshot.uptime_secs - WINDOW_SECS) this.samples.shift();
  }

  get endedJobs() {
    return [...this.ended.values()];
  }

  // {jobs, partitions: per hour, span: seconds, bars: partitions or jobs a slot} or {reason} when too little was seen.
  throughput() {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    const span = last ? last.at - first.at : 0;
    if (span < LEAST_SECS) return { reason: `counted since this page was opened; shown after ${LEAST_SECS} s` };
    return {
      jobs: ((last.jobs - first.jobs) * 3600) / span,
      partitions: ((last.partitions - first.partitions) * 3600) / span,
      span,
      bars: this.#bars(first.at, span),
    };
  }

  #bars(start, span) {
    const bars = new Array(BARS).fill(0);
    for (let i = 1; i < this.samples.length; i += 1) {
      const slot = Math.min(BARS - 1, Math.floor(((this.samples[i].at - start) / span) * BARS));
      bars[slot] += this.samples[i].partitions - this.samples[i - 1].partitions;
    }
    return bars;
  }
}

function endedKey(job) {
  return `${job.attempt ?? 1} ${job.job_id}`;
}
