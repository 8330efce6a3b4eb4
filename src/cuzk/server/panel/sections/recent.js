// Jobs that ended, newest first.

import { clock, duration, known } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { shortKind } from "../model.js";
import { facts, idWithCopy, section } from "./parts.js";

const WORDS = { done: "ok", failed: "failed", cancelled: "cancelled" };

export class Recent {
  constructor() {
    this.list = h("ul", { class: "recent" });
    this.empty = h("p", { class: "muted empty" }, "No job has ended since the daemon started.");
    this.root = section("Recent", this.empty, this.list);
  }

  update(snapshot) {
    const jobs = snapshot.recent.map((job) => ({ ...job, endedAt: snapshot.time - job.finished_secs_ago }));
    show(this.empty, jobs.length === 0);
    keyed(this.list, jobs, (job) => `${job.attempt} ${job.job_id}`, createRow, updateRow);
  }
}

function createRow() {
  const node = h("li", { class: "ended" });
  node.parts = { time: h("time"), id: idWithCopy("job id"), word: h("b", { class: "state" }), facts: facts(), error: h("p", { class: "bad" }) };
  node.append(...Object.values(node.parts));
  return node;
}

function updateRow(node, job) {
  const { time, id, word, facts: more, error } = node.parts;
  setText(time, clock(job.endedAt));
  id.update(job.job_id);
  setText(word, WORDS[job.state] ?? job.state);
  setAttr(word, "data-state", job.state);
  more.update([
    job.circuit_id ?? shortKind(job.proof_kind),
    known(job.total_ms) ? duration(job.total_ms) : null,
    job.attempt > 1 ? `attempt ${job.attempt}` : null,
  ]);
  setText(error, job.error ?? "");
  show(error, job.state === "failed");
}
