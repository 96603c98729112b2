//! Command `batch run`: a run that starts or continues a batch, and the dry run that checks its
//! inputs.

use std::ffi::OsString;
use std::fs::{canonicalize, metadata};
use std::future::IntoFuture;
use std::path::{Path, PathBuf, absolute};
use std::pin::pin;
use std::time::Duration;

use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use podqueue::{Endpoint, ErrorKind as ServiceKind, RateLimits};
use podqueue_batch::{
    Batch, Budget, Checked, ColumnTypes, Counts, Error, ErrorKind, FileFormat, Inputs, MaxFailures,
    Object, OnUnknown, Report, Run, Sqlite, State, Stopped,
};
use serde_json::json;
use tokio::time::timeout;

use crate::account::account;
use crate::account::keep_warm::WarmWorkers;
use crate::batches::file_or_object::{FileOrObject, FileOrObjectArgument, results_of};
use crate::batches::location::{Journal, JournalArgument, batch_arguments, failure};
use crate::batches::summary::{self, Refused, exit};
use crate::batches::webhook_receiver::{ReceiverArguments, WebhookReceiver};
use crate::batches::{columns, pluralized};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted, translate_setting};
use crate::input::{parse_duration, parse_max_cost, parse_price};
use crate::interrupt::{Interrupted, Signals, on_thread};
use crate::jobs::PolicyArguments;
use crate::output::{Progress, Table, format_duration};
use crate::settings;

/// Timeout of reading the final status from the journal.
const STATUS_TIMEOUT: Duration = Duration::from_millis(300);

