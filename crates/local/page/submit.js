// Form for submitting a job: the body of a request that any client could send.

import { queue } from "./api.js";
import { attribute, byId, on, text } from "./dom.js";
import { parseObject } from "./json.js";
import { notice } from "./notice.js";
import { go, onRoute, route } from "./route.js";

const EXAMPLES = {
	echo: { text: "Hello" },
	count: { n: 20 },
	sleep: { ms: 5000 },
	fail: { message: "No." },
};

const [operation, body, result] = ["operation", "body", "result"].map((name) => byId(`submit-${name}`));
let isTouched = false;

export function start() {
	onRoute(follow);
	follow(route());
	on(body, "input", () => {
		isTouched = true;
		check();
	});
	on("submit-form", "keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
	});
	on("submit-form", "submit", submit);
}

/** A body that is not edited follows the endpoint. */
function follow({ endpoint }) {
	if (!isTouched) set({ input: EXAMPLES[endpoint] ?? {} });
}

function set(value) {
	body.value = JSON.stringify(value, null, 2);
	check();
}

/** Says what is wrong with the body; returns its value, or `undefined`. */
function check() {
	let problem = "";
	let value;
	try {
		value = parseObject(body.value);
	} catch (error) {
		problem = error.message;
	}
	text("submit-error", problem);
	attribute(body, "aria-invalid", problem && "true");
	return value;
}

async function submit(event) {
	event.preventDefault();
	const value = check();
	if (value === undefined) return body.focus();
	const from = route();
	text(result, "Waiting …");
	try {
		const { id } = await queue(from.endpoint, operation.value, { body: value });
		text(result, "");
		notice(`Submitted ${id}`);
		// A filter might hide it. Does not navigate if the user has left the form.
		if (route() === from) go({ job: id, status: "", search: "" });
	} catch (error) {
		text(result, error.status === 0
			? "No valid response: the job may have been submitted. Look at the list before you try again."
			: error.message);
	}
}

/** Opens the form with a submission. */
export function again({ operation: name, body: value, leftOut }) {
	isTouched = true;
	go({ view: "submit", job: "" });
	operation.value = name;
	text(result, leftOut);
	set(value);
	body.focus();
}
