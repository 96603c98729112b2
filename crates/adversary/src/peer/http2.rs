//! HTTP/2: streams that are reset, connections that are ended in order.

use std::future::poll_fn;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use tokio::net::TcpStream;
use tokio::time::{sleep, sleep_until, timeout};

use super::content::{Content, acts, content};
use super::delivery::COMMENT;
use super::http1::act;
use super::transcript::Fate;
use super::world::World;
use crate::plan::{Ending, Fault, H2Reset};
use crate::service::Request;

/// REFUSED_STREAM: the request was not started.
const REFUSED_STREAM: u32 = 7;

/// What follows for the connection.
#[derive(Clone, Copy, PartialEq)]
enum After {
    Nothing,
    /// No further requests.
    GoAway,
    /// It is over at once.
    Over,
}

/// Serves one connection to its end.
pub(super) async fn serve(world: &World, stream: TcpStream, number: usize, streams: u32) {
    let mut settings = h2::server::Builder::new();
    settings.max_concurrent_streams(streams);
    let Ok(mut connection) = settings.handshake::<_, Bytes>(stream).await else { return };
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            Some(after) = open.next(), if !open.is_empty() => match after {
                After::Nothing => {}
                After::GoAway => connection.graceful_shutdown(),
                After::Over => {
                    connection.abrupt_shutdown(Reason::NO_ERROR);
                }
            },
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => open.push(exchange(world, number, request, respond)),
                Some(Err(_)) | None => return,
            },
        }
    }
}

async fn exchange(
    world: &World,
    number: usize,
    request: http::Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) -> After {
    let target = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let mut received = request.into_body();
    let mut body = Vec::new();
    while let Some(piece) = received.data().await {
        let Ok(piece) = piece else { return After::Nothing };
        let _ = received.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
    }
    let Some(request) = Request::new(&target, &String::from_utf8_lossy(&body)) else {
        return After::Nothing;
    };
    let (place, fault) = {
        let mut inner = world.lock();
        let fault = inner.next_fault(request.operation);
        let place = inner.transcript.arrived(number, &request, &fault);
        world.count(place);
        (place, fault)
    };
    let _left = Left { world, place };
    tokio::select! {
        biased;
        // A whole request takes effect when it arrives, also where a reset came right behind it.
        said = say(world, &request, place, &fault) => match said {
            Some(said) => deliver(world, place, &fault, &said, respond).await,
            None => refuse(world, place, &fault, respond),
        },
        _ = poll_fn(|context| respond.poll_reset(context)) => After::Nothing,
    }
}

/// The request is no longer open, however it ended.
struct Left<'a> {
    world: &'a World,
    place: usize,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.world.lock().transcript.left(self.place);
    }
}

/// What is answered; `None` where nothing is.
async fn say(world: &World, request: &Request, place: usize, fault: &Fault) -> Option<Content> {
    if let Fault::Late { by, acts_late: true } = fault {
        sleep(*by).await;
    }
    let reply = acts(fault).then(|| act(world, request, place, fault));
    match fault {
        Fault::Late { by, acts_late: false } => sleep(*by).await,
        Fault::Reset(H2Reset { midway: false, .. }) | Fault::Unheard(_) => return None,
        Fault::GoAway { after: false } => return None,
        _ => {}
    }
    let reply = match reply {
        Some(reply) => match (reply.not_before, &reply.new_job) {
            (Some(until), Some(id)) if !matches!(fault, Fault::Echo(_)) => {
                sleep_until(until).await;
                Some(world.lock().service.after_wait(id, until))
            }
            _ => Some(reply),
        },
        None => None,
    };
    Some(content(fault, request, reply.as_ref()))
}

/// Nothing is answered.
fn refuse(world: &World, place: usize, fault: &Fault, mut respond: SendResponse<Bytes>) -> After {
    match fault {
        Fault::Reset(H2Reset { code, .. }) => {
            if *code == REFUSED_STREAM {
                world.lock().transcript.arrivals[place].fate = Fate::NotTaken;
            }
            respond.send_reset(Reason::from(*code));
            After::Nothing
        }
        Fault::GoAway { .. } => After::Over,
        _ => {
            respond.send_reset(Reason::INTERNAL_ERROR);
            After::Nothing
        }
    }
}

async fn deliver(
    world: &World,
    place: usize,
    fault: &Fault,
    content: &Content,
    mut respond: SendResponse<Bytes>,
) -> After {
    let mut head = http::Response::builder().status(content.status);
    for (name, value) in &content.headers {
        head = head.header(*name, value);
    }
    let Ok(head) = head.body(()) else { return After::Nothing };
    let Ok(mut stream) = respond.send_response(head, content.body.is_empty()) else {
        return After::Nothing;
    };
    let (end, ending) = match fault {
        Fault::Cut { at, ending } => (usize::from(*at), *ending),
        Fault::Reset(_) => (500, Ending::Reset),
        _ => (1_000, Ending::Close),
    };
    let is_endless = matches!(fault, Fault::Comments { .. }) && content.is_event_stream();
    let is_whole = end == 1_000 && !is_endless;
    world.lock().transcript.arrivals[place].fate =
        if is_whole || content.fate != Fate::Success { content.fate } else { Fate::Unknown };
    if !content.body.is_empty() {
        let part = content.body[..content.body.len() * end / 1_000].to_vec();
        if stream.send_data(part.into(), is_whole).is_err() {
            return After::Nothing;
        }
    }
    if let Fault::Comments { pause } = fault
        && is_endless
    {
        loop {
            if stream.send_data(Bytes::from_static(COMMENT), false).is_err() {
                return After::Nothing;
            }
            if timeout(*pause, poll_fn(|context| stream.poll_reset(context))).await.is_ok() {
                return After::Nothing;
            }
        }
    }
    match (is_whole, fault, ending) {
        (_, Fault::GoAway { .. }, _) => After::GoAway,
        (true, ..) => After::Nothing,
        (false, Fault::Reset(reset), _) => {
            stream.send_reset(Reason::from(reset.code));
            After::Nothing
        }
        (false, _, Ending::Stall) => {
            let _ = poll_fn(|context| stream.poll_reset(context)).await;
            After::Nothing
        }
        (false, _, Ending::Reset) => {
            stream.send_reset(Reason::CANCEL);
            After::Nothing
        }
        (false, _, Ending::Close) => After::Over,
    }
}
