// Writing and submitting a job, through the interface that any client uses.

import { queue } from "./api.js";
import { attribute, byId, el, keyed, on, text } from "./dom.js";
import { onState } from "./events.js";
import { flaw, parse } from "./json.js";
import { notice } from "./notice.js";
import { go, onRoute, route } from "./route.js";

const EXAMPLES = {
	echo: { text: "Hello" },
	count: { n: 20 },
	sleep: { ms: 5000 },
	fail: { message: "It does not work." },
};

let isTouched = false;

export function start() {
	const input = byId("submit-input");
	const endpoints = byId("submit-endpoint");

	onState((state) => {
		keyed(endpoints, state.endpoints, ({ name }) => name,
			({ name }) => el("option", { value: name }, name), () => {});
		follow(route(), {});
	});
	onRoute(follow);
	endpoints.addEventListener("change", example);
	input.addEventListener("input", () => {
		isTouched = true;
		check();
	});
	input.addEventListener("scroll", () => {
		const marks = byId("submit-marks");
		marks.scrollTop = input.scrollTop;
		marks.scrollLeft = input.scrollLeft;
	});
	on("submit-form", "keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			submit();
		}
	});
	on("submit-form", "submit", (event) => {
		event.preventDefault();
		submit();
	});
}

let followed;

/** The endpoint that is shown is the one to submit to, until another one is chosen. */
function follow({ endpoint }) {
	if (endpoint === followed) return;
	byId("submit-endpoint").value = endpoint;
	if (byId("submit-endpoint").value !== endpoint) return;
	followed = endpoint;
	example();
}

/** An input that nobody has changed follows the endpoint. */
function example() {
	if (isTouched) return;
	set(EXAMPLES[byId("submit-endpoint").value] ?? {});
}

function set(value) {
	byId("submit-input").value = JSON.stringify(value, null, 2);
	check();
}

/** Marks where the input is wrong; returns its value, or `undefined`. */
function check() {
	const input = byId("submit-input");
	const source = input.value;
	const found = flaw(source);
	let problem = "";
	let value;
	byId("submit-marks").replaceChildren();
	if (found) {
		const { offset, line, column, message } = found;
		const wrong = source.slice(offset, offset + 1);
		byId("submit-marks").append(source.slice(0, offset), el("mark", {}, wrong.trim() || " "),
			wrong === "\n" ? wrong : "", source.slice(offset + 1), "\n");
		problem = `Line ${line}, column ${column}: ${message}`;
	} else if (source.trim().startsWith("{")) {
		value = parse(source);
	} else {
		problem = "The input must be an object: { … }";
	}
	text("submit-flaw", problem);
	attribute(input, "aria-invalid", problem !== "" && "true");
	return value;
}

function policy() {
	const number = (id) => (byId(id).value || byId(id).validity.badInput ? byId(id).valueAsNumber : undefined);
	const policy = {
		executionTimeout: number("submit-timeout"),
		ttl: number("submit-ttl"),
		lowPriority: byId("submit-low").checked || undefined,
	};
	return Object.values(policy).some((value) => value !== undefined) ? policy : undefined;
}

async function submit() {
	const input = check();
	const result = byId("submit-result");
	if (input === undefined) {
		byId("submit-input").focus();
		return;
	}
	const endpoint = byId("submit-endpoint").value;
	const body = { input, policy: policy(), webhook: byId("submit-webhook").value.trim() || undefined };
	text(result, "Waiting …");
	try {
		const { id } = await queue(endpoint, byId("submit-operation").value, { body });
		text(result, "");
		notice(`Submitted ${id}`);
		// A filter might hide what was just submitted.
		go({ endpoint, job: id, status: "", search: "" });
	} catch (error) {
		text(result, error.status === 0
			? "No valid response: the job may have been submitted. Look at the list before you try again."
			: error.message);
	}
}

export function again({ endpoint, id, input, policy, webhookUrl }) {
	isTouched = true;
	byId("submit-endpoint").value = endpoint;
	byId("submit-operation").value = id.startsWith("sync-") ? "runsync" : "run";
	byId("submit-timeout").value = policy?.executionTimeout ?? "";
	byId("submit-ttl").value = policy?.ttl ?? "";
	byId("submit-low").checked = Boolean(policy?.lowPriority);
	byId("submit-webhook").value = webhookUrl ?? "";
	byId("submit-policy").open = Boolean(webhookUrl || policy && Object.keys(policy).length);
	set(input);
	byId("submit-input").focus();
	byId("submit").scrollIntoView({ block: "nearest" });
}
