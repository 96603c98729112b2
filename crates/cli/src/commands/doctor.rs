//! Command `doctor`: diagnosis of settings, service, workers and a job, check by check.

mod queued_job;

use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use podqueue::{Client, Endpoint, Error, ErrorKind, Health, JobStatus, RetryPolicy};
use podqueue_runtime::redact::Secrets;
use serde::Serialize;

use self::queued_job::EndpointState;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::parse_id;
use crate::interrupt::Signals;
use crate::output::{BAD, BUSY, FAINT, GOOD, paragraph};
use crate::settings::{Settings, redacted_url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(15);
/// An id that no Pod has.
const MISSING_POD: &str = "podqueue-doctor";
/// Width of the shortest column of names.
const MIN_NAME: usize = 8;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint to check.
    #[arg(value_parser = parse_id)]
    endpoint: Option<String>,

    /// A job of the endpoint that makes no progress.
    #[arg(long, value_name = "JOB", requires = "endpoint", value_parser = parse_id)]
    job: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckState {
    Ok,
    Warning,
    Failed,
    Skipped,
}

#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    state: CheckState,
    message: String,
    hint: Option<String>,
    #[serde(skip)]
    exit: Exit,
    /// True if the service responds with 401: it does not know the key, or the key does not permit
    /// the request. A 403 does not count, because it may come from a proxy.
    #[serde(skip)]
    is_unauthorized: bool,
}

impl Check {
    fn new(check: &'static str, state: CheckState, message: impl Into<String>) -> Self {
        let (message, hint, exit) = (message.into(), None, Exit::Done);
        Self { check, state, message, hint, exit, is_unauthorized: false }
    }

    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, CheckState::Ok, message)
    }

    fn warning(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, CheckState::Warning, message)
    }

    fn skipped(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, CheckState::Skipped, message)
    }

    fn failed(check: &'static str, failure: Failure) -> Self {
        let Failure { exit, message, hints, .. } = failure;
        let hint = Some(hints.join("; ")).filter(|hints| !hints.is_empty());
        Self { exit, hint, ..Self::new(check, CheckState::Failed, message) }
    }

    /// A call that failed.
    fn of_error(check: &'static str, error: &Error) -> Self {
        let failure = Failure { hints: vec![hint_for(error)], ..Failure::from(error) };
        let is_unauthorized = error.kind() == ErrorKind::Unauthorized;
        Self { is_unauthorized, ..Self::failed(check, failure) }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let checks = signals.unless(examine(context, arguments));
    let checks = context.output.with_progress("checking", checks).await??;
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
    // All that is missing or invalid, at once.
    checks.push(match settings.read_key() {
        Ok(_) => Check::ok("key", format!("read from {}", settings.key)),
        Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
        Err(failure) => Check::failed("key", failure),
    });
    let invalid = settings.invalid_urls().into_iter();
    checks.extend(invalid.map(|failure| Check::failed("urls", failure)));
    if checks.iter().any(|check| check.state == CheckState::Failed) {
        if settings.base_url.is_none() {
            checks.push(no_queue_url());
        }
        return Ok(checks);
    }
    let builder = context.client_builder(&settings)?.retry(RetryPolicy::never());
    let client = match builder.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).build() {
        Ok(client) => client,
        Err(error) => {
            checks.push(Check::failed("client", Failure::from(error)));
            return Ok(checks);
        }
    };
    let mut calls = Vec::new();
    let endpoint = arguments.endpoint.as_ref().map(|id| client.endpoint(id));
    // First, since it says whether the endpoint has a queue.
    let mut account_calls = Vec::new();
    let state =
        account(&settings, &client, arguments.endpoint.as_deref(), &mut account_calls).await;
    let has_queue = state.as_ref().is_none_or(EndpointState::has_queue);
    let health = match has_queue {
        true => queue(&settings, endpoint.as_ref(), &mut calls).await,
        false => {
            calls.push(Check::skipped("queue", "the endpoint is a load balancer: it has no queue"));
            None
        }
    };
    rest_and_graphql(&settings, &client, &mut calls).await;
    calls.append(&mut account_calls);
    if calls.iter().all(|check| check.state == CheckState::Skipped) && endpoint.is_none() {
        calls.push(Check::skipped("authorization", "nothing was called"));
    }
    compare_authorization(&mut calls);
    checks.extend(calls);
    // The account interface knows more about the workers than the queue.
    match (&state, &health) {
        (Some(state), _) => checks.push(workers_of_account(state)),
        (None, Some(health)) => checks.push(workers(health)),
        (None, None) => {}
    }
    if let (Some(endpoint), Some(id)) = (&endpoint, &arguments.job) {
        checks.push(if !has_queue {
            let message = "the endpoint is a load balancer: it has no jobs";
            Check::failed("job", Failure::usage(message))
        } else {
            job(endpoint, id, health.as_ref(), state.as_ref()).await
        });
    }
    Ok(checks)
}