/// Timeout of the check of the key and the endpoint.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of recording the submissions in flight before the exit.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub struct Arguments {
    /// The inputs: a file with a JSON object per line, a table (.csv, .parquet), or the URL of such an
    /// object: s3://, gs://, az:// or file://. Credentials come from the environment.
    ///
    /// Each row of a table is an object: its values by column. All but .parquet may be compressed:
    /// .gz, .zst. Objects, tables and compressed files are copied next to the results; one that has
    /// changed since is refused.
    #[arg(value_parser = inputs)]
    inputs: FileOrObjectArgument,

    /// The endpoint's id.
    #[arg(long, short, value_name = "ENDPOINT", required_unless_present = "dry_run")]
    endpoint: Option<String>,

    /// The file of results, or the URL of a folder to publish them in, such as s3://bucket/out/.
    /// Inputs that do not complete go to FILE.failed.jsonl.
    ///
    /// A folder gets part-00000.jsonl and so on while the batch runs, and manifest.json at the end.
    /// The file of results is then in the current folder, named after the inputs: prompts.jsonl has
    /// prompts.results.jsonl, which the other commands take.
    ///
    /// A table (.csv, .parquet) or a compressed file (.gz, .zst) is written once the batch has ended;
    /// until then, answers.parquet has its results in answers.results.jsonl.
    #[arg(long, short, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<FileOrObjectArgument>,

    /// The types of the columns of --out, if it is a table: a JSON object such as
    /// {"output.score": "number"}.
    ///
    /// A type is boolean, integer, number, string or json. Other columns are inferred.
    #[arg(long, value_name = "FILE", requires = "out")]
    out_schema: Option<PathBuf>,

    /// The journal: a file, by default the results' name with .journal; or
    /// postgres://user@host/database#NAME, which any number of machines may share. Each writes
    /// results of its own. A password belongs in ~/.pgpass or PGPASSWORD.
    #[arg(long, value_name = "JOURNAL")]
    journal: Option<JournalArgument>,

    /// Policy for inputs whose submission has an unknown outcome.
    #[arg(long, value_name = "WHAT", default_value = "hold")]
    on_unknown: UnknownOutcome,

    /// Stop submitting when more inputs than N, or P% of those that ended, have failed.
    #[arg(long, value_name = "N|P%", value_parser = max_failures, allow_negative_numbers = true)]
    max_failures: Option<MaxFailures>,

    /// The largest number of jobs outstanding: 10000 by default.
    ///
    /// Within it, the window follows the rate at which jobs end.
    #[arg(long, value_name = "JOBS", value_parser = window, allow_negative_numbers = true)]
    window: Option<usize>,

    /// Do not apply the documented rate limits: for a service without them, such as podqueue local.
    ///
    /// Otherwise all processes with the same database as their journal share the limits of an
    /// account. The window still follows the rate at which jobs end, and a 429 still makes it
    /// smaller.
    #[arg(long)]
    no_rate_limits: bool,

    /// Keep at least this many workers running until the run ends, which costs and so is confirmed
    /// first; needs the account interface.
    ///
    /// The former numbers are restored when the run ends, also after Ctrl-C; if it was killed, the
    /// next command of the program restores them.
    #[arg(long, value_name = "WORKERS", value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with = "dry_run")]
    keep_warm: Option<u32>,

    #[command(flatten)]
    confirmation: Confirmation,

    /// Submit at most this many inputs.
    #[arg(long, value_name = "INPUTS", allow_negative_numbers = true)]
    take: Option<u64>,

    /// Check the inputs, and submit nothing.
    #[arg(long)]
    dry_run: bool,

    /// With --dry-run: submit this many inputs all the same, and estimate the cost of all from
    /// them.
    ///
    /// Their results are kept: the same command without --dry-run continues with the rest.
    #[arg(long, value_name = "INPUTS", requires = "dry_run", requires = "price",
        conflicts_with = "take", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Accept inputs that have changed since the batch began, instead of refusing them.
    ///
    /// Pending inputs are submitted with their new content; all other inputs keep their state. An
    /// input is identified by its position, so lines may be changed and appended, but not removed.
    #[arg(long)]
    force: bool,

    /// Continue although the database has lost changes, once the results of all machines are
    /// imported.
    ///
    /// Changes are lost if a replica that lags behind becomes the primary, or a backup is restored,
    /// while the batch runs. Pass this on each machine that ran the batch: each imports what only
    /// its own results contain, and the last machine continues. Inputs without a result that were
    /// submitted since are submitted again.
    #[arg(long, value_name = "LOSS", value_enum, num_args = 0..=1, require_equals = true,
        default_missing_value = "imported")]
    accept_loss: Option<AcceptedLoss>,

    /// After SIGTERM, or when the terminal is closed, the time to collect outstanding jobs before
    /// they are left to the next run.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5s", allow_hyphen_values = true)]
    grace: Duration,

    /// The price of execution, per second unless it ends in /min or /h, to report and estimate the
    /// cost.
    ///
    /// In any currency. It applies to all executions of the batch, those of earlier runs as well.
    #[arg(long, value_name = "PRICE", value_parser = parse_price, allow_negative_numbers = true)]
    price: Option<f64>,

    /// Stop submitting before the batch could cost more than this; needs --price and
    /// --execution-timeout.
    ///
    /// Each outstanding job, and each whose time is unknown, counts with the longest execution that
    /// its policy permits. What earlier runs and other processes of the batch have spent counts,
    /// too.
    #[arg(long, value_name = "COST", requires = "price", requires = "execution_timeout",
        value_parser = parse_max_cost, allow_negative_numbers = true)]
    max_cost: Option<f64>,

    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    receiver: ReceiverArguments,

    #[command(flatten)]
    policy: PolicyArguments,
}

/// The loss of changes that is accepted.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AcceptedLoss {
    /// Changes that are in no results; the results of all machines must have been imported.
    Imported,
    /// Also results of machines that are gone: inputs with a result only there run again.
    All,
}

/// Format of the inputs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
struct InputArguments {
    /// Submit this member of each line, instead of the whole line.
    #[arg(long, value_name = "NAME")]
    input_field: Option<String>,

