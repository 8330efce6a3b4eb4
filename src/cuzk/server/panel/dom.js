// Small helpers over the DOM: nodes are made once and changed in place, so that rows, focus and selection stay.

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Writes only what differs: an untouched text node keeps the reader's selection.
export function setText(node, value) {
  const text = String(value);
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value === true ? "" : value);
  }
}

export function show(node, visible) {
  setAttr(node, "hidden", !visible);
}

// Makes the children of `parent` the nodes of `items`, in that order, reusing the node of each key. A node that stands in
// its place is not moved: moving one would lose focus and selection.
export function keyed(parent, items, keyOf, create, update) {
  const nodes = (parent.keyedNodes ??= new Map());
  const wanted = new Map(items.map((item) => [String(keyOf(item)), item]));
  for (const [key, node] of nodes) {
    if (wanted.has(key)) continue;
    nodes.delete(key);
    node.remove();
  }
  let place = parent.firstElementChild;
  for (const [key, item] of wanted) {
    let node = nodes.get(key);
    if (!node) nodes.set(key, (node = create(item)));
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
    update(node, item);
  }
}
