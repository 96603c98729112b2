// Details of a job: its time line, its values and chunks, what is known about it, and its actions.

import { change, endpointPath, queue, read } from "./api.js";
import { everySecond, isManual, now } from "./clock.js";
import { curl } from "./curl.js";
import { attribute, byId, el, hide, keyed, on, setStatus, sign, text } from "./dom.js";
import { parsed } from "./logs.js";
import { attempt, notice } from "./notice.js";
import { onChange } from "./views.js";
import { onRoute, route } from "./route.js";
import { again } from "./submit.js";
import { cause } from "./traffic.js";
import { canCancel, canRetry, clockTime, count, duration, inWords, wallTime } from "./format.js";

/** An ended job changes rarely. */
const ENDED_PAUSE_MS = 500;

/** Of requests and of log lines. */
const MOST_RELATED = 50;

const VALUES = ["error", "output", "input"];

let job = null;
let loading = false;
let stale = false;
let later;
/** True if the workers of the endpoint have a log. */
let prints = false;

export function start() {
	const part = (place, name, tag, button) => byId(place).append(el("div", { class: "part", id: `part-${name}` },
		el("h3", {}, `${inWords(name)} `, el("span", { class: "of" }), button),
		el(tag, { tabindex: 0, "aria-label": name })));
	const value = (name) => part("job-values", name, "pre",
		el("button", { class: "whole", click: () => whole(name) }, "Show the whole value"));
	value("error");
	part("job-values", "chunks", "ol");
	value("output");
	value("input");
	part("job-about", "webhook", "ol", el("button", { click: redeliver }, "Call again"));
	for (const name of ["log", "requests"]) part("job-about", name, "ol");

	const key = ({ revision: { jobs, webhooks, requests, logs } }, { name }) =>
		[name, route().job, jobs?.[name], webhooks, requests, logs?.[name]];
	onChange("job", key, (_, { kind, attachable }) => {
		prints = attachable || kind === "command";
		changed();
	});
	onRoute((to, from) => {
		if (to.job === from.job && to.endpoint === from.endpoint) return;
		job = null;
		clearTimeout(later);
		later = undefined;
		show();
	});
	everySecond(() => job && timeline());

	on("job-cancel", "click", () => act("cancel", "Cancelled"));
	on("job-retry", "click", () => act("retry", "Retried"));
	on("job-again", "click", () => asSubmitted(again));
	on("job-curl", "click", () => asSubmitted(({ endpoint, operation, body, leftOut }) =>
		copy(curl(location.origin, endpoint, operation, body), `Copied the command${leftOut && `. ${leftOut}`}`)));
	on("job-id", "click", () => copy(job.id, `Copied ${job.id}`));
}

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
	const about = (url) => read(url, { limit: MOST_RELATED, job: id }).catch(() => null);
	const [found, requests, log] = await Promise.all([
		read(path(endpoint, id)).catch((error) => error.status === 404 && { id, isUnknown: true }),
		about("/requests"),
		prints && about(`${endpointPath(endpoint)}/worker-logs`),
	]);
	loading = false;
	if (found && route().job === id && route().endpoint === endpoint) {
		job = { ...found, endpoint, whole: job?.whole, requests: requests?.requests, log: log?.logs };
		show();
	}
	if (stale && route().job) await load();
}

const act = (operation, done) => attempt(
	() => queue(job.endpoint, operation, { id: job.id }), () => `${done} ${job.id}`);

const redeliver = () => attempt(
	() => change(`/webhooks/${encodeURIComponent(job.id)}/redeliver`), () => "The webhook is called again");

/** Not by `navigator.clipboard`: pages of other hosts without TLS have none. */
function copy(content, done) {
	addEventListener("copy", (event) => {
		event.clipboardData.setData("text/plain", content);
		event.preventDefault();
	}, { once: true });
	if (document.execCommand("copy")) notice(done);
	else notice("The browser refused to copy", "failed");
}

/** Applies an action to the submission of the job, as far as the service shows it. */
async function asSubmitted(action) {
	const { id, endpoint, policy, webhookUrl, withheld = [], cut, input: shown } = job;
	if (shown == null) return;
	const input = cut?.input ? await attempt(() => read(path(endpoint, id), { full: "input" })) : shown;
	if (input === undefined || job?.id !== id) return;
	const webhook = withheld.includes("webhook") ? undefined : webhookUrl ?? undefined;
	action({
		endpoint,
		operation: id.startsWith("sync-") ? "runsync" : "run",
		body: { input, policy: policy ?? undefined, webhook },
		leftOut: withheld.length ? `Left out, as it may be secret: ${withheld.join(", ")}` : "",
	});
}

async function whole(name) {
	const { endpoint, id, cut, [name]: beginning } = job;
	const value = await attempt(() => read(path(endpoint, id), { full: name }));
	if (value === undefined || job?.id !== id) return;
	job.whole = { ...job.whole, [name]: { text: written(name, value), beginning, length: cut?.[name] } };
	show();
}