    /// Copy this member of each line into the results; its values must be unique.
    #[arg(long, value_name = "NAME")]
    key_field: Option<String>,

    /// Submit equal inputs once.
    #[arg(long)]
    dedupe: bool,

    /// The types of the columns of a CSV file, such as {"id": "string"}; of Parquet, only text that
    /// is json.
    #[arg(long, value_name = "FILE")]
    input_schema: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UnknownOutcome {
    /// Leave them, listed by `batch unknown`: no input is submitted twice.
    Hold,
    /// Submit them again: their jobs may run, and be billed, more than once.
    Resubmit,
    /// Leave them, and let the webhook of each submission resolve them: needs --webhook-url and
    /// --webhook-listen.
    #[value(alias = "by_webhook")]
    ByWebhook,
}

impl Arguments {
    /// The inputs, with the settings to read them.
    fn inputs(&self, inputs: &FileOrObject) -> Result<Inputs, Failure> {
        let InputArguments { input_field, key_field, dedupe, input_schema } = &self.input;
        let types = columns::read_schema(input_schema.as_deref())?;
        let mut inputs = inputs.inputs().types(types);
        if let Some(name) = input_field {
            inputs = inputs.input_field(name);
        }
        if let Some(name) = key_field {
            inputs = inputs.key_field(name);
        }
        Ok(if *dedupe { inputs.dedupe() } else { inputs })
    }

    /// The handling of unknown outcomes, with a bound receiver if webhook calls resolve them.
    async fn on_unknown(&self) -> Result<(OnUnknown, Option<WebhookReceiver>), Failure> {
        let ReceiverArguments { webhook_url, webhook_listen, .. } = &self.receiver;
        Ok(match (self.on_unknown, webhook_url, webhook_listen) {
            (UnknownOutcome::Hold, ..) => (OnUnknown::Hold, None),
            (UnknownOutcome::Resubmit, ..) => (OnUnknown::Resubmit, None),
            (UnknownOutcome::ByWebhook, Some(url), Some(address)) => {
                let receiver = WebhookReceiver::listen(*address).await?;
                (OnUnknown::ByWebhook(url.as_str().into()), Some(receiver))
            }
            (UnknownOutcome::ByWebhook, ..) => {
                return Err(Failure::usage(
                    "--on-unknown by-webhook needs --webhook-url and --webhook-listen",
                ));
            }
        })
    }

