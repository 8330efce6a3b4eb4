// What the sections show, computed from one snapshot. Everything that knows the status JSON's shape beyond plain fields
// is here; nothing here touches the page.

import { bytes, known, plural, ranges, seconds } from "./format.js";

export const KINDS = { "winning-post": "winning", "window-post": "window", "porep-c2": "porep", "snap-update": "snap" };
export const OPEN_STATES = new Set(["checking", "queued", "running"]);
const PARTITION_WORDS = { pending: "pending", synthesizing: "synth", synth_done: "ready", gpu: "gpu", done: "done", failed: "failed" };
const MEMORY_KINDS = [
  ["srs", "SRS"],
  ["circuit", "circuits"],
  ["partition", "partitions"],
  ["payload", "payloads"],
  ["pool", "pools"],
];

export function shortKind(kind) {
  return KINDS[kind] ?? kind;
}

export function memorySegments(memory) {
  const sums = Map.groupBy
    ? Map.groupBy(memory.reservations ?? [], (reservation) => reservation.kind)
    : new Map(MEMORY_KINDS.map(([kind]) => [kind, (memory.reservations ?? []).filter((r) => r.kind === kind)]));
  return MEMORY_KINDS.map(([kind, label]) => ({
    kind,
    label,
    bytes: (sums.get(kind) ?? []).reduce((sum, reservation) => sum + reservation.bytes, 0),
  }));
}

export function jobsOf(snapshot) {
  const finishing = new Map();
  for (const lane of snapshot.gpu_workers) {
    for (const item of lane.finalizing ?? []) finishing.set(`${item.partition} ${item.job_id}`, lane.worker_id);
  }
  return snapshot.pipelines.map((job) => ({
    ...job,
    cells: job.partitions.map((partition) => cellOf(job, partition, finishing)),
    waits: grouped(job.partitions.filter((p) => p.waits_for && !["done", "failed"].includes(p.state)), "waits_for"),
    errors: grouped(job.partitions.filter((p) => p.error && p.error !== job.error), "error"),
    begun: job.partitions.some((p) => p.state !== "pending"),
  }));
}

function cellOf(job, partition, finishing) {
  const lane = finishing.get(`${partition.index} ${job.job_id}`);
  const finishes = partition.state === "gpu" && lane !== undefined;
  const state = finishes ? "finishing" : partition.state;
  const at = finishes ? lane : partition.state === "gpu" ? partition.worker_id : null;
  return {
    ...partition,
    shown: state,
    word: finishes ? "finishing" : job.state === "cancelled" && state === "failed" ? "cancelled" : (PARTITION_WORDS[state] ?? state),
    at: known(at) ? `W${at}` : null,
  };
}

// Partitions that say the same share one line: [{text, partitions: "3, 7–9"}] in order of the first.
function grouped(partitions, field) {
  const groups = new Map();
  for (const partition of partitions) {
    const indices = groups.get(partition[field]) ?? [];
    indices.push(partition.index);
    groups.set(partition[field], indices);
  }
  return [...groups].map(([text, indices]) => ({ text, partitions: ranges(indices) }));
}

export function devicesOf(snapshot) {
  const devices = snapshot.devices ?? [];
  const named = new Set(devices.map((device) => device.id));
  const lanesOf = (id) => snapshot.gpu_workers.filter((lane) => lane.device === id);
  const orphans = snapshot.gpu_workers.filter((lane) => !named.has(lane.device));
  const rows = devices.map((device) => ({ ...device, lanes: lanesOf(device.id) }));
  if (orphans.length) rows.push({ id: "", name: "Lanes without a device", state: null, unknown: {}, lanes: orphans });
  return rows;
}

// What needs a person, each one sentence; empty most of the time.
export function alertsOf(snapshot) {
  const alerts = [];
  const journal = snapshot.journal;
  if (journal && journal.state !== "ok") {
    alerts.push(`The journal cannot be written, so no job is accepted: ${journal.error ?? journal.state}.`);
  }
  for (const device of snapshot.devices ?? []) {
    if (device.state === "quarantined") {
      alerts.push(`Device ${device.id} (${device.name}) is quarantined after ${plural(device.faults, "fault")}: ${device.reason ?? "no reason known"}.`);
    }
  }
  for (const srs of snapshot.allocations?.srs ?? []) {
    if (srs.state === "failed") alerts.push(`The parameters of ${srs.circuit_id} cannot be used: ${srs.error ?? "no reason known"}.`);
  }
  for (const worker of snapshot.synthesis.workers ?? []) {
    if (worker.state === "restarting") {
      alerts.push(`Synthesis process ${worker.worker_id} is being restarted (${plural(worker.restarts, "restart")}): ${worker.last_error ?? "no reason known"}.`);
    }
  }
  return alerts;
}

export function engineWords(snapshot) {
  const reason = snapshot.state_reason ? `: ${snapshot.state_reason}` : "";
  if (snapshot.state === "draining") return `draining${reason}`;
  return snapshot.state && snapshot.state !== "serving" ? `${snapshot.state}${reason}` : null;
}

export function criticalReserve(memory) {
  const reserve = memory.critical_reserve_bytes;
  return reserve ? `${bytes(reserve)} of it kept for winning` : null;
}

export function deadlineWords(secs) {
  if (!known(secs)) return null;
  return secs >= 0 ? `deadline in ${seconds(secs)}` : `deadline passed ${seconds(-secs)} ago`;
}
