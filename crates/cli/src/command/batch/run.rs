//! Runs a batch, or continues it.

mod arguments;

use std::future::IntoFuture;
use std::path::{Path, absolute};
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Endpoint, ErrorKind as ServiceKind, RateLimits};
use podqueue_batch::{Counts, Error, ErrorKind, Report, Run, State};
use tokio::time::timeout;

pub use self::arguments::Arguments;
use self::arguments::Loss;
use super::place::{Journal, Named, failure, words};
use super::summary::{self, Refused, exit};
use crate::context::Context;
use crate::duration::short;
use crate::exit::Exit;
use crate::failure::{Failure, translated};
use crate::interrupt::{Interrupted, Signals, blocking};
use crate::output::Progress;
use crate::settings;

/// How long the journal is waited for to say how far the batch is, once it is left.
const LAST_LOOK: Duration = Duration::from_millis(300);

/// How long the service is asked whether it knows the key and the endpoint.
const CHECK: Duration = Duration::from_secs(10);

/// How long submissions in flight are waited for in the end.
const RECORDING: Duration = Duration::from_secs(2);

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
    let named = words(results, arguments.journal.as_ref());
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
    let mut builder = settings::builder(&context.settings()?)?.rate_limits(limits);
    // All who run the batch have a database in common, and so the limits.
    if let Some(shared) = arguments.journal.as_ref().map(Named::limits).transpose()?.flatten() {
        builder = builder.shared_limits(shared);
    }
    let endpoint = builder.build()?.endpoint(id);
    let url = endpoint.base_url().unwrap_or_default().to_owned();
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("reading {}", arguments.inputs.display()));
    let (on_unknown, receiver) = arguments.on_unknown().await?;
    let mut journal = Journal::of(results, arguments.journal.as_ref());
    if let Some(loss) = arguments.accept_loss {
        journal = journal.accepting_loss(matches!(loss, Loss::All));
    }
    let accepts_loss = arguments.accept_loss.is_some();
    signals.unless(check_service(&journal, &endpoint, accepts_loss)).await??;
    let mut opening = journal
        .open()
        .inputs(arguments.read())
        .results(results)
        .on_unknown(on_unknown)
        .check_run(&endpoint, &arguments.policy.policy());
    if arguments.force {
        opening = opening.take_changed_inputs();
    }
    let batch = signals.unless(opening.into_future()).await?.map_err(failed)?;
    if batch.imported_results() > 0 {
        progress.suspend(|| {
            context.output.note(format_args!(
                "imported {} results which the database did not know",
                batch.imported_results()
            ));
        });
    }
    let changed = batch.changed_inputs();
    if changed.pending + changed.kept > 0 {
        progress.suspend(|| {
            context.output.warn(format_args!(
                "inputs have changed: {} are submitted with their new content, {} had been submitted before and keep what became of them",
                changed.pending, changed.kept
            ));
        });
    }
    let listening = receiver.map(|receiver| receiver.pass_on_to(batch.clone()));
    let before = signals.unless(batch.status()).await?.map_err(failed)?.counts;
    let mut known = before;
    let run = arguments.settings(batch.run(endpoint));
    let ended =
        until_ended(context, run, arguments.grace, &progress, &mut signals, &mut known).await;
    if let Some(listening) = listening {
        // A signal ends the wait for calls that have begun, and changes nothing else.
        let _ = signals.unless(listening.finish()).await;
    }
    drop(progress);
    match ended {
        Ok(report) => {
            let nothing_left = before.open() == 0;
            let refused = match report.counts.of(State::Refused) {
                0 => Vec::new(),
                _ => signals.unless(batch.refused(summary::NAMED)).await?.map_err(failed)?,
            };
            let refused = Refused { file: &arguments.inputs, first: refused };
            summary::print(context, &report, arguments.price, nothing_left, &refused)?;
            if report.not_collected > 0 {
                let journal = Journal::of(results, arguments.journal.as_ref());
                let runs = blocking(|| journal.read().and_then(|mut it| it.runs()));
                let runs = runs.map_err(failed)?;
                summary::advise_to_collect(context, &runs, &url);
            }
            summary::advise(context, &report.counts, &named);
            Ok(exit(&report.counts))
        }
        Err(Ended::Failed(error)) => {
            let kind = error.kind();
            let mut failure = failed(error);
            // Something may have been sent before, so that this is no invalid input; and outcomes that
            // are unknown are not why the run stopped.
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
        Err(Ended::Interrupted) => {
            let state = match timeout(LAST_LOOK, batch.status()).await {
                Ok(Ok(status)) => summary::line(&status.counts, None, None),
                Ok(Err(error)) => failed(error).message,
                Err(_) => {
                    let line = summary::line(&known, None, None);
                    format!("the journal does not answer, and had {line} when it last did")
                }
            };
            let message = format!("interrupted; {state}");
            Err(Failure::new(Exit::Interrupted, message)
                .hint("nothing is lost: the same command again continues")
                .hint(format!("or cancel the rest: podqueue batch cancel {named}")))
        }
    }
}

