// The time on the service's clock, between two events, too.

import { onState } from "./events.js";

const listeners = [];
let clock = { nowMs: 0, manual: true, nextEventMs: null };
let heard = 0;

/** In milliseconds: as heard last, and for a clock that runs, what passed since. */
export const now = () => clock.nowMs + (clock.manual ? 0 : performance.now() - heard);
export const latest = () => clock;

/** Calls `listener` each second and whenever the clock was turned, while somebody looks. */
export const everySecond = (listener) => listeners.push(listener);

const tick = () => document.hidden || listeners.forEach((listener) => listener());

export function start() {
	onState((state) => {
		if (state.clock === clock) return;
		const turned = Math.abs(state.clock.nowMs - now()) > 500;
		clock = state.clock;
		heard = performance.now();
		if (turned) tick();
	});
	setInterval(tick, 1000);
}
