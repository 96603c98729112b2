//! Runs a batch, or continues it.

use std::future::IntoFuture;
use std::path::{Path, PathBuf, absolute};
use std::pin::pin;
use std::time::Duration;

use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use podqueue::RateLimits;
use podqueue_batch::{Batch, Error, ErrorKind, Inputs, MaxFailures, OnUnknown, Report, Run, State};
use tokio::time::timeout;

use super::place::{failure, journal, journal_file, quoted_path};
use super::receiver::{Receiver, Receiving};
use super::summary::{self, exit};
use crate::command::policy::PolicyArguments;
use crate::context::Context;
use crate::duration::{duration, short};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Interrupted, Signals};
use crate::output::Progress;
use crate::settings;

/// How long submissions in flight are waited for in the end.
const RECORDING: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub struct Arguments {
    /// The inputs: a file with a JSON object per line.
    #[arg(value_parser = inputs)]
    pub inputs: PathBuf,

    /// The endpoint's id.
    #[arg(long, short, value_name = "ENDPOINT", required_unless_present = "dry_run")]
    endpoint: Option<String>,

    /// The file of results. What does not complete goes to FILE.failed.jsonl.
    #[arg(long, short, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,

    /// The journal: the results' name with .journal by default.
    #[arg(long, value_name = "FILE", value_parser = journal_file)]
    journal: Option<PathBuf>,

    /// What to do with inputs of which it is unknown whether they were accepted.
    #[arg(long, value_name = "WHAT", default_value = "hold")]
    on_unknown: Unknown,

    /// Stop submitting when more inputs than N, or P% of those that ended, have failed.
    #[arg(long, value_name = "N|P%", value_parser = max_failures, allow_negative_numbers = true)]
    max_failures: Option<MaxFailures>,

    /// The largest number of jobs outstanding: 10000 by default.
    ///
    /// Within it, the window follows the rate at which jobs end.
    #[arg(long, value_name = "JOBS", value_parser = window, allow_negative_numbers = true)]
    window: Option<usize>,

    /// Do not keep to the documented rate limits: for a service without them, such as podqueue
    /// local.
    ///
    /// The window still follows the rate at which jobs end, and a 429 still makes it smaller.
    #[arg(long)]
    no_rate_limits: bool,

    /// Submit at most this many inputs.
    #[arg(long, value_name = "INPUTS", allow_negative_numbers = true)]
    take: Option<u64>,

    /// Check the inputs, and submit nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// Take up inputs that have changed since the batch began, instead of refusing them.
    ///
    /// Those that are still pending are submitted with their new content; those that were
    /// submitted, or have ended, keep what became of them. An input is its position, so lines may
    /// be changed and appended, and none may be missing.
    #[arg(long)]
    force: bool,

    /// After SIGTERM, how long to collect what is outstanding, before that is left to the next run.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5s", allow_hyphen_values = true)]
    grace: Duration,

    /// The price of a second of execution, to report the cost.
    #[arg(long, value_name = "PRICE", value_parser = price, allow_negative_numbers = true)]
    price: Option<f64>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    receiving: Receiving,

    #[command(flatten)]
    policy: PolicyArguments,
}

/// How to read the inputs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
struct Reading {
    /// Submit this member of each line, instead of the whole line.
    #[arg(long, value_name = "NAME")]
    input_field: Option<String>,

    /// Copy this member of each line into the results; its values must be unique.
    #[arg(long, value_name = "NAME")]
    key_field: Option<String>,

