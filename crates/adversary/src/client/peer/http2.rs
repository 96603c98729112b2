//! HTTP/2 connections of the peer: stream resets and GOAWAY besides the faults of HTTP/1.

use std::future::poll_fn;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use tokio::net::TcpStream;
use tokio::time::{sleep, sleep_until, timeout};

use super::http1::apply;
use super::response::{COMMENT, Content, content, takes_effect};
use super::state::{AttemptOutcome, SharedPeer};
use crate::client::plan::{ConnectionEnd, Fault, StreamReset};
use crate::client::service::Request;

/// REFUSED_STREAM: the request was not processed.
const REFUSED_STREAM: u32 = 7;

/// Action on the connection after an exchange.
#[derive(Clone, Copy, PartialEq)]
enum ConnectionAction {
    Continue,
    /// Graceful shutdown: no further requests.
    GoAway,
    /// Shutdown at once.
    Abort,
}

/// Serves one connection to its end.
pub(super) async fn serve(peer: &SharedPeer, stream: TcpStream, number: usize, streams: u32) {
    let mut settings = h2::server::Builder::new();
    settings.max_concurrent_streams(streams);
    let Ok(mut connection) = settings.handshake::<_, Bytes>(stream).await else { return };
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            Some(action) = open.next(), if !open.is_empty() => match action {
                ConnectionAction::Continue => {}
                ConnectionAction::GoAway => connection.graceful_shutdown(),
                ConnectionAction::Abort => {
                    connection.abrupt_shutdown(Reason::NO_ERROR);
                }
            },
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => open.push(exchange(peer, number, request, respond)),
                Some(Err(_)) | None => return,
            },
        }
    }
}

async fn exchange(
    peer: &SharedPeer,
    number: usize,
    request: http::Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) -> ConnectionAction {
    let target = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let mut received = request.into_body();
    let mut body = Vec::new();
    while let Some(piece) = received.data().await {
        let Ok(piece) = piece else { return ConnectionAction::Continue };
        let _ = received.flow_control().release_capacity(piece.len());
        body.extend_from_slice(&piece);
    }
    let Some(request) = Request::new(&target, &String::from_utf8_lossy(&body)) else {
        return ConnectionAction::Continue;
    };
    let (index, fault) = {
        let mut state = peer.lock();
        let fault = state.next_fault(request.operation);
        let index = state.transcript.arrived(number, &request, &fault);
        peer.count(index);
        (index, fault)
    };
    let _guard = ExchangeGuard { peer, index };
    tokio::select! {
        biased;
        // A complete request takes effect even if a reset arrived right after it.
        prepared = prepare(peer, &request, index, &fault) => match prepared {
            Some(content) => deliver(peer, index, &fault, &content, respond).await,
            None => fail(peer, index, &fault, respond),
        },
        _ = poll_fn(|context| respond.poll_reset(context)) => ConnectionAction::Continue,
    }
}

/// Records the end of an exchange when it is dropped.
struct ExchangeGuard<'a> {
    peer: &'a SharedPeer,
    index: usize,
}

impl Drop for ExchangeGuard<'_> {
    fn drop(&mut self) {
        self.peer.lock().transcript.ended(self.index);
    }
}

/// Applies the request. Returns the content of the response, or `None` where the fault suppresses
/// it.
async fn prepare(
    peer: &SharedPeer,
    request: &Request,
    index: usize,
    fault: &Fault,
) -> Option<Content> {
    if let Fault::Delay { by, effect_delayed: true } = fault {
        sleep(*by).await;
    }
    let reply = takes_effect(fault).then(|| apply(peer, request, index, fault));
    match fault {
        Fault::Delay { by, effect_delayed: false } => sleep(*by).await,
        Fault::StreamReset(StreamReset { midway: false, .. }) | Fault::Discard(_) => return None,
        Fault::GoAway { after: false } => return None,
        _ => {}
    }
    let reply = match reply {
        Some(reply) => match (reply.not_before, &reply.new_job) {
            (Some(until), Some(id)) if !matches!(fault, Fault::EchoSecret(_)) => {
                sleep_until(until).await;
                Some(peer.lock().service.after_wait(id, until))
            }
            _ => Some(reply),
        },
        None => None,
    };
    Some(content(fault, request, reply.as_ref()))
}

/// Ends an exchange without a response.
fn fail(
    peer: &SharedPeer,
    index: usize,
    fault: &Fault,
    mut respond: SendResponse<Bytes>,
) -> ConnectionAction {
    match fault {
        Fault::StreamReset(StreamReset { code, .. }) => {
            if *code == REFUSED_STREAM {
                peer.lock().transcript.arrivals[index].outcome = AttemptOutcome::NotProcessed;
            }
            respond.send_reset(Reason::from(*code));
            ConnectionAction::Continue
        }
        Fault::GoAway { .. } => ConnectionAction::Abort,
        _ => {
            respond.send_reset(Reason::INTERNAL_ERROR);
            ConnectionAction::Continue
        }
    }
}

async fn deliver(
    peer: &SharedPeer,
    index: usize,
    fault: &Fault,
    content: &Content,
    mut respond: SendResponse<Bytes>,
) -> ConnectionAction {
    let mut head = http::Response::builder().status(content.status);
    for (name, value) in &content.headers {
        head = head.header(*name, value);
    }
    let Ok(head) = head.body(()) else { return ConnectionAction::Continue };
    let Ok(mut stream) = respond.send_response(head, content.body.is_empty()) else {
        return ConnectionAction::Continue;
    };
    let (end, ending) = match fault {
        Fault::Truncate { at, ending } => (usize::from(*at), *ending),
        Fault::StreamReset(_) => (500, ConnectionEnd::Reset),
        _ => (1_000, ConnectionEnd::Close),
    };
    let is_endless = matches!(fault, Fault::KeepAlive { .. }) && content.is_event_stream();
    let is_complete = end == 1_000 && !is_endless;
    peer.lock().transcript.arrivals[index].outcome =
        if is_complete || content.outcome != AttemptOutcome::Success {
            content.outcome
        } else {
            AttemptOutcome::Unknown
        };
    if !content.body.is_empty() {
        let part = content.body[..content.body.len() * end / 1_000].to_vec();
        if stream.send_data(part.into(), is_complete).is_err() {
            return ConnectionAction::Continue;
        }
    }
    if let Fault::KeepAlive { pause } = fault
        && is_endless
    {
        loop {
            if stream.send_data(Bytes::from_static(COMMENT), false).is_err() {
                return ConnectionAction::Continue;
            }
            if timeout(*pause, poll_fn(|context| stream.poll_reset(context))).await.is_ok() {
                return ConnectionAction::Continue;
            }
        }
    }
    match (is_complete, fault, ending) {
        (_, Fault::GoAway { .. }, _) => ConnectionAction::GoAway,
        (true, ..) => ConnectionAction::Continue,
        (false, Fault::StreamReset(reset), _) => {
            stream.send_reset(Reason::from(reset.code));
            ConnectionAction::Continue
        }
        (false, _, ConnectionEnd::Stall) => {
            let _ = poll_fn(|context| stream.poll_reset(context)).await;
            ConnectionAction::Continue
        }
        (false, _, ConnectionEnd::Reset) => {
            stream.send_reset(Reason::CANCEL);
            ConnectionAction::Continue
        }
        (false, _, ConnectionEnd::Close) => ConnectionAction::Abort,
    }
}
