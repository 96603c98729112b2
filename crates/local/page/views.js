// Views: the sections of the page, of which the route shows one, and the navigation between them.

import { attribute, byId, el, hide, text } from "./dom.js";
import { connects, onState } from "./events.js";
import { link, onRoute, PAGES, route, TABS } from "./route.js";
import { kindInWords, short, workersInWords } from "./format.js";

let endpoints;

const shownEndpoint = () => endpoints?.find(({ name }) => name === route().endpoint);

/** Calls `listener(state, endpoint)` for each state while the view is shown. */
export const onView = (view, listener) => onState((state) => {
	const endpoint = shownEndpoint();
	if (route().view === view && (endpoint || !route().endpoint)) listener(state, endpoint);
});

/** Calls `listener(state, endpoint)` for each state of a shown view of which what `key` returns has changed. */
export function onChange(view, key, listener) {
	let seen;
	onRoute(() => { seen = undefined; });
	onView(view, (state, endpoint) => {
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
	const titleOf = (view) => byId(`${view}-title`).firstChild.data.trim();
	const [pages, tabs] = [PAGES, TABS].map((views, index) => views.map((view) => {
		const a = el("a", {}, titleOf(view));
		document.querySelectorAll("nav")[index].append(a);
		return { view, a };
	}));

	function show() {
		const { view, endpoint, job } = route();
		const isUnknown = endpoint && endpoints && !shownEndpoint();
		const shown = isUnknown ? "unknown" : view;
		sections.forEach((section) => hide(section, section.id !== shown));
		hide("endpoint", !endpoint);
		for (const { view: page, a } of pages) {
			attribute(a, "href", link({ view: page }));
			attribute(a, "aria-current", page === (endpoint ? PAGES[0] : view) && "page");
		}
		for (const { view: tab, a } of tabs) {
			attribute(a, "href", link({ endpoint, view: tab }));
			attribute(a, "aria-current", tab === view ? "page" : view === "job" && tab === TABS[0] && "true");
		}
		text("endpoint-name", endpoint);
		attribute("endpoint-name", "href", link({ endpoint }));
		text("path-job", job && short(job));
		text("unknown-name", endpoint);
		document.title = [endpoint || titleOf(view), job && short(job), "podqueue local"].filter(Boolean).join(" · ");
	}

	onRoute((to, from) => {
		show();
		if (to.view === from.view && to.endpoint === from.endpoint && to.job === from.job) return;
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
