// Route: the view that is shown, and of what, in the hash of the URL. The link has the token there.

import { query } from "./api.js";
import { STATUSES } from "./format.js";

export const PAGES = ["endpoints", "requests", "webhooks", "faults"];
export const TABS = ["jobs", "workers", "logs", "limits", "chart", "submit"];

const listeners = [];
let current = read();

function read() {
	const parameters = new URLSearchParams(location.hash.slice(1));
	const get = (name) => parameters.get(name) ?? "";
	if (get("token")) {
		sessionStorage.token = get("token");
		history.replaceState(null, "", "/");
	}
	const [endpoint, job, search] = ["endpoint", "job", "search"].map(get);
	const views = endpoint ? TABS : PAGES;
	const view = endpoint && job ? "job" : views.find((name) => name === get("view")) ?? views[0];
	const status = get("status").split(",").filter((one) => STATUSES.includes(one)).join(",");
	return { view, endpoint, job, status, search };
}

/** The link to a route; a view that the rest implies is left out. */
export const link = ({ view, ...rest }) =>
	`#${query({ ...rest, view: ![PAGES[0], TABS[0], "job"].includes(view) && view })}`;

export const route = () => current;

export function go(changes, { replace = false } = {}) {
	const url = link({ ...current, ...changes });
	if (url === link(current)) return;
	history[replace ? "replaceState" : "pushState"](null, "", url);
	tell();
}

export const onRoute = (listener) => listeners.push(listener);

function tell() {
	const before = current;
	current = read();
	for (const listener of listeners) listener(current, before);
}

addEventListener("popstate", tell);
