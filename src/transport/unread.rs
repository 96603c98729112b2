//! An answer whose body could not be read to its end.

use super::Call;
use super::attempt::Failure;
use super::repeat::Fate;
use super::time::Late;
use crate::error::{Error, ErrorKind};

/// Why a body was not read to its end.
pub(super) enum Unread {
    /// The connection broke.
    Broken(reqwest::Error),
    /// The time was over.
    Late(Late),
    /// It is larger than so many bytes, which are read at most.
    TooLarge(usize),
}

impl Unread {
    /// What it means for a call that was answered with a success.
    pub(super) fn failure(self, call: &Call, status: u16) -> Failure {
        let new = |kind, what: String| Error::new(kind, &call.attempted, what).with_status(status);
        let (fate, error) = match self {
            Self::Broken(error) => {
                let what = "the connection broke while the answer was read".to_owned();
                (Fate::NoAnswer, new(ErrorKind::Network, what).with_source(error))
            }
            Self::Late(late) => (Fate::NoAnswer, new(ErrorKind::Timeout, late.no_whole_answer())),
            Self::TooLarge(most) => {
                let what = format!(
                    "the reply is larger than the {most} bytes that the client is set to read \
                     (ClientBuilder::largest_reply)"
                );
                (Fate::Final, new(ErrorKind::ReplyTooLarge, what))
            }
        };
        Failure { fate, error }
    }
}
