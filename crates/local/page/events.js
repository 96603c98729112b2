// The stream of events: it says that something changed, and brings the small counts.

import { read } from "./api.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 3000;

const listeners = { state: [], connection: [] };
let pause = FIRST_PAUSE_MS;
let connection = "connecting";
let latest;

const tell = (name, value) => listeners[name].forEach((listener) => listener(value));

export const onState = (listener) => listeners.state.push(listener);
/** Calls `listener` with `live`, `lost` (the service is away) or `ended` (the session is). */
export const onConnection = (listener) => listeners.connection.push(listener);

export function connect() {
	const source = new EventSource("/_local/events");
	source.addEventListener("state", (event) => {
		pause = FIRST_PAUSE_MS;
		latest = JSON.parse(event.data);
		// What was being read when the connection was lost is read again.
		if (connection !== "live") tell("state", { ...latest, revision: { jobs: {}, logs: {} } });
		become("live");
		replay();
	});
	source.addEventListener("error", () => {
		source.close();
		reconnect();
	});
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
		await read("/clock");
		setTimeout(connect, pause);
	} catch (error) {
		become(error.status === 401 ? "ended" : "lost");
		setTimeout(reconnect, pause);
	}
	pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
}
