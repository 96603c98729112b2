//! Program `podqueue-local`: its arguments, its output, and its end by a signal.
//!
//! The command `podqueue local` shares it. Not public API: it changes without notice.

mod api_keys;
mod browser;
mod config;
mod recorder;
pub mod signals;
mod stderr_printer;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use self::api_keys::{ProgramKeys, quoted};
use self::browser::RedirectFile;
use self::config::{Config, parse_range};
use self::recorder::Recorder;
use self::signals::Listener;
use self::stderr_printer::StderrPrinter;
use crate::scenarios::Scenario;
use crate::tasks::locked;
use crate::{
    Builder, Error, LocalService, LogSource, RateLimits, RetiredInterface, StreamShape, Workers,
};

/// Runs a local emulator of the hosted service until Ctrl-C.
///
/// Prints the URLs as environment variables for a client, ready to paste into a shell, and the link
/// to a page for a browser, which shows what the service does.
///
/// The API key is read from the environment variable PODQUEUE_API_KEY unless an option sets one. If
/// there is none, a random key is generated and printed with the URLs.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The address to listen on; port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,

    /// Another host name or IP address to accept in the Host header; can be repeated.
    ///
    /// That is the name by which containers or other machines know this machine. Loopback
    /// addresses, localhost and the address at which a request arrives are always accepted.
    #[arg(long = "allow-host", value_name = "NAME")]
    allowed_hosts: Vec<String>,

    /// An API key that clients may use; can be repeated.
    ///
    /// Each key is a separate user. Every user of this machine can see it in the process list, so
    /// pass a real key in PODQUEUE_API_KEY or a file.
    #[arg(long = "api-key", value_name = "KEY")]
    api_keys: Vec<String>,

    /// A file with API keys that clients may use, one per line; - reads standard input.
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,

    /// An endpoint whose workers run a shell command, or attach by themselves; can be repeated.
    ///
    /// With a command, a worker reads each job as a line of JSON, {"id": …, "input": …}, and
    /// responds with lines of JSON: any number of {"stream": …}, then one {"output": …} or
    /// {"error": "…"}.
    ///
    /// Without a command, workers that you start take the jobs over HTTP. The environment variables
    /// that they need are printed, and served at /_local/endpoints/NAME/worker-env.
    #[arg(long = "endpoint", value_name = "NAME[=COMMAND]", value_parser = parse_endpoint)]
    endpoints: Vec<(String, Option<String>)>,

    /// An endpoint whose workers take jobs over HTTP, started with a shell command; can be
    /// repeated.
    ///
    /// The command runs once for each worker, with the environment variables that tell it how to
    /// attach.
    #[arg(long = "worker", value_name = "NAME=COMMAND", value_parser = parse_worker)]
    workers: Vec<(String, String)>,

    /// A file with further endpoints and their workers, which is read again when it changes.
    ///
    /// In TOML: `[endpoints.NAME]` with `command` as of --endpoint or `worker` as of --worker, or
    /// neither, and `workers = "MIN-MAX"`. An endpoint that changes begins anew, without its jobs.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The prefix of the names of the environment variables of workers.
    #[arg(long, value_name = "PREFIX", default_value = "")]
    worker_env_prefix: String,

    /// Number of workers of an endpoint of --endpoint or --worker, as MIN-MAX.
    #[arg(long, value_name = "MIN-MAX", default_value = "1-3", value_parser = parse_range)]
    worker_count: (usize, usize),

    /// Start time of a worker beyond the minimum, in seconds, in addition to that of its program.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    worker_cold_start: u64,

    /// Idle timeout of a worker beyond the minimum, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    worker_idle_timeout: u64,

    /// Print the output of workers to standard error.
    ///
    /// The standard error of the commands of --endpoint is printed in any case.
    /// The output can be read later at /_local/endpoints/NAME/worker-logs.
    #[arg(long)]
    worker_logs: bool,

    /// The shape of the response of /stream.
    ///
    /// An array of chunks, or an object with status and stream.
    #[arg(long, value_name = "SHAPE", value_enum, default_value = "array")]
    stream_shape: Shape,

    /// Refuse requests that the interface does not document, but existing clients send.
    ///
    /// These are POST to /status and /stream, and /status-sync.
    #[arg(long)]
    strict: bool,

    /// Enforce the documented rate limits.
    ///
    /// Those of the queue hold over any span of 10 seconds; those of the account interface a minute,
    /// an hour and a day, and its responses announce them.
    #[arg(long)]
    rate_limits: bool,

    /// Interfaces that respond with 410, because the account interface replaces them.
    #[arg(long, value_name = "INTERFACES", value_enum, value_delimiter = ',')]
    retired: Vec<Retirable>,

    /// A file with a scenario of faults, which are in effect from the start; can be repeated.
    ///
    /// In JSON: `{"faults": [...]}` with faults as of POST /_local/faults, and optional `name`, by
    /// default that of the file without its extension, and `description`.
    #[arg(long = "scenario", value_name = "FILE")]
    scenarios: Vec<PathBuf>,

    /// Largest number of queued jobs of each endpoint; a submission beyond that gets 429.
    #[arg(long, value_name = "JOBS")]
    max_queued: Option<usize>,

    /// Keep what the page shows in a file, to be opened later with --replay.
    ///
    /// The file is written every 10 seconds while something changes, and at the end. It has the
    /// inputs and outputs of jobs, and no key; only you can read it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Show what --record has kept on the page, and run nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "record", "api_keys", "api_key_file", "endpoints", "workers", "config", "worker_logs",
        "strict", "rate_limits", "retired", "scenarios", "max_queued", "manual_clock",
    ])]
    replay: Option<PathBuf>,

    /// Open the page in the browser.
    ///
    /// For a minute, a file in the home directory, which only you can read, leads the browser to
    /// it: other users of this machine would see the link in the process list.
    #[arg(long)]
    open: bool,

    /// Stop the clock.
    ///
    /// The clock moves only by POST /_local/clock/advance with a body like {"ms": 60000}.
    #[arg(long)]
    manual_clock: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shape {
    Array,
    Object,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Retirable {
    Rest,
    Graphql,
}

impl From<Retirable> for RetiredInterface {
    fn from(interface: Retirable) -> Self {
        match interface {
            Retirable::Rest => Self::Rest,
            Retirable::Graphql => Self::GraphQl,
        }
    }
}

fn parse_endpoint(argument: &str) -> Result<(String, Option<String>), String> {
    match argument.split_once('=') {
        None if !argument.is_empty() => Ok((argument.to_owned(), None)),
        Some((name, command)) if !name.is_empty() && !command.is_empty() => {
            Ok((name.to_owned(), Some(command.to_owned())))
        }
        _ => Err("expected NAME=COMMAND or NAME".to_owned()),
    }
}

fn parse_worker(argument: &str) -> Result<(String, String), String> {
    match parse_endpoint(argument) {
        Ok((name, Some(command))) => Ok((name, command)),
        _ => Err("expected NAME=COMMAND".to_owned()),
    }
}

/// The format in which the program prints the URLs and keys for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for a shell.
    Shell,
    /// One line of JSON.
    Json,
}