    /// Submit equal inputs once.
    #[arg(long)]
    dedupe: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Unknown {
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
    /// The inputs, as they are to be read.
    pub fn read(&self) -> Inputs {
        let Reading { input_field, key_field, dedupe } = &self.reading;
        let mut inputs = Inputs::jsonl(&self.inputs);
        if let Some(name) = input_field {
            inputs = inputs.input_field(name);
        }
        if let Some(name) = key_field {
            inputs = inputs.key_field(name);
        }
        if *dedupe { inputs.dedupe() } else { inputs }
    }

    /// What to do with unknown outcomes, and who receives calls about them.
    async fn on_unknown(&self) -> Result<(OnUnknown, Option<Receiver>), Failure> {
        let Receiving { webhook_url, webhook_listen, .. } = &self.receiving;
        Ok(match (self.on_unknown, webhook_url, webhook_listen) {
            (Unknown::Hold, ..) => (OnUnknown::Hold, None),
            (Unknown::Resubmit, ..) => (OnUnknown::Resubmit, None),
            (Unknown::ByWebhook, Some(url), Some(address)) => {
                let receiver = Receiver::listen(*address).await?;
                (OnUnknown::ByWebhook(url.as_str().into()), Some(receiver))
            }
            (Unknown::ByWebhook, ..) => {
                return Err(Failure::usage(
                    "--on-unknown by-webhook needs --webhook-url and --webhook-listen",
                ));
            }
        })
    }

    fn settings(&self, mut run: Run) -> Run {
        run = run.policy(self.policy.policy()).await_webhooks(self.receiving.webhook_wait);
        if let Some(jobs) = self.window {
            run = run.window(jobs);
        }
        if let Some(most) = self.max_failures {
            run = run.max_failures(most);
        }
        match self.take {
            Some(inputs) => run.take(inputs),
            None => run,
        }
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let (Some(id), Some(results)) = (&arguments.endpoint, &arguments.out) else {
        return Err(Failure::usage("a run needs --endpoint and --out"));
    };
    let is_journal = |file: &Path| {
        let journal = arguments.journal.as_deref().and_then(|it| absolute(it).ok());
        journal.is_some_and(|journal| absolute(file).is_ok_and(|file| file == journal))
    };
    if is_journal(results) || is_journal(&arguments.inputs) {
        return Err(Failure::usage("--journal names a file of its own: not the inputs, nor --out"));
    }
    let failed = |error: Error| {
        let failure = failure(&error, results, Some(id));
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
    let builder = settings::builder(&context.settings()?)?;
    let endpoint = builder.rate_limits(limits).build()?.endpoint(id);
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("reading {}", arguments.inputs.display()));
    let (on_unknown, receiver) = arguments.on_unknown().await?;
    let mut opening = Batch::open(journal(results, arguments.journal.as_deref()))
        .inputs(arguments.read())
        .results(results)
        .on_unknown(on_unknown)
        .check_run(&endpoint, &arguments.policy.policy());
    if arguments.force {
        opening = opening.take_changed_inputs();
    }
    let batch = signals.unless(opening.into_future()).await?.map_err(failed)?;
    let changed = batch.changed_inputs();
    if changed.pending + changed.kept > 0 {
        progress.suspend(|| {
            context.output.warn(format_args!(
                "inputs have changed: {} are submitted with their new content, {} had been submitted before and keep what became of them",
                changed.pending, changed.kept
            ));
        });
    }
    let _listening = receiver.map(|receiver| receiver.pass_on_to(batch.clone()));
    let before = batch.status().await.map_err(failed)?.counts;
    let run = arguments.settings(batch.run(endpoint));
    let ended = until_ended(context, run, arguments.grace, &progress, &mut signals).await;
    drop(progress);
    match ended {
        Ok(report) => {
            let nothing_left = before.open() == 0;
            summary::print(context, &report, arguments.price, nothing_left)?;
            summary::advise(context, &report.counts, results);
            Ok(exit(&report.counts))
        }
        Err(Ended::Failed(error)) => {
            let mut failure = failed(error);
            let counts = batch.status().await.map(|status| status.counts).unwrap_or_default();
            if counts.of(State::Unknown) > 0 {
                failure.exit = failure.exit.or_worse(Exit::OutcomeUnknown);
            }
            Err(failure)
        }
        Err(Ended::Interrupted) => {
            let counts = batch.status().await.map_err(failed)?.counts;
            let message = format!("interrupted; {}", summary::line(&counts, None, None));
            Err(Failure::new(Exit::Interrupted, message)
                .hint("nothing is lost: the same command again continues")
                .hint(format!(
                    "or cancel the rest: podqueue batch cancel {}",
                    quoted_path(results)
                )))
        }
    }
}

/// Why a run ended without a report that counts.
enum Ended {
    Failed(Error),
    Interrupted,
}

/// Runs the batch. The first signal stops submissions; the second leaves what is outstanding, and
/// waits a moment for the responses to submissions in flight; the third does not even do that. After
/// SIGTERM, the time that passes does the same as a second signal: whoever sent it does not send it
/// again, and kills the program in the end.
async fn until_ended(
    context: &Context,
    mut run: Run,
    grace: Duration,
    progress: &Progress,
    signals: &mut Signals,
) -> Result<Report, Ended> {
    let stopper = run.stopper();
    let note = |text: &str| progress.suspend(|| context.output.note(text));
    let mut was_troubled = false;
    let mut following = pin!(async {
        while let Some(now) = run.next().await {
            progress.say(summary::line(&now.counts, now.rate, now.eta));
            let is_troubled = now.trouble.is_some();
            if let Some(trouble) = now.trouble.filter(|_| !was_troubled) {
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

fn inputs(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("expected a file: a batch reads its inputs again after a crash, so write them to one first (COMMAND > inputs.jsonl)".to_owned()),
        _ => Ok(text.into()),
    }
}

fn window(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..) => Ok(jobs),
        _ => Err("expected a number of jobs, 1 or more".to_owned()),
    }
}

fn price(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(price @ 0.0..=f64::MAX) => Ok(price),
        _ => Err("expected a number, such as 0.00044".to_owned()),
    }
}