/** All of a value that came cut, if it was fetched and the value is still the same. */
function wholeOf(name) {
	const found = job.whole?.[name];
	return found?.beginning === job[name] && found?.length === job.cut?.[name] ? found : undefined;
}

const isCut = (name) => job.cut?.[name] !== undefined && !wholeOf(name);

function show() {
	const isKnown = job !== null && !job.isUnknown;
	for (const id of ["job-head", "job-body"]) hide(id, !isKnown);
	hide("job-none", isKnown);
	text("job-none", job && `This endpoint has no job ${job.id}: the id is unknown, or it expired long ago.`);
	if (!isKnown) return;
	setStatus(byId("job-status"), job.status);
	text("job-id", job.id);
	// A button that was disabled would lose the focus.
	const enable = (name, enabled) => attribute(`job-${name}`, "aria-disabled", !enabled && "true");
	enable("cancel", canCancel(job.status));
	enable("retry", canRetry(job.status));
	enable("again", job.input != null);
	enable("curl", job.input != null);
	timeline();
	facts();
	VALUES.forEach(showValue);
	chunks();
	lines("webhook", job.webhookAttempts, (call) =>
		`try ${call.attempt}: ${[call.status, cause(call)].filter(Boolean).join(": ")}`);
	lines("log", job.log, (line) => parsed(line).message);
	lines("requests", job.requests, ({ status, method, path }) => `${status ?? "none"} ${method} ${path}`);
}

/** The signs of the states on the time line, and their words where they are others. */
const STATES = {
	queued: ["IN_QUEUE", "queued again"], started: ["IN_PROGRESS"], timesOut: ["TIMED_OUT", "times out"],
	expires: ["EXPIRED"], expired: ["EXPIRED"],
};

function moment(state) {
	const isEnd = state === "ended" && job.status !== "EXPIRED";
	const [status = "IN_QUEUE", words = state] = isEnd ? [job.status, job.status] : STATES[state] ?? [];
	return [status, inWords(words)];
}

/** The states with their times; what lies ahead is marked so. */
function timeline() {
	const entries = job.timeline ?? [];
	text("timeline-clocks", "Times are of the service’s clock"
		+ (isManual() ? ", which is manual: it stands still until it is advanced" : "")
		+ "; below them, or in parentheses, those of the computer’s.");
	keyed(byId("timeline"), entries, ({ state }, index) => `${index} ${state} ${job.status}`, ({ state }) => {
		const [status, words] = moment(state);
		const li = el("li", { "data-status": status },
			sign(status), el("b", {}, words), el("time"), el("span", { class: "of" }), el("span", { class: "of" }));
		[, , li.at, li.wall, li.since] = li.children;
		return li;
	}, (li, entry) => {
		const ahead = entry.atMs - now();
		li.classList.toggle("ahead", ahead > 0);
		text(li.at, clockTime(entry.atMs));
		text(li.wall, entry.wallMs == null ? "" : wallTime(entry.wallMs));
		attribute(li.wall, "title", entry.wallMs == null ? null : new Date(entry.wallMs).toLocaleString());
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
	].filter(([, value]) => value);
	const flat = rows.flatMap(([name, value]) => [["dt", name, name], ["dd", name, value]]);
	keyed(byId("job-facts"), flat, ([tag, name]) => tag + name, ([tag]) => el(tag),
		(node, [, , value]) => text(node, value));
}

const written = (name, value) => (name === "error" ? value : JSON.stringify(value, null, 2));

/** A value; one that is long comes cut, as the beginning of its text, and whole on request. */
function showValue(name) {
	const value = job[name];
	const part = byId(`part-${name}`);
	hide(part, value == null);
	hide(part.querySelector("button"), !isCut(name));
	text(part.lastElementChild, isCut(name) ? value : wholeOf(name)?.text ?? written(name, value));
}

/** Chunks only come at the end, so those that stand there stay. */
function chunks() {
	const part = byId("part-chunks");
	const place = part.lastElementChild;
	const list = job.chunks ?? [];
	const first = (job.chunksTotal ?? list.length) - list.length;
	hide(part, list.length === 0);
	text(part.querySelector("span"), (first ? `the last ${count(list.length)} of ` : "") + count(first + list.length));
	const atEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 4;
	keyed(place, list, (_, index) => `${job.id} ${job.retried} ${first + index}`, (chunk) =>
		el("li", {}, JSON.stringify(chunk)));
	if (atEnd) place.scrollTop = place.scrollHeight;
}

/** What happened about the job, with the times. */
function lines(name, list, words) {
	const part = byId(`part-${name}`);
	hide(part, !list?.length);
	keyed(part.lastElementChild, list ?? [], ({ number }) => number, () => el("li"), (li, it) =>
		text(li, `${clockTime(it.atMs)} (${wallTime(it.wallMs)})  ${words(it)}`));
}
