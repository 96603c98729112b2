//! HTTP/1, byte by byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

use super::content::{acts, content};
use super::delivery::{Act, delivery};
use super::transcript::Fate;
use super::world::{World, reset};
use crate::plan::{Ending, Fault, Place};
use crate::service::{Reply, Request};

/// Serves one connection to its end.
pub(super) async fn serve(world: &World, mut stream: TcpStream, number: usize) {
    let mut buffer = Vec::new();
    let mut out_of_step = false;
    while let Some((target, body_length)) = next_head(&mut stream, &mut buffer).await {
        let mut connection = Connection { world, stream: &mut stream, number, out_of_step };
        match connection.exchange(&target, body_length, &mut buffer).await {
            Some(is_out_of_step) => out_of_step = is_out_of_step,
            None => return,
        }
    }
}

struct Connection<'a> {
    world: &'a World,
    stream: &'a mut TcpStream,
    number: usize,
    out_of_step: bool,
}

impl Connection<'_> {
    /// One request and its response; `None` where the connection is over.
    async fn exchange(
        &mut self,
        target: &str,
        body_length: usize,
        buffer: &mut Vec<u8>,
    ) -> Option<bool> {
        // What is asked for decides what happens to it, and may stand in the body.
        while buffer.len() < body_length {
            read_more(self.stream, buffer).await?;
        }
        let body: Vec<u8> = buffer.drain(..body_length).collect();
        let request = Request::new(target, &String::from_utf8_lossy(&body))?;
        let (place, fault) = self.arrive(&request);
        let next = self.answer(&request, place, &fault, buffer).await;
        self.world.lock().transcript.left(place);
        next
    }

    fn arrive(&self, request: &Request) -> (usize, Fault) {
        let mut inner = self.world.lock();
        let fault = inner.next_fault(request.operation);
        let place = inner.transcript.arrived(self.number, request, &fault);
        inner.transcript.arrivals[place].lied = self.out_of_step;
        self.world.count(place);
        (place, fault)
    }

    async fn answer(
        &mut self,
        request: &Request,
        place: usize,
        fault: &Fault,
        buffer: &mut Vec<u8>,
    ) -> Option<bool> {
        if let Fault::Unheard(ending) = fault {
            return self.end(*ending).await;
        }
        let mut is_gone = false;
        if let Fault::Late { by, acts_late: true } = fault {
            let until = Instant::now() + *by;
            is_gone = self.is_gone_within(until).await;
            if is_gone {
                // It takes effect all the same.
                self.world.lock().transcript.is_alone(place);
                sleep_until(until).await;
            }
        }
        let reply = acts(fault).then(|| act(self.world, request, place, fault));
        if let Fault::Late { by, acts_late: false } = fault {
            is_gone = self.is_gone_within(Instant::now() + *by).await;
        }
        if is_gone {
            return None;
        }
        let reply = match reply {
            Some(Reply { not_before: Some(until), new_job: Some(id), .. })
                if !matches!(fault, Fault::Echo(_)) =>
            {
                if self.is_gone_within(until).await {
                    return None;
                }
                Some(self.world.lock().service.after_wait(&id, until))
            }
            reply => reply,
        };
        let delivery = delivery(fault, &content(fault, request, reply.as_ref()));
        if delivery.fate != Fate::Success {
            self.world.lock().transcript.arrivals[place].fate = delivery.fate;
        }
        for act in delivery.acts {
            match act {
                Act::Write(bytes) => self.stream.write_all(&bytes).await.ok()?,
                Act::Pause(pause) => {
                    if self.is_gone_within(Instant::now() + pause).await {
                        return None;
                    }
                }
                Act::Repeat(bytes, pause) => loop {
                    self.stream.write_all(&bytes).await.ok()?;
                    if self.is_gone_within(Instant::now() + pause).await {
                        return None;
                    }
                },
                Act::Idle(pause) => {
                    // The response is whole; what follows is nobody's.
                    self.world.lock().transcript.is_answered(place, delivery.fate);
                    match timeout(pause, read_more(self.stream, buffer)).await {
                        Ok(Some(())) => break,
                        Ok(None) => return None,
                        Err(_) => {}
                    }
                }
            }
        }
        self.world.lock().transcript.arrivals[place].fate = delivery.fate;
        match delivery.ending {
            Some(ending) => self.end(ending).await,
            None => Some(self.out_of_step | delivery.out_of_step),
        }
    }

    async fn end(&mut self, ending: Ending) -> Option<bool> {
        match ending {
            Ending::Close => {}
            Ending::Reset => reset(self.stream),
            Ending::Stall => {
                let mut ignored = Vec::new();
                while read_more(self.stream, &mut ignored).await.is_some() {}
            }
        }
        None
    }

    /// Whether the client closes the connection before.
    async fn is_gone_within(&mut self, until: Instant) -> bool {
        let mut ignored = Vec::new();
        tokio::select! {
            biased;
            more = read_more(self.stream, &mut ignored) => more.is_none(),
            () = sleep_until(until) => false,
        }
    }
}

/// The request takes effect now.
pub(super) fn act(world: &World, request: &Request, place: usize, fault: &Fault) -> Reply {
    let mut inner = world.lock();
    inner.transcript.arrivals[place].acted = true;
    let reply = inner.service.act(request, Instant::now());
    // What is told of the job becomes true.
    if let Fault::Echo(echo) = fault
        && echo.place == Place::JobFailure
        && let Some(job) = reply.new_job.as_ref().and_then(|id| inner.service.jobs.get_mut(id))
    {
        job.fail_at_once();
    }
    reply
}

/// The target of the next request, and the length of its body.
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
