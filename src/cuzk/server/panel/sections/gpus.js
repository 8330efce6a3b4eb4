// The GPUs of the machine as their driver tells of them, whether anything is proved on them or not.

import { h, keyed, setText, show } from "../dom.js";
import { readings, section } from "./parts.js";

export class Gpus {
  constructor() {
    this.list = h("div");
    this.empty = h("p", { class: "muted empty" });
    this.root = section("GPUs of this machine", this.empty, this.list);
  }

  update({ gpus }) {
    const found = gpus?.found ?? [];
    setText(this.empty, gpus?.unknown ? `None is known: ${gpus.unknown}.` : "There is none.");
    show(this.empty, found.length === 0);
    show(this.root, gpus !== undefined); // daemons that look for no GPU say nothing of them
    keyed(this.list, found, (gpu) => gpu.ordinal, createRow, updateRow);
  }
}

function createRow() {
  const node = h("div", { class: "device gpu" });
  node.parts = { name: h("h3"), values: readings() };
  node.append(h("header", {}, node.parts.name, node.parts.values));
  return node;
}

function updateRow(node, gpu) {
  setText(node.parts.name, [`GPU ${gpu.ordinal}`, gpu.name].filter((word) => word !== null).join(" "));
  node.parts.values.update(gpu);
}
