// Workers of the selected endpoint: their jobs, their last pings, and the worker log.

import { endpointPath, query, read } from "./api.js";
import { byId, el, hide, keyed, text } from "./dom.js";
import { workersInWords } from "./endpoints.js";
import { onState } from "./events.js";
import { List } from "./list.js";
import { everySecond, now } from "./clock.js";
import { onRoute, route } from "./route.js";
import { age, clockTime, count } from "./time.js";

export function start() {
	let endpoint = null;
	let revision;
	let workers = [];
	const path = () => endpointPath(endpoint.name);
	const printing = () => endpoint?.attachable || endpoint?.kind === "command";

	const log = new List(byId("log-list"), {
		rows: "logs",
		load: async (window) => printing() ? read(`${path()}/worker-logs`, window) : null,
		create: () => el("tr", {}, el("td", {}, el("time")), el("td", {}, el("code")),
			el("td", {}, el("code", { class: "mono" }))),
		update: (tr, { source, worker, text: said, atMs }) => {
			const [time, name, line] = tr.cells;
			tr.className = source;
			text(time.firstElementChild, clockTime(atMs));
			text(name.firstElementChild, worker);
			text(line.firstElementChild, said);
		},
	});

	async function load() {
		if (!endpoint?.attachable) return;
		const { name } = endpoint;
		const found = await read(`${path()}/workers`).catch(() => null);
		if (!found || name !== endpoint?.name) return;
		workers = found;
		render();
	}

	function render() {
		keyed(byId("worker-list").tBodies[0], workers, ({ id }) => id, create, update);
	}

	onState(({ endpoints, revision: { jobs, logs } }) => {
		const before = endpoint;
		endpoint = endpoints.find(({ name }) => name === route().endpoint) ?? null;
		if (!endpoint) return;
		text("workers-count", limits(endpoint.workers));
		hide("workers-body", !printing());
		hide("workers-none", printing());
		hide("workers-attached", !endpoint.attachable);
		const { name } = endpoint;
		const wanted = `${name} ${jobs?.[name]} ${logs?.[name]} ${JSON.stringify(endpoint.workers)}`;
		if (wanted === revision) return;
		revision = wanted;
		load();
		if (before?.name !== name) log.reset();
		else log.refresh();
	});
	onRoute((to, from) => {
		if (to.endpoint === from.endpoint) return;
		workers = [];
		render();
	});
	// Pings change nothing that an event would tell of.
	everySecond(load);
}

const limits = (workers) => workersInWords(workers)
	+ (workers.max == null ? "" : ` · from ${count(workers.min)} to ${count(workers.max)}`);

function create({ id }) {
	const tr = el("tr", {}, el("td", {}, el("code", {}, id)), el("td"), el("td"),
		el("td", { class: "number" }), el("td", { class: "number" }));
	[, tr.state, tr.jobs, tr.ping, tr.missed] = tr.cells;
	return tr;
}

function update(tr, { status, jobs, lastPingMs, missedPings, unhealthy }) {
	tr.dataset.worker = unhealthy ? "unhealthy" : status;
	text(tr.state, unhealthy ? `unhealthy: ${unhealthy.check ?? ""} ${unhealthy.reason ?? ""}` : status);
	keyed(tr.jobs, jobs ?? [], (id) => id, (id) =>
		el("a", { href: `#${query({ endpoint: route().endpoint, job: id })}` }, el("code", {}, id)));
	text(tr.ping, lastPingMs == null ? "none" : age(now() - lastPingMs));
	text(tr.missed, count(missedPings));
}
