// Routing: the selection in the hash of the URL, so that reload and back work. The link has the token there.

import { query } from "./api.js";
import { STATUSES } from "./status.js";

const listeners = [];
let current = read();

function read() {
	const parameters = new URLSearchParams(location.hash.slice(1));
	const get = (name) => parameters.get(name) ?? "";
	if (get("token")) {
		sessionStorage.token = get("token");
		history.replaceState(null, "", "/");
	}
	const status = get("status").split(",").filter((one) => STATUSES.includes(one)).join(",");
	return { endpoint: get("endpoint"), status, search: get("search"), job: get("job") };
}

export const route = () => current;

export function go(changes, { replace = false } = {}) {
	const next = { ...current, ...changes };
	if (Object.keys(next).every((name) => next[name] === current[name])) return;
	const url = `#${query(next)}`;
	if (replace) history.replaceState(null, "", url);
	else history.pushState(null, "", url);
	tell(next);
}

export const onRoute = (listener) => listeners.push(listener);

function tell(next) {
	const before = current;
	current = next;
	for (const listener of listeners) listener(current, before);
}

addEventListener("popstate", () => tell(read()));
