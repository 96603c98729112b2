// DOM helpers: nodes are updated only if their content has changed.

import { inWords, STATUSES } from "./format.js";

/** Makes an element: `el("td", { class: "id", hidden: true }, "text", child)`. */
export const el = (tag, ...rest) => build(document.createElement(tag), ...rest);

const SIGNS = "○◐✓✕⊘◷◌";
const SVG = "http://www.w3.org/2000/svg";

export const svg = (tag, ...rest) => build(document.createElementNS(SVG, tag), ...rest);

function build(node, attributes = {}, ...children) {
	for (const [name, value] of Object.entries(attributes)) attribute(node, name, value);
	node.append(...children.filter((child) => child != null));
	return node;
}

export const byId = (id) => document.getElementById(id);

/** An element, or the one of an id. */
const nodeOf = (it) => (typeof it === "string" ? byId(it) : it);

export const on = (it, ...rest) => nodeOf(it).addEventListener(...rest);

/** Sets an attribute; `false` and `null` remove it, and a function listens. */
export function attribute(it, name, value) {
	const node = nodeOf(it);
	const wanted = value === true ? "" : String(value);
	if (typeof value === "function") on(node, name, value);
	else if (value === false || value == null) node.removeAttribute(name);
	else if (node.getAttribute(name) !== wanted) node.setAttribute(name, wanted);
}

export function text(it, value) {
	const node = nodeOf(it);
	const wanted = String(value ?? "");
	if (node.textContent !== wanted) node.textContent = wanted;
}

export function hide(it, hidden) {
	if (hidden) leave(nodeOf(it));
	attribute(it, "hidden", hidden);
}

/** Moves the focus of a vanishing element to the heading of its section. */
const leave = (node) => node.contains(document.activeElement) && node.closest("section")?.querySelector("h2").focus();

const childrenByKey = new WeakMap();

/** Makes the children of `parent` those of `items`: a child whose key stays is updated, and moved only if its place changed. */
export function keyed(parent, items, key, create, update = () => {}) {
	const known = childrenByKey.get(parent) ?? new Map();
	childrenByKey.set(parent, known);
	const wanted = new Map(items.map((item, index) => [String(key(item, index)), item]));
	for (const [name, node] of known) {
		if (!wanted.has(name)) {
			known.delete(name);
			leave(node);
			node.remove();
		}
	}
	let place = parent.firstElementChild;
	for (const [name, item] of wanted) {
		let node = known.get(name);
		if (!node) known.set(name, (node = create(item)));
		if (node === place) place = place.nextElementSibling;
		else parent.insertBefore(node, place);
		update(node, item);
	}
}

/** The sign of a status, beside its name. */
export const sign = (status) => el("span", { class: "sign", "data-sign": SIGNS[STATUSES.indexOf(status)] });

export function setStatus(label, status) {
	if (label.dataset.status === status) return;
	label.dataset.status = status;
	label.replaceChildren(sign(status), el("span", {}, inWords(status)));
}
