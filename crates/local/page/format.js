// Format: text for times, in milliseconds since the service started, amounts, statuses and ids.

export function clockTime(ms) {
	const seconds = Math.floor(ms / 1000);
	const days = Math.floor(seconds / 86400);
	const time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60]
		.map((part) => String(Math.floor(part)).padStart(2, "0"));
	return (days ? `${days}d ` : "") + time.join(":");
}

/** A time of the computer's clock, in milliseconds since 1970. */
export const wallTime = (ms) => new Date(ms).toTimeString().slice(0, 8);

/** A duration in the unit that fits: `2.5 s`, `3 min 5 s`, `6 d 4 h`. */
export function duration(time) {
	const ms = Number(time.rawJSON ?? time);
	if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
	if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	const pair = (size, unit, small, smallUnit) => {
		const rest = Math.floor((seconds % size) / small);
		return `${Math.floor(seconds / size)} ${unit}` + (rest ? ` ${rest} ${smallUnit}` : "");
	};
	if (seconds < 3600) return pair(60, "min", 1, "s");
	return seconds < 86400 ? pair(3600, "h", 60, "min") : pair(86400, "d", 3600, "h");
}

/** A duration in its largest unit alone. */
export const age = (ms) => (ms < 1000 ? "now" : duration(Math.floor(ms / 1000) * 1000).replace(/(\.\d)?( \w+).*/, "$2"));

const grouped = new Intl.NumberFormat("en");

export const count = (number) => grouped.format(number?.rawJSON ?? number ?? 0);

export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

export const STATUSES = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT", "EXPIRED"];

export const canCancel = (status) => status === "IN_QUEUE" || status === "IN_PROGRESS";
export const canRetry = (status) => status === "FAILED" || status === "TIMED_OUT";

/** A code in sentence case. */
export const inWords = (code) => code[0].toUpperCase() + code.slice(1).toLowerCase().replace("_", " ");

/** The beginning of an id, which is enough for a reader. */
export const short = (id) => id.replace(/^((?:sync-)?.{8}).*/s, "$1");

export const kindInWords = ({ kind }) => ({ builtin: "built in", closure: "in Rust" })[kind] ?? kind;

export function workersInWords(workers) {
	const words = ["running", "idle", "starting", "unhealthy"].filter((state) => workers[state])
		.map((state) => `${count(workers[state])} ${state}`);
	return words.join(", ") || "no workers";
}
