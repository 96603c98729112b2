// Starts the parts of the page.

import * as chart from "./chart.js";
import * as clock from "./clock.js";
import * as endpoints from "./endpoints.js";
import { connect, replay } from "./events.js";
import * as faults from "./faults.js";
import * as job from "./job.js";
import * as jobs from "./jobs.js";
import * as keys from "./keys.js";
import * as limits from "./limits.js";
import * as logs from "./logs.js";
import * as views from "./views.js";
import { onRoute } from "./route.js";
import * as submit from "./submit.js";
import * as traffic from "./traffic.js";
import * as workers from "./workers.js";

views.start();
for (const part of [clock, endpoints, job, submit, workers, logs, limits, chart, traffic, faults]) part.start();
keys.start(jobs.start());
onRoute(replay);
connect();