/// Failure of the program.
#[derive(Debug)]
pub struct ProgramFailure {
    /// The message.
    pub text: String,
    /// True if an argument, a key or its file is invalid, so that nothing was started.
    pub is_usage: bool,
}

impl ProgramFailure {
    fn usage(text: impl ToString) -> Self {
        Self { text: text.to_string(), is_usage: true }
    }
}

impl From<io::Error> for ProgramFailure {
    fn from(error: io::Error) -> Self {
        Self { text: error.to_string(), is_usage: false }
    }
}

impl From<Error> for ProgramFailure {
    fn from(error: Error) -> Self {
        match error.setting() {
            // Named as the option of the command line.
            Some(setting) => {
                let option = format!("--{}", setting.replace('_', "-"));
                Self::usage(error.to_string().replacen(setting, &option, 1))
            }
            None => {
                let cause = std::error::Error::source(&error);
                let is_taken = cause
                    .and_then(|cause| cause.downcast_ref::<io::Error>())
                    .is_some_and(|cause| cause.kind() == io::ErrorKind::AddrInUse);
                let advice = if is_taken { "; --listen 127.0.0.1:0 picks a free port" } else { "" };
                let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                Self { text: format!("{error}{cause}{advice}"), is_usage: false }
            }
        }
    }
}