    /// Applies the settings to a run.
    fn settings(&self, mut run: Run) -> Run {
        run = run.policy(self.policy.policy()).await_webhooks(self.receiver.webhook_wait);
        if let Some(jobs) = self.window {
            run = run.window(jobs);
        }
        if let Some(most) = self.max_failures {
            run = run.max_failures(most);
        }
        if let Some(price) = self.price {
            let budget = Budget::new(price);
            run = run.budget(self.max_cost.map_or(budget, |most| budget.max_cost(most)));
        }
        match self.sample.or(self.take) {
            Some(inputs) => run.take(inputs),
            None => run,
        }
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.dry_run && arguments.sample.is_none() {
        return dry_run(context, arguments).await;
    }
    let command = BatchRun::of(context, arguments)?;
    let endpoint = command.endpoint()?;
    let mut signals = Signals::listen()?;
    command.confirm_keep_warm(&mut signals).await?;
    let progress = context.output.progress(format!("reading {}", command.inputs.shown().display()));
    let (on_unknown, receiver) = arguments.on_unknown().await?;
    let batch = command.open(on_unknown, &endpoint, &mut signals).await?;
    progress.suspend(|| command.note_changes(&batch));
    let listening = receiver.map(|receiver| receiver.deliver_to(batch.clone()));
    let status = signals.unless(batch.status()).await?;
    let before = status.map_err(|error| command.failure(&error))?.counts;
    let (warm, progress) = match arguments.keep_warm.filter(|_| before.open() > 0) {
        Some(workers) => {
            // Messages are printed without progress.
            drop(progress);
            let warm = WarmWorkers::start(context, &mut signals, command.id, workers).await?;
            let running = format!("running {}", command.inputs.shown().display());
            (warm, context.output.progress(running))
        }
        None => (None, progress),
    };
    let mut run = arguments.settings(batch.run(endpoint.clone()));
    if let Destination::Folder(folder) = &command.destination {
        run = run.publish_to(folder.clone());
    }
    let mut known = before;
    let ended = drive(context, run, arguments.grace, &progress, &mut signals, &mut known).await;
    if let Some(listening) = listening {
        // A signal only ends the wait for calls in progress.
        let _ = signals.unless(listening.finish()).await;
    }
    drop(progress);
    if let Some(warm) = warm {
        warm.restore(context, &mut signals).await;
    }
    match ended {
        Ok(report) => {
            let nothing_left = before.open() == 0;
            command.report(&batch, &endpoint, &report, nothing_left, &mut signals).await
        }
        Err(RunEnd::Failed(error)) => Err(command.failed(&batch, &error, &mut signals).await),
        Err(RunEnd::Interrupted) => Err(command.interrupted(&batch, &known).await),
    }
}

/// A command with its files.
struct BatchRun<'a> {
    context: &'a Context,
    arguments: &'a Arguments,
    /// The endpoint's.
    id: &'a str,
    inputs: FileOrObject,
    results: PathBuf,
    destination: Destination,
    /// The batch, as the arguments of further commands.
    named: String,
}

/// Destination of the results besides their file.
enum Destination {
    None,
    /// A folder of object storage, while the batch runs.
    Folder(Object),
    /// A file of another format, at the end, with the given types of its columns.
    File(PathBuf, ColumnTypes),
}

impl<'a> BatchRun<'a> {
    fn of(context: &'a Context, arguments: &'a Arguments) -> Result<Self, Failure> {
        let (Some(id), Some(out)) = (&arguments.endpoint, &arguments.out) else {
            return Err(Failure::usage("a run needs --endpoint and --out"));
        };
        let inputs = arguments.inputs.parse()?;
        let types = columns::read_schema(arguments.out_schema.as_deref())?;
        let (results, destination) = match out.parse()? {
            FileOrObject::Object(folder) => {
                let is_json_lines = |format: FileFormat| format.is_json_lines();
                if !FileFormat::of(Path::new(folder.file_name())).is_ok_and(is_json_lines) {
                    let message = format!(
                        "--out {} is a folder of object storage: name a folder, such as \
                         s3://bucket/answers, or a table on this machine",
                        folder.url()
                    );
                    return Err(Failure::usage(message));
                }
                (inputs.default_results(), Destination::Folder(folder))
            }
            FileOrObject::File(out) => match FileFormat::of(&out) {
                Err(error) => return Err(Failure::usage(error.to_string())),
                Ok(format) if format.is_json_lines() => (out, Destination::None),
                Ok(_) => (results_of(out.clone()), Destination::File(out, types.clone())),
            },
        };
        Self::check_destination(arguments, &inputs, &results, &destination, &types)?;
        let is_journal = |file: &Path| {
            let journal = arguments.journal.as_ref().and_then(|it| absolute(it.file()?).ok());
            journal.is_some_and(|journal| absolute(file).is_ok_and(|file| file == journal))
        };
        let is_destination = matches!(&destination, Destination::File(out, _) if is_journal(out));
        if is_destination || is_journal(&results) || is_journal(inputs.shown()) {
            let message = "--journal names a file of its own: not the inputs, nor --out";
            return Err(Failure::usage(message));
        }
        let named = batch_arguments(&results, arguments.journal.as_ref());
        Ok(Self { context, arguments, id, inputs, results, destination, named })
    }

