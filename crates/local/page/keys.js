// Keyboard shortcuts, except in text fields.

import { byId, on } from "./dom.js";
import { notice } from "./notice.js";
import { go, route } from "./route.js";

export function start(jobs) {
	const writes = (target) => target.closest("input, textarea, select") !== null;

	const showKeys = () => notice("/ search · j k rows · Enter open · Esc one view up · 1–4 pages · 5–0 tabs · n new job · Ctrl+Enter submit");
	const toRows = () => document.querySelector("main > section:not([hidden]) [role=grid]")?.focus();
	const actions = {
		Escape: leave,
		"/": () => {
			const search = document.querySelector("main > section:not([hidden]) [type=search]");
			search?.focus();
			search?.select();
		},
		"?": showKeys,
		n: () => {
			if (!route().endpoint) return;
			go({ view: "submit", job: "" });
			byId("submit-body").focus();
		},
		j: toRows,
		k: toRows,
	};

	addEventListener("keydown", (event) => {
		const { key } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		if (!Object.hasOwn(actions, key) || key !== "Escape" && writes(event.target)) return;
		actions[key]();
		event.preventDefault();
	});

	on("show-keys", "click", showKeys);
	document.querySelectorAll("nav a").forEach((link, index) => {
		actions[(index + 1) % 10] = () => link.click();
	});

	function leave() {
		if (writes(document.activeElement)) toRows();
		else if (route().job) {
			go({ job: "" });
			jobs.focus();
		} else location.hash = "";
	}
}
