//! How the bytes of a response come over HTTP/1.

use std::fmt::Write;
use std::time::Duration;

use super::content::Content;
use super::transcript::Fate;
use crate::plan::{Ending, Fault};

/// What is done on the connection.
pub(super) struct Delivery {
    pub(super) acts: Vec<Act>,
    /// How the connection ends, or `None` where it goes on.
    pub(super) ending: Option<Ending>,
    pub(super) fate: Fate,
    /// From here on responses on this connection may be out of step.
    pub(super) out_of_step: bool,
}

pub(super) enum Act {
    Write(Vec<u8>),
    Pause(Duration),
    /// Writes these bytes with this pause after each time, until the client closes the connection.
    Repeat(Vec<u8>, Duration),
    /// Waits so long, and goes on only where no other request comes meanwhile.
    Idle(Duration),
}

pub(super) fn delivery(fault: &Fault, content: &Content) -> Delivery {
    let whole = framed(content);
    let mut delivery =
        Delivery { acts: Vec::new(), ending: None, fate: content.fate, out_of_step: false };
    match *fault {
        Fault::Cut { at, ending } => {
            let end = part(&whole, at);
            delivery.ending = Some(ending);
            // A refusal is known by its head, whatever becomes of the rest.
            let head_is_whole = end >= head(content, Framing::Length).len();
            if content.fate == Fate::Success || !head_is_whole {
                delivery.fate = Fate::Unknown;
            }
            delivery.acts.push(Act::Write(whole[..end].to_vec()));
        }
        Fault::Pieces { count, pause } => {
            for piece in whole.chunks(whole.len().div_ceil(usize::from(count.max(1)))) {
                delivery.acts.push(Act::Write(piece.to_vec()));
                delivery.acts.push(Act::Pause(pause));
            }
            // The last pause is nobody's.
            delivery.acts.pop();
        }
        Fault::Doubled => {
            delivery.acts.push(Act::Write([whole.as_slice(), &whole].concat()));
            delivery.out_of_step = true;
        }
        Fault::Unsolicited { after } => {
            delivery.acts = vec![Act::Write(whole.clone()), Act::Idle(after), Act::Write(whole)];
            delivery.out_of_step = true;
        }
        Fault::ThenEnds(ending) => {
            delivery.acts.push(Act::Write(whole));
            delivery.ending = Some(ending);
        }
        Fault::Informational(status) => {
            let first = format!("HTTP/1.1 {status} Wait\r\n\r\n");
            delivery.acts.push(Act::Write([first.as_bytes(), &whole].concat()));
        }
        Fault::Chunked => {
            let mut bytes = head(content, Framing::Chunked).into_bytes();
            content.body.chunks(7).for_each(|piece| bytes.extend(chunk(piece)));
            bytes.extend_from_slice(b"0\r\n\r\n");
            delivery.acts.push(Act::Write(bytes));
        }
        Fault::Comments { pause } if content.is_event_stream() => {
            let mut bytes = head(content, Framing::Chunked).into_bytes();
            bytes.extend(chunk(&content.body));
            delivery.fate = Fate::Unknown;
            delivery.acts = vec![Act::Write(bytes), Act::Repeat(chunk(COMMENT), pause)];
        }
        Fault::Unframed { at } => {
            let mut bytes = head(content, Framing::Close).into_bytes();
            bytes.extend_from_slice(&content.body[..part(&content.body, at)]);
            if at < 1_000 && content.fate == Fate::Success {
                delivery.fate = Fate::Unknown;
            }
            delivery.acts.push(Act::Write(bytes));
            delivery.ending = Some(Ending::Close);
        }
        _ => delivery.acts.push(Act::Write(whole)),
    }
    delivery
}

/// What keeps a stream of events alive.
pub(super) const COMMENT: &[u8] = b": still here\n\n";

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

/// Fewer than all, whatever the thousandths.
fn part(bytes: &[u8], thousandths: u16) -> usize {
    bytes.len() * usize::from(thousandths) / 1_000
}

#[derive(Clone, Copy, PartialEq)]
enum Framing {
    Length,
    Chunked,
    Close,
}

fn framed(content: &Content) -> Vec<u8> {
    let mut bytes = head(content, Framing::Length).into_bytes();
    bytes.extend_from_slice(&content.body);
    bytes
}

fn head(content: &Content, framing: Framing) -> String {
    let mut head = format!("HTTP/1.1 {} Said\r\n", content.status);
    for (name, value) in &content.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    match framing {
        // These have no body, and no length.
        Framing::Length if matches!(content.status, 204 | 304) => {}
        Framing::Length => {
            let _ = write!(head, "content-length: {}\r\n", content.body.len());
        }
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::Close => head.push_str("connection: close\r\n"),
    }
    head.push_str("\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_response_is_never_whole() {
        let content =
            Content { status: 200, headers: Vec::new(), body: b"{}".to_vec(), fate: Fate::Success };
        for at in [0, 500, 999] {
            let cut = delivery(&Fault::Cut { at, ending: Ending::Close }, &content);
            let Some(Act::Write(bytes)) = cut.acts.first() else { panic!("something is written") };
            assert!(bytes.len() < framed(&content).len());
            assert_eq!(cut.fate, Fate::Unknown);
        }
    }
}