    /// Refuses a file of another format that could not be written at the end.
    fn check_destination(
        arguments: &Arguments,
        inputs: &FileOrObject,
        results: &Path,
        destination: &Destination,
        types: &ColumnTypes,
    ) -> Result<(), Failure> {
        let Destination::File(out, _) = destination else {
            return match types.is_empty() {
                true => Ok(()),
                false => Err(Failure::usage("--out-schema is for a table: --out answers.parquet")),
            };
        };
        if !types.is_empty() && !FileFormat::of(out).is_ok_and(FileFormat::is_table) {
            return Err(Failure::usage("--out-schema is for a table: --out answers.parquet"));
        }
        if arguments.journal.as_ref().is_some_and(|journal| journal.file().is_none()) {
            let message = format!(
                "{} would have the results of one machine only: run with -o answers.jsonl, and then podqueue batch export with the results of all machines and --out",
                out.display()
            );
            return Err(Failure::usage(message));
        }
        let same = |file: &Path| Some(canonicalize(file).ok()? == canonicalize(out).ok()?);
        if same(inputs.shown()) == Some(true) {
            return Err(Failure::usage("--out names the file of the inputs: choose another"));
        }
        if out.is_dir()
            || out.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        {
            let message =
                format!("--out {} is a folder, or in a folder that does not exist", out.display());
            return Err(Failure::usage(message));
        }
        // A table of an earlier run is replaced. What no run of this batch has written is not.
        if !results.exists() && metadata(out).is_ok_and(|it| it.len() > 0 || !it.is_file()) {
            let message = format!(
                "--out {} has content that is not of this batch: choose another",
                out.display()
            );
            return Err(Failure::usage(message));
        }
        Ok(())
    }

    /// Writes the file of another format, once the batch has ended.
    async fn write_destination(
        &self,
        counts: &Counts,
        signals: &mut Signals,
    ) -> Result<(), Failure> {
        let Destination::File(out, types) = &self.destination else { return Ok(()) };
        let output = &self.context.output;
        let command = format!(
            "podqueue batch export {} --out {}",
            self.named,
            quoted(&out.to_string_lossy())
        );
        if counts.open() > 0 {
            output.note(format_args!("{} is written once the batch has ended", out.display()));
            output.hint(format_args!("to have it now: {command}"));
            return Ok(());
        }
        let journal = Journal::of(&self.results, self.arguments.journal.as_ref());
        let (results, to, types) = (self.results.clone(), out.clone(), types.clone());
        let progress = output.progress(format!("writing {}", out.display()));
        let writing = on_thread(move || journal.read()?.export_to(&[results], &to, &types));
        let exported = signals.unless(writing).await;
        drop(progress);
        let exported = exported?.map_err(|error| {
            let failure = self
                .failure(&error)
                .hint("all results are recorded, and nothing is submitted again");
            Failure { exit: Exit::Error, ..failure }.hint(format!("to write it again: {command}"))
        })?;
        columns::note(self.context, out, &exported.columns);
        output.note(format_args!(
            "wrote {} to {}",
            pluralized(exported.results, "result"),
            out.display()
        ));
        Ok(())
    }

    fn failure(&self, error: &Error) -> Failure {
        let failure = failure(error, &self.named, Some(self.id));
        match error.kind() {
            ErrorKind::InputsChanged if !self.arguments.force => failure.hint(
                "to submit the changed lines that are still pending: the same command with --force",
            ),
            _ => failure,
        }
    }

    fn endpoint(&self) -> Result<Endpoint, Failure> {
        let limits = match self.arguments.no_rate_limits {
            true => RateLimits::off(),
            false => RateLimits::new(),
        };
        let settings = self.context.settings()?;
        let mut builder = settings::client_builder(&settings)?.rate_limits(limits);
        // Processes that share a database share the limits.
        let journal = self.arguments.journal.as_ref();
        if let Some(shared) = journal.map(JournalArgument::limits).transpose()?.flatten() {
            builder = builder.shared_limits(shared);
        }
        Ok(builder.build()?.endpoint(self.id))
    }

