//! What a peer does to a request.

use std::time::Duration;

use crate::canary::Spelling;

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The request is served as it should be.
    None,
    /// Something else is answered; `acts` where the request takes effect all the same.
    Answer(Answer),
    /// The response ends after so many thousandths of its bytes.
    Cut {
        at: u16,
        ending: Ending,
    },
    /// The request is read and thrown away, and the connection ends.
    Unheard(Ending),
    /// The response comes late; the request takes effect when it arrives, or only then.
    Late {
        by: Duration,
        acts_late: bool,
    },
    /// The response comes in so many pieces.
    Pieces {
        count: u8,
        pause: Duration,
    },
    Garbled(Garble),
    /// The record of another job, or of another interface.
    Foreign,
    /// The response comes twice.
    Doubled,
    /// A response that nobody asked for, on the idle connection.
    Unsolicited {
        after: Duration,
    },
    /// The connection ends after the whole response.
    ThenEnds(Ending),
    /// Informational responses come first.
    Informational(u16),
    /// The whole response in chunks.
    Chunked,
    /// A stream of events never ends: comments follow, with a pause after each.
    Comments {
        pause: Duration,
    },
    /// A body that ends where the connection does, and is cut there.
    Unframed {
        at: u16,
    },
    /// What the request held is repeated.
    Echo(Echo),
    /// HTTP/2: the stream is reset.
    Reset(H2Reset),
    /// HTTP/2: the connection is ended in order.
    GoAway {
        after: bool,
    },
}

impl Fault {
    /// Whether the connection does not outlive it.
    pub fn ends_a_connection(&self) -> bool {
        !matches!(
            self,
            Self::None
                | Self::Answer(_)
                | Self::Late { .. }
                | Self::Pieces { .. }
                | Self::Garbled(_)
                | Self::Foreign
                | Self::Informational(_)
                | Self::Chunked
                | Self::Echo(_)
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Close,
    Reset,
    /// Nothing more comes, and the connection stays open.
    Stall,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub words: Words,
    pub retry_after: Option<RetryAfter>,
    pub acts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Json(&'static str),
    Html,
    Plain(&'static str),
    Empty,
    Problem,
    /// `{"errors": [{"message": …}]}`, with `data: null` or without.
    Graphql(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    Seconds(u64),
    /// A date so many seconds from now, by a clock that is off by so many.
    Date {
        from_now: u64,
        off: i64,
    },
    Nonsense,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garble {
    ByteOrderMark,
    /// A field that Python would write so.
    NotANumber,
    DuplicateId,
    NoStatus,
    Html,
    Empty,
    /// 204.
    NoContent,
    /// An array in place of an object, and the other way round.
    OtherShape,
    Trailing,
    /// It is compressed, which no request asks for.
    Encoded,
    /// GraphQL without `data`.
    NoData,
}

/// Where a canary that the request carried is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    pub status: u16,
    pub spelling: Spelling,
    pub place: Place,
    /// Which of the canaries.
    pub which: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    JsonError,
    HtmlTitle,
    Plain,
    GraphqlMessage,
    GraphqlExtension,
    /// 200, with the canary where another type belongs.
    WrongType,
    /// The record of a failed job.
    JobFailure,
    /// A redirect to a URL that holds it.
    Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct H2Reset {
    /// The code of RFC 9113, section 7.
    pub code: u32,
    /// Whether the request has taken effect before.
    pub acts: bool,
    /// After the head of the response and a part of its body.
    pub midway: bool,
}
