// Position of a syntax error in JSON, which not every browser reports.

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const STRING_PART = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Parses JSON. Numbers that a script would write otherwise, such as seeds, keep their text. */
export const parse = (source) => JSON.parse(source, JSON.rawJSON && /\d{16}|\d[.e]|-0/i.test(source)
	? (_, value, { source: digits }) => (typeof value === "number" && `${value}` !== digits
		? JSON.rawJSON(digits) : value) : undefined);

/** The first error in a text: `{ offset, line, column, message }`; `null` for a JSON object. */
export function firstError(source) {
	try {
		JSON.parse(source);
		if (source.trim()[0] === "{") return null;
	} catch {}
	const { offset, message } = scan(source);
	const lines = source.slice(0, offset).split("\n");
	return { offset, line: lines.length, column: lines.at(-1).length + 1, message };
}

function scan(source) {
	let at = 0;
	const fail = (message, offset = at) => {
		throw { offset, message };
	};
	const peek = () => {
		while (" \t\n\r".includes(source[at] ?? "x")) at += 1;
		return source[at];
	};
	const match = (pattern) => {
		pattern.lastIndex = at;
		const found = pattern.test(source);
		if (found) at = pattern.lastIndex;
		return found;
	};

	function value() {
		const next = peek();
		if (next === undefined) fail("a value is missing at the end");
		if (next === "{") list("}", member);
		else if (next === "[") list("]", value);
		else if (next === '"') string();
		else if (!match(SCALAR)) {
			fail(next === "'" ? "strings need double quotes" : "a value is expected here");
		}
	}

	function list(end, one) {
		at += 1;
		for (let comma; peek() !== end; ) {
			one();
			const next = peek();
			if (next === end) break;
			if (next === undefined) fail(`${end} is missing at the end`);
			if (next !== ",") fail(`a comma or ${end} is expected here`);
			comma = at;
			at += 1;
			if (peek() === end) fail("no comma may stand before the end", comma);
		}
		at += 1;
	}

	function member() {
		const next = peek();
		if (next === undefined) fail("} is missing at the end");
		if (next !== '"') fail("a name in double quotes is expected here");
		string();
		if (peek() !== ":") fail("a colon is expected after the name");
		at += 1;
		value();
	}

	function string() {
		const opened = at;
		at += 1;
		while (match(STRING_PART));
		const next = source[at];
		if (next === "\\") fail("this escape does not exist");
		if (next === undefined) fail("this string has no end", opened);
		if (next !== '"') fail("a line break or control character must be escaped in a string");
		at += 1;
	}

	try {
		value();
		peek();
		return source[at] ? { offset: at, message: "nothing may follow the value" }
			: { offset: source.search(/\S/), message: "an object is expected" };
	} catch (stop) {
		return stop instanceof RangeError ? { offset: at, message: "nested too deeply" } : stop;
	}
}