    async fn confirm_keep_warm(&self, signals: &mut Signals) -> Result<(), Failure> {
        let Some(workers) = self.arguments.keep_warm else { return Ok(()) };
        account(self.context)?;
        let workers = if workers == 1 { "1 worker".into() } else { format!("{workers} workers") };
        let question = format!(
            "Keep {workers} of the endpoint {} running until the run ends, which cost even \
             without work?",
            self.id
        );
        self.arguments.confirmation.of(&question).ask(signals).await
    }

    /// Opens the batch, once the service is known to accept the key.
    async fn open(
        &self,
        on_unknown: OnUnknown,
        endpoint: &Endpoint,
        signals: &mut Signals,
    ) -> Result<Batch, Failure> {
        let arguments = self.arguments;
        let mut journal = Journal::of(&self.results, arguments.journal.as_ref());
        if let Some(loss) = arguments.accept_loss {
            if matches!(journal, Journal::File(_)) {
                return Err(Failure::usage(
                    "--accept-loss is for a journal in a database; a journal in a file that is older \
                     than its results is never continued",
                ));
            }
            journal = journal.accepting_loss(matches!(loss, AcceptedLoss::All));
        }
        let accepts_loss = arguments.accept_loss.is_some();
        let probe = journal.clone();
        let is_new = signals.unless(on_thread(move || probe.is_new())).await?;
        // An existing batch may collect results from a service that is away.
        if is_new.map_err(|error| self.failure(&error))? || accepts_loss {
            signals.unless(check_service(endpoint, accepts_loss)).await??;
        }
        let mut opening = journal
            .open()
            .inputs(arguments.inputs(&self.inputs)?)
            .results(&self.results)
            .on_unknown(on_unknown)
            .check_run(endpoint, &arguments.policy.policy());
        if arguments.force {
            opening = opening.accept_changed_inputs();
        }
        let opened = signals.unless(opening.into_future()).await?;
        opened.map_err(|error| self.failure(&error))
    }

    /// Notes what differs from the last run.
    fn note_changes(&self, batch: &Batch) {
        let output = &self.context.output;
        if batch.imported_results() > 0 {
            output.note(format_args!(
                "imported {} results that the database did not contain",
                batch.imported_results()
            ));
        }
        columns::note(self.context, self.inputs.shown(), batch.columns());
        let changed = batch.changed_inputs();
        if changed.pending + changed.kept > 0 {
            output.warn(format_args!(
                "inputs have changed: {} are submitted with their new content, {} have been submitted or have ended, and keep their state",
                changed.pending, changed.kept
            ));
        }
    }

    /// Prints the report of a run.
    async fn report(
        &self,
        batch: &Batch,
        endpoint: &Endpoint,
        report: &Report,
        nothing_left: bool,
        signals: &mut Signals,
    ) -> Result<Exit, Failure> {
        let failed = |error: Error| self.failure(&error);
        let refused = match report.counts.of(State::Refused) {
            0 => Vec::new(),
            _ => signals.unless(batch.refused(summary::MAX_REFUSED)).await?.map_err(failed)?,
        };
        let is_table = self.inputs.is_table();
        let refused = Refused { file: self.inputs.shown(), is_table, first: refused };
        summary::print_report(self.context, report, nothing_left, &refused)?;
        self.write_destination(&report.counts, signals).await?;
        if report.not_collected > 0 {
            let journal = Journal::of(&self.results, self.arguments.journal.as_ref());
            let reading = on_thread(move || journal.read().and_then(|mut it| it.runs()));
            let runs = signals.unless(reading).await?.map_err(failed)?;
            let url = endpoint.base_url().unwrap_or_default();
            summary::advise_to_collect(self.context, &runs, url);
        }
        summary::advise(self.context, &report.counts, &self.named);
        // A signal left inputs to the next run.
        if report.stopped == Some(Stopped::OnRequest) && report.counts.open() > 0 {
            return Ok(Exit::Interrupted);
        }
        Ok(exit(&report.counts))
    }

