// The service's HTTP interface, as the page calls it. The session's cookie opens it.

import { parse } from "./json.js";

const CONTROL = "/_local";

/** The service is never quiet for longer than 15 seconds: a connection that is has died. */
export const SILENCE_MS = 40_000;

/** What the service refused, in its words; with status 0, how a request was lost. */
const refused = (status, message) => Object.assign(new Error(message), { status });

async function call(method, url, body, signal) {
	const type = "application/json";
	const headers = { accept: type, ...(body && { "content-type": type }) };
	let response;
	let content;
	try {
		response = await fetch(url, { method, body: JSON.stringify(body), signal, headers });
		content = await response.text();
	} catch {
		throw refused(0, "no response: the connection was lost");
	}
	let value = null;
	try {
		value = content ? parse(content) : null;
	} catch {
		if (response.ok) throw refused(0, "the response is not valid JSON");
	}
	if (response.ok) return value;
	const said = value?.error ?? content.slice(0, 500);
	const retry = response.headers.get("retry-after");
	throw refused(response.status, [
		`${response.status} ${response.statusText}`.trim(),
		typeof said === "string" && said ? `: ${said}` : "",
		retry ? ` (retry after ${retry} s)` : "",
	].join(""));
}

/** What is not empty, as in a URL. */
export const query = (parameters) =>
	new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));

export const read = (path, parameters = {}, signal = AbortSignal.timeout(SILENCE_MS)) =>
	call("GET", `${CONTROL}${path}?${query(parameters)}`, undefined, signal);
export const change = (path, body) => call("POST", CONTROL + path, body);
export const remove = (path) => call("DELETE", CONTROL + path);

export const endpointPath = (name) => `/endpoints/${encodeURIComponent(name)}`;

export const queuePath = (name, operation, id) =>
	`/v2/${encodeURIComponent(name)}/${operation}${id ? `/${encodeURIComponent(id)}` : ""}`;

/** A browser has six connections to a host, and the page needs the others. */
const MOST_WAITING = 2;
const waiting = new Set();

/**
 * Calls an operation of the queue, as any client does: limits and faults apply, and it is logged.
 * Where too many calls wait, perhaps for the clock to be turned, the oldest one is given up.
 */
export async function queue(name, operation, { id, body } = {}) {
	const [oldest] = waiting;
	if (waiting.size === MOST_WAITING) oldest.abort();
	const abort = new AbortController();
	waiting.add(abort);
	try {
		const record = await call("POST", queuePath(name, operation, id), body, abort.signal);
		if (!record?.id) throw refused(0, "the response names no job");
		return record;
	} finally {
		waiting.delete(abort);
	}
}
