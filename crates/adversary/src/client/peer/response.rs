//! Response with its fault applied: its content (status, headers, body), and its delivery as the
//! sequence of writes and pauses on an HTTP/1 connection.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::state::AttemptOutcome;
use crate::client::leaks::Encoding;
use crate::client::plan::{
    CannedBody, CannedResponse, ConnectionEnd, EchoLocation, Fault, Malformation, RetryAfter,
    SecretEcho,
};
use crate::client::service::{EVENT_STREAM, Operation, Reply, Request};

/// Content of a response.
pub(super) struct Content {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    /// Outcome of the attempt if the client receives the complete response.
    pub(super) outcome: AttemptOutcome,
}

impl Content {
    pub(super) fn is_event_stream(&self) -> bool {
        self.headers.iter().any(|(_, value)| value == EVENT_STREAM)
    }
}

/// Returns true if a request takes effect under this fault.
pub(super) fn takes_effect(fault: &Fault) -> bool {
    match fault {
        Fault::Respond(canned) => canned.takes_effect,
        Fault::EchoSecret(echo) => echo.location == EchoLocation::JobFailure,
        Fault::Discard(_) => false,
        Fault::StreamReset(reset) => reset.takes_effect,
        _ => true,
    }
}

/// Returns the content of the response. `reply` is the service's own where the request took effect.
pub(super) fn content(fault: &Fault, request: &Request, reply: Option<&Reply>) -> Content {
    match fault {
        Fault::Respond(response) => canned(response),
        Fault::EchoSecret(echo) => echo_secret(echo, request, reply),
        Fault::Malformed(malformation) => malformed(*malformation, request, faithful(reply)),
        Fault::WrongRecord => wrong_record(request, faithful(reply)),
        _ => faithful(reply),
    }
}

fn faithful(reply: Option<&Reply>) -> Content {
    let Some(reply) = reply else {
        return json_content(500, b"{}".to_vec(), AttemptOutcome::Rejected);
    };
    let outcome = if (200..300).contains(&reply.status) {
        AttemptOutcome::Success
    } else {
        AttemptOutcome::Rejected
    };
    let headers = vec![("content-type", reply.content_type.to_owned())];
    Content { status: reply.status, headers, body: reply.body.clone().into_bytes(), outcome }
}

fn json_content(status: u16, body: Vec<u8>, outcome: AttemptOutcome) -> Content {
    let headers = vec![("content-type", "application/json".to_owned())];
    Content { status, headers, body, outcome }
}

fn canned(canned: &CannedResponse) -> Content {
    let CannedResponse { status, body: text, retry_after, .. } = canned;
    let outcome = match status {
        429 => AttemptOutcome::NotProcessed,
        // A 5xx does not reveal whether the request took effect.
        500 | 502.. => AttemptOutcome::Unknown,
        200..300 if !matches!(text, CannedBody::Graphql(_)) => AttemptOutcome::Unknown,
        _ => AttemptOutcome::Rejected,
    };
    let (kind, body) = match text {
        CannedBody::Json(text) => ("application/json", json!({ "error": text }).to_string()),
        CannedBody::Html => (
            "text/html",
            format!("<html><head><title>{status} from a gateway</title></head></html>"),
        ),
        CannedBody::Plain(text) => ("text/plain", (*text).to_owned()),
        CannedBody::Empty => ("text/plain", String::new()),
        CannedBody::Problem => (
            "application/problem+json",
            json!({ "title": "a problem", "status": status }).to_string(),
        ),
        CannedBody::Graphql(text) => (
            "application/json",
            json!({ "errors": [{ "message": text }], "data": null }).to_string(),
        ),
    };
    let mut headers = vec![("content-type", kind.to_owned())];
    if (300..400).contains(status) {
        headers.push(("location", "http://other.example/".to_owned()));
    }
    if let Some(after) = retry_after {
        headers.extend(retry_after_headers(*after));
    }
    // A 304 has no body.
    let body = if *status == 304 { String::new() } else { body };
    Content { status: *status, headers, body: body.into_bytes(), outcome }
}

fn retry_after_headers(after: RetryAfter) -> Vec<(&'static str, String)> {
    match after {
        RetryAfter::Seconds(seconds) => vec![("retry-after", seconds.to_string())],
        RetryAfter::Nonsense => vec![("retry-after", "soon, perhaps".to_owned())],
        RetryAfter::Date { from_now, off } => {
            let off_by = Duration::from_secs(off.unsigned_abs());
            let now = SystemTime::now();
            let its_now = if off < 0 { now - off_by } else { now + off_by };
            let date = httpdate::fmt_http_date(its_now + Duration::from_secs(from_now));
            vec![("date", httpdate::fmt_http_date(its_now)), ("retry-after", date)]
        }
    }
}

