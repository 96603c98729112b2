// List of endpoints with their counts and workers.

import { byId, el, keyed, on, sign, text } from "./dom.js";
import { onView } from "./views.js";
import { link } from "./route.js";
import { count, inWords, kindInWords, STATUSES, workersInWords } from "./format.js";

export function start() {
	const list = byId("endpoint-list").tBodies[0];
	const heads = STATUSES.map((status) => el("th", { class: "number" }, inWords(status)));
	document.querySelector("#endpoint-list th:last-child").before(...heads);
	onView("endpoints", ({ endpoints }) => {
		const isOwn = ({ kind }) => kind !== "builtin";
		const sorted = [...endpoints.filter(isOwn), ...endpoints.filter((it) => !isOwn(it))];
		keyed(list, sorted, ({ name }) => name, create, update);
		text("endpoints-count", count(endpoints.length));
	});
	on(list, "click", (event) => {
		if (!event.target.closest("a")) event.target.closest("tr")?.querySelector("a").click();
	});
}

function create(endpoint) {
	const tr = el("tr", {},
		el("th", { scope: "row" },
			el("a", { href: link({ endpoint: endpoint.name }) }, endpoint.name),
			el("span", { class: "of" }, kindInWords(endpoint))),
		...STATUSES.map((status) => el("td", { class: "number", "data-status": status },
			sign(status), el("span", {}))),
		el("td", { class: "workers" }));
	tr.counts = [...tr.querySelectorAll(".sign + span")];
	return tr;
}

function update(tr, { jobs, workers }) {
	STATUSES.forEach((status, index) => {
		const number = jobs[status] ?? 0;
		text(tr.counts[index], count(number));
		tr.counts[index].parentElement.classList.toggle("none", number === 0);
	});
	text(tr.lastElementChild, workersInWords(workers));
}
