// List of endpoints with their counts and workers, and the chart of the selected one.

import { query } from "./api.js";
import { Chart } from "./chart.js";
import { attribute, byId, el, keyed, on, reveal, sign, text } from "./dom.js";
import { onState } from "./events.js";
import { go, onRoute, route } from "./route.js";
import { STATUSES } from "./status.js";
import { count } from "./time.js";

const WORKERS = ["running", "idle", "starting", "unhealthy"];

export function start() {
	const list = byId("endpoint-list").tBodies[0];
	const chart = new Chart(byId("chart"));
	let shown = [];
	let revealed;

	const heads = STATUSES.map((status) => el("th", { class: "number" }, status));
	document.querySelector("#endpoint-list th:last-child").before(...heads);

	onState(({ endpoints }) => {
		shown = endpoints;
		if (!endpoints.some(({ name }) => name === route().endpoint)) {
			go({ endpoint: endpoints[0]?.name ?? "", job: "" }, { replace: true });
		}
		chart.update(endpoints);
		render();
	});
	onRoute(render);
	on(list, "click", (event) => {
		const tr = event.target.closest("tr");
		if (tr && !event.target.closest("a")) tr.querySelector("a").click();
	});

	function render() {
		keyed(list, shown, ({ name }) => name, create, update);
		const name = route().endpoint;
		const row = list.querySelector("tr:has([aria-current])");
		if (row && name !== revealed) {
			reveal(list.parentElement, row.offsetTop - list.offsetTop, row.offsetHeight);
			revealed = name;
		}
		chart.show(name);
		for (const place of document.querySelectorAll("[data-endpoint]")) text(place, name);
	}
}

function create({ name, kind }) {
	const tr = el("tr", {},
		el("th", { scope: "row" },
			el("a", { href: `#${query({ endpoint: name })}` }, name),
			el("span", { class: "of" }, kind)),
		...STATUSES.map((status) => el("td", { class: "number", "data-status": status },
			sign(status), el("span", {}))),
		el("td", { class: "workers" }));
	tr.counts = [...tr.querySelectorAll("td.number > span")];
	return tr;
}

function update(tr, { name, jobs, workers }) {
	attribute(tr.querySelector("a"), "aria-current", name === route().endpoint && "true");
	STATUSES.forEach((status, index) => {
		const number = jobs[status] ?? 0;
		text(tr.counts[index], count(number));
		tr.counts[index].parentElement.classList.toggle("none", number === 0);
	});
	text(tr.lastElementChild, workersInWords(workers));
}

export function workersInWords(workers) {
	const words = WORKERS.filter((state) => workers[state]).map((state) => `${workers[state]} ${state}`);
	return words.join(", ") || "none";
}
