//! Finds out why something does not work, one check after another.

mod advice;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use podqueue::{Client, Endpoint, Error, ErrorKind, Health, JobStatus, RetryPolicy};
use serde::Serialize;

use self::advice::{advice, why_queued};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::interrupt::Signals;
use crate::output::{BAD, BUSY, FAINT, GOOD, paragraph};
use crate::settings::{self, Settings, shown};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(15);
/// No Pod has it.
const NO_POD: &str = "podqueue-doctor";
/// How far to the right the messages are.
const INDENT: usize = 19;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint to look at.
    endpoint: Option<String>,

    /// A job of the endpoint that does not go on.
    #[arg(long, value_name = "JOB", requires = "endpoint")]
    job: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Failed,
    Skipped,
}

#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    state: State,
    message: String,
    hint: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

impl Check {
    fn new(check: &'static str, state: State, message: impl Into<String>) -> Self {
        Self { check, state, message: message.into(), hint: None, exit: Exit::Done }
    }

    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Ok, message)
    }

    fn warning(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Warning, message)
    }

    fn skipped(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Skipped, message)
    }

    fn failed(check: &'static str, failure: Failure) -> Self {
        let Failure { exit, message, hints, .. } = failure;
        let hint = Some(hints.join("; ")).filter(|hints| !hints.is_empty());
        Self { exit, hint, ..Self::new(check, State::Failed, message) }
    }

    /// A call that failed.
    fn of_error(check: &'static str, error: &Error) -> Self {
        let failure = Failure { hints: vec![advice(error)], ..Failure::from(error) };
        Self::failed(check, failure)
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let checks = signals.unless(examine(context, arguments));
    let checks = context.output.during("checking", checks).await??;
    print(context, &checks)?;
    Ok(checks.iter().fold(Exit::Done, |exit, check| exit.or_worse(check.exit)))
}

async fn examine(context: &Context, arguments: &Arguments) -> Result<Vec<Check>, Failure> {
    let settings = match context.settings() {
        Ok(settings) => settings,
        Err(failure) => return Ok(vec![Check::failed("settings", failure)]),
    };
    let mut checks = vec![match &settings.profile {
        Some(profile) => {
            let file = settings.file.as_deref().unwrap_or(Path::new("")).display();
            Check::ok("settings", format!("profile {profile} in {file}"))
        }
        None => Check::ok("settings", "environment variables"),
    }];
    let client = settings::builder(&settings).and_then(|builder| {
        checks.push(Check::ok("key", format!("read from {}", settings.key)));
        let builder = builder.retry(RetryPolicy::never());
        Ok(builder.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).build()?)
    });
    let client = match client {
        Ok(client) => client,
        Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
        Err(failure) => {
            let check = if checks.len() == 1 { "key" } else { "urls" };
            checks.push(Check::failed(check, failure));
            return Ok(checks);
        }
    };
    let mut calls = Vec::new();
    let endpoint = arguments.endpoint.as_ref().map(|id| client.endpoint(id));
    let health = queue(&settings, endpoint.as_ref(), &mut calls).await;
    others(&settings, &client, &mut calls).await;
    if calls.iter().all(|check| check.state == State::Skipped) && endpoint.is_none() {
        calls.push(Check::skipped("authorization", "nothing was called"));
    }
    compare_authorization(&mut calls);
    checks.extend(calls);
    if let Some(health) = &health {
        checks.push(workers(health));
    }
    if let (Some(endpoint), Some(id)) = (&endpoint, &arguments.job) {
        checks.push(job(endpoint, id, health.as_ref()).await);
    }
    Ok(checks)
}

async fn queue(
    settings: &Settings,
    endpoint: Option<&Endpoint>,
    checks: &mut Vec<Check>,
) -> Option<Health> {
    let Some(url) = settings.base_url.as_deref().map(shown) else {
        checks.push(
            Check::new("queue", State::Failed, "the URL of the job queue is not set")
                .hint("set PODQUEUE_BASE_URL, or base_url in a profile"),
        );
        if let Some(check) = checks.last_mut() {
            check.exit = Exit::Usage;
        }
        return None;
    };
    let Some(endpoint) = endpoint else {
        let skipped = Check::skipped("queue", format!("{url} was not called"));
        checks.push(skipped.hint("name an endpoint to check it: podqueue doctor ENDPOINT"));
        return None;
    };
    match endpoint.health().await {
        Ok(health) => {
            checks.push(Check::ok("queue", format!("{url} knows the endpoint {}", endpoint.id())));
            Some(health)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let failure = Failure::from(&error);
            checks.push(Check::failed("queue", failure).hint(format!(
                "{url} has no endpoint {}: check its id, and that the key's account owns it",
                quoted(endpoint.id())
            )));
            None
        }
        Err(error) => {
            checks.push(Check::of_error("queue", &error));
            None
        }
    }
}

