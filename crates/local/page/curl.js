// A submission as a curl command for a POSIX shell. It contains the variable of the key, never the key.

import { queuePath } from "./api.js";

/** Quotes a text for a POSIX shell: in single quotes nothing but the quote itself is special. */
export const quoted = (source) => `'${source.replaceAll("'", "'\\''")}'`;

export function curl(origin, endpoint, operation, body) {
	const json = JSON.stringify(body);
	return [
		`curl ${quoted(origin + queuePath(endpoint, operation))}`,
		'-H "authorization: $PODQUEUE_API_KEY"',
		"-H 'content-type: application/json'",
		// An argument has at most 128 KiB in Linux.
		json.length < 30_000 ? `--data-raw ${quoted(json)}` : `--data-binary @- <<'END'\n${json}\nEND`,
	].join(" \\\n  ");
}
