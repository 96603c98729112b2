// The service's clock, and turning it.

import { change } from "./api.js";
import { attribute, on, text } from "./dom.js";
import { onState } from "./events.js";
import { attempt } from "./notice.js";
import { everySecond, latest, now } from "./now.js";
import { clockTime, duration } from "./time.js";

export function start() {
	for (const button of document.querySelectorAll("[data-advance]")) {
		on(button, "click", () => advance({ ms: Number(button.dataset.advance) }));
	}
	on("clock-next", "click", () => latest().nextEventMs !== null && advance({ toNextEvent: true }));
	onState(show);
	everySecond(show);
}

const advance = (by) => attempt(() => change("/clock/advance", by),
	({ nowMs }) => `The clock shows ${clockTime(nowMs)}`);

function show() {
	const { manual, nextEventMs } = latest();
	text("clock-now", clockTime(now()));
	text("clock-kind", manual ? "stands still" : "runs");
	const isNone = nextEventMs === null;
	text("clock-event", isNone ? "nothing is due" : `next event in ${duration(nextEventMs - now())}`);
	attribute("clock-next", "aria-disabled", isNone && "true");
}
