//! Context of a command: the output, the settings, and the client, which is built on demand.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use podqueue::{Client, ClientBuilder, Endpoint, ErrorKind, Observation};

use crate::failure::Failure;
use crate::output::Output;
use crate::settings::{self, Selection, Settings};

/// The shortest pause after a 429 that is reported.
const MIN_PAUSE: Duration = Duration::from_secs(1);

/// The shortest time between two messages about rate limits.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(10);

pub struct Context {
    selection: Selection,
    pub output: Output,
    limits: Arc<Mutex<LimitWaits>>,
    /// The definition of the program, for completions and manual pages.
    pub program: fn() -> clap::Command,
}

/// Waits of calls for rate limits.
#[derive(Default)]
struct LimitWaits {
    /// The end of the last one that is known, if its length is.
    until: Option<Instant>,
    /// The time of the last message.
    reported: Option<Instant>,
}

impl Context {
    pub fn new(selection: Selection, output: Output, program: fn() -> clap::Command) -> Self {
        Self { selection, output, limits: Arc::default(), program }
    }

    /// The time until which calls wait for rate limits, if any does.
    pub fn limited_until(&self) -> Option<Instant> {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.until.filter(|until| *until > Instant::now())
    }

    /// The settings of the active profile.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Settings::read(&self.selection)
    }

    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(&self.settings()?)
    }

    pub fn client_of(&self, settings: &Settings) -> Result<Client, Failure> {
        Ok(self.client_builder(settings)?.build()?)
    }

    /// The builder of a client that says when it waits for rate limits: at most every ten seconds.
    pub fn client_builder(&self, settings: &Settings) -> Result<ClientBuilder, Failure> {
        let output = self.output.clone();
        let limits = Arc::clone(&self.limits);
        Ok(settings::client_builder(settings)?.observe(move |observation| {
            let (wait, message) = match observation {
                Observation::Limited { reset: None, .. } => {
                    (None, "waiting for the rate limits of the service".to_owned())
                }
                Observation::Limited { reset: Some(time), .. } => {
                    let seconds = in_seconds(*time);
                    let message = "waiting for the rate limits of the service, which start anew in";
                    (Some(*time), format!("{message} {seconds}"))
                }
                Observation::Retried { error: ErrorKind::RateLimited, pause, .. }
                    if *pause >= MIN_PAUSE =>
                {
                    let seconds = in_seconds(*pause);
                    let message = "the service has too many requests: trying again in";
                    (Some(*pause), format!("{message} {seconds}"))
                }
                _ => return,
            };
            let now = Instant::now();
            let mut limits = limits.lock().unwrap_or_else(PoisonError::into_inner);
            limits.until = limits.until.max(wait.and_then(|wait| now.checked_add(wait)));
            if limits.reported.is_none_or(|reported| reported.elapsed() >= MESSAGE_INTERVAL) {
                limits.reported = Some(now);
                drop(limits);
                output.note_beside_progress(message);
            }
        }))
    }

    pub fn endpoint(&self, id: &str) -> Result<Endpoint, Failure> {
        Ok(self.client()?.endpoint(id))
    }
}

/// A wait in whole seconds, rounded up, such as `1m 30s`.
fn in_seconds(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}