fn malformed(malformation: Malformation, request: &Request, mut content: Content) -> Content {
    let was_success = content.outcome == AttemptOutcome::Success;
    let text = String::from_utf8_lossy(&content.body).into_owned();
    let replaced = |body: &str| body.as_bytes().to_vec();
    match malformation {
        Malformation::ByteOrderMark => content.body = format!("\u{feff}{text}").into_bytes(),
        Malformation::NotANumber if text.contains("\"status\":") => {
            content.body =
                text.replacen("\"status\":", "\"score\":NaN,\"status\":", 1).into_bytes();
        }
        Malformation::DuplicateId if text.starts_with("{\"id\":") => {
            content.body = text.replacen('{', "{\"id\":\"unknown-job\",", 1).into_bytes();
        }
        Malformation::NoStatus if text.contains("\"status\":") => {
            content.body = text.replacen("\"status\":", "\"state\":", 1).into_bytes();
        }
        Malformation::Html => {
            content.headers = vec![("content-type", "text/html".to_owned())];
            content.body = replaced("<html><head><title>Please log in</title></head></html>");
        }
        Malformation::Empty => content.body.clear(),
        Malformation::NoContent => (content.status, content.body) = (204, Vec::new()),
        Malformation::OtherShape => {
            content.body = replaced(if text.starts_with('{') { "[1, 2]" } else { "{\"a\": 1}" });
        }
        Malformation::Trailing => content.body.extend_from_slice(b"\n<!-- served by a cache -->"),
        Malformation::Encoded => {
            content.headers.push(("content-encoding", "br".to_owned()));
            content.body.iter_mut().for_each(|byte| *byte = !*byte);
        }
        Malformation::NoData if request.operation.is_graphql() => content.body = replaced("{}"),
        _ => return content,
    }
    if was_success {
        content.outcome = AttemptOutcome::Unknown;
    }
    content
}

fn wrong_record(request: &Request, content: Content) -> Content {
    if content.outcome != AttemptOutcome::Success {
        return content;
    }
    let record = json!({ "id": "another-job", "status": "COMPLETED", "output": {
        "call": 0, "job": "another-job"
    } });
    let body = match request.operation {
        Operation::Status | Operation::Cancel | Operation::Retry | Operation::Stream => record,
        Operation::Run | Operation::RunSync | Operation::Purge => {
            json!({ "jobs": {}, "workers": {} })
        }
        Operation::Health => record,
        // These responses contain nothing that identifies their request.
        Operation::Requests | Operation::Openai => return content,
        Operation::Rest => json!([]),
        _ => json!({ "data": { "podStop": null } }),
    };
    json_content(200, body.to_string().into_bytes(), AttemptOutcome::Unknown)
}

fn echo_secret(echo: &SecretEcho, request: &Request, reply: Option<&Reply>) -> Content {
    let canaries = request.canaries();
    let canary = canaries[usize::from(echo.canary) % canaries.len()];
    let in_json = echo.encoding.in_json(canary);
    let in_text = echo.encoding.in_text(canary);
    let outcome =
        if echo.status >= 500 { AttemptOutcome::Unknown } else { AttemptOutcome::Rejected };
    let content = |status, kind: &str, body: String, outcome| Content {
        status,
        headers: vec![("content-type", kind.to_owned())],
        body: body.into_bytes(),
        outcome,
    };
    let json = "application/json";
    match echo.location {
        EchoLocation::JsonError => {
            content(echo.status, json, format!("{{\"error\":\"you sent {in_json}\"}}"), outcome)
        }
        EchoLocation::HtmlTitle => content(
            echo.status,
            "text/html",
            format!("<html><head><title>Refused: {in_text}</title></head></html>"),
            outcome,
        ),
        EchoLocation::Plain => {
            content(echo.status, "text/plain", format!("refused {in_text}"), outcome)
        }
        EchoLocation::GraphqlMessage => {
            let status = if echo.status == 400 { 400 } else { 200 };
            let body =
                format!("{{\"data\":null,\"errors\":[{{\"message\":\"bad value {in_json}\"}}]}}");
            content(status, json, body, AttemptOutcome::Rejected)
        }
        EchoLocation::GraphqlExtension => {
            let body = format!(
                "{{\"data\":null,\"errors\":[{{\"message\":\"bad value\",\
                 \"extensions\":{{\"value\":\"{in_json}\"}}}}]}}"
            );
            content(200, json, body, AttemptOutcome::Rejected)
        }
        EchoLocation::WrongType => {
            let field = match request.operation {
                Operation::Health => "jobs",
                Operation::Rest => "env",
                operation if operation.is_graphql() => "data",
                Operation::Stream => "stream",
                _ => "delayTime",
            };
            let body = format!("{{\"{field}\":\"{in_json}\"}}");
            content(200, json, body, AttemptOutcome::Unknown)
        }
        EchoLocation::JobFailure => {
            let id = reply.and_then(|reply| reply.new_job.clone()).unwrap_or_default();
            let body = format!(
                "{{\"id\":\"{id}\",\"status\":\"FAILED\",\"error\":\"no access with {in_json}\"}}"
            );
            content(200, json, body, AttemptOutcome::Success)
        }
        EchoLocation::Location => {
            let mut content = content(302, "text/html", String::new(), AttemptOutcome::Rejected);
            let percent = Encoding::PercentUpper.in_text(canary);
            content.headers.push(("location", format!("http://other.example/?was={percent}")));
            content
        }
    }
}

