//! HTTP/1 connections of the peer, byte by byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

use super::response::{WireAction, content, delivery, takes_effect};
use super::state::{AttemptOutcome, SharedPeer, reset_on_drop};
use crate::client::plan::{ConnectionEnd, EchoLocation, Fault};
use crate::client::service::{Reply, Request};

/// Serves one connection to its end.
pub(super) async fn serve(peer: &SharedPeer, mut stream: TcpStream, number: usize) {
    let mut buffer = Vec::new();
    let mut desynced = false;
    while let Some((target, body_length)) = next_head(&mut stream, &mut buffer).await {
        let mut connection = Connection { peer, stream: &mut stream, number, desynced };
        match connection.exchange(&target, body_length, &mut buffer).await {
            Some(is_desynced) => desynced = is_desynced,
            None => return,
        }
    }
}

struct Connection<'a> {
    peer: &'a SharedPeer,
    stream: &'a mut TcpStream,
    number: usize,
    desynced: bool,
}

impl Connection<'_> {
    /// Serves one request. Returns true if the connection is desynchronized, or `None` when it has
    /// ended.
    async fn exchange(
        &mut self,
        target: &str,
        body_length: usize,
        buffer: &mut Vec<u8>,
    ) -> Option<bool> {
        // The fault depends on the operation, which for GraphQL depends on the body.
        while buffer.len() < body_length {
            read_more(self.stream, buffer).await?;
        }
        let body: Vec<u8> = buffer.drain(..body_length).collect();
        let request = Request::new(target, &String::from_utf8_lossy(&body))?;
        let (index, fault) = self.arrive(&request);
        let desynced = self.respond(&request, index, &fault, buffer).await;
        self.peer.lock().transcript.ended(index);
        desynced
    }

    fn arrive(&self, request: &Request) -> (usize, Fault) {
        let mut state = self.peer.lock();
        let fault = state.next_fault(request.operation);
        let index = state.transcript.arrived(self.number, request, &fault);
        state.transcript.arrivals[index].desynced = self.desynced;
        self.peer.count(index);
        (index, fault)
    }

    async fn respond(
        &mut self,
        request: &Request,
        index: usize,
        fault: &Fault,
        buffer: &mut Vec<u8>,
    ) -> Option<bool> {
        if let Fault::Discard(ending) = fault {
            return self.end(*ending).await;
        }
        let mut is_closed = false;
        if let Fault::Delay { by, effect_delayed: true } = fault {
            let until = Instant::now() + *by;
            is_closed = self.closes_before(until).await;
            if is_closed {
                // The request takes effect nevertheless.
                self.peer.lock().transcript.abandoned(index);
                sleep_until(until).await;
            }
        }
        let reply = takes_effect(fault).then(|| apply(self.peer, request, index, fault));
        if let Fault::Delay { by, effect_delayed: false } = fault {
            is_closed = self.closes_before(Instant::now() + *by).await;
        }
        if is_closed {
            return None;
        }
        let reply = match reply {
            Some(Reply { not_before: Some(until), new_job: Some(id), .. })
                if !matches!(fault, Fault::EchoSecret(_)) =>
            {
                if self.closes_before(until).await {
                    return None;
                }
                Some(self.peer.lock().service.after_wait(&id, until))
            }
            reply => reply,
        };
        let delivery = delivery(fault, &content(fault, request, reply.as_ref()));
        if delivery.outcome != AttemptOutcome::Success {
            self.peer.lock().transcript.arrivals[index].outcome = delivery.outcome;
        }
        for action in delivery.actions {
            match action {
                WireAction::Write(bytes) => self.stream.write_all(&bytes).await.ok()?,
                WireAction::Pause(pause) => {
                    if self.closes_before(Instant::now() + pause).await {
                        return None;
                    }
                }
                WireAction::Repeat(bytes, pause) => loop {
                    self.stream.write_all(&bytes).await.ok()?;
                    if self.closes_before(Instant::now() + pause).await {
                        return None;
                    }
                },
                WireAction::Idle(pause) => {
                    // The response is complete. The next one is unsolicited.
                    self.peer.lock().transcript.responded(index, delivery.outcome);
                    match timeout(pause, read_more(self.stream, buffer)).await {
                        Ok(Some(())) => break,
                        Ok(None) => return None,
                        Err(_) => {}
                    }
                }
            }
        }
        self.peer.lock().transcript.arrivals[index].outcome = delivery.outcome;
        match delivery.ending {
            Some(ending) => self.end(ending).await,
            None => Some(self.desynced | delivery.desynced),
        }
    }

    async fn end(&mut self, ending: ConnectionEnd) -> Option<bool> {
        match ending {
            ConnectionEnd::Close => {}
            ConnectionEnd::Reset => reset_on_drop(self.stream),
            ConnectionEnd::Stall => {
                let mut ignored = Vec::new();
                while read_more(self.stream, &mut ignored).await.is_some() {}
            }
        }
        None
    }

    /// Waits until then. Returns true if the client closes the connection before.
    async fn closes_before(&mut self, until: Instant) -> bool {
        let mut ignored = Vec::new();
        tokio::select! {
            biased;
            more = read_more(self.stream, &mut ignored) => more.is_none(),
            () = sleep_until(until) => false,
        }
    }
}

/// Applies a request to the service.
pub(super) fn apply(peer: &SharedPeer, request: &Request, index: usize, fault: &Fault) -> Reply {
    let mut state = peer.lock();
    state.transcript.arrivals[index].took_effect = true;
    let reply = state.service.apply(request, Instant::now());
    // The reported failure of the job becomes true.
    if let Fault::EchoSecret(echo) = fault
        && echo.location == EchoLocation::JobFailure
        && let Some(job) = reply.new_job.as_ref().and_then(|id| state.service.jobs.get_mut(id))
    {
        job.fail_at_once();
    }
    reply
}

/// Reads the head of the next request. Returns its target and the length of its body.
async fn next_head(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, usize)> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end;
        }
        read_more(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    buffer.drain(..end + 4);
    let mut lines = head.lines();
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok());
    Some((target, length.unwrap_or(0)))
}

async fn read_more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let mut bytes = [0; 16 * 1024];
    let count = stream.read(&mut bytes).await.ok().filter(|count| *count > 0)?;
    buffer.extend_from_slice(&bytes[..count]);
    Some(())
}
