// SRS and compiled circuits: what is in memory, who uses it, when it may go.

import { bytes, duration, known, plural, seconds } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { section } from "./parts.js";

export class Storage {
  constructor() {
    this.body = h("tbody");
    this.empty = h("p", { class: "muted empty" }, "Nothing is loaded. Parameters are loaded by the first job that needs them.");
    this.table = h("table", {}, h("thead", {}, h("tr", {}, ...["circuit", "what", "state", "size", "use"].map((name) => h("th", { scope: "col" }, name)))), this.body);
    this.root = section("SRS and circuits", this.empty, this.table);
  }

  update({ allocations }) {
    const rows = [
      ...allocations.srs.map((item) => ({ ...item, what: "SRS" })),
      ...allocations.pce.map((item) => ({ ...item, what: "circuit", state: "hot" })),
    ];
    show(this.empty, rows.length === 0);
    show(this.table, rows.length > 0);
    keyed(this.body, rows, (row) => `${row.what} ${row.circuit_id}`,
      () => h("tr", {}, h("th", { scope: "row" }), ...Array.from({ length: 4 }, () => h("td"))), updateRow);
  }
}

function updateRow(node, row) {
  const [circuit, what, state, size, use] = node.children;
  setText(circuit, row.circuit_id);
  setText(what, row.what);
  setText(state, stateWords(row));
  setAttr(state, "title", known(row.load_ms) ? `loaded in ${duration(row.load_ms)}` : null);
  setAttr(state, "class", row.state === "failed" ? "bad" : null);
  setText(size, bytes(row.bytes));
  setText(use, useWords(row));
}

function stateWords(row) {
  if (row.state === "failed") return `failed: ${row.error ?? "no reason known"}`;
  return row.state === "hot" ? (row.tier ?? "hot") : row.state;
}

function useWords(row) {
  if (row.refs) return plural(row.refs, "ref");
  if (row.state !== "hot") return "";
  if (!row.evictable) return "in use";
  return `idle ${seconds(row.last_used_secs_ago)}, may be evicted`;
}
