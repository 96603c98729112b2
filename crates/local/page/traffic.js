// Traffic: the requests of clients, each with its bodies on request, and the calls of webhooks.

import { read, sendAgain } from "./api.js";
import { attribute, byId, el, hide, on, text } from "./dom.js";
import { parse } from "./json.js";
import { List, setTime, timeCell } from "./list.js";
import { attempt } from "./notice.js";
import { onView } from "./views.js";
import { go } from "./route.js";
import { clockTime, count, duration, wallTime } from "./format.js";

const BODIES = ["sent", "received"];

let shown = null;

const target = ({ path, query }) => path + (query && `?${query}`);

const took = ({ tookMs }) => (tookMs == null ? "" : tookMs < 100 ? `${tookMs.toFixed(1)} ms` : duration(tookMs));

export function start() {
	const status = byId("request-status");
	const search = byId("request-search");
	const list = new List(byId("request-list"), {
		rows: "requests",
		noun: "request",
		load: (window) => read("/requests", { search: search.value.trim(), status: status.value, ...window }),
		create: () => el("tr", {}, timeCell(), el("td"), el("td", {}, el("code")), el("td", { class: "number roomy" }), el("td")),
		update: (tr, request) => {
			setCall(tr, request);
			text(tr.cells[2].firstElementChild, `${request.method} ${target(request)}`);
			text(tr.cells[3], took(request));
			text(tr.cells[4], request.note);
		},
		open,
	});
	on(status, "change", () => list.reset());
	on(search, "input", () => list.reset());
	on("request-close", "click", () => hide("request", true));
	on("request-again", "click", again);
	onView("requests", ({ revision: { requests } }) => list.follow([], requests));

	const webhooks = new List(byId("webhook-list"), {
		rows: "webhooks",
		noun: "call",
		load: (window) => read("/webhooks", window),
		create: () => el("tr", {}, timeCell(), el("td"), el("td"), el("td", {}, el("code")), el("td", { class: "error" })),
		update: (tr, call) => {
			setCall(tr, call);
			text(tr.cells[2], call.attempt);
			text(tr.cells[3].firstElementChild, call.url);
			text(tr.cells[4], cause(call));
		},
		open: ({ endpoint, jobId: job }) => go({ endpoint, job }),
	});
	onView("webhooks", (state) => webhooks.follow([], state.revision.webhooks));
}

/** Fills the time and the status of a row. */
function setCall({ cells: [time, code] }, call) {
	const { status } = call;
	setTime(time, call);
	text(code, status ?? "none");
	code.className = `code code-${Math.floor((status ?? 0) / 100)}`;
}

async function open({ number }) {
	shown = await attempt(() => read(`/requests/${number}`));
	if (!shown) return;
	const { method, status, atMs, wallMs, sent } = shown;
	hide("request", false);
	text("request-target", `${method} ${target(shown)}`);
	text("request-facts", [status ?? "no response", took(shown), `at ${clockTime(atMs)}, ${wallTime(wallMs)}`,
		sent ? "" : "Bodies are kept of the last 200 requests to the queue."].filter(Boolean).join(" · "));
	for (const name of BODIES) {
		const { length, text: json } = shown[name] ?? {};
		const pre = byId(`request-${name}`);
		hide(pre.parentElement, !length);
		text(pre, json == null ? `${count(length)} bytes. Only JSON of up to 16 KiB is kept.` : JSON.stringify(parse(json), null, 2));
	}
	attribute("request-again", "aria-disabled", !isWhole() && "true");
}

/** True if all of the request is known. */
const isWhole = () => shown.sent && (shown.sent.length === 0 || shown.sent.text != null && !shown.sent.redacted);

const again = () => isWhole() && attempt(
	() => sendAgain(shown.method, target(shown), shown.sent.text ? parse(shown.sent.text) : undefined),
	() => "Sent again");

/** Why the call of a webhook failed. */
export const cause = ({ status, error }) =>
	status == null ? error ?? "no response" : status === 200 ? "" : "only 200 counts as received";
