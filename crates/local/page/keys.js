// The keyboard: shortcuts that work wherever no text is being written.

import { byId, on } from "./dom.js";
import { close } from "./job.js";
import { route } from "./route.js";

export function start(jobs) {
	const writes = (target) => target.closest("input, textarea, select") !== null;

	const showKeys = () => byId("keys").showModal();
	const links = document.querySelectorAll("nav a");

	addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		if (document.querySelector("dialog[open]")) return;
		if (event.key === "Escape") {
			leave();
		} else if (writes(event.target)) {
			return;
		} else if (event.key === "/") {
			byId("job-search").focus();
			byId("job-search").select();
		} else if (event.key === "?") {
			showKeys();
		} else if (event.key === "n") {
			byId("submit-input").focus();
		} else if (event.key === "j" || event.key === "k") {
			jobs.focus();
		} else if (/^\d$/.test(event.key)) {
			links[(Number(event.key) + 9) % 10].click();
		} else {
			return;
		}
		event.preventDefault();
	});

	on("show-keys", "click", showKeys);
	for (const link of links) {
		on(link, "click", (event) => {
			event.preventDefault();
			const section = byId(link.hash.slice(1));
			section.querySelector("h2").focus({ preventScroll: true });
			section.scrollIntoView();
		});
	}

	function leave() {
		if (writes(document.activeElement)) jobs.focus();
		else if (route().job) {
			close();
			jobs.focus();
		}
	}
}
