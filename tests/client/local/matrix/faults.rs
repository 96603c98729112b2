//! Faults: every fault that the local service offers, and the knowledge of the client after it.

use std::time::Duration;

use podqueue::ErrorKind;
use podqueue_local::Fault;

/// Fault case: a fault, and its expected consequences.
pub struct FaultCase {
    pub name: &'static str,
    /// The constructor of [`Fault`] that returns it; `None` if it is no fault of a request.
    pub constructor: Option<&'static str>,
    pub fault: Option<Fault>,
    pub outcome: ClientOutcome,
    /// True if the fault may continue after the end of the call: the request is processed later, or
    /// the service is still down.
    pub outlasts_call: bool,
    /// True if the service processes the faulty request.
    pub processed: bool,
}

/// Outcome as the client can know it after a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClientOutcome {
    /// The real response arrived, perhaps late.
    Response,
    /// The request was rejected before it was processed.
    Rejected,
    /// The request did not arrive.
    NeverSent,
    /// Nothing is known: the request may have taken effect.
    Ambiguous,
    /// The request was processed, and the response cannot be read.
    Unreadable,
    /// The response is readable except for the output of a job.
    UnreadableOutput,
    /// The response is the record of another job.
    ForeignRecord,
    /// An intermediary refused the request: it did not reach the service.
    Intercepted,
    /// The response is final.
    Final(ErrorKind),
}

/// Time for which the service refuses connections.
pub const DOWNTIME: Duration = Duration::from_millis(30);

/// Delay beyond any timeout.
pub const LONG_DELAY: Duration = Duration::from_secs(25);

/// Faults that more than one call is needed to observe: they have separate tests.
pub const TESTED_ELSEWHERE: [&str; 1] = ["out_of_step"];

pub fn all() -> Vec<FaultCase> {
    use ClientOutcome::{
        Ambiguous, Final, ForeignRecord, Intercepted, NeverSent, Rejected, Response, Unreadable,
        UnreadableOutput,
    };
    let moment = Duration::from_millis(5);
    let minute = Duration::from_secs(60);
    // A head is some 130 bytes long, and no body shorter than ten.
    let in_the_body = 140;
    let response = Fault::response;
    let asking = |time| response(429, "{}").header("retry-after", time);
    let page = Fault::gateway;
    // By the clock of a service that is decades ahead, or behind.
    let at = |now, again| response(429, "{}").header("date", now).header("retry-after", again);
    let (ahead, soon) = ("Thu, 01 Jan 2099 00:00:00 GMT", "Thu, 01 Jan 2099 00:00:03 GMT");
    let (behind, late) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:59:37 GMT");
    let far = "https://h.example/";
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let with = |name, constructor, fault: Fault, outcome, processed| FaultCase {
        name,
        constructor: Some(constructor),
        fault: Some(fault),
        outcome,
        outlasts_call: matches!(constructor, "delay" | "down"),
        processed,
    };
    let (yes, no) = (true, false);
    vec![
        FaultCase {
            name: "a refused connection",
            constructor: None,
            fault: None,
            outcome: NeverSent,
            outlasts_call: false,
            processed: no,
        },
        with("a service that goes down", "down", Fault::down(DOWNTIME), Ambiguous, no),
        with("a delay", "delay", Fault::delay(moment), Response, yes),
        // The service drops a request whose client has hung up.
        with("a delay beyond the timeout", "delay", Fault::delay(LONG_DELAY), Ambiguous, no),
        with("a slow drip", "drip", Fault::drip(16, moment), Response, yes),
        with("a drip beyond the timeout", "drip", Fault::drip(1, minute), Ambiguous, yes),
        with("a reset", "reset", Fault::reset(), Ambiguous, no),
        with("a lost answer", "lost_response", Fault::lost_response(), Ambiguous, yes),
        with("a reset after a byte", "reset_after", Fault::reset_after(1), Ambiguous, yes),
        with("a reset in the head", "reset_after", Fault::reset_after(40), Ambiguous, yes),
        with("a reset in the body", "reset_after", Fault::reset_after(in_the_body), Ambiguous, yes),
        with("a reset after it all", "reset_after", Fault::reset_after(1_000_000), Response, yes),
        with("an empty answer", "truncated", Fault::truncated(0), Unreadable, yes),
        with("cut JSON", "truncated", Fault::truncated(9), Unreadable, yes),
        with("all of the JSON", "truncated", Fault::truncated(1_000_000), Response, yes),
        with("a cut body", "cut", Fault::cut(9), Ambiguous, yes),
        with("a stall after the head", "stall", Fault::stall(), Ambiguous, yes),
        with("a repeated response", "duplicated", Fault::duplicated(), Response, yes),
        with("another job's record", "foreign", Fault::foreign(), ForeignRecord, yes),
        with("numbers that are none", "nan", Fault::nan(), UnreadableOutput, yes),
        with("a byte order mark", "byte_order_mark", Fault::byte_order_mark(), Response, yes),
        with("malformed JSON", "malformed", Fault::malformed(), Unreadable, yes),
        with("a gateway's page", "gateway", page(200).processed(), Unreadable, yes),
        with("429", "response", response(429, "{}"), Rejected, no),
        with("429, at once again", "response", asking("0"), Rejected, no),
        with("429, in a while again", "response", asking("7"), Rejected, no),
        with("429, after a date", "response", asking(date), Rejected, no),
        with("429, by a clock that is ahead", "response", at(ahead, soon), Rejected, no),
        with(
            "429, after too long by a clock that is behind",
            "response",
            at(behind, late),
            Final(ErrorKind::RateLimited),
            no,
        ),
        with("429, after too long", "response", asking("121"), Final(ErrorKind::RateLimited), no),
        with("408", "response", response(408, "{}"), Ambiguous, no),
        with("425", "response", response(425, "{}"), Ambiguous, no),
        with("500", "response", response(500, "{}"), Ambiguous, no),
        with("500, processed", "response", response(500, "{}").processed(), Ambiguous, yes),
        with("502", "gateway", page(502), Ambiguous, no),
        with("502, processed", "gateway", page(502).processed(), Ambiguous, yes),
        with("503", "response", response(503, "").header("retry-after", "2"), Ambiguous, no),
        with("504, processed", "gateway", page(504).processed(), Ambiguous, yes),
        with("524, processed", "gateway", page(524).processed(), Ambiguous, yes),
        with("400", "response", response(400, "{}"), Final(ErrorKind::BadRequest), no),
        with("401", "response", response(401, "{}"), Final(ErrorKind::Unauthorized), no),
        with("403", "response", response(403, "{}"), Final(ErrorKind::UnexpectedStatus), no),
        with("403, a page", "gateway", page(403), Intercepted, no),
        with("404, a page", "gateway", page(404), Intercepted, no),
        with("501", "response", response(501, "{}"), Final(ErrorKind::Server), no),
        with("302", "redirect", Fault::redirect(302, far), Final(ErrorKind::Redirect), no),
        with("307", "redirect", Fault::redirect(307, far), Final(ErrorKind::Redirect), no),
    ]
}
