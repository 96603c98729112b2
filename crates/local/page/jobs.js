// Jobs of the selected endpoint: filter, search, and bulk actions.

import { change, endpointPath, read } from "./api.js";
import { attribute, byId, el, on, setStatus, sign, text } from "./dom.js";
import { onState } from "./events.js";
import { List } from "./list.js";
import { attempt, confirmed } from "./notice.js";
import { go, onRoute, route } from "./route.js";
import { STATUSES } from "./status.js";
import { age, count, counted, duration } from "./time.js";
import { everySecond, now } from "./clock.js";

const TYPING_MS = 150;

export function start() {
	const search = byId("job-search");
	const filter = byId("job-filter");
	let revision;
	let counts = {};
	let typing;

	const list = new List(byId("job-list"), {
		rows: "jobs",
		noun: "job",
		load: async (window) => {
			const { endpoint, status, search } = route();
			return endpoint ? read(`${endpointPath(endpoint)}/jobs`, { status, search, ...window }) : null;
		},
		key: (job) => job.id,
		create,
		update,
		open: (job) => go({ job: job.id }),
	});

	const chips = STATUSES.map((status) => el("button", { "data-status": status, click: () => toggle(status) },
		sign(status), el("span", {}, status), el("span", { class: "of" })));
	filter.append(...chips);

	function toggle(status) {
		const chosen = route().status.split(",");
		go({ status: STATUSES.filter((one) => (one === status) !== chosen.includes(one)).join(",") });
	}

	function typed() {
		clearTimeout(typing);
		go({ search: search.value.trim() }, { replace: true });
	}

	on(search, "input", () => {
		clearTimeout(typing);
		typing = setTimeout(typed, TYPING_MS);
	});
	on(search, "change", typed);
	on(search, "keydown", (event) => {
		if (event.key !== "Enter" && event.key !== "ArrowDown") return;
		typed();
		list.focus();
		event.preventDefault();
	});

	on("retry-found", "click", () => onAll("retry", "Retry", "retried"));
	on("cancel-found", "click", () => onAll("cancel", "Cancel", "cancelled"));

	async function onAll(operation, verb, done) {
		const { endpoint, status, search } = route();
		await list.refresh();
		const found = byId("jobs-found").textContent;
		const question = `${verb} everything that the filter finds: ${found} of \u2068${endpoint}\u2069? `
			+ `Only ${operation === "retry" ? "FAILED and TIMED_OUT" : "IN_QUEUE and IN_PROGRESS"} jobs change.`;
		if (!(await confirmed(question, verb))) return;
		await attempt(
			() => change(`${endpointPath(endpoint)}/jobs/${operation}`, { status, search }),
			({ changed, unchanged }) => `${counted(changed, "job")} ${done}`
				+ (unchanged ? `, ${count(unchanged)} unchanged` : ""),
		);
	}

	function render() {
		const { status, search: wanted } = route();
		const chosen = status.split(",");
		chips.forEach((chip, index) => {
			attribute(chip, "aria-pressed", String(chosen.includes(STATUSES[index])));
			text(chip.lastElementChild, count(counts[STATUSES[index]]));
		});
		if (document.activeElement !== search && search.value !== wanted) search.value = wanted;
	}

	onState(({ endpoints, revision: revisions }) => {
		const { endpoint } = route();
		counts = endpoints.find(({ name }) => name === endpoint)?.jobs ?? {};
		render();
		const next = `${endpoint} ${revisions.jobs?.[endpoint]}`;
		if (next !== revision) list.refresh();
		revision = next;
	});
	onRoute((to, from) => {
		render();
		if (to.endpoint !== from.endpoint || to.status !== from.status || to.search !== from.search) {
			list.reset();
		}
		if (to.job !== from.job) list.refresh();
	});
	everySecond(() => [...list.body.rows].forEach((tr) => times(tr, tr.row)));

	return list;
}

function create() {
	const tr = el("tr", {},
		el("td", {}, el("span", { class: "status" })),
		el("td", {}, el("code")),
		el("td", { class: "roomy" }),
		el("td", { class: "number" }),
		el("td", { class: "number" }));
	[tr.status, tr.name, tr.input, tr.age, tr.ran] = tr.cells;
	return tr;
}

function update(tr, job) {
	setStatus(tr.status.firstElementChild, job.status);
	text(tr.name.firstElementChild, job.id);
	text(tr.input, job.input);
	attribute(tr, "aria-selected", String(job.id === route().job));
	times(tr, job);
}

function times(tr, job) {
	text(tr.age, age(now() - job.createdMs));
	const isRunning = job.status === "IN_PROGRESS";
	const end = job.endedMs ?? (isRunning ? now() : null);
	text(tr.ran, job.startedMs == null || end == null ? "" : duration(end - job.startedMs));
}
