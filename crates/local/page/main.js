// Starts the parts of the page.

import * as clock from "./clock.js";
import { attribute, el } from "./dom.js";
import * as endpoints from "./endpoints.js";
import { connect, replay } from "./events.js";
import * as faults from "./faults.js";
import * as job from "./job.js";
import * as jobs from "./jobs.js";
import * as keys from "./keys.js";
import { onRoute } from "./route.js";
import * as submit from "./submit.js";
import * as traffic from "./traffic.js";
import * as workers from "./workers.js";

for (const section of document.querySelectorAll("section")) {
	const title = section.querySelector("h2");
	title.id = `${section.id}-title`;
	title.tabIndex = -1;
	attribute(section, "aria-labelledby", title.id);
	document.querySelector("nav").append(el("a", { href: `#${section.id}` }, title.firstChild.data.trim()));
}

clock.start();
endpoints.start();
const list = jobs.start();
job.start();
submit.start();
workers.start();
traffic.start();
faults.start();
keys.start(list);
onRoute(replay);
connect();