    /// The failure for the error that ended a run.
    async fn failed(&self, batch: &Batch, error: &Error, signals: &mut Signals) -> Failure {
        let mut failure = self.failure(error);
        // Inputs may have been sent before, so this is not exit code 2; and unknown outcomes are not
        // the reason of the stop.
        if let ErrorKind::Inputs
        | ErrorKind::InputsChanged
        | ErrorKind::Results
        | ErrorKind::OtherResults = error.kind()
        {
            failure.exit = Exit::Error;
            return failure;
        }
        if let Ok(Ok(status)) = signals.unless(batch.status()).await
            && status.counts.of(State::Unknown) > 0
        {
            failure.exit = failure.exit.or_worse(Exit::OutcomeUnknown);
        }
        failure
    }

    /// The failure for a run that was interrupted; its last counts are known.
    async fn interrupted(&self, batch: &Batch, known: &Counts) -> Failure {
        let state = match timeout(STATUS_TIMEOUT, batch.status()).await {
            Ok(Ok(status)) => summary::progress_line(&status.counts, None, None, None),
            Ok(Err(error)) => self.failure(&error).message,
            Err(_) => {
                let line = summary::progress_line(known, None, None, None);
                format!("the journal does not respond; last status: {line}")
            }
        };
        Failure::new(Exit::Interrupted, format!("interrupted; {state}"))
            .hint("nothing is lost: the same command again continues")
            .hint(format!("or cancel the rest: podqueue batch cancel {}", self.named))
    }
}

/// Refuses to start a batch with a key or an endpoint that the service does not know, before a file
/// is created or a loss of changes is accepted: a run that cannot submit must not accept a loss.
/// The key must be allowed to read the status of jobs, and so the health of the endpoint, too.
async fn check_service(endpoint: &Endpoint, accepts_loss: bool) -> Result<(), Failure> {
    match timeout(CHECK_TIMEOUT, endpoint.health().into_future()).await {
        Ok(Err(error)) if accepts_loss => Err(Failure::on_endpoint(&error, endpoint.id())),
        Err(_) if accepts_loss => Err(Failure::new(
            Exit::Error,
            "the service did not respond to a check of its health, so the loss was not accepted: try again once it does",
        )),
        Ok(Err(error))
            if matches!(error.kind(), ServiceKind::Unauthorized | ServiceKind::NotFound) =>
        {
            Err(Failure::on_endpoint(&error, endpoint.id()))
        }
        // The run waits for an unreachable service.
        _ => Ok(()),
    }
}

/// The end of a run without a final report.
enum RunEnd {
    Failed(Error),
    Interrupted,
}

/// Drives a run until it ends. The first signal stops submissions and collects outstanding jobs;
/// the second signal leaves them to the next run, and only records the submissions in flight; the
/// third signal exits immediately. After SIGTERM or SIGHUP, the grace period replaces the second
/// signal: a supervisor sends no second signal, and kills the program later.
async fn drive(
    context: &Context,
    mut run: Run,
    grace: Duration,
    progress: &Progress,
    signals: &mut Signals,
    known: &mut Counts,
) -> Result<Report, RunEnd> {
    let stopper = run.stopper();
    let note = |text: &str| progress.suspend(|| context.output.note(text));
    let mut had_error = false;
    let mut driven = pin!(async {
        while let Some(now) = run.next().await {
            *known = now.counts;
            let cost = now.cost.as_ref();
            progress.set_message(&summary::progress_line(&now.counts, now.rate, now.eta, cost));
            let has_error = now.error.is_some();
            if let Some(error) = now.error.filter(|_| !had_error) {
                let (error, _) = translate_setting(error);
                progress.suspend(|| context.output.warn(error));
            }
            had_error = has_error;
        }
        run.await
    });
    let by = match signals.unless(driven.as_mut()).await {
        Ok(ended) => return ended.map_err(RunEnd::Failed),
        Err(by) => by,
    };
    let collecting = match by {
        Interrupted::ByUser => {
            note(
                "interrupted: collecting outstanding jobs; Ctrl-C again leaves them to the next run",
            );
            Duration::MAX
        }
        Interrupted::BySupervisor => {
            note(&format!(
                "terminated: collecting outstanding jobs for {}",
                format_duration(grace)
            ));
            grace
        }
    };
    stopper.stop();
    if let Ok(Ok(ended)) = signals.unless(timeout(collecting, driven.as_mut())).await {
        return ended.map_err(RunEnd::Failed);
    }
    note("leaving outstanding jobs to the next run: recording the submissions in flight");
    stopper.exit();
    match signals.unless(timeout(RECORD_TIMEOUT, driven)).await {
        Ok(Ok(Err(error))) => Err(RunEnd::Failed(error)),
        _ => Err(RunEnd::Interrupted),
    }
}

/// Checks all inputs, with a temporary journal, and submits nothing.
async fn dry_run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let inputs = arguments.inputs.parse()?;
    let failed = |error: Error| failure(&error, &batch_arguments(inputs.shown(), None), None);
    let folder = tempfile::tempdir().map_err(|error: std::io::Error| {
        Failure::new(Exit::Error, format!("failed to create a temporary folder: {error}"))
            .hint("set TMPDIR to a folder that can be written")
    })?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("checking {}", inputs.shown().display()));
    let opening = Batch::open(Sqlite::file(folder.path().join("journal")))
        .inputs(arguments.inputs(&inputs)?)
        .results(folder.path().join("results"));
    let checking = async {
        let batch = opening.into_future().await?;
        Ok((batch.check().await?, batch))
    };
    let checked = signals.unless(checking).await;
    drop(progress);
    let (checked, batch) = checked?.map_err(failed)?;
    columns::note(context, inputs.shown(), batch.columns());
    print_check(context, &checked, if inputs.is_table() { "row" } else { "line" })?;
    Ok(if checked.invalid == 0 { Exit::Done } else { Exit::Usage })
}

