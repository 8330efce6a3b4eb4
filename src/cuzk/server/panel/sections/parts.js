// Pieces that several sections use.

import { UNKNOWN, bytesOf, known, percent } from "../format.js";
import { h, keyed, s, setAttr, setText } from "../dom.js";

// A whole id, wrapped where it must be, with a button that copies it.
export function idWithCopy(what) {
  const text = h("span", { class: "id" });
  const node = h("span", { class: "id-copy" }, text, copyButton(() => text.textContent, what));
  node.update = (id) => setText(text, id);
  return node;
}

export function copyButton(textOf, what) {
  const icon = s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  icon.append(
    s("rect", { x: 5.5, y: 5.5, width: 8, height: 8, rx: 1.5 }),
    s("path", { d: "M10.5 3.5v-.5A1 1 0 0 0 9.5 2h-6A1.5 1.5 0 0 0 2 3.5v6a1 1 0 0 0 1 1h.5" }),
  );
  const said = h("span", { class: "said", role: "status" });
  const button = h("button", { class: "copy", type: "button", "aria-label": `Copy ${what}`, title: `Copy ${what}` }, icon);
  button.addEventListener("click", async () => {
    setText(said, (await copy(textOf(), button)) ? "copied" : "copying is not allowed here");
    setTimeout(() => setText(said, ""), 1500);
  });
  return h("span", { class: "copy-wrap" }, button, said);
}

// The clipboard needs https or loopback; the old command works on plain http too.
async function copy(text, near) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "offscreen", readonly: true });
    area.value = text;
    near.parentNode.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    near.focus();
    return copied;
  }
}

// Shows a value, or a dash that says why on hover, on focus and to a screen reader.
export function setValue(node, text, reason) {
  setText(node, text);
  const unknown = text === UNKNOWN;
  const why = unknown ? (reason ?? "the daemon does not say") : null;
  setAttr(node, "title", why);
  setAttr(node, "aria-label", why && `unknown: ${why}`);
  setAttr(node, "tabindex", unknown ? 0 : null);
  setAttr(node, "role", unknown ? "note" : null);
}

// A horizontal bar of a share; empty when the share is unknown.
export function bar(label) {
  const fill = h("span", { class: "bar-fill" });
  const node = h("span", { class: "bar", role: "img" }, fill);
  node.update = (share, words) => {
    fill.style.inlineSize = `${known(share) ? Math.min(100, Math.max(0, share * 100)) : 0}%`;
    setAttr(node, "aria-label", `${label}: ${words}`);
  };
  return node;
}

// Small bars, newest at the right; a slot that was not yet is empty.
export function spark(slots) {
  const width = 100 / slots;
  const node = s("svg", { class: "spark", viewBox: "0 0 100 24", preserveAspectRatio: "none", role: "img" });
  node.update = (values, most) => {
    const items = values.map((value, i) => ({ value, slot: slots - values.length + i }));
    keyed(node, items, (item) => item.slot, () => s("rect"), (rect, { value, slot }) => {
      const height = value ? Math.max(2, (24 * value) / most) : 1;
      const box = { x: slot * width + width * 0.08, width: width * 0.84, y: 24 - height, height };
      for (const [name, n] of Object.entries(box)) setAttr(rect, name, n);
      setAttr(rect, "class", value ? "some" : "none");
    });
  };
  return node;
}

// A list of short facts with dots between; a null fact is left out.
export function facts() {
  const node = h("span", { class: "facts" });
  node.update = (values) => {
    const texts = values.filter((value) => value !== null && value !== undefined);
    while (node.children.length > texts.length) node.lastElementChild.remove();
    while (node.children.length < texts.length) node.append(h("span", { class: "fact" }));
    texts.forEach((value, i) => setText(node.children[i], value));
  };
  return node;
}

// Memory, temperature and load of a device, each a dash with the reason where it is not known.
export function readings() {
  const [memory, temperature, load] = Array.from({ length: 3 }, () => h("span", { class: "fact" }));
  const node = h("span", { class: "facts" }, memory, temperature, load);
  node.update = ({ memory_total_bytes: total, memory_free_bytes: free, temperature_c: celsius, utilisation, unknown = {} }) => {
    const used = known(total) && known(free) ? total - free : null;
    setValue(memory, known(used) ? bytesOf(used, total) : UNKNOWN, unknown.memory_free_bytes ?? unknown.memory_total_bytes);
    setValue(temperature, known(celsius) ? `${Math.round(celsius)} °C` : UNKNOWN, unknown.temperature_c);
    setValue(load, known(utilisation) ? `${percent(utilisation)} busy` : UNKNOWN, unknown.utilisation);
  };
  return node;
}

export function section(title, ...children) {
  const id = `s-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  const extra = h("span", { class: "section-extra" });
  const head = h("div", { class: "section-head" }, h("h2", { id }, title), extra);
  const node = h("section", { class: "card", "aria-labelledby": id }, head, ...children);
  node.extra = extra;
  return node;
}
