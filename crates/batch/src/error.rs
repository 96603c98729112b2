//! Error type of the crate.

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a batch: what was attempted, what came back, and what to do about it.
///
/// The journal stays consistent after any error: fix the cause and run the batch again, and it
/// continues where it was. An input that failed is not an error of the batch, but a
/// [`State`](crate::State) of that input.
pub struct Error(Box<Detail>);

struct Detail {
    kind: ErrorKind,
    message: String,
    /// True if the write failed because the disk is full: nothing was written.
    is_disk_full: bool,
    service: Option<podqueue::Error>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`], and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The journal could not be read or written: a full disk, a folder without write permission, a
    /// damaged file.
    Journal,
    /// Another process has the journal open. Wait for it to end, or stop it.
    InUse,
    /// The journal was written by a newer version of this crate.
    NewerVersion,
    /// The file is not a journal of a batch.
    NotAJournal,
    /// The journal is a copy, or another name, of a journal that still exists: both would submit
    /// the same inputs. Remove one of them.
    Duplicate,
    /// The inputs could not be read, or there are none.
    Inputs,
    /// The inputs are not those that the journal was made for.
    InputsChanged,
    /// The results could not be read or written.
    Results,
    /// The results file belongs to another batch, or something else has changed it.
    OtherResults,
    /// A setting is invalid, or contradicts the journal.
    Settings,
    /// Object storage refused to take the results, or has other objects in their place. All results
    /// are in their file: the next run publishes what is missing.
    Storage,
    /// The service refused a call in a way that concerns all inputs: the key is invalid, or the
    /// endpoint is unknown. [`Error::service`] has the details.
    Service,
    /// The service, the database of a shared journal, or object storage could not be reached for
    /// too long.
    Unreachable,
    /// The process lost its lease of a shared journal, because it was cut off or stopped for too
    /// long, and another process has recovered its jobs. A run rejoins by itself; any other call
    /// can be repeated.
    Interrupted,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let (message, is_disk_full) = (message.into(), false);
        Self(Box::new(Detail { kind, message, is_disk_full, service: None, source: None }))
    }

    /// The error of a store outside of this crate, for the tests of this workspace.
    #[cfg(feature = "unstable-store")]
    #[doc(hidden)]
    #[must_use]
    pub fn of_store(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, message)
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_service(mut self, error: podqueue::Error) -> Self {
        self.0.service = Some(error);
        self
    }

    /// A failure of an operation on a file: `what` completes "could not".
    pub(crate) fn file(kind: ErrorKind, what: &str, path: &Path, error: std::io::Error) -> Self {
        let advice = match error.kind() {
            std::io::ErrorKind::StorageFull => "; free some space and run it again",
            _ => "",
        };
        let message = format!("could not {what} {}: {error}{advice}", path.display());
        Self::new(kind, message).with_source(error)
    }

    /// Marks that nothing was written because the disk is full.
    pub(crate) fn with_disk_full(mut self, is_disk_full: bool) -> Self {
        self.0.is_disk_full = is_disk_full;
        self
    }

    /// Returns true if nothing was written because the disk is full.
    pub(crate) fn is_disk_full(&self) -> bool {
        self.0.is_disk_full
    }

    /// A copy, for another waiter of the same operation.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.kind(), self.0.message.clone()).with_disk_full(self.0.is_disk_full)
    }

    /// Extends the message with the consequence and the remedy.
    pub(crate) fn explained(mut self, explain: impl FnOnce(&str) -> String) -> Self {
        self.0.message = explain(&self.0.message);
        self
    }

    /// Returns true if it is about the inputs: the rest of the batch can continue without them.
    pub(crate) fn is_of_inputs(&self) -> bool {
        matches!(self.kind(), ErrorKind::Inputs | ErrorKind::InputsChanged)
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The client's error, for [`ErrorKind::Service`] and [`ErrorKind::Unreachable`], unless it was
    /// a database or object storage that could not be reached.
    #[must_use]
    pub fn service(&self) -> Option<&podqueue::Error> {
        self.0.service.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { kind, message, service, source, .. } = &*self.0;
        let mut debug = f.debug_struct("Error");
        debug.field("kind", kind).field("message", message);
        if let Some(service) = service {
            debug.field("service", service);
        }
        if let Some(source) = source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let service = self.0.service.as_ref().map(|error| error as &(dyn StdError + 'static));
        service.or_else(|| self.0.source.as_deref().map(|it| it as &(dyn StdError + 'static)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_comes_with_advice() {
        let of = |kind: std::io::ErrorKind| {
            Error::file(ErrorKind::Results, "write", Path::new("a.jsonl"), kind.into()).to_string()
        };
        let full = of(std::io::ErrorKind::StorageFull);
        assert!(full.starts_with("could not write a.jsonl: no storage space"), "{full}");
        assert!(full.ends_with("; free some space and run it again"), "{full}");
        assert!(!of(std::io::ErrorKind::PermissionDenied).contains("space"));
    }
}
