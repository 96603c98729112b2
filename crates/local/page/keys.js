// Keyboard shortcuts, except in text fields.

import { byId, on } from "./dom.js";
import { close } from "./job.js";
import { route } from "./route.js";

export function start(jobs) {
	const writes = (target) => target.closest("input, textarea, select") !== null;

	const search = byId("job-search");
	const showKeys = () => byId("keys").showModal();
	const toJobs = () => jobs.focus();
	const actions = {
		Escape: leave,
		"/": () => {
			search.focus();
			search.select();
		},
		"?": showKeys,
		n: () => byId("submit-input").focus(),
		j: toJobs,
		k: toJobs,
	};

	addEventListener("keydown", (event) => {
		const { key } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		if (document.querySelector("dialog[open]")) return;
		if (!Object.hasOwn(actions, key) || key !== "Escape" && writes(event.target)) return;
		actions[key]();
		event.preventDefault();
	});

	on("show-keys", "click", showKeys);
	document.querySelectorAll("nav a").forEach((link, index) => {
		actions[(index + 1) % 10] = () => link.click();
		on(link, "click", (event) => {
			event.preventDefault();
			const section = byId(link.hash.slice(1));
			section.querySelector("h2").focus({ preventScroll: true });
			section.scrollIntoView();
		});
	});

	function leave() {
		if (writes(document.activeElement)) jobs.focus();
		else if (route().job) {
			close();
			jobs.focus();
		}
	}
}
