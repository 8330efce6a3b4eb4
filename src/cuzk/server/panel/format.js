// How numbers become words. Unknown (null, undefined, NaN) is always a dash, never 0.

export const UNKNOWN = "—";
const NBSP = " ";

export function known(value) {
  return value !== null && value !== undefined && !(typeof value === "number" && !Number.isFinite(value));
}

// 587 ms, 5.2 s, 41 s, 3 m 10 s, 3 h 12 m, 2 d 4 h. Each unit ends where its rounding would show the next one.
export function duration(ms) {
  if (!known(ms)) return UNKNOWN;
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)}${NBSP}ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}${NBSP}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}${NBSP}s`;
  if (seconds < 3600) return two(Math.floor(seconds / 60), "m", seconds % 60, "s");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return two(Math.floor(minutes / 60), "h", minutes % 60, "m");
  const hours = Math.floor(minutes / 60);
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

function two(big, bigUnit, small, smallUnit) {
  const first = `${big}${NBSP}${bigUnit}`;
  return small ? `${first} ${small}${NBSP}${smallUnit}` : first;
}

export function seconds(s) {
  return duration(known(s) ? s * 1000 : null);
}

// The age of data is read while it ticks: tenths below ten seconds, then whole units.
export function age(ms) {
  return ms < 9950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}${NBSP}s` : duration(ms);
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function unitOf(bytes) {
  let unit = 0;
  for (let n = Math.abs(bytes); n >= 1023.5 && unit < BINARY.length - 1; n /= 1024) unit += 1;
  return unit;
}

function inUnit(bytes, unit) {
  const n = bytes / 1024 ** unit;
  if (unit === 0 || n === 0) return String(Math.round(n));
  return n < 9.995 ? n.toFixed(2) : n < 99.95 ? n.toFixed(1) : String(Math.round(n));
}

export function bytes(n) {
  if (!known(n)) return UNKNOWN;
  const unit = unitOf(n);
  return `${inUnit(n, unit)}${NBSP}${BINARY[unit]}`;
}

// "312 / 400 GiB": both in the unit of the second.
export function bytesOf(part, whole) {
  if (!known(whole)) return bytes(part);
  const unit = unitOf(whole);
  return `${known(part) ? inUnit(part, unit) : UNKNOWN} / ${inUnit(whole, unit)}${NBSP}${BINARY[unit]}`;
}

export function percent(share) {
  return known(share) ? `${Math.round(share * 100)}${NBSP}%` : UNKNOWN;
}

export function count(n) {
  return known(n) ? n.toLocaleString("en").replaceAll(",", " ") : UNKNOWN;
}

export function rate(perHour) {
  if (!known(perHour)) return UNKNOWN;
  return perHour < 99.95 ? perHour.toFixed(1) : count(Math.round(perHour));
}

export function plural(n, one, many = `${one}s`) {
  return `${count(n)}${NBSP}${n === 1 ? one : many}`;
}

export function clock(unixSeconds) {
  if (!known(unixSeconds)) return UNKNOWN;
  const date = new Date(unixSeconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}

// [0, 1, 2, 5] -> "0–2, 5"
export function ranges(numbers) {
  const runs = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(", ");
}
