// The stream of events: it says that something changed, and brings the small counts.

import { read, SILENCE_MS } from "./api.js";
import { on } from "./dom.js";

const PAUSE_MS = 1000;

const listeners = { state: [], connection: [] };
let connection = "connecting";
let latest;

const tell = (name, value) => listeners[name].forEach((listener) => listener(value));

export const onState = (listener) => listeners.state.push(listener);
/** Calls `listener` with `live`, `lost` (the service is away) or `ended` (the session is). */
export const onConnection = (listener) => listeners.connection.push(listener);

// One tab has the stream and tells the others: a browser has six connections to a host. Without
// locks, so without TLS on another host, each tab has its own.
const { locks } = navigator;
const tabs = new BroadcastChannel("events");
let leads = !locks;
let waits = false;
let release;
let source;
let silence;

tabs.onmessage = ({ data }) => take(data);

export function connect() {
	source?.close();
	source = new EventSource("/_local/events");
	hear();
	on(source, "alive", hear);
	on(source, "state", ({ data }) => {
		hear();
		const state = JSON.parse(data);
		take(state);
		if (leads) tabs.postMessage(state);
		else follow();
	});
	on(source, "error", lose);
}

function hear() {
	clearTimeout(silence);
	silence = setTimeout(lose, SILENCE_MS);
}

function close() {
	clearTimeout(silence);
	source.close();
}

function lose() {
	close();
	leads = !locks;
	release?.();
	reconnect();
}

function follow() {
	close();
	if (waits) return;
	waits = true;
	locks.request("events", () => {
		waits = false;
		leads = true;
		connect();
		return new Promise((resolve) => { release = resolve; });
	});
}

function take(state) {
	latest = state;
	// What was being read when the connection was lost is read again.
	if (connection !== "live") tell("state", { ...latest, revision: { jobs: {}, logs: {} } });
	become("live");
	replay();
}

/** Tells the last state again, as something else is to be shown of it. */
export const replay = () => latest && tell("state", latest);

function become(next) {
	if (connection === next) return;
	connection = next;
	tell("connection", next);
}

/** An event source does not say why it failed, so a small read tells. */
async function reconnect() {
	if (connection !== "ended") become("lost");
	try {
		await read("/clock", {}, AbortSignal.timeout(3 * PAUSE_MS));
		setTimeout(connect, PAUSE_MS);
	} catch (error) {
		become(error.status === 401 ? "ended" : "lost");
		setTimeout(reconnect, PAUSE_MS);
	}
}
