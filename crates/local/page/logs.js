// Worker log of the endpoint: time, level and message of each line, and the line as printed.

import { endpointPath, read } from "./api.js";
import { byId, el, hide, on, text } from "./dom.js";
import { List, setTime, timeCell } from "./list.js";
import { onView } from "./views.js";
import { route } from "./route.js";

/** The level and the message of a line: of the members of a JSON object, or of its words. */
export function parsed({ text: line, source }) {
	let json;
	try {
		json = line.trim()[0] === "{" ? JSON.parse(line) : null;
	} catch {}
	const { level, levelname, severity, message, msg, event } = json ?? {};
	const word = json ? level ?? levelname ?? severity
		: /\b(?:trace|debug|info|warn(?:ing)?|error|fatal|critical)\b/i.exec(line.slice(0, 60))?.[0];
	return {
		level: String(word ?? (source === "stdout" ? "" : source)).toLowerCase(),
		message: String(message ?? msg ?? event ?? line),
	};
}

export function start() {
	const search = byId("log-search");
	const list = new List(byId("log-list"), {
		rows: "logs",
		noun: "line",
		load: async (window) => {
			const { endpoint } = route();
			return endpoint && read(`${endpointPath(endpoint)}/worker-logs`, { search: search.value.trim(), ...window });
		},
		create: () => el("tr", {}, timeCell(), el("td", { class: "level" }), el("td", { class: "roomy" }, el("code")),
			el("td", {}, el("code", { class: "mono" }))),
		update: (tr, line) => {
			const [time, level, worker, message] = tr.cells;
			const words = parsed(line);
			tr.className = `${line.source} level-${words.level.slice(0, 4)}`;
			setTime(time, line);
			text(level, words.level);
			text(worker.firstElementChild, line.worker);
			text(message.firstElementChild, words.message);
		},
		open: (line) => show(line.text),
	});
	on(search, "input", () => list.reset());
	onView("logs", ({ revision: { logs } }, { name, kind, attachable }) => {
		const prints = attachable || kind === "command";
		hide("logs-body", !prints);
		hide("logs-none", prints);
		if (!prints) return;
		if (name !== list.followed) show(null);
		list.follow([name], logs?.[name]);
	});
}

function show(line) {
	hide("log-raw", line === null);
	text(byId("log-raw").lastElementChild, line);
}
