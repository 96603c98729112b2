// JSON whose numbers keep all of their digits.

/** Parses JSON. Numbers that a script would write otherwise, such as seeds, keep their text. */
export const parse = (source) => JSON.parse(source, JSON.rawJSON && /\d{16}|\d[.e]|-0/i.test(source)
	? (_, value, { source: digits }) => (typeof value === "number" && `${value}` !== digits
		? JSON.rawJSON(digits) : value) : undefined);

/** Parses what a user has written, which must be an object; the browser says what is wrong, and where. */
export function parseObject(source) {
	const value = parse(source);
	if (source.trim()[0] !== "{") throw new Error("A JSON object is expected");
	return value;
}
