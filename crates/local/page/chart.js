// Chart of the endpoint's last five minutes.

import { endpointPath, read } from "./api.js";
import { attribute, byId, el, svg, text } from "./dom.js";
import { onChange } from "./views.js";
import { route } from "./route.js";
import { count } from "./format.js";

const SERIES = ["submitted", "completed", "failed", "throttled"];
const HEIGHT = 64;

export function start() {
	const figure = document.querySelector("#chart figure");
	const top = figure.querySelector("[data-top]");
	const numbers = SERIES.map((name) => el("dd", { "data-count": name }));
	const lines = SERIES.map((name) => svg("polyline", { class: `line ${name}` }));
	figure.querySelector("dl").append(...SERIES.map((name, index) =>
		el("div", { class: name }, el("dt", {}, name), numbers[index])));
	figure.querySelector("svg").append(...lines);

	async function load() {
		const { endpoint } = route();
		const found = await read(`${endpointPath(endpoint)}/activity`).catch(() => null);
		if (found && endpoint === route().endpoint) draw(found);
	}

	function draw({ steps, stepMs }) {
		const highest = Math.max(4, ...steps.flatMap((step) => SERIES.map((name) => step[name])));
		text(top, `up to ${count(highest)} in ${stepMs / 1000} s`);
		SERIES.forEach((name, index) => {
			const points = steps.map((step, at) =>
				`${at},${(HEIGHT - 2 - (step[name] / highest) * (HEIGHT - 4)).toFixed(1)}`);
			attribute(lines[index], "points", points.join(" "));
			text(numbers[index], count(steps.reduce((sum, step) => sum + step[name], 0)));
		});
	}

	onChange("chart", ({ revision }, { name, totals }) => [name, totals, revision.jobs], load);
	setInterval(() => figure.checkVisibility() && !document.hidden && load(), 5000);
}
