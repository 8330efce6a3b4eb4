// Memory, synthesis, queue and throughput at a glance.

import { UNKNOWN, bytes, bytesOf, count, percent, plural, rate, seconds } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { KINDS, criticalReserve, memorySegments, shortKind } from "../model.js";
import { bar, setValue, spark } from "./parts.js";

const LEAST_SECS = 60; // a rate over less says little
const SLOTS = 20;
const ORDER = Object.keys(KINDS);

export class Overview {
  constructor() {
    this.memory = new Memory();
    this.synthesis = new Synthesis();
    this.queue = new Queue();
    this.throughput = new Throughput();
    this.root = h("section", { class: "tiles", "aria-label": "At a glance" },
      this.memory.root, this.synthesis.root, this.queue.root, this.throughput.root);
  }

  update(snapshot) {
    this.memory.update(snapshot.memory);
    this.synthesis.update(snapshot);
    this.queue.update(snapshot);
    this.throughput.update(snapshot.counters, snapshot.throughput);
  }
}

function tile(title, className, ...children) {
  return h("div", { class: `card tile ${className}` }, h("h2", {}, title), ...children);
}

class Memory {
  constructor() {
    this.value = h("span", { class: "big" });
    this.free = h("span", { class: "muted" });
    this.bar = h("div", { class: "stack", "aria-hidden": "true" });
    this.legend = h("ul", { class: "legend" });
    this.root = tile("Memory", "memory", h("p", { class: "line" }, this.value, this.free), this.bar, this.legend);
  }

  update(memory) {
    setText(this.value, bytesOf(memory.used_bytes, memory.total_bytes));
    const reserve = criticalReserve(memory);
    setText(this.free, `${bytes(memory.available_bytes)} free${reserve ? `, ${reserve}` : ""}`);
    const segments = memorySegments(memory);
    const shown = segments.filter((segment) => segment.bytes > 0);
    keyed(this.bar, shown, (segment) => segment.kind,
      (segment) => h("span", { class: "stack-part", "data-kind": segment.kind }),
      (node, segment) => { node.style.inlineSize = `${(100 * segment.bytes) / memory.total_bytes}%`; });
    keyed(this.legend, segments, (segment) => segment.kind,
      (segment) => h("li", { "data-kind": segment.kind }, h("i", { class: "swatch", "aria-hidden": "true" }), h("span"), " ", h("b")),
      (node, segment) => {
        setText(node.children[1], segment.label);
        setText(node.children[2], bytes(segment.bytes));
      });
  }
}

class Synthesis {
  constructor() {
    this.value = h("span", { class: "big" });
    this.threads = h("p", { class: "muted" });
    this.bar = bar("Synthesis");
    this.root = tile("Synthesis", "", h("p", { class: "line" }, this.value), this.bar, this.threads);
  }

  update({ synthesis, threads }) {
    setText(this.value, `${synthesis.active} / ${synthesis.max_concurrent}`);
    const share = synthesis.max_concurrent ? synthesis.active / synthesis.max_concurrent : 0;
    this.bar.update(share, percent(share));
    setText(this.threads, threads ? `${threads.used} of ${plural(threads.total, "thread")} in use` : "");
  }
}

class Queue {
  constructor() {
    this.value = h("span", { class: "big" });
    this.note = h("span", { class: "muted" });
    this.kinds = h("ul", { class: "kinds" });
    this.root = tile("Jobs", "", h("p", { class: "line" }, this.value, this.note), this.kinds);
  }

  update({ queues, counters }) {
    const all = [...(queues ?? [])].sort((a, b) => ORDER.indexOf(a.proof_kind) - ORDER.indexOf(b.proof_kind));
    const running = all.reduce((sum, queue) => sum + queue.in_progress, 0);
    const pending = all.reduce((sum, queue) => sum + queue.pending, 0);
    setText(this.value, queues ? `${running} running` : UNKNOWN);
    setText(this.note, queues ? `${pending} waiting` : `${counters.queue_depth} waiting`);
    keyed(this.kinds, all, (queue) => queue.proof_kind, () => h("li", {}, h("span"), h("b")), (node, queue) => {
      setText(node.children[0], shortKind(queue.proof_kind));
      setText(node.children[1], queue.pending ? `${queue.in_progress} + ${queue.pending} waiting` : queue.in_progress);
      setAttr(node, "data-none", queue.in_progress + queue.pending === 0);
    });
  }
}

class Throughput {
  constructor() {
    this.value = h("span", { class: "big" });
    this.unit = h("span", { class: "muted" });
    this.spark = spark(SLOTS);
    this.totals = h("p", { class: "muted" });
    this.root = tile("Throughput", "", h("p", { class: "line" }, this.value, this.unit), this.spark, this.totals);
  }

  update(counters, { span_secs: span, jobs_completed: jobs, partitions_proved: partitions }) {
    const known = span >= LEAST_SECS;
    const perHour = (made) => (made.reduce((sum, n) => sum + n, 0) * 3600) / span;
    setValue(this.value, known ? rate(perHour(jobs)) : UNKNOWN, `the daemon runs for less than ${LEAST_SECS} s`);
    setText(this.unit, "proofs/h");
    show(this.spark, known);
    this.spark.update(partitions, Math.max(1, ...partitions));
    const words = `${rate(perHour(partitions))} partitions an hour over the last ${seconds(span)}`;
    setAttr(this.spark, "aria-label", words);
    const failed = counters.total_failed ? `, ${count(counters.total_failed)} failed` : "";
    const cancelled = counters.total_cancelled ? `, ${count(counters.total_cancelled)} cancelled` : "";
    setText(this.totals, `${plural(counters.total_completed, "proof")} done${failed}${cancelled}`);
  }
}
