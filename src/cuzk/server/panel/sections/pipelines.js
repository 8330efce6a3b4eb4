// Unfinished jobs, oldest first, and their partitions.

import { duration, known, plural, seconds } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { OPEN_STATES, deadlineWords, jobsOf, shortKind } from "../model.js";
import { bar, facts, idWithCopy, section } from "./parts.js";

const FILTER_FROM = 6; // with fewer jobs there is nothing to filter

export class Pipelines {
  constructor() {
    this.filter = h("input", { type: "search", placeholder: "Filter by id, kind or state", "aria-label": "Filter jobs by id, kind or state" });
    this.filter.addEventListener("input", () => this.#draw());
    this.list = h("div", { class: "jobs" });
    this.empty = h("p", { class: "muted empty" });
    this.root = section("Pipelines", this.empty, this.list);
    this.counts = h("span", { class: "muted" });
    this.root.extra.append(this.counts, this.filter);
    this.rows = new Map();
  }

  update(snapshot) {
    this.jobs = jobsOf(snapshot).filter((job) => OPEN_STATES.has(job.state));
    this.#draw();
  }

  #draw() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.jobs.filter((job) => words.every((word) => searchText(job).includes(word)));
    show(this.filter, this.jobs.length >= FILTER_FROM || words.length > 0);
    setText(this.counts, words.length ? `${shown.length} of ${plural(this.jobs.length, "job")}` : "");
    show(this.empty, shown.length === 0);
    setText(this.empty, this.jobs.length ? "No job matches the filter." : "No job is unfinished.");
    keyed(this.list, shown, (job) => job.job_id, (job) => new JobRow(job).root, (node, job) => node.row.update(job));
  }
}

function searchText(job) {
  return `${job.job_id} ${job.proof_kind} ${job.circuit_id} ${job.state} ${job.priority}`.toLowerCase();
}

class JobRow {
  constructor(job) {
    this.open = null; // null until the reader chooses
    this.id = idWithCopy("job id");
    this.state = h("span", { class: "state" });
    this.facts = facts();
    this.bar = bar("Partitions done");
    this.error = h("p", { class: "bad" });
    this.cells = h("ol", { class: "cells", id: `cells-${counter++}` });
    this.toggle = h("button", { class: "toggle", type: "button", "aria-controls": this.cells.id, "aria-label": "Partitions" });
    this.toggle.addEventListener("click", () => {
      this.open = !this.isOpen;
      this.#draw();
    });
    this.notes = h("ul", { class: "notes" });
    this.root = h("article", { class: "job", "aria-label": `Job ${job.job_id}` },
      h("header", {}, this.id, this.state, this.toggle),
      this.facts, this.bar, this.error, this.cells, this.notes);
    this.root.row = this;
  }

  // A job of which nothing began is short until the reader opens it.
  get isOpen() {
    return this.open ?? this.job.begun;
  }

  update(job) {
    this.job = job;
    this.id.update(job.job_id);
    setText(this.state, job.state);
    setAttr(this.state, "data-state", job.state);
    const many = job.cells.length > 1;
    this.facts.update([
      job.circuit_id ?? shortKind(job.proof_kind),
      many ? `${job.partitions_done} of ${job.total_partitions} partitions done` : null,
      job.cells.length === 1 && job.begun ? `${wordOf(job.cells[0])} ${timeOf(job.cells[0])}` : null,
      job.begun ? `running ${seconds(job.started_secs_ago)}` : `submitted ${seconds(job.submitted_secs_ago)} ago`,
      job.priority && job.priority !== "NORMAL" ? `priority ${job.priority.toLowerCase()}` : null,
      job.attempt > 1 ? `attempt ${job.attempt}` : null,
      deadlineWords(job.deadline_in_secs),
    ]);
    const share = job.total_partitions ? job.partitions_done / job.total_partitions : 0;
    this.bar.update(share, `${job.partitions_done} of ${job.total_partitions}`);
    show(this.bar, many);
    show(this.toggle, many);
    setText(this.error, job.error ?? "");
    show(this.error, known(job.error));
    this.#draw();
  }

  #draw() {
    const { cells, waits, errors } = this.job;
    const open = this.isOpen && cells.length > 1;
    setAttr(this.toggle, "aria-expanded", String(open));
    this.cells.style.setProperty("--columns", cells.length % 8 === 0 ? 8 : 10);
    show(this.cells, open);
    if (open) keyed(this.cells, cells, (cell) => cell.index, createCell, updateCell);
    const notes = [
      ...waits.map(({ text, partitions }) => `${label(cells, partitions)}waits for ${text}`),
      ...errors.map(({ text, partitions }) => `${label(cells, partitions)}tried again after: ${text}`),
    ];
    keyed(this.notes, notes, (text) => text, () => h("li"), setText);
    show(this.notes, notes.length > 0);
  }
}

let counter = 0;

function label(cells, partitions) {
  return cells.length > 1 ? `[${partitions}] ` : "";
}

function createCell() {
  return h("li", { class: "cell" },
    h("span", { class: "cell-head" }, h("b"), h("span", { class: "word" })), h("span", { class: "cell-time" }));
}

function updateCell(node, cell) {
  const [head, time] = node.children;
  setAttr(node, "data-state", cell.shown);
  setText(head.children[0], cell.index);
  setText(head.children[1], wordOf(cell));
  setText(time, timeOf(cell));
  const attempt = cell.attempt > 1 ? `attempt ${cell.attempt}` : null;
  const parts = [attempt, cell.worker && `at ${cell.worker}`, cell.waits_for && `waits for ${cell.waits_for}`, cell.error];
  setAttr(node, "title", parts.filter(Boolean).join("\n") || null);
}

function wordOf(cell) {
  return cell.at ? `${cell.word} ${cell.at}` : cell.word;
}

function timeOf({ synth_ms: synth, gpu_ms: gpu, attempt }) {
  const times = [synth, gpu].filter(known).map(duration).join(" + ");
  return attempt > 1 ? `${times} ×${attempt}` : times;
}
