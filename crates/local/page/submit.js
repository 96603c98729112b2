// Form for submitting a job, through the interface that any client uses.

import { queue } from "./api.js";
import { attribute, byId, el, keyed, on, text } from "./dom.js";
import { onState } from "./events.js";
import { firstError, parse } from "./json.js";
import { notice } from "./notice.js";
import { go, onRoute, route } from "./route.js";

const EXAMPLES = {
	echo: { text: "Hello" },
	count: { n: 20 },
	sleep: { ms: 5000 },
	fail: { message: "It does not work." },
};

const [endpoints, operation, input, timeout, ttl, low, webhook, marks, result] =
	["endpoint", "operation", "input", "timeout", "ttl", "low", "webhook", "marks", "result"]
		.map((name) => byId(`submit-${name}`));
let isTouched = false;

export function start() {
	onState((state) => {
		keyed(endpoints, state.endpoints, ({ name }) => name,
			({ name }) => el("option", { value: name }, name));
		follow(route());
	});
	onRoute(follow);
	on(endpoints, "change", example);
	on(input, "input", () => {
		isTouched = true;
		check();
	});
	on(input, "scroll", () => {
		marks.scrollTop = input.scrollTop;
		marks.scrollLeft = input.scrollLeft;
	});
	on("submit-form", "keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
	});
	on("submit-form", "submit", submit);
}

let followed;

/** The endpoint that is shown is the one to submit to, until another one is chosen. */
function follow({ endpoint }) {
	if (endpoint === followed) return;
	endpoints.value = endpoint;
	if (endpoints.value !== endpoint) return;
	followed = endpoint;
	example();
}

/** An unedited input follows the endpoint. */
function example() {
	if (!isTouched) set(EXAMPLES[endpoints.value] ?? {});
}

function set(value) {
	input.value = JSON.stringify(value, null, 2);
	check();
}

/** Marks where the input is wrong; returns its value, or `undefined`. */
function check() {
	const source = input.value;
	const found = firstError(source);
	let problem = "";
	let value;
	marks.replaceChildren();
	if (found) {
		const { offset, line, column, message } = found;
		const wrong = source.slice(offset, offset + 1);
		marks.append(source.slice(0, offset), el("mark", {}, wrong.trim() || " "),
			wrong === "\n" ? wrong : "", source.slice(offset + 1), "\n");
		problem = `Line ${line}, column ${column}: ${message}`;
	} else value = parse(source);
	text("submit-error", problem);
	attribute(input, "aria-invalid", problem !== "" && "true");
	return value;
}

function policy() {
	const number = (field) => (field.value || field.validity.badInput ? field.valueAsNumber : undefined);
	const policy = {
		executionTimeout: number(timeout),
		ttl: number(ttl),
		lowPriority: low.checked || undefined,
	};
	return Object.values(policy).some((value) => value !== undefined) ? policy : undefined;
}

async function submit(event) {
	event.preventDefault();
	const value = check();
	if (value === undefined) return input.focus();
	const endpoint = endpoints.value;
	const body = { input: value, policy: policy(), webhook: webhook.value.trim() || undefined };
	const from = route();
	text(result, "Waiting …");
	try {
		const { id } = await queue(endpoint, operation.value, { body });
		text(result, "");
		notice(`Submitted ${id}`);
		// A filter might hide it. Does not navigate if the user has left the form.
		if (route() === from) go({ endpoint, job: id, status: "", search: "" });
	} catch (error) {
		text(result, error.status === 0
			? "No valid response: the job may have been submitted. Look at the list before you try again."
			: error.message);
	}
}

export function again({ endpoint, operation: name, body, leftOut }) {
	const { policy } = body;
	isTouched = true;
	endpoints.value = endpoint;
	operation.value = name;
	timeout.value = policy?.executionTimeout ?? "";
	ttl.value = policy?.ttl ?? "";
	low.checked = Boolean(policy?.lowPriority);
	webhook.value = body.webhook ?? "";
	byId("submit-policy").open = Boolean(body.webhook || leftOut || policy && Object.keys(policy).length);
	text(result, leftOut);
	set(body.input);
	input.focus();
}
