// Memory, synthesis, queue and throughput at a glance.

import { UNKNOWN, bytes, bytesOf, count, duration, percent, plural, rate } from "../format.js";
import { h, keyed, s, setAttr, setText, show } from "../dom.js";
import { criticalReserve, memorySegments, shortKind } from "../model.js";
import { bar, setValue } from "./parts.js";

export class Overview {
  constructor() {
    this.memory = new Memory();
    this.synthesis = new Synthesis();
    this.queue = new Queue();
    this.throughput = new Throughput();
    this.root = h("section", { class: "tiles", "aria-label": "At a glance" },
      this.memory.root, this.synthesis.root, this.queue.root, this.throughput.root);
  }

  update(snapshot, history) {
    this.memory.update(snapshot.memory);
    this.synthesis.update(snapshot);
    this.queue.update(snapshot);
    this.throughput.update(snapshot.counters, history.throughput());
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
    const all = queues ?? [];
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
    this.spark = s("svg", { class: "spark", viewBox: "0 0 100 24", preserveAspectRatio: "none", role: "img" });
    this.totals = h("p", { class: "muted" });
    this.root = tile("Throughput", "", h("p", { class: "line" }, this.value, this.unit), this.spark, this.totals);
  }

  update(counters, throughput) {
    setValue(this.value, throughput.reason ? UNKNOWN : rate(throughput.jobs), throughput.reason);
    setText(this.unit, "proofs/h");
    show(this.spark, !throughput.reason);
    if (!throughput.reason) this.#draw(throughput);
    const failed = counters.total_failed ? `, ${count(counters.total_failed)} failed` : "";
    const cancelled = counters.total_cancelled ? `, ${count(counters.total_cancelled)} cancelled` : "";
    setText(this.totals, `${plural(counters.total_completed, "proof")} done${failed}${cancelled}`);
  }

  #draw({ bars, span, partitions }) {
    const most = Math.max(1, ...bars);
    const width = 100 / bars.length;
    keyed(this.spark, bars.map((value, i) => ({ value, i })), (item) => item.i, () => s("rect"), (node, { value, i }) => {
      const height = value ? Math.max(2, (22 * value) / most) : 1;
      for (const [name, n] of Object.entries({ x: i * width + 0.4, width: width - 0.8, y: 24 - height, height })) setAttr(node, name, n);
      setAttr(node, "class", value ? "some" : "none");
    });
    setAttr(this.spark, "aria-label", `${rate(partitions)} partitions an hour over the last ${duration(span * 1000)}`);
  }
}