/// Runs the service until a signal ends it. `program` is the prefix of its messages on standard
/// error.
///
/// # Errors
///
/// If the service cannot start, or its URLs cannot be printed.
pub async fn run(
    arguments: Arguments,
    format: Format,
    program: &str,
) -> Result<(), ProgramFailure> {
    let opens_page = arguments.open;
    let replays = arguments.replay.is_some();
    let setup = Setup::of(arguments, program)?;
    let Setup { builder, keys, mut config, attached, recorder, printer } = setup;
    // Before the URLs are printed, so that no signal is missed after that.
    let mut signals = Listener::new()?;
    let local = builder.start().await?;
    warn(&local, program);
    if !replays && let Err(source) = keys.shell_expression(&local) {
        let _ = writeln!(io::stderr(), "{program}: using the API key {source}");
    }
    // Blocks while standard output is not read.
    let announced = signals::blocking(|| match format {
        _ if replays => announce_page(&local, format),
        Format::Shell => announce(&local, &keys, &attached),
        Format::Json => announce_as_json(&local, &keys, &attached),
    });
    let page_url = local.page_url().unwrap_or_default();
    if format == Format::Shell && announced.is_ok() && is_file(&io::stdout()) {
        // Where it is seen.
        let _ = writeln!(io::stderr(), "{program}: the page: {page_url}");
    }
    let opened = opens_page.then(|| RedirectFile::open(&page_url)).transpose();
    if let Err(error) = &opened {
        let _ = writeln!(
            io::stderr(),
            "{program}: warning: failed to open the page {page_url} in a browser: {error}"
        );
    }
    match announced {
        Ok(()) => {
            let reloading = async {
                match &mut config {
                    Some(config) => config.follow(&local, program).await,
                    None => std::future::pending().await,
                }
            };
            let recording = async {
                match &recorder {
                    Some(recorder) => recorder.follow(&local, program).await,
                    None => std::future::pending().await,
                }
            };
            let showing = async {
                if let Ok(Some(file)) = opened {
                    file.keep().await;
                }
                std::future::pending().await
            };
            tokio::select! {
                _ = signals.received() => {}
                () = reloading => {}
                () = recording => {}
                () = showing => {}
            }
        }
        // The reader that was to use the service has exited.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => {
            let text = format!("failed to write the output: {error}");
            return Err(ProgramFailure { text, is_usage: false });
        }
    }
    // While there are jobs: the end cancels them.
    let recorded = match &recorder {
        Some(recorder) => recorder.write(&local).await,
        None => Ok(()),
    };
    // Further signals do not interrupt the orderly end of workers.
    let further_signals = async {
        loop {
            signals.received().await;
        }
    };
    tokio::select! {
        () = local.shutdown() => {}
        () = further_signals => {}
    }
    printer.flush();
    recorded.map_err(|error| {
        let text = format!("failed to record: {error}");
        ProgramFailure { text, is_usage: false }
    })
}

/// The service to be started, and what belongs to it in the program.
struct Setup {
    builder: Builder,
    keys: ProgramKeys,
    config: Option<Config>,
    /// The endpoints whose workers attach by themselves.
    attached: Vec<String>,
    recorder: Option<Recorder>,
    /// The printer of worker logs.
    printer: StderrPrinter,
}

