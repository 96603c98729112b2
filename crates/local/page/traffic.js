// Rate limits as bars, the request log, and the log of webhook calls.

import { read } from "./api.js";
import { attribute, byId, el, hide, keyed, on, text } from "./dom.js";
import { onState } from "./events.js";
import { List } from "./list.js";
import { go } from "./route.js";
import { clockTime, count } from "./time.js";

export function start() {
	const status = byId("request-status");
	const search = byId("request-search");

	const requests = new List(byId("request-list"), {
		rows: "requests",
		noun: "request",
		load: (window) => read("/requests", { search: search.value.trim(), status: status.value, ...window }),
		create: () => row(2),
		update: (tr, { method, path, query, note, ...call }) => {
			begin(tr, call);
			text(tr.cells[2].firstElementChild, `${method} ${path}${query ? `?${query}` : ""}`);
			text(tr.cells[3], note);
		},
	});
	on(status, "change", () => requests.reset());
	on(search, "input", () => requests.reset());

	const webhooks = new List(byId("webhook-list"), {
		rows: "webhooks",
		noun: "call",
		load: (window) => read("/webhooks", window),
		create: () => row(3),
		update: (tr, { attempt, url, ...call }) => {
			begin(tr, call);
			text(tr.cells[2], attempt);
			text(tr.cells[3].firstElementChild, url);
		},
		open: ({ endpoint, jobId }) => go(endpoint ? { endpoint, job: jobId } : { job: jobId }),
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

/** A row of a list: the time, the status, and two cells, of which one has a long text. */
const row = (long) => el("tr", {}, el("td", {}, el("time")),
	...[1, 2, 3].map((place) => el("td", {}, place === long ? el("code") : null)));

function begin({ cells: [time, code] }, { atMs, status }) {
	text(time.firstElementChild, clockTime(atMs));
	text(code, status ?? "none");
	code.className = `code code-${Math.floor((status ?? 0) / 100)}`;
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
