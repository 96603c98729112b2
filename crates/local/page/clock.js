// The service's clock: its time, extrapolated between two events, and its display and control.

import { change } from "./api.js";
import { attribute, on, text } from "./dom.js";
import { onState } from "./events.js";
import { attempt } from "./notice.js";
import { clockTime, duration, wallTime } from "./format.js";

const listeners = [];
let clock = { nowMs: 0, manual: true, nextEventMs: null };
let receivedAt = 0;

/** In milliseconds: the time of the last event, and for a real clock the time since then. */
export const now = () => clock.nowMs + (clock.manual ? 0 : performance.now() - receivedAt);

/** True if the clock stands still until it is advanced. */
export const isManual = () => clock.manual;

/** Calls `listener` each second and after the clock was advanced, while the page is visible. */
export const everySecond = (listener) => listeners.push(listener);

const tick = () => document.hidden || listeners.forEach((listener) => listener());

export function start() {
	onState((state) => {
		if (state.clock === clock) return;
		const isAdvanced = Math.abs(state.clock.nowMs - now()) > 500;
		clock = state.clock;
		receivedAt = performance.now();
		if (isAdvanced) tick();
	});
	setInterval(tick, 1000);
	for (const button of document.querySelectorAll("[data-advance]")) {
		on(button, "click", () => advance({ ms: Number(button.dataset.advance) }));
	}
	on("clock-next", "click", () => clock.nextEventMs !== null && advance({ toNextEvent: true }));
	onState(show);
	everySecond(show);
}

const advance = (by) => attempt(() => change("/clock/advance", by),
	({ nowMs }) => `The clock shows ${clockTime(nowMs)}`);

function show() {
	const { manual, nextEventMs } = clock;
	text("clock-now", clockTime(now()));
	text("clock-wall", wallTime(Date.now()));
	text("clock-kind", manual ? "stands still" : "runs");
	const isNone = nextEventMs === null;
	text("clock-event", isNone ? "nothing is due" : `next event in ${duration(nextEventMs - now())}`);
	attribute("clock-next", "aria-disabled", isNone && "true");
}
