// Event stream: notifications of changes, with the small counts.

import { authorized, SILENCE_MS } from "./api.js";
import { text } from "./dom.js";
import { wallTime } from "./format.js";

const WORDS = {
	live: ["Live", ""],
	recorded: ["Recorded"],
	lost: ["Disconnected"],
	locked: ["Locked", "Open the link that the service printed, after a restart the new one."],
};

const { dataset } = document.body;
const listeners = [];
let latest;
/** Part of each revision: a new connection reads everything anew. */
export let connects = 0;
let heardAt = Date.now();

const tell = (state) => listeners.forEach((listener) => listener(state));

export const onState = (listener) => listeners.push(listener);

// A single tab has the stream and broadcasts it to the others: a browser has six connections to a
// host. Without locks, so without TLS on another host, each tab has its own.
const { locks } = navigator;
const tabs = new BroadcastChannel("events");
let leads = !locks;
let release;

tabs.onmessage = ({ data: { token, state } }) => {
	sessionStorage.token = token;
	take(state);
};

/** Reads the stream until it ends or falls silent, and then anew. */
export async function connect() {
	const stream = new AbortController();
	let next = "lost";
	let reason = "The service is away";
	let silence;
	const hear = () => {
		clearTimeout(silence);
		silence = setTimeout(() => stream.abort(), SILENCE_MS);
	};
	try {
		hear();
		const response = await authorized("/_local/events", { signal: stream.signal });
		if (response.status === 401) next = "locked";
		if (response.status === 429) reason = "Too many pages are open";
		if (!response.ok) throw response;
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (let rest = ""; ;) {
			const { done, value } = await reader.read();
			if (done) break;
			hear();
			const events = (rest + value).split("\n\n");
			rest = events.pop();
			for (const event of events) {
				const data = event.split("\ndata: ")[1];
				if (!data) continue;
				const state = JSON.parse(data);
				// Its errors are none of the connection.
				queueMicrotask(() => take(state));
				if (!leads) return follow();
				tabs.postMessage({ token: sessionStorage.token, state });
			}
		}
	} catch {} finally {
		clearTimeout(silence);
		stream.abort();
	}
	leads = !locks;
	release?.();
	become(next, `${reason}: reconnecting. What is shown is from ${wallTime(heardAt)}.`);
	setTimeout(connect, 1000);
}

function follow() {
	locks.request("events", () => {
		leads = true;
		connect();
		return new Promise((resolve) => { release = resolve; });
	});
}

function take(state) {
	latest = state;
	heardAt = Date.now();
	if (!["live", "recorded"].includes(dataset.connection)) connects += 1;
	const { recordedMs } = state;
	become(recordedMs ? "recorded" : "live",
		`Recorded ${recordedMs && new Date(recordedMs).toLocaleString()}: nothing runs, and nothing can be changed.`);
	replay();
}

/** Emits the last state again, for another part of the page. */
export const replay = () => latest && tell(latest);

function become(next, reason) {
	const [word, advice = reason] = WORDS[next];
	if (dataset.connection !== next) dataset.connection = next;
	text("connection", word);
	text("session", advice);
}
