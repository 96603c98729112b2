// Rate limits of the endpoint, as bars.

import { read } from "./api.js";
import { attribute, byId, el, hide, keyed, text } from "./dom.js";
import { onChange } from "./views.js";
import { route } from "./route.js";
import { count } from "./format.js";

export function start() {
	onChange("limits", ({ revision: { limits } }, { name }) => [name, limits], load);
	// Used capacity becomes free again by the mere passing of time.
	setInterval(() => byId("limits-body").checkVisibility() && !document.hidden && load(), 2000);
}

async function load() {
	const { endpoint: name } = route();
	const all = await read("/limits").catch(() => null);
	if (!all) return;
	const rows = all.filter(({ endpoint }) => endpoint === name);
	hide("limits-none", rows.length > 0);
	hide("limits-body", rows.length === 0);
	keyed(byId("limit-list").tBodies[0], rows, ({ operation }) => `${name}/${operation}`, bar, fill);
}

function bar({ endpoint, operation }) {
	const meter = el("meter", { min: 0, "aria-label": `${endpoint}/${operation}` });
	return el("tr", {}, el("th", { scope: "row" }, el("code", {}, operation)),
		el("td", {}, meter), el("td", { class: "number" }), el("td", { class: "number" }));
}

function fill(tr, { used, allowed, windowMs, refused }) {
	const meter = tr.cells[1].firstElementChild;
	attribute(meter, "max", allowed);
	attribute(meter, "high", allowed * 0.8);
	attribute(meter, "value", used);
	text(tr.cells[2], `${count(used)} of ${count(allowed)}` + (windowMs ? ` in ${windowMs / 1000} s` : " at once"));
	text(tr.cells[3], count(refused));
	tr.cells[3].classList.toggle("refused", refused > 0);
}
