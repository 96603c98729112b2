// Jobs of the selected endpoint: filter, search, and bulk actions.

import { change, endpointPath, read } from "./api.js";
import { attribute, byId, el, hide, on, setStatus, sign, text } from "./dom.js";
import { List } from "./list.js";
import { attempt } from "./notice.js";
import { onView } from "./views.js";
import { go, route } from "./route.js";
import { everySecond, now } from "./clock.js";
import { age, count, counted, duration, inWords, short, STATUSES } from "./format.js";

const TYPING_MS = 150;

/** The changes of all jobs found; the list counts those that they would change. */
const BULK = {
	retry: ["Retry", "retried", "retryable"],
	cancel: ["Cancel", "cancelled", "cancellable"],
};

export function start() {
	const search = byId("job-search");
	const filter = byId("job-filter");
	let typing;
	let found = {};

	const list = new List(byId("job-list"), {
		rows: "jobs",
		noun: "job",
		load: async (window) => {
			const { endpoint, status, search } = route();
			return endpoint && read(`${endpointPath(endpoint)}/jobs`, { status, search, ...window });
		},
		loaded: (page) => {
			found = page;
			for (const [operation, [verb, , counter]] of Object.entries(BULK)) {
				hide(`${operation}-found`, !page[counter]);
				text(`${operation}-found`, `${verb} ${count(page[counter])}`);
			}
		},
		key: (job) => job.id,
		create,
		update,
		open: (job) => go({ job: job.id }),
	});

	const chips = STATUSES.map((status) => el("button", { "data-status": status, click: () => toggle(status) },
		sign(status), el("span", {}, inWords(status)), el("span", { class: "of" })));
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

	// Of a shortened id, the whole is copied.
	addEventListener("copy", (event) => {
		const { anchorNode, focusNode } = getSelection();
		const id = anchorNode?.parentElement?.closest(".id");
		if (!id?.contains(focusNode)) return;
		event.clipboardData.setData("text/plain", id.textContent);
		event.preventDefault();
	});

	for (const operation of Object.keys(BULK)) on(`${operation}-found`, "click", () => onAll(operation));

	async function onAll(operation) {
		const [verb, done, counter] = BULK[operation];
		const { endpoint, status, search } = route();
		await list.refresh();
		const those = status || search ? " that the filter finds" : "";
		const question = `${verb} ${counted(found[counter], "job")} of \u2068${endpoint}\u2069${those}?`;
		if (!confirm(question)) return;
		await attempt(
			() => change(`${endpointPath(endpoint)}/jobs/${operation}`, { status, search }),
			({ changed }) => `${counted(changed, "job")} ${done}`,
		);
	}

	onView("jobs", (state, { name, jobs }) => {
		const { status, search: wanted } = route();
		const chosen = status.split(",");
		chips.forEach((chip, index) => {
			const number = jobs[STATUSES[index]];
			attribute(chip, "aria-pressed", String(chosen.includes(STATUSES[index])));
			chip.classList.toggle("none", !number);
			text(chip.lastElementChild, count(number));
		});
		if (document.activeElement !== search && search.value !== wanted) search.value = wanted;
		const isFiltered = Boolean(status || wanted);
		text("jobs-none", isFiltered ? "No job matches the filter." : "No jobs yet. Submit the first one.");
		list.follow([name, status, wanted], state.revision.jobs?.[name]);
	});
	everySecond(() => [...list.body.rows].forEach((tr) => times(tr, tr.row)));

	return list;
}

function create() {
	const tr = el("tr", {},
		el("td", {}, el("span", { class: "status" })),
		el("td", {}, el("code", { class: "id" })),
		el("td"),
		el("td", { class: "error" }),
		el("td", { class: "number" }),
		el("td", { class: "number" }));
	[tr.status, tr.name, tr.input, tr.error, tr.age, tr.ran] = tr.cells;
	return tr;
}

function update(tr, job) {
	setStatus(tr.status.firstElementChild, job.status);
	const id = tr.name.firstElementChild;
	text(id, job.id);
	id.style.width = `${short(job.id).length}ch`;
	attribute(id, "title", job.id);
	text(tr.input, job.input);
	text(tr.error, job.error);
	tr.classList.toggle("failed", Boolean(job.error));
	times(tr, job);
}

function times(tr, job) {
	text(tr.age, age(now() - job.createdMs));
	const isRunning = job.status === "IN_PROGRESS";
	const end = job.endedMs ?? (isRunning ? now() : null);
	text(tr.ran, job.startedMs == null || end == null ? "" : duration(end - job.startedMs));
}
