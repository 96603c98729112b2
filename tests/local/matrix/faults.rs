//! Faults: every fault that the local service offers, and the knowledge of the client after it.

use std::time::Duration;

use podqueue::ErrorKind;
use podqueue_local::Fault;

/// One way to suffer.
pub struct Suffering {
    pub name: &'static str,
    /// Which function of [`Fault`] makes it; none where it is no fault of a request.
    pub made_by: Option<&'static str>,
    pub fault: Option<Fault>,
    pub knows: Knows,
    /// True if it may continue when the call is over already: the request is processed later, or
    /// the service is still down.
    pub late: bool,
    /// True if the service processes the request that suffers.
    pub processed: bool,
}

/// Knowledge of the client after a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Knows {
    /// The true answer came, if late.
    All,
    /// It was not taken up.
    NotTaken,
    /// It did not even arrive.
    NotArrived,
    /// Nothing: it may have taken effect.
    Nothing,
    /// It was taken up, and the answer cannot be read.
    Unreadable,
    /// All but the output of a job.
    AllButOutput,
    /// A record came, and it is another job's.
    AnotherJobs,
    /// Something between here and the service refused it: it did not get there.
    Intercepted,
    /// An answer came that will not change.
    Final(ErrorKind),
}

/// Time for which the service refuses connections.
pub const DOWN: Duration = Duration::from_millis(30);

/// More than any timeout.
pub const LATE: Duration = Duration::from_secs(25);

/// Faults of a kind that takes more than one call to see: those have a test of their own.
pub const ELSEWHERE: [&str; 1] = ["out_of_step"];

pub fn all() -> Vec<Suffering> {
    use Knows::{
        All, AllButOutput, AnotherJobs, Final, Intercepted, NotArrived, NotTaken, Nothing,
        Unreadable,
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
    let with = |name, made_by, fault: Fault, knows, processed| Suffering {
        name,
        made_by: Some(made_by),
        fault: Some(fault),
        knows,
        late: matches!(made_by, "delay" | "down"),
        processed,
    };
    let (yes, no) = (true, false);
    vec![
        Suffering {
            name: "a refused connection",
            made_by: None,
            fault: None,
            knows: NotArrived,
            late: false,
            processed: no,
        },
        with("a service that goes down", "down", Fault::down(DOWN), Nothing, no),
        with("a delay", "delay", Fault::delay(moment), All, yes),
        // The service drops a request whose client has hung up.
        with("a delay beyond the timeout", "delay", Fault::delay(LATE), Nothing, no),
        with("a slow drip", "drip", Fault::drip(16, moment), All, yes),
        with("a drip beyond the timeout", "drip", Fault::drip(1, minute), Nothing, yes),
        with("a reset", "reset", Fault::reset(), Nothing, no),
        with("a lost answer", "lost_response", Fault::lost_response(), Nothing, yes),
        with("a reset after a byte", "reset_after", Fault::reset_after(1), Nothing, yes),
        with("a reset in the head", "reset_after", Fault::reset_after(40), Nothing, yes),
        with("a reset in the body", "reset_after", Fault::reset_after(in_the_body), Nothing, yes),
        with("a reset after it all", "reset_after", Fault::reset_after(1_000_000), All, yes),
        with("an empty answer", "truncated", Fault::truncated(0), Unreadable, yes),
        with("cut JSON", "truncated", Fault::truncated(9), Unreadable, yes),
        with("all of the JSON", "truncated", Fault::truncated(1_000_000), All, yes),
        with("a cut body", "cut", Fault::cut(9), Nothing, yes),
        with("a stall after the head", "stall", Fault::stall(), Nothing, yes),
        with("a repeated response", "duplicated", Fault::duplicated(), All, yes),
        with("another job's record", "foreign", Fault::foreign(), AnotherJobs, yes),
        with("numbers that are none", "nan", Fault::nan(), AllButOutput, yes),
        with("a byte order mark", "byte_order_mark", Fault::byte_order_mark(), All, yes),
        with("malformed JSON", "malformed", Fault::malformed(), Unreadable, yes),
        with("a gateway's page", "gateway", page(200).processed(), Unreadable, yes),
        with("429", "response", response(429, "{}"), NotTaken, no),
        with("429, at once again", "response", asking("0"), NotTaken, no),
        with("429, in a while again", "response", asking("7"), NotTaken, no),
        with("429, after a date", "response", asking(date), NotTaken, no),
        with("429, by a clock that is ahead", "response", at(ahead, soon), NotTaken, no),
        with(
            "429, after too long by a clock that is behind",
            "response",
            at(behind, late),
            Final(ErrorKind::RateLimited),
            no,
        ),
        with("429, after too long", "response", asking("121"), Final(ErrorKind::RateLimited), no),
        with("408", "response", response(408, "{}"), Nothing, no),
        with("425", "response", response(425, "{}"), Nothing, no),
        with("500", "response", response(500, "{}"), Nothing, no),
        with("500, processed", "response", response(500, "{}").processed(), Nothing, yes),
        with("502", "gateway", page(502), Nothing, no),
        with("502, processed", "gateway", page(502).processed(), Nothing, yes),
        with("503", "response", response(503, "").header("retry-after", "2"), Nothing, no),
        with("504, processed", "gateway", page(504).processed(), Nothing, yes),
        with("524, processed", "gateway", page(524).processed(), Nothing, yes),
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
