//! Arguments of `batch run`, and their translation into settings of the run.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use podqueue_batch::{Inputs, MaxFailures, OnUnknown, Run};

use crate::command::batch::location::JournalArgument;
use crate::command::batch::webhook_receiver::{ReceiverArguments, WebhookReceiver};
use crate::command::run::PolicyArguments;
use crate::failure::Failure;
use crate::input::parse_duration;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The inputs: a file with a JSON object per line.
    #[arg(value_parser = inputs)]
    pub inputs: PathBuf,

    /// The endpoint's id.
    #[arg(long, short, value_name = "ENDPOINT", required_unless_present = "dry_run")]
    pub(super) endpoint: Option<String>,

    /// The file of results. Inputs that do not complete go to FILE.failed.jsonl.
    #[arg(long, short, value_name = "FILE", required_unless_present = "dry_run")]
    pub(super) out: Option<PathBuf>,

    /// The journal: a file, by default the results' name with .journal; or
    /// postgres://user@host/database#NAME, which any number of machines may share. Each writes
    /// results of its own. A password belongs in ~/.pgpass or PGPASSWORD.
    #[arg(long, value_name = "JOURNAL")]
    pub(super) journal: Option<JournalArgument>,

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
    pub(super) no_rate_limits: bool,

    /// Submit at most this many inputs.
    #[arg(long, value_name = "INPUTS", allow_negative_numbers = true)]
    take: Option<u64>,

    /// Check the inputs, and submit nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// Accept inputs that have changed since the batch began, instead of refusing them.
    ///
    /// Pending inputs are submitted with their new content; all other inputs keep their state. An
    /// input is identified by its position, so lines may be changed and appended, but not removed.
    #[arg(long)]
    pub(super) force: bool,

    /// Continue although the database has lost changes, once the results of all machines are
    /// imported.
    ///
    /// Changes are lost if a replica that lags behind becomes the primary, or a backup is restored,
    /// while the batch runs. Pass this on each machine that ran the batch: each imports what only
    /// its own results contain, and the last machine continues. Inputs without a result that were
    /// submitted since are submitted again.
    #[arg(long, value_name = "LOSS", value_enum, num_args = 0..=1, require_equals = true,
        default_missing_value = "imported")]
    pub(super) accept_loss: Option<AcceptedLoss>,

    /// After SIGTERM, or when the terminal is closed, the time to collect outstanding jobs before
    /// they are left to the next run.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5s", allow_hyphen_values = true)]
    pub(super) grace: Duration,

    /// The price of a second of execution, to report the cost.
    #[arg(long, value_name = "PRICE", value_parser = price, allow_negative_numbers = true)]
    pub(super) price: Option<f64>,

    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    receiver: ReceiverArguments,

    #[command(flatten)]
    pub(super) policy: PolicyArguments,
}

/// The loss of changes that is accepted.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum AcceptedLoss {
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
    pub fn inputs(&self) -> Inputs {
        let InputArguments { input_field, key_field, dedupe } = &self.input;
        let mut inputs = Inputs::jsonl(&self.inputs);
        if let Some(name) = input_field {
            inputs = inputs.input_field(name);
        }
        if let Some(name) = key_field {
            inputs = inputs.key_field(name);
        }
        if *dedupe { inputs.dedupe() } else { inputs }
    }

    /// The handling of unknown outcomes, with a bound receiver if webhook calls resolve them.
    pub(super) async fn on_unknown(&self) -> Result<(OnUnknown, Option<WebhookReceiver>), Failure> {
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
    pub(super) fn settings(&self, mut run: Run) -> Run {
        run = run.policy(self.policy.policy()).await_webhooks(self.receiver.webhook_wait);
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
