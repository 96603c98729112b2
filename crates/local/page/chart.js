// Chart of the last five minutes of an endpoint: jobs submitted, completed and failed, and requests throttled.

import { attribute, el, svg, text } from "./dom.js";
import { count } from "./time.js";

const SERIES = ["submitted", "completed", "failed", "throttled"];
const STEP_MS = 5000;
const STEPS = 60;
const HEIGHT = 64;

/** The counts of an endpoint per step, made of the differences of its totals. */
class History {
	step = 0;
	steps = Array.from({ length: STEPS }, () => [0, 0, 0, 0]);

	advance() {
		const step = Math.floor(performance.now() / STEP_MS);
		for (let i = Math.min(step - this.step, STEPS); i > 0; i -= 1) {
			this.steps.push(this.steps.shift().fill(0));
		}
		this.step = step;
	}

	add(totals) {
		this.advance();
		SERIES.forEach((name, index) => {
			this.steps[STEPS - 1][index] += Math.max(0, totals[name] - (this.totals ?? totals)[name]);
		});
		this.totals = totals;
	}
}

export class Chart {
	constructor(figure) {
		this.histories = new Map();
		this.top = figure.querySelector("[data-top]");
		this.numbers = SERIES.map((name) => el("dd", { "data-count": name }));
		figure.querySelector("dl").append(...SERIES.map((name, index) =>
			el("div", { class: name }, el("dt", {}, name), this.numbers[index])));
		this.lines = SERIES.map((name) => svg("polyline", { class: `line ${name}` }));
		figure.querySelector("svg").append(...this.lines);
		setInterval(() => this.draw(), STEP_MS);
	}

	update(endpoints) {
		for (const { name, totals } of endpoints) {
			if (!this.histories.has(name)) this.histories.set(name, new History());
			this.histories.get(name).add(totals);
		}
		this.draw();
	}

	show(name) {
		this.name = name;
		this.draw();
	}

	draw() {
		const history = this.histories.get(this.name);
		if (!history) return;
		history.advance();
		const highest = Math.max(4, ...history.steps.map((step) => Math.max(...step)));
		text(this.top, `up to ${count(highest)} in 5 s`);
		this.lines.forEach((line, index) => {
			const points = history.steps.map((step, at) => {
				const y = HEIGHT - 2 - (step[index] / highest) * (HEIGHT - 4);
				return `${at},${y.toFixed(1)}`;
			});
			attribute(line, "points", points.join(" "));
			text(this.numbers[index], count(history.totals[SERIES[index]]));
		});
	}
}