impl Setup {
    fn of(arguments: Arguments, program: &str) -> Result<Self, ProgramFailure> {
        let mut builder = LocalService::builder().listen(arguments.listen).page().stream_shape(
            match arguments.stream_shape {
                Shape::Array => StreamShape::Array,
                Shape::Object => StreamShape::Object,
            },
        );
        for name in arguments.allowed_hosts {
            builder = builder.allow_host(name);
        }
        let keys = ProgramKeys::read(arguments.api_keys, arguments.api_key_file)
            .map_err(ProgramFailure::usage)?;
        for key in keys.all() {
            builder = builder.api_key(key);
        }
        builder = builder.retired(arguments.retired.into_iter().map(RetiredInterface::from));
        if arguments.manual_clock {
            builder = builder.manual_clock();
        }
        if arguments.strict {
            builder = builder.strict();
        }
        if arguments.rate_limits {
            builder = builder.rate_limits(RateLimits::documented());
        }
        if let Some(jobs) = arguments.max_queued {
            builder = builder.max_queued(jobs);
        }
        for scenario in scenarios(&arguments.scenarios)? {
            builder = builder.scenario(scenario);
        }
        let recorder = arguments.record.map(Recorder::new).transpose();
        let recorder =
            recorder.map_err(|error| ProgramFailure::usage(format!("--record {error}")))?;
        if let Some(path) = arguments.replay {
            let session = recorder::read(&path);
            let session =
                session.map_err(|error| ProgramFailure::usage(format!("--replay {error}")))?;
            builder = builder.replay(session);
        }
        let (min, max) = arguments.worker_count;
        let workers = Workers::between(min, max)
            .cold_start(Duration::from_secs(arguments.worker_cold_start))
            .idle_timeout(Duration::from_secs(arguments.worker_idle_timeout));
        let names = arguments.endpoints.iter().map(|(name, _)| name);
        let mut names: Vec<&String> =
            names.chain(arguments.workers.iter().map(|(n, _)| n)).collect();
        names.sort_unstable();
        if let Some(name) = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]) {
            return Err(ProgramFailure::usage(format!(
                "the endpoint {name:?} is given twice; --endpoint and --worker each make one"
            )));
        }
        let config = arguments.config.map(|path| Config::read(path, workers, &names)).transpose();
        let config = config.map_err(ProgramFailure::usage)?;
        let mut attached = Vec::new();
        // The standard error of these workers is always printed: their standard output is the protocol.
        let mut commands = BTreeSet::new();
        for (name, workers, scaling) in config.iter().flat_map(Config::endpoints) {
            builder = builder.endpoint_with(name, workers).workers_of(name, scaling);
        }
        for (name, command) in arguments.endpoints {
            builder = builder.workers_of(&name, workers);
            builder = match command {
                Some(command) => {
                    commands.insert(name.clone());
                    builder.command_endpoint(name, command)
                }
                None => {
                    attached.push(name.clone());
                    builder.endpoint_for_workers(name)
                }
            };
        }
        for (name, command) in arguments.workers {
            builder = builder.workers_of(&name, workers).worker_endpoint(name, command);
        }
        builder = builder.worker_env_prefix(arguments.worker_env_prefix);
        let printer = StderrPrinter::start(program)?;
        let (prints, prefix, all) = (printer.clone(), program.to_owned(), arguments.worker_logs);
        let configured = config.as_ref().map(Config::commands);
        builder = builder.on_worker_log(move |line| {
            let is_command = || {
                let configured = configured.as_ref().map(|names| locked(names));
                commands.contains(&line.endpoint)
                    || configured.is_some_and(|names| names.contains(&line.endpoint))
            };
            match line.source {
                LogSource::Service => prints.print(format!("{prefix}: {line}")),
                _ if all || is_command() => prints.print(line.to_string()),
                _ => {}
            }
        });
        Ok(Self { builder, keys, config, attached, recorder, printer })
    }
}