/// The interfaces beside the queue, which not everybody uses.
async fn others(settings: &Settings, client: &Client, checks: &mut Vec<Check>) {
    checks.push(match settings.rest_url.as_deref().map(shown) {
        None => Check::skipped("rest", "its URL is not set"),
        Some(url) => match client.rest().get_pod(NO_POD).await {
            Ok(_) => Check::ok("rest", format!("{url} responds")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Check::ok("rest", format!("{url} responds"))
            }
            Err(error) => Check::of_error("rest", &error),
        },
    });
    checks.push(match settings.graphql_url.as_deref().map(shown) {
        None => Check::skipped("graphql", "its URL is not set"),
        Some(url) => match client.graphql().raw("{ __typename }", Default::default()).await {
            Ok(_) => Check::ok("graphql", format!("{url} responds")),
            Err(error) if error.kind() == ErrorKind::Graphql => {
                Check::ok("graphql", format!("{url} responds"))
            }
            Err(error) => Check::of_error("graphql", &error),
        },
    });
}

/// A key that one interface accepts is not wrong: it lacks permission for the others.
fn compare_authorization(checks: &mut [Check]) {
    let accepted = checks.iter().find(|check| check.state == State::Ok).map(|check| check.check);
    for check in checks.iter_mut().filter(|check| check.exit == Exit::NotAuthorized) {
        check.hint = Some(match accepted {
            Some(other) => format!("the key lacks permission: {other} accepts it"),
            None => "the key is wrong, or of another account".to_owned(),
        });
    }
}

fn workers(health: &Health) -> Check {
    let workers = &health.workers;
    let [ready, starting, throttled, unhealthy] =
        [workers.ready, workers.initializing, workers.throttled, workers.unhealthy]
            .map(Option::unwrap_or_default);
    let at_work = workers.idle + workers.running;
    let message = format!("{} idle, {} running", workers.idle, workers.running);
    if unhealthy > 0 {
        return Check::warning("workers", format!("{message}, {unhealthy} unhealthy"))
            .hint("read the logs of the workers: their process fails or cannot start");
    }
    if throttled > 0 {
        return Check::warning("workers", format!("{message}, {throttled} throttled"))
            .hint("the hosts have no GPU free: allow more kinds of GPU or more regions");
    }
    if at_work + ready + starting == 0 {
        return Check::warning("workers", "there are none")
            .hint("check the endpoint's maximum of workers; the first job starts one");
    }
    Check::ok("workers", message)
}

async fn job(endpoint: &Endpoint, id: &str, health: Option<&Health>) -> Check {
    match endpoint.job(id).status().await {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Check::failed("job", Failure::from(&error)).hint(
                "its id is wrong, its ttl has expired, or its result: after 30 minutes, and after \
                 one minute if it was submitted with --sync",
            )
        }
        Err(error) => Check::of_error("job", &error),
        Ok(record) => {
            let message = format!("{id} is {}", record.status());
            match record.status() {
                JobStatus::InQueue => Check::warning("job", message).hint(why_queued(health)),
                JobStatus::Completed | JobStatus::InProgress => Check::ok("job", message),
                _ => {
                    let failure = record.failure().map(|failure| failure.message);
                    let check = Check::warning("job", message);
                    match failure {
                        Some(why) => check.hint(why),
                        None => check,
                    }
                }
            }
        }
    }
}

fn print(context: &Context, checks: &[Check]) -> Result<(), Failure> {
    if context.output.is_json() {
        return checks.iter().try_for_each(|check| context.output.json(check));
    }
    for check in checks {
        let (sign, style) = match check.state {
            State::Ok => ("ok", GOOD),
            State::Warning => ("warning", BUSY),
            State::Failed => ("failed", BAD),
            State::Skipped => ("skipped", FAINT),
        };
        let message = paragraph(&check.message, INDENT);
        let name = check.check;
        context.output.styled(format_args!("{style}{sign:<7}{style:#}  {name:<8}  {message}\n"))?;
        if let Some(hint) = &check.hint {
            context.output.line(format_args!("{:INDENT$}{}", "", paragraph(hint, INDENT)))?;
        }
    }
    Ok(())
}
