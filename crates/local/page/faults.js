// Faults: presets, a form, and the list of active faults.

import { change, read, remove } from "./api.js";
import { attribute, byId, el, hide, keyed, on, text } from "./dom.js";
import { onState } from "./events.js";
import { firstError, parse } from "./json.js";
import { attempt, notice } from "./notice.js";
import { count, counted, duration } from "./time.js";

const PRESETS = {
	// Not a reset: where one hits a connection that was used before, browsers send the request again.
	lost: { operation: "run", times: 1, cut: 0 },
	throttle: { operation: "run", times: 3, response: { status: 429, headers: { "retry-after": "5" } } },
	down: { operation: "run", times: 1, down: { ms: 5000 } },
	slow: { delayMs: 2000 },
};

const OPERATIONS = ["run", "runsync", "status", "stream", "cancel", "retry", "purge-queue", "health",
	"openai", "requests", "job-take", "job-take-batch", "job-stop", "job-stream", "job-done", "ping",
	"get-pod", "get-template", "graphql", "account"];

const EFFECTS = {
	"respond instead": { response: { status: 503 } },
	"lose the response": { reset: {}, processed: true },
	"reset the connection": { reset: { afterBytes: 10 } },
	"go down": { down: { ms: 5000 } },
	"delay": { delayMs: 2000 },
	"truncate the body": { truncate: 10 },
	"drip the body": { drip: { bytes: 8, pauseMs: 50 } },
	"never send the body": { stall: true },
	"another job's record": { rewrite: "foreign" },
	"respond twice": { again: "at-once" },
};

export function start() {
	const effect = byId("fault-effect");
	const json = byId("fault-json");
	const option = (value, label = value) => el("option", { value }, label);
	byId("fault-operation").append(option("", "all"), ...OPERATIONS.map((name) => option(name)));
	effect.append(...Object.keys(EFFECTS).map((name) => option(name)));
	const fill = () => { json.value = JSON.stringify(EFFECTS[effect.value]); };
	on(effect, "change", fill);
	fill();

	for (const button of document.querySelectorAll("[data-preset]")) {
		on(button, "click", () => add(PRESETS[button.dataset.preset]));
	}
	on("fault-form", "submit", (event) => {
		event.preventDefault();
		const wrong = firstError(json.value);
		if (wrong) {
			json.setSelectionRange(wrong.offset, wrong.offset + 1);
			json.focus();
			notice(`Not added. Column ${wrong.column}: ${wrong.message}`, "failed");
		} else add({ ...selection(), ...parse(json.value) });
	});
	on("faults-clear", "click", () => attempt(() => remove("/faults"), () => "All faults have ended"));

	let seen;
	onState(({ revision, endpoints }) => {
		keyed(byId("fault-endpoint"), [{ name: "" }, ...endpoints], ({ name }) => name,
			({ name }) => option(name, name || "all"));
		if (revision.faults !== seen) load();
		seen = revision.faults;
	});
}

const add = (fault) => attempt(() => change("/faults", fault), () => `Added: ${inWords(fault)}`);

function selection() {
	const value = (name) => byId(`fault-${name}`).value || undefined;
	const number = (name) => value(name) && Number(value(name));
	return {
		operation: value("operation"), endpoint: value("endpoint"),
		times: number("times"), probability: number("probability"),
	};
}

async function load() {
	const faults = await read("/faults").catch(() => null);
	if (!faults) return;
	text("faults-count", `${count(faults.length)} active`);
	hide("faults-clear", faults.length < 2);
	keyed(byId("fault-list"), faults, ({ id }) => id, ({ id }) => el("li", {}, el("span"),
		el("span", { class: "of" }), el("button", { click: () => end(id) }, "End")),
	(li, fault) => {
		const [words, counts, button] = li.children;
		const { left, affected } = fault;
		text(words, inWords(fault));
		text(counts, `${counted(affected, "request")} affected` + (left == null ? "" : `, ${count(left)} left`));
		attribute(button, "aria-label", `End: ${words.textContent}`);
	});
}

const end = (id) => attempt(() => remove(`/faults/${id}`), () => "The fault has ended");

/** A fault as a sentence: `run of echo: 429 with Retry-After: 5, the next 3`. */
function inWords({ id, left, affected, operation, endpoint, times, probability, seed, processed, ...effect }) {
	const what = Object.entries(effect).filter(([, value]) => value != null && value !== false)
		.map(([name, value]) => WORDS[name]?.(value, processed) ?? `${name} ${JSON.stringify(value)}`);
	if (times) what.push(`the next ${count(times)}`);
	if (probability != null) what.push(`with probability ${JSON.stringify(probability)}`);
	return `${operation ?? "all requests"}${endpoint ? ` of ${endpoint}` : ""}: ${what.join(", ") || "no effect"}`;
}

const WORDS = {
	delayMs: (ms) => (ms ? `${duration(ms)} late` : "no delay"),
	response: ({ status, headers }) =>
		status + (headers?.["retry-after"] ? ` with Retry-After: ${headers["retry-after"]}` : ""),
	reset: (_, processed) => processed ? "processed, response lost" : "connection reset",
	cut: (bytes) => (bytes ? `body cut off after ${count(bytes)} bytes` : "response lost"),
	down: ({ ms }) => `down for ${duration(ms)}`,
};