/// Delivery of a response on an HTTP/1 connection.
pub(super) struct Delivery {
    pub(super) actions: Vec<WireAction>,
    /// End of the connection, or `None` where it continues.
    pub(super) ending: Option<ConnectionEnd>,
    pub(super) outcome: AttemptOutcome,
    /// Later responses on this connection may be matched with the wrong request.
    pub(super) desynced: bool,
}

pub(super) enum WireAction {
    Write(Vec<u8>),
    Pause(Duration),
    /// Writes the bytes repeatedly, with a pause after each time, until the client closes the
    /// connection.
    Repeat(Vec<u8>, Duration),
    /// Waits, and skips the remaining actions if another request arrives.
    Idle(Duration),
}

pub(super) fn delivery(fault: &Fault, content: &Content) -> Delivery {
    let complete = framed(content);
    let mut delivery =
        Delivery { actions: Vec::new(), ending: None, outcome: content.outcome, desynced: false };
    match *fault {
        Fault::Truncate { at, ending } => {
            let end = part(&complete, at);
            delivery.ending = Some(ending);
            // The head alone identifies an error response.
            let head_is_complete = end >= head(content, Framing::Length).len();
            if content.outcome == AttemptOutcome::Success || !head_is_complete {
                delivery.outcome = AttemptOutcome::Unknown;
            }
            delivery.actions.push(WireAction::Write(complete[..end].to_vec()));
        }
        Fault::Fragment { count, pause } => {
            for piece in complete.chunks(complete.len().div_ceil(usize::from(count.max(1)))) {
                delivery.actions.push(WireAction::Write(piece.to_vec()));
                delivery.actions.push(WireAction::Pause(pause));
            }
            // No pause after the last fragment.
            delivery.actions.pop();
        }
        Fault::Duplicate => {
            delivery.actions.push(WireAction::Write([complete.as_slice(), &complete].concat()));
            delivery.desynced = true;
        }
        Fault::Unsolicited { after } => {
            delivery.actions = vec![
                WireAction::Write(complete.clone()),
                WireAction::Idle(after),
                WireAction::Write(complete),
            ];
            delivery.desynced = true;
        }
        Fault::EndAfter(ending) => {
            delivery.actions.push(WireAction::Write(complete));
            delivery.ending = Some(ending);
        }
        Fault::Informational(status) => {
            let first = format!("HTTP/1.1 {status} Wait\r\n\r\n");
            delivery.actions.push(WireAction::Write([first.as_bytes(), &complete].concat()));
        }
        Fault::Chunked => {
            let mut bytes = head(content, Framing::Chunked).into_bytes();
            content.body.chunks(7).for_each(|piece| bytes.extend(chunk(piece)));
            bytes.extend_from_slice(b"0\r\n\r\n");
            delivery.actions.push(WireAction::Write(bytes));
        }
        Fault::KeepAlive { pause } if content.is_event_stream() => {
            let mut bytes = head(content, Framing::Chunked).into_bytes();
            bytes.extend(chunk(&content.body));
            delivery.outcome = AttemptOutcome::Unknown;
            delivery.actions =
                vec![WireAction::Write(bytes), WireAction::Repeat(chunk(COMMENT), pause)];
        }
        Fault::CloseDelimited { at } => {
            let mut bytes = head(content, Framing::Close).into_bytes();
            bytes.extend_from_slice(&content.body[..part(&content.body, at)]);
            if at < 1_000 && content.outcome == AttemptOutcome::Success {
                delivery.outcome = AttemptOutcome::Unknown;
            }
            delivery.actions.push(WireAction::Write(bytes));
            delivery.ending = Some(ConnectionEnd::Close);
        }
        _ => delivery.actions.push(WireAction::Write(complete)),
    }
    delivery
}

/// Keep-alive comment of an event stream.
pub(super) const COMMENT: &[u8] = b": still here\n\n";

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

/// Returns the number of bytes in this share, which is fewer than all.
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
        // Responses of these statuses have neither body nor length.
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
    fn a_truncated_response_is_never_complete() {
        let content = Content {
            status: 200,
            headers: Vec::new(),
            body: b"{}".to_vec(),
            outcome: AttemptOutcome::Success,
        };
        for at in [0, 500, 999] {
            let truncated =
                delivery(&Fault::Truncate { at, ending: ConnectionEnd::Close }, &content);
            let Some(WireAction::Write(bytes)) = truncated.actions.first() else {
                panic!("something is written")
            };
            assert!(bytes.len() < framed(&content).len());
            assert_eq!(truncated.outcome, AttemptOutcome::Unknown);
        }
    }
}
