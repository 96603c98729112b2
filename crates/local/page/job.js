// Details of a job: its values and chunks, its time line, and its actions.

import { endpointPath, queue, read } from "./api.js";
import { curl } from "./curl.js";
import { attribute, byId, el, hide, keyed, on, setStatus, sign, text } from "./dom.js";
import { onState } from "./events.js";
import { attempt, notice } from "./notice.js";
import { everySecond, now } from "./clock.js";
import { go, onRoute, route } from "./route.js";
import { canCancel, canRetry } from "./status.js";
import { again } from "./submit.js";
import { clockTime, count, duration } from "./time.js";

const PARTS = ["error", "output", "input"];

/** An ended job changes rarely, however busy its endpoint is. */
const ENDED_PAUSE_MS = 500;

let job = null;
let loading = false;
let stale = false;
let later;

export function start() {
	const { endpoint, job: id } = route();
	if (id && endpoint) load();
	let revision;
	onState(({ revision: revisions }) => {
		const next = `${revisions.jobs?.[route().endpoint]} ${revisions.webhooks}`;
		if (next !== revision && route().job) changed();
		revision = next;
	});
	onRoute((to, from) => {
		if (to.job === from.job && to.endpoint === from.endpoint) return;
		job = null;
		clearTimeout(later);
		later = undefined;
		show();
		if (!to.job) return;
		load();
		const section = byId("job");
		const { top } = section.getBoundingClientRect();
		if (top < 0 || top > innerHeight / 2) section.scrollIntoView();
	});
	everySecond(() => job && timeline());

	on("job-close", "click", close);
	on("job-cancel", "click", () => act("cancel", "Cancelled"));
	on("job-retry", "click", () => act("retry", "Retried"));
	on("job-again", "click", () => asSubmitted(again));
	on("job-curl", "click", () => asSubmitted(copy));
	for (const name of PARTS) {
		byId(`part-${name}`).firstChild.append(
			el("button", { class: "whole", click: () => whole(name) }, "Show the whole value"));
	}
}

export const close = () => go({ job: "" });

function changed() {
	if (!job || canCancel(job.status)) load();
	else later ??= setTimeout(() => {
		later = undefined;
		load();
	}, ENDED_PAUSE_MS);
}

const path = (endpoint, id) => `${endpointPath(endpoint)}/jobs/${encodeURIComponent(id)}`;

async function load() {
	stale = loading;
	if (loading) return;
	loading = true;
	const { endpoint, job: id } = route();
	const found = await read(path(endpoint, id)).catch((error) =>
		error.status === 404 && { id, status: "EXPIRED", timeline: [], unknown: true });
	loading = false;
	if (found && route().job === id && route().endpoint === endpoint) {
		job = { ...found, endpoint, whole: job?.whole };
		show();
	}
	if (stale && route().job) await load();
}

const act = (operation, done) => attempt(
	() => queue(job.endpoint, operation, { id: job.id }), () => `${done} ${job.id}`);

/** Not by `navigator.clipboard`: pages of other hosts without TLS have none. */
function copy({ endpoint, operation, body, leftOut }) {
	const command = curl(location.origin, endpoint, operation, body);
	addEventListener("copy", (event) => {
		event.clipboardData.setData("text/plain", command);
		event.preventDefault();
	}, { once: true });
	if (document.execCommand("copy")) notice(`Copied the command${leftOut && `. ${leftOut}`}`);
	else notice("The browser refused to copy", "failed");
}

/** Applies an action to the submission of the job, as far as the service shows it. */
async function asSubmitted(action) {
	const { id, endpoint, input, policy, webhookUrl, withheld = [] } = job;
	if (input == null) return;
	if (isCut("input")) await whole("input");
	if (job?.id !== id || isCut("input")) return;
	const webhook = withheld.includes("webhook") ? undefined : webhookUrl ?? undefined;
	action({
		endpoint,
		operation: id.startsWith("sync-") ? "runsync" : "run",
		body: { input: wholeOf("input")?.value ?? input, policy: policy ?? undefined, webhook },
		leftOut: withheld.length ? `Left out, as it may be secret: ${withheld.join(", ")}` : "",
	});
}

async function whole(name) {
	const { endpoint, id, cut, [name]: beginning } = job;
	const value = await attempt(() => read(path(endpoint, id), { full: name }));
	if (value === undefined || job?.id !== id) return;
	job.whole = { ...job.whole, [name]: { value, text: written(name, value), beginning, length: cut?.[name] } };
	show();
}