fn no_queue_url() -> Check {
    let failure = Failure::usage("the URL of the job queue is not set");
    Check::failed("queue", failure.hint("set PODQUEUE_BASE_URL, or base_url in a profile"))
}

async fn queue(
    settings: &Settings,
    endpoint: Option<&Endpoint>,
    checks: &mut Vec<Check>,
) -> Option<Health> {
    let Some(url) = settings.base_url.as_deref().map(redacted_url) else {
        checks.push(no_queue_url());
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

/// Checks the REST and GraphQL interfaces, which are optional.
async fn rest_and_graphql(settings: &Settings, client: &Client, checks: &mut Vec<Check>) {
    checks.push(match settings.rest_url.as_deref().map(redacted_url) {
        None => Check::skipped("rest", "its URL is not set"),
        Some(url) => match client.rest().get_pod(MISSING_POD).await {
            Ok(_) => Check::ok("rest", format!("{url} responds")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Check::ok("rest", format!("{url} responds"))
            }
            Err(error) => retired_or_failed("rest", settings, &error),
        },
    });
    checks.push(match settings.graphql_url.as_deref().map(redacted_url) {
        None => Check::skipped("graphql", "its URL is not set"),
        Some(url) => match client.graphql().raw("{ __typename }", Default::default()).await {
            Ok(_) => Check::ok("graphql", format!("{url} responds")),
            Err(error) if error.kind() == ErrorKind::Graphql => {
                Check::ok("graphql", format!("{url} responds"))
            }
            Err(error) => retired_or_failed("graphql", settings, &error),
        },
    });
}

/// A call of an interface that may have been retired, which is no fault where the account interface
/// replaces it.
fn retired_or_failed(check: &'static str, settings: &Settings, error: &Error) -> Check {
    if error.kind() != ErrorKind::Gone {
        return Check::of_error(check, error);
    }
    if settings.account_url.is_some() {
        return Check::skipped(check, "retired by the service: the account interface replaces it");
    }
    Check::failed(check, Failure::from(error)).hint(
        "the account interface replaces it: set PODQUEUE_ACCOUNT_URL, or account_url in a profile",
    )
}

/// Checks the account interface if its URL is set, and reads the state of the endpoint.
async fn account(
    settings: &Settings,
    client: &Client,
    endpoint: Option<&str>,
    checks: &mut Vec<Check>,
) -> Option<EndpointState> {
    let url = redacted_url(settings.account_url.as_deref()?);
    let account = client.account();
    let Some(id) = endpoint else {
        checks.push(match account.list_endpoints().await {
            Ok(_) => Check::ok("account", format!("{url} responds")),
            Err(error) => Check::of_error("account", &error),
        });
        return None;
    };
    let secrets = Secrets::new(settings.key.read().ok().flatten().into_iter().collect(), None);
    match EndpointState::read(&account, id, &secrets).await {
        Ok(state) => {
            checks.push(Check::ok("account", state.summary()));
            Some(state)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("{url} has no endpoint {id}");
            checks.push(Check::warning("account", message).hint(
                "check the endpoint's id, and that the key's account owns it: podqueue endpoint list",
            ));
            None
        }
        Err(error) => {
            checks.push(Check::of_error("account", &error));
            None
        }
    }
}

/// Explains refused keys: a key that one interface accepts lacks permission for another interface.
fn compare_authorization(checks: &mut [Check]) {
    let accepted =
        checks.iter().find(|check| check.state == CheckState::Ok).map(|check| check.check);
    for check in checks.iter_mut().filter(|check| check.is_unauthorized) {
        check.hint = Some(match accepted {
            Some(other) => format!("the key lacks permission: {other} accepts it"),
            None => "the key is wrong, or of another account".to_owned(),
        });
    }
}

fn workers_of_account(state: &EndpointState) -> Check {
    let faults = state.faults();
    match faults.is_empty() {
        true => Check::ok("workers", state.worker_counts()),
        false => Check::warning("workers", state.worker_counts()).hint(faults.join("; ")),
    }
}

fn workers(health: &Health) -> Check {
    let workers = &health.workers;
    let [ready, starting, throttled, unhealthy] =
        [workers.ready, workers.initializing, workers.throttled, workers.unhealthy]
            .map(Option::unwrap_or_default);
    let active = workers.idle + workers.running;
    let message = format!("{} idle, {} running", workers.idle, workers.running);
    if unhealthy > 0 {
        return Check::warning("workers", format!("{message}, {unhealthy} unhealthy"))
            .hint("read the logs of the workers: their process fails or cannot start");
    }
    if throttled > 0 {
        return Check::warning("workers", format!("{message}, {throttled} throttled"))
            .hint("the hosts have no GPU free: allow more kinds of GPU or more regions");
    }
    if active + ready + starting == 0 {
        return Check::warning("workers", "there are none")
            .hint("check the endpoint's maximum of workers; the first job starts one");
    }
    Check::ok("workers", message)
}

async fn job(
    endpoint: &Endpoint,
    id: &str,
    health: Option<&Health>,
    state: Option<&EndpointState>,
) -> Check {
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
                JobStatus::InQueue => Check::warning("job", message).hint(match state {
                    Some(state) => state.reasons(health).join("; "),
                    None => why_queued(health),
                }),
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
    let width = checks.iter().map(|it| it.check.len()).fold(MIN_NAME, usize::max);
    let indent = "skipped".len() + 2 + width + 2;
    for check in checks {
        let (sign, style) = match check.state {
            CheckState::Ok => ("ok", GOOD),
            CheckState::Warning => ("warning", BUSY),
            CheckState::Failed => ("failed", BAD),
            CheckState::Skipped => ("skipped", FAINT),
        };
        let message = paragraph(&check.message, indent);
        let name = check.check;
        context
            .output
            .styled(format_args!("{style}{sign:<7}{style:#}  {name:<width$}  {message}\n"))?;
        if let Some(hint) = &check.hint {
            context.output.line(format_args!("{:indent$}{}", "", paragraph(hint, indent)))?;
        }
    }
    Ok(())
}

/// Hint for a failed call.
fn hint_for(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Connect => connect_hint(error),
        ErrorKind::Unauthorized => "check the key",
        ErrorKind::Network if cause_text(error).contains("http") => {
            "check the URL: something other than the service responds there"
        }
        ErrorKind::Timeout | ErrorKind::Network => {
            "check the network, a proxy, a firewall, and https or http in the URL"
        }
        ErrorKind::Gone => {
            "the service has retired this interface: a later version of podqueue may call another"
        }
        ErrorKind::RateLimited => {
            "other programs with this key use up its rate limit: wait a little"
        }
        ErrorKind::Redirect => "the URL leads elsewhere: set the one that it redirects to",
        ErrorKind::Server if error.status().is_some_and(|status| status >= 500) => {
            "the service itself is failing: try again later"
        }
        _ if error.status() == Some(407) => {
            "check the user and password of the proxy, in HTTPS_PROXY or HTTP_PROXY"
        }
        _ if error.status() == Some(403) => {
            "the key lacks permission, or something on the way refuses the call: a proxy, a firewall"
        }
        _ => "check the URL: something other than the service responds there",
    }
    .to_owned()
}

/// The text of the causes of an error, in lower case. The error itself may contain arbitrary names.
fn cause_text(error: &Error) -> String {
    let mut text = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text.to_lowercase()
}

/// Hint for a failure to connect, by the text of its cause.
fn connect_hint(error: &Error) -> &'static str {
    let text = cause_text(error);
    let mentions = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if mentions(&["tunnel"]) {
        "the proxy does not let the call through: check HTTPS_PROXY or HTTP_PROXY, or exempt the \
         host with NO_PROXY"
    } else if mentions(&["not valid for name"]) {
        // First, since the text contains host names, which may match the words below.
        "TLS failed: the certificate is for another host: check the host in the URL"
    } else if mentions(&["expired", "not valid yet"]) {
        "TLS failed: the certificate is not valid at this time: check this machine's clock; \
         otherwise the service must renew it"
    } else if mentions(&["unknownissuer"]) {
        "TLS failed: this machine does not know who issued the certificate: check its root \
         certificates, or SSL_CERT_FILE; a proxy may have replaced the certificate"
    } else if mentions(&["certificate", "tls", "handshake", "corrupt message", "fatal alert"]) {
        "TLS failed: check https or http in the URL, this machine's clock, and its root certificates"
    } else if mentions(&["dns", "lookup", "resolve"]) {
        "no such host: check the URL's spelling, and the network"
    } else if mentions(&["refused"]) {
        "nothing listens there: check the URL's host and port, or start podqueue local"
    } else {
        "unreachable: check the URL, the network, a proxy, a firewall"
    }
}

/// The reason why a job of an endpoint with this health is still queued.
fn why_queued(health: Option<&Health>) -> String {
    let Some(health) = health else { return "the endpoint's health is unknown".to_owned() };
    let (jobs, workers) = (&health.jobs, &health.workers);
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    if some(workers.unhealthy) {
        "workers are unhealthy: read their logs".to_owned()
    } else if some(workers.throttled) {
        "workers are throttled: the hosts have no GPU free".to_owned()
    } else if some(workers.initializing) {
        "a worker is starting, which takes minutes with a large image".to_owned()
    } else if workers.idle > 0 {
        "a worker is idle and should take it any moment".to_owned()
    } else if workers.running > 0 {
        format!(
            "all {} workers are busy, and {} jobs are queued: raise the maximum of workers",
            workers.running, jobs.in_queue
        )
    } else {
        "there are no workers: check the endpoint's maximum of workers; a job with --low-priority \
         does not start one"
            .to_owned()
    }
}
