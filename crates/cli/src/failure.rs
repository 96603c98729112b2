//! What the program says when it fails: what happened, and which command helps next.

use std::error::Error as _;
use std::fmt::{Display, Write};
use std::io;

use podqueue::{Error, ErrorKind, JobStatus, RemoteCancel};

use crate::exit::Exit;

/// A failure of the program.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Empty where nothing is to be said.
    pub message: String,
    pub hints: Vec<String>,
    /// Whether data could not be written, which the program has and nobody got.
    pub unwritten: bool,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        let (message, hint) = translated(message.into());
        let hints = hint.map(str::to_owned).into_iter().collect();
        Self { exit, message, hints, unwritten: false }
    }

    /// Invalid arguments or input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file, or standard input, that an argument or a setting names and that cannot be read.
    pub fn unreadable(what: impl Display, error: &io::Error) -> Self {
        Self::usage(format!("failed to read {what}: {error}"))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Ends the program with a code, and without a word.
    pub fn silent(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// A failure to write data. The reader of a pipe that has left wants no more of it.
    pub fn of_output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::silent(Exit::Done),
            _ => Self {
                unwritten: true,
                ..Self::new(Exit::Error, format!("failed to write the output: {error}"))
            },
        }
    }

    /// A failure to receive signals, for want of descriptors or threads.
    pub fn of_signals(error: io::Error) -> Self {
        Self::new(Exit::Error, format!("failed to receive signals: {error}"))
    }

    /// Says how to get at data that could not be written, if that is what failed.
    pub fn if_unwritten(self, hint: impl FnOnce() -> String) -> Self {
        if self.unwritten { self.hint(hint()) } else { self }
    }

    /// A failure of a call to `endpoint`.
    pub fn on_endpoint(error: &Error, endpoint: &str) -> Self {
        let name = quoted(endpoint);
        let job = error.job_id().map(|id| format!("{name} {}", quoted(id)));
        let hint = match (error.kind(), job) {
            (ErrorKind::WaitTimedOut, Some(job)) => match error.remote_cancel() {
                Some(RemoteCancel::Cancelled) => None,
                Some(_) => Some(format!("check whether the job goes on: podqueue status {job}")),
                None => Some(format!("the job goes on: podqueue wait {job}")),
            },
            (ErrorKind::OutcomeUnknown, Some(job)) => {
                Some(format!("look at the job before you submit it again: podqueue status {job}"))
            }
            (ErrorKind::OutcomeUnknown, None) => Some(format!(
                "see whether the job arrived before you submit it again: podqueue health {name}"
            )),
            (ErrorKind::JobFailed | ErrorKind::JobTimedOut, Some(job)) => {
                Some(format!("to queue the job again: podqueue retry {job}"))
            }
            (ErrorKind::StreamGap, Some(job)) => {
                Some(format!("the record may have the whole output: podqueue wait {job}"))
            }
            (ErrorKind::NotFound, None) => Some(find_out(Some(&name))),
            _ if is_about_settings(error) => Some(find_out(Some(&name))),
            (ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Server, Some(job)) => {
                Some(format!("to try again: podqueue status {job}"))
            }
            _ => None,
        };
        let mut failure = Self::described(error);
        failure.hints.extend(hint);
        let record = error.record().filter(|record| record.status() == JobStatus::InQueue);
        if let (ErrorKind::WaitTimedOut, Some(record)) = (error.kind(), record) {
            let id = quoted(record.id());
            failure =
                failure.hint(format!("why it is still queued: podqueue doctor {name} --job {id}"));
        }
        failure
    }

    /// What failed, and what helps if that is a setting.
    fn described(error: &Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        if error.kind() == ErrorKind::WaitTimedOut {
            // The text says already why the last poll failed.
            source = source.and_then(|poll| poll.source());
        }
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            // Some errors repeat what lies beneath them.
            if !message.contains(&cause_text) {
                let _ = write!(message, ": {cause_text}");
            }
            source = cause.source();
        }
        let failure = Self::new(Exit::of(error.kind()), message);
        match error.field() {
            Some(field @ ("base_url" | "rest_url" | "graphql_url")) => failure.hint(format!(
                "set PODQUEUE_{}, or a profile in the file that `podqueue config --where` names",
                field.to_uppercase()
            )),
            _ => failure,
        }
    }
}

/// Whether a wrong setting, or what is between here and the service, may be the reason.
fn is_about_settings(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unauthorized | ErrorKind::Connect | ErrorKind::Redirect)
        || error.status() == Some(403)
}

fn find_out(endpoint: Option<&str>) -> String {
    match endpoint {
        Some(name) => format!("to find out why: podqueue doctor {name}"),
        None => "to find out why: podqueue doctor".to_owned(),
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let failure = Self::described(error);
        if is_about_settings(error) { failure.hint(find_out(None)) } else { failure }
    }
}

/// What a user of the program can do where the library names a setting of its builder. The others have
/// no counterpart.
const SETTINGS: [(&str, &str); 7] = [
    (
        "accept_loss",
        "to import and accept: batch run with --accept-loss, on each machine that ran the batch",
    ),
    (
        "accept_loss_of_results",
        "to import these: the same command on their machines; to give them up: --accept-loss=all",
    ),
    ("allow_plain_http", "to permit it: `allow_plain_http = true` in a profile"),
    ("proxy", "check the user and password of the proxy, in HTTPS_PROXY or HTTP_PROXY"),
    ("payload_limits", "put large data elsewhere, and its URL into the input"),
    ("shared_limits", "check the database that --journal names, which keeps the rate limits, too"),
    ("largest_response", "let the handler put large data elsewhere, and return its URL"),
];

/// A message without what only a program that uses the library can do, such as set what it names in
/// parentheses, ``(the builder's `proxy`)``; and what to do in the program instead.
pub fn translated(message: String) -> (String, Option<&'static str>) {
    let message = message.replace(": pass it to the client's builder", "");
    let mut settings = [" (ClientBuilder::", " (the builder's `", " (Postgres::"].into_iter();
    let parts = settings.find_map(|owner| message.split_once(owner)).and_then(|(before, rest)| {
        let (setting, after) = rest.split_once(')')?;
        let setting = setting.split([' ', '`']).next();
        let hint = SETTINGS.iter().find(|(name, _)| setting == Some(name));
        Some((format!("{before}{after}"), hint.map(|(_, hint)| *hint)))
    });
    parts.unwrap_or((message, None))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

/// An argument as a shell reads it back.
pub fn quoted(argument: &str) -> String {
    shlex::try_quote(argument).map_or_else(|_| argument.to_owned(), Into::into)
}
