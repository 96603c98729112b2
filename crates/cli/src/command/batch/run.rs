//! Command `batch run`: a run that starts or continues a batch, and the dry run that checks its
//! inputs.

mod arguments;

use std::future::IntoFuture;
use std::path::{Path, absolute};
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Endpoint, ErrorKind as ServiceKind, RateLimits};
use podqueue_batch::{Batch, Checked, Counts, Error, ErrorKind, Report, Run, Sqlite, State};
use serde_json::json;
use tokio::time::timeout;

use self::arguments::AcceptedLoss;
pub use self::arguments::Arguments;
use super::location::{Journal, JournalArgument, batch_arguments, failure};
use super::summary::{self, Refused, exit};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, translate_setting};
use crate::interrupt::{Interrupted, Signals, blocking};
use crate::output::{Progress, Table, format_duration};
use crate::settings;

/// Timeout of reading the final status from the journal.
const STATUS_TIMEOUT: Duration = Duration::from_millis(300);

/// Timeout of the check of the key and the endpoint.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of recording the submissions in flight before the exit.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let (Some(id), Some(results)) = (&arguments.endpoint, &arguments.out) else {
        return Err(Failure::usage("a run needs --endpoint and --out"));
    };
    let is_journal = |file: &Path| {
        let journal = arguments.journal.as_ref().and_then(|it| absolute(it.file()?).ok());
        journal.is_some_and(|journal| absolute(file).is_ok_and(|file| file == journal))
    };
    if is_journal(results) || is_journal(&arguments.inputs) {
        return Err(Failure::usage("--journal names a file of its own: not the inputs, nor --out"));
    }
    let named = batch_arguments(results, arguments.journal.as_ref());
    let failed = |error: Error| {
        let failure = failure(&error, &named, Some(id));
        match error.kind() {
            ErrorKind::InputsChanged if !arguments.force => failure.hint(
                "to submit the changed lines that are still pending: the same command with --force",
            ),
            _ => failure,
        }
    };
    let limits = match arguments.no_rate_limits {
        true => RateLimits::off(),
        false => RateLimits::new(),
    };
    let mut builder = settings::client_builder(&context.settings()?)?.rate_limits(limits);
    // Processes that share a database share the limits.
    if let Some(shared) =
        arguments.journal.as_ref().map(JournalArgument::limits).transpose()?.flatten()
    {
        builder = builder.shared_limits(shared);
    }
    let endpoint = builder.build()?.endpoint(id);
    let url = endpoint.base_url().unwrap_or_default().to_owned();
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("reading {}", arguments.inputs.display()));
    let (on_unknown, receiver) = arguments.on_unknown().await?;
    let mut journal = Journal::of(results, arguments.journal.as_ref());
    if let Some(loss) = arguments.accept_loss {
        journal = journal.accepting_loss(matches!(loss, AcceptedLoss::All));
    }
    let accepts_loss = arguments.accept_loss.is_some();
    signals.unless(check_service(&journal, &endpoint, accepts_loss)).await??;
    let mut opening = journal
        .open()
        .inputs(arguments.inputs())
        .results(results)
        .on_unknown(on_unknown)
        .check_run(&endpoint, &arguments.policy.policy());
    if arguments.force {
        opening = opening.accept_changed_inputs();
    }
    let batch = signals.unless(opening.into_future()).await?.map_err(failed)?;
    if batch.imported_results() > 0 {
        progress.suspend(|| {
            context.output.note(format_args!(
                "imported {} results that the database did not contain",
                batch.imported_results()
            ));
        });
    }
    let changed = batch.changed_inputs();
    if changed.pending + changed.kept > 0 {
        progress.suspend(|| {
            context.output.warn(format_args!(
                "inputs have changed: {} are submitted with their new content, {} were submitted before and keep their state",
                changed.pending, changed.kept
            ));
        });
    }
    let listening = receiver.map(|receiver| receiver.deliver_to(batch.clone()));
    let before = signals.unless(batch.status()).await?.map_err(failed)?.counts;
    let mut known = before;
    let run = arguments.settings(batch.run(endpoint));
    let ended = drive(context, run, arguments.grace, &progress, &mut signals, &mut known).await;
    if let Some(listening) = listening {
        // A signal only ends the wait for calls in progress.
        let _ = signals.unless(listening.finish()).await;
    }
    drop(progress);
    match ended {
        Ok(report) => {
            let nothing_left = before.open() == 0;
            let refused = match report.counts.of(State::Refused) {
                0 => Vec::new(),
                _ => signals.unless(batch.refused(summary::MAX_REFUSED)).await?.map_err(failed)?,
            };
            let refused = Refused { file: &arguments.inputs, first: refused };
            summary::print_report(context, &report, arguments.price, nothing_left, &refused)?;
            if report.not_collected > 0 {
                let journal = Journal::of(results, arguments.journal.as_ref());
                let runs = blocking(|| journal.read().and_then(|mut it| it.runs()));
                let runs = runs.map_err(failed)?;
                summary::advise_to_collect(context, &runs, &url);
            }
            summary::advise(context, &report.counts, &named);
            Ok(exit(&report.counts))
        }
        Err(RunEnd::Failed(error)) => {
            let kind = error.kind();
            let mut failure = failed(error);
            // Inputs may have been sent before, so this is not exit code 2; and unknown outcomes
            // are not the reason of the stop.
            if let ErrorKind::Inputs
            | ErrorKind::InputsChanged
            | ErrorKind::Results
            | ErrorKind::OtherResults = kind
            {
                failure.exit = Exit::Error;
                return Err(failure);
            }
            let status = signals.unless(batch.status()).await;
            if let Ok(Ok(status)) = status
                && status.counts.of(State::Unknown) > 0
            {
                failure.exit = failure.exit.or_worse(Exit::OutcomeUnknown);
            }
            Err(failure)
        }
        Err(RunEnd::Interrupted) => {
            let state = match timeout(STATUS_TIMEOUT, batch.status()).await {
                Ok(Ok(status)) => summary::progress_line(&status.counts, None, None),
                Ok(Err(error)) => failed(error).message,
                Err(_) => {
                    let line = summary::progress_line(&known, None, None);
                    format!("the journal does not respond; last status: {line}")
                }
            };
            let message = format!("interrupted; {state}");
            Err(Failure::new(Exit::Interrupted, message)
                .hint("nothing is lost: the same command again continues")
                .hint(format!("or cancel the rest: podqueue batch cancel {named}")))
        }
    }
}