/** All of a value that came cut, if it was fetched and the value is still the same. */
function wholeOf(name) {
	const found = job.whole?.[name];
	return found?.beginning === job[name] && found?.length === job.cut?.[name] ? found : undefined;
}

const isCut = (name) => job.cut?.[name] !== undefined && !wholeOf(name);

function show() {
	const open = job !== null;
	hide("job-none", open);
	hide("job-body", !open);
	hide("job-close", !route().job);
	hide("job-status", !open);
	if (!open) return;
	setStatus(byId("job-status"), job.status);
	text("job-id", job.id);
	enable("job-cancel", canCancel(job.status));
	enable("job-retry", canRetry(job.status));
	enable("job-again", job.input != null);
	enable("job-curl", job.input != null);
	timeline();
	facts();
	PARTS.forEach(part);
	chunks();
	tries();
}

/** A button that was disabled would lose the focus. */
const enable = (id, enabled) => attribute(id, "aria-disabled", !enabled && "true");

/** The signs of the states on the time line, and their words where they are others. */
const STATES = {
	queued: ["IN_QUEUE", "queued again"], started: ["IN_PROGRESS"], timesOut: ["TIMED_OUT", "times out"],
	expires: ["EXPIRED"], expired: ["EXPIRED"],
};

function moment(state) {
	if (state === "ended" && job.status !== "EXPIRED") {
		return [job.status, job.status.toLowerCase().replace("_", " ")];
	}
	const [status = "IN_QUEUE", words = state] = STATES[state] ?? [];
	return [status, words];
}

/** The states with their times; what lies ahead is marked so. */
function timeline() {
	const entries = job.timeline ?? [];
	keyed(byId("timeline"), entries, ({ state }, index) => `${index} ${state} ${job.status}`, ({ state }) => {
		const [status, words] = moment(state);
		const li = el("li", { "data-status": status },
			sign(status), el("b", {}, words), el("time"), el("span", { class: "of" }));
		[, , li.at, li.since] = li.children;
		return li;
	}, (li, entry) => {
		const ahead = entry.atMs - now();
		li.classList.toggle("ahead", ahead > 0);
		text(li.at, clockTime(entry.atMs));
		const before = entries[entries.indexOf(entry) - 1];
		if (ahead > 0) text(li.since, `in ${duration(Math.ceil(ahead / 1000) * 1000)}`);
		else text(li.since, before ? `+${duration(entry.atMs - before.atMs)}` : "");
	});
}

function facts() {
	const { policy } = job;
	const rows = [
		["worker", job.worker],
		["retried", job.retried && count(job.retried)],
		["executionTimeout", policy?.executionTimeout && duration(policy.executionTimeout)],
		["ttl", policy?.ttl && duration(policy.ttl)],
		["lowPriority", policy?.lowPriority && "true"],
		["webhook", job.webhookUrl],
		["result", job.unknown && "The result has expired, or there never was a job of this id."],
	].filter(([, value]) => value);
	const flat = rows.flatMap(([name, value]) => [["dt", name, name], ["dd", name, value]]);
	keyed(byId("job-facts"), flat, ([tag, name]) => tag + name, ([tag]) => el(tag),
		(node, [, , value]) => text(node, value));
}

const written = (name, value) => (name === "error" ? value : JSON.stringify(value, null, 2));

/** A value; one that is long comes cut, as the beginning of its text, and whole on request. */
function part(name) {
	const value = job[name];
	const section = byId(`part-${name}`);
	hide(section, value == null);
	hide(section.querySelector(".whole"), !isCut(name));
	text(section.querySelector("pre"), isCut(name) ? value : wholeOf(name)?.text ?? written(name, value));
}

/** Chunks only come at the end, so those that stand there stay. */
function chunks() {
	const list = job.chunks ?? [];
	const first = (job.chunksTotal ?? list.length) - list.length;
	hide("part-chunks", list.length === 0);
	text("chunk-count", (first ? `the last ${count(list.length)} of ` : "") + count(first + list.length));
	const place = byId("chunks");
	const atEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 4;
	keyed(place, list, (_, index) => `${job.id} ${job.retried} ${first + index}`, (chunk) =>
		el("li", {}, JSON.stringify(chunk)));
	attribute(place, "start", first + 1);
	if (atEnd) place.scrollTop = place.scrollHeight;
}

function tries() {
	const list = job.webhookTries ?? [];
	hide("part-tries", list.length === 0);
	keyed(byId("tries"), list, (_, index) => index, () => el("li"), (li, { attempt, atMs, status, error }) =>
		text(li, `${clockTime(atMs)}  try ${attempt}: ${status ?? error ?? "no response"}`));
}
