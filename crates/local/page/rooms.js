// Rooms: the sections of the page, of which the route shows one, and the navigation between them.

import { attribute, byId, el, hide, text } from "./dom.js";
import { connects, onState } from "./events.js";
import { link, onRoute, PAGES, route, TABS } from "./route.js";
import { kindInWords, short, workersInWords } from "./words.js";

let endpoints;

const shownEndpoint = () => endpoints?.find(({ name }) => name === route().endpoint);

/** Calls `listener(state, endpoint)` for each state while the room is shown. */
export const onRoom = (room, listener) => onState((state) => {
	const endpoint = shownEndpoint();
	if (route().room === room && (endpoint || !route().endpoint)) listener(state, endpoint);
});

/** The same, where what `key` returns has changed. */
export function onChange(room, key, listener) {
	let seen;
	onRoute(() => { seen = undefined; });
	onRoom(room, (state, endpoint) => {
		const wanted = JSON.stringify([connects, key(state, endpoint)]);
		if (wanted !== seen) listener(state, endpoint);
		seen = wanted;
	});
}

export function start() {
	const sections = [...document.querySelectorAll("main > section")];
	for (const section of sections.concat(byId("clock"))) {
		const title = section.querySelector("h2");
		title.id = `${section.id}-title`;
		title.tabIndex = -1;
		attribute(section, "aria-labelledby", title.id);
	}
	const titleOf = (room) => byId(`${room}-title`).firstChild.data.trim();
	const [pages, tabs] = [PAGES, TABS].map((rooms, index) => rooms.map((room) => {
		const a = el("a", {}, titleOf(room));
		document.querySelectorAll("nav")[index].append(a);
		return { room, a };
	}));

	function show() {
		const { room, endpoint, job } = route();
		const isUnknown = endpoint && endpoints && !shownEndpoint();
		const shown = isUnknown ? "unknown" : room;
		sections.forEach((section) => hide(section, section.id !== shown));
		hide("endpoint", !endpoint);
		for (const { room: page, a } of pages) {
			attribute(a, "href", link({ room: page }));
			attribute(a, "aria-current", page === (endpoint ? PAGES[0] : room) && "page");
		}
		for (const { room: tab, a } of tabs) {
			attribute(a, "href", link({ endpoint, room: tab }));
			attribute(a, "aria-current", tab === room ? "page" : room === "job" && tab === TABS[0] && "true");
		}
		text("endpoint-name", endpoint);
		attribute("endpoint-name", "href", link({ endpoint }));
		text("path-job", job && short(job));
		text("unknown-name", endpoint);
		document.title = [endpoint || titleOf(room), job && short(job), "podqueue local"].filter(Boolean).join(" · ");
	}

	onRoute((to, from) => {
		show();
		if (to.room === from.room && to.endpoint === from.endpoint && to.job === from.job) return;
		document.querySelector("main").scrollTop = 0;
		document.querySelector("main > section:not([hidden]) h2").focus({ preventScroll: true });
	});
	onState((state) => {
		({ endpoints } = state);
		const endpoint = shownEndpoint();
		text("endpoint-about", endpoint && `${kindInWords(endpoint)} · ${workersInWords(endpoint.workers)}`);
		show();
	});
	show();
}
