// Devices with their lanes, and the synthesis processes: who works on what, on one row each.

import { known, percent, plural, seconds } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { devicesOf } from "../model.js";
import { facts, readings, section, spark } from "./parts.js";

const LANE_SLOTS = 30;

export class Devices {
  constructor() {
    this.list = h("div", { class: "devices" });
    this.empty = h("p", { class: "muted empty" }, "The daemon shows no device.");
    this.root = section("Devices and lanes", this.empty, this.list);
    this.root.extra.append(h("span", { class: "muted" }, "last 5 minutes; % of the last minute"));
  }

  update(snapshot) {
    const devices = devicesOf(snapshot);
    show(this.empty, devices.length === 0);
    keyed(this.list, devices, (device) => `d${device.id}`, () => new DeviceRow().root, (node, device) => node.row.update(device));
  }
}

class DeviceRow {
  constructor() {
    this.name = h("h3");
    this.state = h("span", { class: "state" });
    this.facts = facts();
    this.readings = readings();
    this.reason = h("p", { class: "bad" });
    this.lanes = h("ul", { class: "lanes" });
    this.root = h("div", { class: "device" },
      h("header", {}, this.name, this.state, this.readings, this.facts),
      this.reason, this.lanes);
    this.root.row = this;
  }

  update(device) {
    setText(this.name, [device.id, device.name].filter((word, i, all) => word && word !== all[i - 1]).join(" "));
    setText(this.state, device.state ?? "");
    setAttr(this.state, "data-state", device.state);
    show(this.state, known(device.state));
    this.readings.update(device);
    this.facts.update([
      device.kind === "cpu" ? null : device.kind,
      device.restarts ? plural(device.restarts, "restart") : null,
      device.faults ? plural(device.faults, "fault") : null,
    ]);
    setText(this.reason, device.reason ?? "");
    show(this.reason, known(device.reason));
    keyed(this.lanes, device.lanes, (lane) => lane.worker_id, createLane, updateLane);
  }
}

function createLane() {
  const node = h("li", { class: "lane" });
  node.parts = {
    name: h("b", { class: "lane-name" }),
    word: h("span", { class: "lane-state" }),
    job: h("span", { class: "id" }),
    busy: h("span", { class: "num" }),
    strip: spark(LANE_SLOTS),
    share: h("span", { class: "num muted" }),
    finishing: h("span", { class: "finishing muted" }),
    error: h("span", { class: "muted" }),
  };
  const { name, word, job, busy, strip, share, finishing, error } = node.parts;
  node.append(h("span", { class: "lane-who" }, name, word), h("span", { class: "lane-what" }, job, busy, finishing, error),
    h("span", { class: "lane-load" }, strip, share));
  return node;
}

function updateLane(node, lane) {
  const { name, word, job, busy, strip, share, finishing, error } = node.parts;
  setText(name, `W${lane.worker_id}`);
  setText(word, lane.state);
  setAttr(node, "data-state", lane.state);
  const works = known(lane.current_job);
  setText(job, works ? `${lane.current_job} [${lane.current_partition}]` : "");
  setText(busy, works ? seconds(lane.busy_secs) : "");
  strip.update(lane.history, 1);
  setAttr(strip, "aria-label", `W${lane.worker_id} over the last 5 minutes, in slots of 10 s: ${lane.history.map(percent).join(", ")}`);
  setText(share, percent(lane.utilisation));
  setAttr(share, "title", `proving ${percent(lane.utilisation)} of the last minute`);
  const ends = (lane.finalizing ?? []).map((item) => `${item.job_id} [${item.partition}] ${seconds(item.secs)}`);
  setText(finishing, ends.length ? `finishing ${ends.join(", ")}` : "");
  setText(error, lane.last_error ? `last error: ${lane.last_error}` : "");
  for (const part of [job, busy, finishing, error]) show(part, part.textContent !== "");
}

export class SynthesisWorkers {
  constructor() {
    this.list = h("ul", { class: "lanes side-by-side" });
    this.empty = h("p", { class: "muted empty" }, "No synthesis process runs.");
    this.root = section("Worker processes", this.empty, this.list);
  }

  update(snapshot) {
    const workers = snapshot.synthesis.workers ?? [];
    show(this.empty, workers.length === 0);
    keyed(this.list, workers, (worker) => worker.worker_id, createWorker, updateWorker);
  }
}

function createWorker() {
  const node = h("li", { class: "lane" });
  node.parts = {
    name: h("b", { class: "lane-name" }),
    word: h("span", { class: "lane-state" }),
    job: h("span", { class: "id" }),
    busy: h("span", { class: "num" }),
    notes: facts(),
  };
  const { name, word, job, busy, notes } = node.parts;
  node.append(h("span", { class: "lane-who" }, name, word), h("span", { class: "lane-what" }, job, busy), notes);
  return node;
}

function updateWorker(node, worker) {
  const { name, word, job, busy, notes } = node.parts;
  setText(name, worker.worker_id);
  setText(word, worker.state === "synthesizing" ? "synth" : worker.state);
  setAttr(node, "data-state", worker.state);
  const works = known(worker.current_job);
  setText(job, works ? `${worker.current_job} [${worker.current_partition}]` : "");
  setText(busy, works ? seconds(worker.busy_secs) : "");
  notes.update([
    known(worker.pid) ? `pid ${worker.pid}` : null,
    worker.restarts ? plural(worker.restarts, "restart") : null,
    worker.last_error ? `last error: ${worker.last_error}` : null,
  ]);
  for (const part of [job, busy]) show(part, part.textContent !== "");
}