/// Prints a check; `unit` says what an input is in its file.
fn print_check(context: &Context, checked: &Checked, unit: &str) -> Result<(), Failure> {
    if context.output.is_json() {
        let row = |(line, error): &(u64, String)| json!({ "line": line, "error": error });
        return context.output.json(&json!({
            "valid": checked.valid,
            "copies": checked.copies,
            "invalid": checked.invalid,
            "errors": checked.errors.iter().map(row).collect::<Vec<_>>(),
        }));
    }
    let mut table = Table::default();
    table.row(["valid".into(), checked.valid.to_string().into()]);
    table.row(["copies".into(), checked.copies.to_string().into()]);
    table.row(["invalid".into(), checked.invalid.to_string().into()]);
    for (line, error) in &checked.errors {
        table.row([format!("{unit} {line}").into(), error.as_str().into()]);
    }
    context.output.styled(table)
}

fn max_failures(text: &str) -> Result<MaxFailures, String> {
    let expected = || "expected a number of inputs, or a percentage such as 2.5%".to_owned();
    match text.strip_suffix('%') {
        Some(percent) => match percent.parse() {
            Ok(percent @ 0.0..=100.0) => Ok(MaxFailures::Percent(percent)),
            _ => Err(expected()),
        },
        None => text.parse().map(MaxFailures::Count).map_err(|_| expected()),
    }
}

fn inputs(text: &str) -> Result<FileOrObjectArgument, String> {
    match text {
        "-" => Err("expected a file: a batch reads its inputs again after a crash, so write them to one first (COMMAND > inputs.jsonl)".to_owned()),
        _ => Ok(OsString::from(text).into()),
    }
}

fn window(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..) => Ok(jobs),
        _ => Err("expected a number of jobs, 1 or more".to_owned()),
    }
}
