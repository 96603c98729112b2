//! Failure of a command: the message, the exit code, and hints that name the command to run next.

use std::error::Error as _;
use std::fmt::{Display, Write};
use std::io;

use podqueue::{Error, ErrorKind, JobStatus, RemoteCancel};

use crate::exit::Exit;

/// A failure of the program.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Empty for a silent exit.
    pub message: String,
    pub hints: Vec<String>,
    /// True if data was received, but could not be printed.
    pub unwritten: bool,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        let (message, hint) = translate_setting(message.into());
        let hints = hint.map(str::to_owned).into_iter().collect();
        Self { exit, message, hints, unwritten: false }
    }

    /// Invalid arguments or input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file of an argument or a setting, or standard input, that cannot be read.
    pub fn unreadable(what: impl Display, error: &io::Error) -> Self {
        Self::usage(format!("failed to read {what}: {error}"))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Exits with a code and without a message.
    pub fn silent(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// A failure to write data. A closed pipe is not an error.
    pub fn of_output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { unwritten: true, ..Self::silent(Exit::Done) },
            _ => Self {
                unwritten: true,
                ..Self::new(Exit::Error, format!("failed to write the output: {error}"))
            },
        }
    }

    /// A failure to receive signals, for lack of descriptors or threads.
    pub fn of_signals(error: io::Error) -> Self {
        Self::new(Exit::Error, format!("failed to receive signals: {error}"))
    }

    /// Adds a hint on how to get the data, if it could not be written.
    pub fn if_unwritten(self, hint: impl FnOnce() -> String) -> Self {
        if self.unwritten && !self.message.is_empty() { self.hint(hint()) } else { self }
    }

    /// Says what has happened, if the data could not be written: also where hints are not printed.
    pub fn despite(mut self, effect: &str) -> Self {
        if self.unwritten && !self.message.is_empty() {
            self.message = format!("{}; {effect}", self.message);
        }
        self
    }

    /// As [`despite`](Self::despite), for what is told nowhere else: also on a closed pipe.
    pub fn despite_creation(mut self, created: &str) -> Self {
        if self.unwritten && self.message.is_empty() {
            (self.exit, self.message) = (Exit::Error, "the output is closed".to_owned());
        }
        self.despite(created)
    }

    /// A failure of a call to `endpoint`.
    pub fn on_endpoint(error: &Error, endpoint: &str) -> Self {
        let name = quoted(endpoint);
        let job = error.job_id().map(|id| format!("{name} {}", quoted(id)));
        let hint = match (error.kind(), job) {
            (ErrorKind::WaitTimedOut, Some(job)) => match error.remote_cancel() {
                Some(RemoteCancel::Cancelled) => None,
                Some(_) => Some(format!("check whether the job continues: podqueue status {job}")),
                None => Some(format!("the job continues: podqueue wait {job}")),
            },
            (ErrorKind::OutcomeUnknown, Some(job)) => {
                Some(format!("check the job before you submit it again: podqueue status {job}"))
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
            (ErrorKind::NotFound, None) => Some(doctor_hint(Some(&name))),
            _ if may_be_settings(error) => Some(doctor_hint(Some(&name))),
            (ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Server, Some(job)) => {
                Some(format!("to try again: podqueue status {job}"))
            }
            _ => None,
        };
        let mut failure = Self::from_client(error);
        failure.hints.extend(hint);
        let record = error.record().filter(|record| record.status() == JobStatus::InQueue);
        if let (ErrorKind::WaitTimedOut, Some(record)) = (error.kind(), record) {
            let id = quoted(record.id());
            failure =
                failure.hint(format!("why it is still queued: podqueue doctor {name} --job {id}"));
        }
        failure
    }

    /// A failure of the client: its error with all causes, and a hint if it concerns a setting.
    fn from_client(error: &Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        if error.kind() == ErrorKind::WaitTimedOut {
            // The message already contains the error of the last poll.
            source = source.and_then(|poll| poll.source());
        }
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            // Some errors repeat the message of their cause.
            if !message.contains(&cause_text) {
                let _ = write!(message, ": {cause_text}");
            }
            source = cause.source();
        }
        let successor = remove_successor(&mut message);
        let mut failure = Self::new(Exit::of_error(error), message);
        if successor {
            failure = failure.hint(
                "the account interface replaces it: set PODQUEUE_ACCOUNT_URL, or account_url in a \
                 profile",
            );
        }
        match error.field() {
            Some(field @ ("base_url" | "rest_url" | "graphql_url" | "account_url")) => {
                // The library names the setting of its builder.
                let variable = format!("PODQUEUE_{}", field.to_uppercase());
                failure.message = failure.message.replace(&format!("`{field}`"), &variable);
                failure.hint(format!(
                    "set {variable}, or a profile in the file that `podqueue config --where` names"
                ))
            }
            _ => failure,
        }
    }
}

/// Removes the call of the library that replaces a retired one; returns true if there was one.
fn remove_successor(message: &mut String) -> bool {
    const END: &str = " instead";
    let Some(start) = message.find("; use `client.account()") else { return false };
    let Some(length) = message[start..].find(END) else { return false };
    message.replace_range(start..start + length + END.len(), "");
    true
}

/// Returns true if a setting or the network may be the reason.
fn may_be_settings(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unauthorized | ErrorKind::Connect | ErrorKind::Redirect)
        || error.status() == Some(403)
}

fn doctor_hint(endpoint: Option<&str>) -> String {
    match endpoint {
        Some(name) => format!("to find out why: podqueue doctor {name}"),
        None => "to find out why: podqueue doctor".to_owned(),
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let failure = Self::from_client(error);
        if may_be_settings(error) { failure.hint(doctor_hint(None)) } else { failure }
    }
}

/// Settings of the library that its messages name, with the hint for the program. Other settings
/// have no counterpart.
const SETTING_HINTS: [(&str, &str); 7] = [
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

/// A message of the library without the name of a builder setting, such as
/// ``(the builder's `proxy`)``, and the hint for the program.
pub fn translate_setting(message: String) -> (String, Option<&'static str>) {
    let message = message.replace(": pass it to the client's builder", "");
    let mut settings = [" (ClientBuilder::", " (the builder's `", " (Postgres::"].into_iter();
    let parts = settings.find_map(|owner| message.split_once(owner)).and_then(|(before, rest)| {
        let (setting, after) = rest.split_once(')')?;
        let setting = setting.split([' ', '`']).next();
        let hint = SETTING_HINTS.iter().find(|(name, _)| setting == Some(name));
        Some((format!("{before}{after}"), hint.map(|(_, hint)| *hint)))
    });
    parts.unwrap_or((message, None))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

/// An argument, quoted for a shell.
pub fn quoted(argument: &str) -> String {
    shlex::try_quote(argument).map_or_else(|_| argument.to_owned(), Into::into)
}