/// Refuses to begin a batch with a key or an endpoint that the service does not know, before a file is
/// created, or the loss of changes accepted: a run that cannot submit anything must leave no acceptance
/// behind. A batch reads the status of its jobs, so its key may read the endpoint's health, too.
async fn check_service(
    journal: &Journal,
    endpoint: &Endpoint,
    accepts_loss: bool,
) -> Result<(), Failure> {
    // What is wrong with the journal itself shows when it is opened.
    if !accepts_loss && !blocking(|| journal.is_new()).unwrap_or(false) {
        return Ok(());
    }
    match timeout(CHECK, endpoint.health().into_future()).await {
        Ok(Err(error)) if accepts_loss => Err(Failure::on_endpoint(&error, endpoint.id())),
        Err(_) if accepts_loss => Err(Failure::new(
            Exit::Error,
            "the service did not answer a check of its health, so the loss was not accepted: try again once it does",
        )),
        Ok(Err(error))
            if matches!(error.kind(), ServiceKind::Unauthorized | ServiceKind::NotFound) =>
        {
            Err(Failure::on_endpoint(&error, endpoint.id()))
        }
        // A service that cannot be reached is waited for by the run.
        _ => Ok(()),
    }
}

/// Why a run ended without a report that counts.
enum Ended {
    Failed(Error),
    Interrupted,
}

/// Runs the batch. The first signal stops submissions; the second leaves what is outstanding, and
/// waits a moment for the responses to submissions in flight; the third does not even do that. After
/// SIGTERM or SIGHUP, the time that passes does the same as a second signal: whoever sent it does not
/// send it again, and may kill the program in the end.
async fn until_ended(
    context: &Context,
    mut run: Run,
    grace: Duration,
    progress: &Progress,
    signals: &mut Signals,
    known: &mut Counts,
) -> Result<Report, Ended> {
    let stopper = run.stopper();
    let note = |text: &str| progress.suspend(|| context.output.note(text));
    let mut was_troubled = false;
    let mut following = pin!(async {
        while let Some(now) = run.next().await {
            *known = now.counts;
            progress.say(summary::line(&now.counts, now.rate, now.eta));
            let is_troubled = now.trouble.is_some();
            if let Some(trouble) = now.trouble.filter(|_| !was_troubled) {
                let (trouble, _) = translated(trouble);
                progress.suspend(|| context.output.warn(trouble));
            }
            was_troubled = is_troubled;
        }
        run.await
    });
    let by = match signals.unless(following.as_mut()).await {
        Ok(ended) => return ended.map_err(Ended::Failed),
        Err(by) => by,
    };
    let collecting = match by {
        Interrupted::ByUser => {
            note(
                "interrupted: collecting what is outstanding; Ctrl-C again leaves it to the next run",
            );
            Duration::MAX
        }
        Interrupted::BySupervisor => {
            note(&format!("terminated: collecting what is outstanding, for {}", short(grace)));
            grace
        }
    };
    stopper.stop();
    if let Ok(Ok(ended)) = signals.unless(timeout(collecting, following.as_mut())).await {
        return ended.map_err(Ended::Failed);
    }
    note("leaving what is outstanding to the next run: recording the submissions in flight");
    stopper.leave();
    match signals.unless(timeout(RECORDING, following)).await {
        Ok(Ok(Err(error))) => Err(Ended::Failed(error)),
        _ => Err(Ended::Interrupted),
    }
}
