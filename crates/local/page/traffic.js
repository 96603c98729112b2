// What passes through the service: limits as bars, requests, and calls of webhooks.

import { read } from "./api.js";
import { attribute, byId, el, hide, keyed, on, text } from "./dom.js";
import { onState } from "./events.js";
import { List } from "./list.js";
import { go } from "./route.js";
import { clockTime, count, counted } from "./time.js";

export function start() {
	const status = byId("request-status");
	const search = byId("request-search");

	const requests = new List(byId("request-list"), {
		rows: "requests",
		load: (window) => read("/requests", { search: search.value.trim(), status: status.value, ...window }),
		key: (request) => request.number,
		create: () => row(2),
		update: (tr, { atMs, method, path, query, status: code, note }) => {
			text(tr.time, clockTime(atMs));
			setCode(tr.cells[1], code);
			text(tr.cells[2].firstElementChild, `${method} ${path}${query ? `?${query}` : ""}`);
			text(tr.cells[3], note);
		},
		loaded: (total) => text("requests-found", counted(total, "request")),
	});
	on(status, "change", () => requests.reset());
	on(search, "input", () => requests.reset());

	const webhooks = new List(byId("webhook-list"), {
		rows: "webhooks",
		load: (window) => read("/webhooks", window),
		key: (call) => call.number,
		create: () => row(3),
		update: (tr, { atMs, attempt, url, status: code }) => {
			text(tr.time, clockTime(atMs));
			setCode(tr.cells[1], code);
			text(tr.cells[2], attempt);
			text(tr.cells[3].firstElementChild, url);
		},
		open: ({ endpoint, jobId }) => go(endpoint ? { endpoint, job: jobId } : { job: jobId }),
		loaded: (total) => text("webhooks-found", counted(total, "call")),
	});

	async function limits() {
		const rows = await read("/limits").catch(() => null);
		if (!rows) return;
		hide("limits-none", rows.length > 0);
		hide("limits-body", rows.length === 0);
		keyed(byId("limit-list").tBodies[0], rows, (limit) => `${limit.endpoint}/${limit.operation}`, bar, fill);
	}

	let seen = {};
	onState(({ revision }) => {
		if (revision.requests !== seen.requests) requests.refresh();
		if (revision.webhooks !== seen.webhooks) webhooks.refresh();
		if (revision.limits !== seen.limits) limits();
		seen = revision;
	});
	// What was used becomes free again by the mere passing of time.
	setInterval(() => byId("limits-body").hidden || document.hidden || limits(), 2000);
}

/** A row of a list: the time, and three cells, of which one has a long text. */
function row(long) {
	const time = el("time");
	const cells = [1, 2, 3].map((place) => el("td", {}, place === long ? el("code") : null));
	return Object.assign(el("tr", {}, el("td", {}, time), ...cells), { time });
}

function setCode(cell, code) {
	text(cell, code ?? "none");
	cell.className = `code code-${code ? Math.floor(code / 100) : 0}`;
}

function bar({ endpoint, operation }) {
	const meter = el("meter", { min: 0, "aria-label": `${endpoint}/${operation}` });
	return el("tr", {}, el("th", { scope: "row" }, el("code", {}, `${endpoint}/${operation}`)),
		el("td", {}, meter), el("td", { class: "number" }), el("td", { class: "number" }));
}

function fill(tr, { used, allowed, windowMs, refused }) {
	const meter = tr.cells[1].firstElementChild;
	attribute(meter, "max", allowed);
	attribute(meter, "high", allowed * 0.8);
	attribute(meter, "value", used);
	text(tr.cells[2], `${count(used)} / ${count(allowed)}` + (windowMs ? ` in ${windowMs / 1000} s` : " at once"));
	text(tr.cells[3], count(refused));
	tr.cells[3].classList.toggle("refused", refused > 0);
}