/// Refuses to start a batch with a key or an endpoint that the service does not know, before a file
/// is created or a loss of changes is accepted: a run that cannot submit must not accept a loss.
/// The key must be allowed to read the status of jobs, and so the health of the endpoint, too.
async fn check_service(
    journal: &Journal,
    endpoint: &Endpoint,
    accepts_loss: bool,
) -> Result<(), Failure> {
    // An error of the journal itself is reported when it is opened.
    if !accepts_loss && !blocking(|| journal.is_new()).unwrap_or(false) {
        return Ok(());
    }
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
    let mut had_trouble = false;
    let mut driven = pin!(async {
        while let Some(now) = run.next().await {
            *known = now.counts;
            progress.set_message(&summary::progress_line(&now.counts, now.rate, now.eta));
            let has_trouble = now.error.is_some();
            if let Some(trouble) = now.error.filter(|_| !had_trouble) {
                let (trouble, _) = translate_setting(trouble);
                progress.suspend(|| context.output.warn(trouble));
            }
            had_trouble = has_trouble;
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
pub async fn dry_run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let failed = |error: Error| failure(&error, &batch_arguments(&arguments.inputs, None), None);
    let folder = tempfile::tempdir().map_err(|error: std::io::Error| {
        Failure::new(Exit::Error, format!("failed to create a temporary folder: {error}"))
            .hint("set TMPDIR to a folder that can be written")
    })?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("checking {}", arguments.inputs.display()));
    let opening = Batch::open(Sqlite::file(folder.path().join("journal")))
        .inputs(arguments.inputs())
        .results(folder.path().join("results"));
    let checking = async { opening.into_future().await?.check().await };
    let checked = signals.unless(checking).await;
    drop(progress);
    let checked = checked?.map_err(failed)?;
    print_check(context, &checked)?;
    Ok(if checked.flawed == 0 { Exit::Done } else { Exit::Usage })
}

fn print_check(context: &Context, checked: &Checked) -> Result<(), Failure> {
    if context.output.is_json() {
        let flaw = |(line, error): &(u64, String)| json!({ "line": line, "error": error });
        return context.output.json(&json!({
            "valid": checked.valid,
            "copies": checked.copies,
            "invalid": checked.flawed,
            "flaws": checked.flaws.iter().map(flaw).collect::<Vec<_>>(),
        }));
    }
    let mut table = Table::default();
    table.row(["valid".into(), checked.valid.to_string().into()]);
    table.row(["copies".into(), checked.copies.to_string().into()]);
    table.row(["invalid".into(), checked.flawed.to_string().into()]);
    for (line, flaw) in &checked.flaws {
        table.row([format!("line {line}").into(), flaw.as_str().into()]);
    }
    context.output.styled(table)
}
