//! Exit codes: each with its meaning, and the order of their severity.

use std::process::ExitCode;

use podqueue::{Error, ErrorKind};

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Error,
    Usage,
    JobFailed,
    NotAuthorized,
    OutcomeUnknown,
    NotFound,
    TimedOut,
    Interrupted,
}

impl Exit {
    /// Each code and its meaning.
    pub const TABLE: [(Self, &'static str); 9] = [
        (Self::Done, "done"),
        (Self::Error, "an error that no other code stands for"),
        (Self::Usage, "invalid arguments, input or settings; nothing was sent"),
        (Self::JobFailed, "the job, or some of the jobs, failed, timed out or was cancelled"),
        (Self::NotAuthorized, "the API key is missing, wrong, or lacks permission"),
        (Self::OutcomeUnknown, "the request may or may not have taken effect"),
        (Self::NotFound, "unknown or expired: the endpoint, job, Pod or template"),
        (Self::TimedOut, "--timeout has passed"),
        (Self::Interrupted, "interrupted by Ctrl-C or SIGTERM, which end a server with 0"),
    ];

    /// The order of severity: a command for several jobs exits with the most severe code of any of
    /// them.
    const SEVERITY: [Self; 9] = [
        Self::Interrupted,
        Self::OutcomeUnknown,
        Self::NotAuthorized,
        Self::Usage,
        Self::Error,
        Self::TimedOut,
        Self::NotFound,
        Self::JobFailed,
        Self::Done,
    ];

    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Usage => 2,
            Self::JobFailed => 3,
            Self::NotAuthorized => 4,
            Self::OutcomeUnknown => 5,
            Self::NotFound => 6,
            Self::TimedOut => 124,
            Self::Interrupted => 130,
        }
    }

    /// The exit code of an error of the client.
    pub fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::InvalidRequest => Self::Usage,
            ErrorKind::JobFailed | ErrorKind::JobCancelled | ErrorKind::JobTimedOut => {
                Self::JobFailed
            }
            ErrorKind::Unauthorized => Self::NotAuthorized,
            ErrorKind::OutcomeUnknown => Self::OutcomeUnknown,
            ErrorKind::NotFound | ErrorKind::JobExpired => Self::NotFound,
            ErrorKind::WaitTimedOut => Self::TimedOut,
            _ => Self::Error,
        }
    }

    /// The exit code of an error of the client, by its status, too: a 403 lacks permission.
    pub fn of_error(error: &Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::UnexpectedStatus, Some(403)) => Self::NotAuthorized,
            (kind, _) => Self::of(kind),
        }
    }

    /// The more severe of two.
    pub fn or_worse(self, other: Self) -> Self {
        Self::SEVERITY.into_iter().find(|exit| [self, other].contains(exit)).unwrap_or(self)
    }

    /// The table as lines of text.
    pub fn table() -> String {
        let lines = Self::TABLE.map(|(exit, meaning)| format!("{:>5}  {meaning}\n", exit.code()));
        lines.concat()
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_code_once_in_order() {
        let codes = Exit::TABLE.map(|(exit, _)| exit.code());
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 124, 130]);
    }

    #[test]
    fn the_readme_has_the_table() {
        let readme = include_str!("../README.md");
        for (exit, meaning) in Exit::TABLE {
            let row = format!("| {} | {meaning} |", exit.code());
            assert!(readme.contains(&row), "README.md lacks the row {row}");
        }
    }

    #[test]
    fn the_most_severe_exit_code_of_several_jobs_counts() {
        assert_eq!(Exit::Done.or_worse(Exit::JobFailed), Exit::JobFailed);
        assert_eq!(Exit::OutcomeUnknown.or_worse(Exit::JobFailed), Exit::OutcomeUnknown);
        assert_eq!(Exit::NotFound.or_worse(Exit::TimedOut), Exit::TimedOut);
    }
}
