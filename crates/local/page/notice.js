// Notices: announced once, also to screen readers, and removed once read.

import { byId, text } from "./dom.js";

let timer;

export function notice(message, kind = "done") {
	const place = byId("notice");
	clearTimeout(timer);
	text(place, "");
	text(place, message);
	place.dataset.kind = kind;
	timer = setTimeout(() => text(place, ""), 8000 + 50 * message.length);
}

/** Runs an action and shows how it went: `done(value)` returns the notice of its success. */
export async function attempt(action, done) {
	try {
		const value = await action();
		if (done) notice(done(value));
		return value;
	} catch (error) {
		notice(error.message, "failed");
	}
}
