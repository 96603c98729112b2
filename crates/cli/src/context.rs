//! Context of a command: the output, the settings, and the client, which is built on demand.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use podqueue::{Client, Endpoint, ErrorKind, Observation};

use crate::failure::Failure;
use crate::output::Output;
use crate::settings::{self, Selection, Settings};

/// The shortest pause after a 429 that is told.
const MIN_PAUSE: Duration = Duration::from_secs(1);

/// The shortest time between two messages about rate limits.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(10);

pub struct Context {
    selection: Selection,
    pub output: Output,
    /// The definition of the program, for completions and manual pages.
    pub program: fn() -> clap::Command,
}

impl Context {
    pub fn new(selection: Selection, output: Output, program: fn() -> clap::Command) -> Self {
        Self { selection, output, program }
    }

    /// The settings of the active profile.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Settings::read(&self.selection)
    }

    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(&self.settings()?)
    }

    /// A client that says when it waits for rate limits: at most every ten seconds.
    pub fn client_of(&self, settings: &Settings) -> Result<Client, Failure> {
        let output = self.output.clone();
        let last = Mutex::new(None::<Instant>);
        let builder = settings::client_builder(settings)?.observe(move |observation| {
            let message = match observation {
                Observation::Limited { .. } => "waiting for the rate limits of the service".into(),
                Observation::Retried { error: ErrorKind::RateLimited, pause, .. }
                    if *pause >= MIN_PAUSE =>
                {
                    let seconds = pause.as_secs_f64().ceil();
                    format!("the service has too many requests: trying again in {seconds} s")
                }
                _ => return,
            };
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_none_or(|last| last.elapsed() >= MESSAGE_INTERVAL) {
                *last = Some(Instant::now());
                output.note_beside_progress(message);
            }
        });
        Ok(builder.build()?)
    }

    pub fn endpoint(&self, id: &str) -> Result<Endpoint, Failure> {
        Ok(self.client()?.endpoint(id))
    }
}
