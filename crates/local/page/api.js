// Client of the service's HTTP interface, with the link's token.

import { parse } from "./json.js";

const CONTROL = "/_local";

/** The service is never silent for longer than 15 seconds: a connection that is silent is lost. */
export const SILENCE_MS = 40_000;

/** Fetches with the token. It is in no cookie, which would go to every port of the host. */
export const authorized = (url, { headers, ...rest }) =>
	fetch(url, { ...rest, headers: { ...headers, authorization: sessionStorage.token } });

/** An error; status 0 is that of a lost request. */
const refused = (status, message) => Object.assign(new Error(message), { status });

async function call(method, url, body, signal = AbortSignal.timeout(SILENCE_MS), begun) {
	const type = "application/json";
	const headers = { accept: type, ...(body && { "content-type": type }) };
	let response;
	let content;
	try {
		response = await authorized(url, { method, body, signal, headers });
		begun?.();
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

/** Query string without the empty parameters. */
export const query = (parameters) =>
	new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));

export const read = (path, parameters = {}) => call("GET", `${CONTROL}${path}?${query(parameters)}`);
export const change = (path, body) => once(call, "POST", CONTROL + path, body);
export const remove = (path) => once(call, "DELETE", CONTROL + path);

/** Sends a request of the log again. */
export const sendAgain = (method, target, body) => once(call, method, location.origin + target, body);

const underWay = new Map();

/** Sends a change, but once while in flight: both clicks of a double click get its response. */
function once(send, method, url, body) {
	const json = JSON.stringify(body);
	const change = `${method} ${url} ${json}`;
	if (!underWay.has(change)) {
		underWay.set(change, send(method, url, json).finally(() => underWay.delete(change)));
	}
	return underWay.get(change);
}

export const endpointPath = (name) => `/endpoints/${encodeURIComponent(name)}`;

export const queuePath = (name, operation, id) =>
	`/v2/${encodeURIComponent(name)}/${operation}${id ? `/${encodeURIComponent(id)}` : ""}`;

/** A browser has six connections to a host, and the page needs the remaining ones. */
const MOST_WAITING = 2;
const waiting = new Set();

/** Calls an operation of the queue, as any client does: limits and faults apply, and it is logged. */
export const queue = (name, operation, { id, body } = {}) =>
	once(limited, "POST", queuePath(name, operation, id), body);

/** If too many calls wait, perhaps for the clock to be advanced, the oldest call is aborted. */
async function limited(...request) {
	const [oldest] = waiting;
	if (waiting.size === MOST_WAITING) oldest.abort();
	const abort = new AbortController();
	waiting.add(abort);
	try {
		// A response may wait for the clock, its body for nothing.
		const begun = () => setTimeout(() => abort.abort(), SILENCE_MS);
		const record = await call(...request, abort.signal, begun);
		if (!record?.id) throw refused(0, "the response names no job");
		return record;
	} finally {
		waiting.delete(abort);
	}
}
