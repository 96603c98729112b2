// Faults: buttons for frequent ones, any other as JSON, the list of active faults, and scenarios.

import { change, read, remove } from "./api.js";
import { attribute, byId, el, hide, keyed, on, text } from "./dom.js";
import { parseObject } from "./json.js";
import { attempt, notice } from "./notice.js";
import { onChange } from "./views.js";
import { count, counted, duration } from "./format.js";

/** The first four have buttons. */
const EXAMPLES = {
	// Not a reset: where one hits a connection that was used before, browsers send the request again.
	"Lose the next response": { operation: "run", times: 1, cut: 0 },
	"429 with Retry-After": { operation: "run", times: 3, response: { status: 429, headers: { "retry-after": "5" } } },
	"Down for 5 s": { operation: "run", times: 1, down: { ms: 5000 } },
	"Slow by 2 s": { delayMs: 2000 },
	"Respond instead": { operation: "health", endpoint: "echo", response: { status: 503 } },
	"Reset the connection": { probability: 0.1, reset: { afterBytes: 10 } },
	"Drip the body": { drip: { bytes: 8, pauseMs: 50 } },
	"Never send the body": { operation: "status", times: 1, stall: true },
};

export function start() {
	const example = byId("fault-example");
	const json = byId("fault-json");
	const names = Object.keys(EXAMPLES);
	byId("fault-buttons").append(...names.slice(0, 4).map((name) =>
		el("button", { click: () => add(EXAMPLES[name]) }, name)));
	example.append(...names.slice(4).map((name) => el("option", { value: name }, name)));
	const fill = () => { json.value = JSON.stringify(EXAMPLES[example.value]); };
	on(example, "change", fill);
	fill();
	on("fault-form", "submit", (event) => {
		event.preventDefault();
		try {
			add(parseObject(json.value));
		} catch (error) {
			json.focus();
			notice(`Not added. ${error.message}`, "failed");
		}
	});
	on("faults-clear", "click", () => attempt(() => remove("/faults"), () => "All faults have ended"));
	onChange("faults", ({ revision }) => revision.faults ?? null, load);
}

const add = (fault) => attempt(() => change("/faults", fault), () => `Added: ${sentence(fault)}`);

async function load() {
	const [faults, scenarios] = await Promise.all(["/faults", "/scenarios"].map((path) => read(path).catch(() => null)));
	if (!faults || !scenarios) return;
	save(faults);
	show(scenarios);
	text("faults-count", faults.length ? `${count(faults.length)} active` : "");
	hide("faults-none", faults.length > 0);
	hide("faults-clear", faults.length < 2);
	keyed(byId("fault-list"), faults, ({ id }) => id, ({ id }) => el("li", {}, el("span"),
		el("span", { class: "of" }), el("button", { click: () => end(id) }, "End")),
	(li, fault) => {
		const [words, counts, button] = li.children;
		const { left, affected, scenario } = fault;
		text(words, sentence(fault));
		text(counts, (scenario == null ? "" : `of ${scenario} · `) + `${counted(affected, "request")} affected`
			+ (left == null ? "" : `, ${count(left)} left`));
		attribute(button, "aria-label", `End: ${words.textContent}`);
	});
}

const end = (id) => attempt(() => remove(`/faults/${id}`), () => "The fault has ended");

/** The active faults as the file of a scenario. Of faults that were added in Rust, only a summary is known. */
function save(faults) {
	const known = faults.filter(({ effect }) => effect == null)
		.map(({ id, left, affected, scenario, ...fault }) => fault);
	hide("faults-save", known.length === 0);
	text("faults-save", "Save as a scenario"
		+ (known.length < faults.length ? ` (${count(known.length)} of ${count(faults.length)})` : ""));
	const json = JSON.stringify({ faults: known }, null, 2);
	attribute("faults-save", "href", `data:application/json,${encodeURIComponent(json)}`);
}

function show(scenarios) {
	hide("scenarios", scenarios.length === 0);
	keyed(byId("scenario-list"), scenarios, ({ name }) => name, ({ name }) => {
		const li = el("li", {}, el("span", {}, el("b", {}, name)), el("span", { class: "of" }),
			el("button", { click: () => toggle(name, li.active) }));
		return li;
	}, (li, { active, description, faults }) => {
		li.active = active;
		const [words, about, button] = li.children;
		text(about, [active ? "active" : "not active", counted(faults.length, "fault"), description].filter(Boolean).join(" · "));
		text(button, active ? "End" : "Start");
		attribute(button, "aria-label", `${button.textContent}: ${words.textContent}`);
	});
}

function toggle(name, isActive) {
	const path = `/scenarios/${encodeURIComponent(name)}`;
	return isActive ? attempt(() => remove(path), () => `${name} has ended`)
		: attempt(() => change(`${path}/start`), () => `${name} has started`);
}

/** A fault as a sentence: `run of echo: 429 with Retry-After: 5, the next 3`. */
function sentence({ id, left, affected, scenario, operation, endpoint, times, probability, seed, processed, ...effect }) {
	const what = Object.entries(effect).filter(([, value]) => value != null && value !== false)
		.map(([name, value]) => EFFECTS[name]?.(value, processed) ?? `${name} ${JSON.stringify(value)}`);
	if (times) what.push(`the next ${count(times)}`);
	if (probability != null) what.push(`with probability ${JSON.stringify(probability)}`);
	return `${operation ?? "all requests"}${endpoint ? ` of ${endpoint}` : ""}: ${what.join(", ") || "no effect"}`;
}

const EFFECTS = {
	delayMs: (ms) => (ms ? `${duration(ms)} late` : "no delay"),
	response: ({ status, headers }) =>
		status + (headers?.["retry-after"] ? ` with Retry-After: ${headers["retry-after"]}` : ""),
	reset: (_, processed) => processed ? "processed, response lost" : "connection reset",
	cut: (bytes) => (bytes ? `body cut off after ${count(bytes)} bytes` : "response lost"),
	down: ({ ms }) => `down for ${duration(ms)}`,
};
