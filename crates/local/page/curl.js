// A submission as a command for a POSIX shell. The key never stands in it, only its variable.

import { queuePath } from "./api.js";

/** Quotes a text for a POSIX shell: in single quotes nothing but the quote itself is special. */
export const quoted = (source) => `'${source.replaceAll("'", "'\\''")}'`;

export function curl(origin, endpoint, operation, body) {
	return [
		`curl ${quoted(origin + queuePath(endpoint, operation))}`,
		'-H "authorization: $PODQUEUE_API_KEY"',
		"-H 'content-type: application/json'",
		`--data-raw ${quoted(JSON.stringify(body))}`,
	].join(" \\\n  ");
}