/// Reads the files of scenarios, each of which needs a name of its own.
fn scenarios(paths: &[PathBuf]) -> Result<Vec<Scenario>, ProgramFailure> {
    let mut files = BTreeMap::new();
    let mut all = Vec::new();
    for path in paths {
        let usage = |why: String| ProgramFailure::usage(format!("--scenario {why}"));
        let scenario = Scenario::read(path).map_err(usage)?;
        if let Some(other) = files.insert(scenario.name.clone(), path) {
            let (path, other) = (path.display(), other.display());
            return Err(usage(format!("{path}: {other} has the name {:?}, too", scenario.name)));
        }
        all.push(scenario);
    }
    Ok(all)
}

/// Returns true if standard output is a file.
#[cfg(unix)]
fn is_file(stdout: &io::Stdout) -> bool {
    let copy = stdout.as_fd().try_clone_to_owned();
    copy.and_then(|copy| std::fs::File::from(copy).metadata()).is_ok_and(|it| it.is_file())
}

#[cfg(not(unix))]
fn is_file(_: &io::Stdout) -> bool {
    false
}

/// Prints a warning to standard error, if there is one, where other machines can reach the service.
fn warn(local: &LocalService, program: &str) {
    let address = local.address();
    if !address.ip().is_loopback() {
        let _ = writeln!(
            io::stderr(),
            "{program}: warning: other machines can reach {address}, and only the API key protects \
             it; they must use an IP address or a name given with --allow-host"
        );
    }
}

/// Prints the link to the page alone: of a session that is replayed, a client could use nothing else.
fn announce_page(local: &LocalService, format: Format) -> io::Result<()> {
    let url = local.page_url().unwrap_or_default();
    let mut out = io::stdout().lock();
    match format {
        Format::Shell => writeln!(out, "# The page: {url}")?,
        Format::Json => writeln!(out, "{}", json!({ "page_url": url }))?,
    }
    out.flush()
}

/// Prints all lines in one write, since a reader may exit after the last variable.
fn announce(local: &LocalService, keys: &ProgramKeys, attached: &[String]) -> io::Result<()> {
    let mut lines = Vec::new();
    let export = |name: &str, value: &str| format!("export {name}={value}");
    if let Ok(value) = keys.shell_expression(local) {
        lines.push(export("PODQUEUE_API_KEY", &value));
    }
    for (name, value) in [
        ("PODQUEUE_BASE_URL", local.base_url()),
        ("PODQUEUE_REST_URL", local.rest_url()),
        ("PODQUEUE_ACCOUNT_URL", local.account_url()),
        ("PODQUEUE_GRAPHQL_URL", local.graphql_url()),
    ] {
        lines.push(export(name, &quoted(&value)));
    }
    lines.extend(local.page_url().map(|url| format!("# The page: {url}")));
    for endpoint in attached {
        lines.push(format!("\n# For a worker of {endpoint:?}:"));
        let variables = local.worker_environment(endpoint).unwrap_or_default();
        lines.extend(variables.iter().map(|(name, value)| export(name, &quoted(value))));
    }
    let mut out = io::stdout().lock();
    out.write_all((lines.join("\n") + "\n").as_bytes())?;
    out.flush()
}

fn announce_as_json(
    local: &LocalService,
    keys: &ProgramKeys,
    attached: &[String],
) -> io::Result<()> {
    let environment = |endpoint: &String| {
        let variables = local.worker_environment(endpoint).unwrap_or_default();
        (endpoint.clone(), variables.into_iter().collect::<BTreeMap<_, _>>())
    };
    let ready = json!({
        "api_key": keys.printable(local),
        "base_url": local.base_url(),
        "rest_url": local.rest_url(),
        "account_url": local.account_url(),
        "graphql_url": local.graphql_url(),
        "page_url": local.page_url(),
        "worker_environments": attached.iter().map(environment).collect::<BTreeMap<_, _>>(),
    });
    let mut out = io::stdout().lock();
    writeln!(out, "{ready}")?;
    out.flush()
}
