// Workers of the endpoint: their jobs and their last pings.

import { endpointPath, read } from "./api.js";
import { byId, el, hide, keyed, text } from "./dom.js";
import { onChange } from "./views.js";
import { everySecond, now } from "./clock.js";
import { link, route } from "./route.js";
import { age, count, short, workersInWords } from "./format.js";

export function start() {
	let endpoint = null;

	async function load() {
		const { name, attachable } = endpoint;
		const found = attachable ? await read(`${endpointPath(name)}/workers`).catch(() => null) : [];
		if (!found || name !== endpoint.name) return;
		keyed(byId("worker-list").tBodies[0], found, ({ id }) => id, create, update);
	}

	const key = ({ revision: { jobs } }, { name, workers }) => [name, jobs?.[name], workers];
	onChange("workers", key, (_, shown) => {
		endpoint = shown;
		const { workers, attachable } = shown;
		text("workers-count", workersInWords(workers)
			+ (workers.max == null ? "" : ` · from ${count(workers.min)} to ${count(workers.max)}`));
		hide("workers-body", !attachable);
		hide("workers-none", attachable);
		load();
	});
	// Pings change nothing that an event would tell of.
	everySecond(() => endpoint && byId("workers-body").checkVisibility() && load());
}

function create({ id }) {
	const tr = el("tr", {}, el("td", {}, el("code", {}, id)), el("td"), el("td"),
		el("td", { class: "number" }), el("td", { class: "number" }));
	[, tr.state, tr.jobs, tr.ping, tr.missed] = tr.cells;
	return tr;
}

function update(tr, { status, jobs, lastPingMs, missedPings, unhealthy }) {
	tr.dataset.worker = unhealthy ? "unhealthy" : status;
	text(tr.state, unhealthy ? `unhealthy: ${unhealthy.check ?? ""} ${unhealthy.reason ?? ""}` : status);
	keyed(tr.jobs, jobs ?? [], (id) => id, (id) => el("a",
		{ href: link({ endpoint: route().endpoint, job: id }), title: id }, el("code", {}, short(id))));
	text(tr.ping, lastPingMs == null ? "none" : age(now() - lastPingMs));
	text(tr.missed, count(missedPings));
}
