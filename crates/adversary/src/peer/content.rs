//! What a response says: status, headers and body, whatever becomes of its bytes.

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::transcript::Fate;
use crate::operation::Operation;
use crate::plan::{Answer, Echo, Fault, Garble, Place, RetryAfter, Words};
use crate::service::{EVENT_STREAM, Reply, Request};

pub(super) struct Content {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    /// What the client can know where it gets all of it.
    pub(super) fate: Fate,
}

impl Content {
    pub(super) fn is_event_stream(&self) -> bool {
        self.headers.iter().any(|(_, value)| value == EVENT_STREAM)
    }
}

/// Whether a request takes effect under this fault.
pub(super) fn acts(fault: &Fault) -> bool {
    match fault {
        Fault::Answer(answer) => answer.acts,
        Fault::Echo(echo) => echo.place == Place::JobFailure,
        Fault::Unheard(_) => false,
        Fault::Reset(reset) => reset.acts,
        _ => true,
    }
}

/// What is answered; `reply` is there where the request took effect.
pub(super) fn content(fault: &Fault, request: &Request, reply: Option<&Reply>) -> Content {
    match fault {
        Fault::Answer(answer) => answered(answer),
        Fault::Echo(echo) => echoed(echo, request, reply),
        Fault::Garbled(garble) => garbled(*garble, request, honest(reply)),
        Fault::Foreign => foreign(request, honest(reply)),
        _ => honest(reply),
    }
}

fn honest(reply: Option<&Reply>) -> Content {
    let Some(reply) = reply else { return json_content(500, b"{}".to_vec(), Fate::Refused) };
    let fate = if (200..300).contains(&reply.status) { Fate::Success } else { Fate::Refused };
    let headers = vec![("content-type", reply.kind.to_owned())];
    Content { status: reply.status, headers, body: reply.body.clone().into_bytes(), fate }
}

fn json_content(status: u16, body: Vec<u8>, fate: Fate) -> Content {
    let headers = vec![("content-type", "application/json".to_owned())];
    Content { status, headers, body, fate }
}

fn answered(answer: &Answer) -> Content {
    let Answer { status, words, retry_after, .. } = answer;
    let fate = match status {
        429 => Fate::NotTaken,
        // An outage that is told after the request was taken up is like one that is told before.
        500 | 502.. => Fate::Unknown,
        200..300 if !matches!(words, Words::Graphql(_)) => Fate::Unknown,
        _ => Fate::Refused,
    };
    let (kind, body) = match words {
        Words::Json(text) => ("application/json", json!({ "error": text }).to_string()),
        Words::Html => (
            "text/html",
            format!("<html><head><title>{status} from a gateway</title></head></html>"),
        ),
        Words::Plain(text) => ("text/plain", (*text).to_owned()),
        Words::Empty => ("text/plain", String::new()),
        Words::Problem => (
            "application/problem+json",
            json!({ "title": "a problem", "status": status }).to_string(),
        ),
        Words::Graphql(text) => (
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
    Content { status: *status, headers, body: body.into_bytes(), fate }
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

fn garbled(garble: Garble, request: &Request, mut content: Content) -> Content {
    let fits_garble = content.fate == Fate::Success;
    let text = String::from_utf8_lossy(&content.body).into_owned();
    let replaced = |body: &str| body.as_bytes().to_vec();
    match garble {
        Garble::ByteOrderMark => content.body = format!("\u{feff}{text}").into_bytes(),
        Garble::NotANumber if text.contains("\"status\":") => {
            content.body =
                text.replacen("\"status\":", "\"score\":NaN,\"status\":", 1).into_bytes();
        }
        Garble::DuplicateId if text.starts_with("{\"id\":") => {
            content.body = text.replacen('{', "{\"id\":\"job-of-nobody\",", 1).into_bytes();
        }
        Garble::NoStatus if text.contains("\"status\":") => {
            content.body = text.replacen("\"status\":", "\"state\":", 1).into_bytes();
        }
        Garble::Html => {
            content.headers = vec![("content-type", "text/html".to_owned())];
            content.body = replaced("<html><head><title>Please log in</title></head></html>");
        }
        Garble::Empty => content.body.clear(),
        Garble::NoContent => (content.status, content.body) = (204, Vec::new()),
        Garble::OtherShape => {
            content.body = replaced(if text.starts_with('{') { "[1, 2]" } else { "{\"a\": 1}" });
        }
        Garble::Trailing => content.body.extend_from_slice(b"\n<!-- served by a cache -->"),
        Garble::Encoded => {
            content.headers.push(("content-encoding", "br".to_owned()));
            content.body.iter_mut().for_each(|byte| *byte = !*byte);
        }
        Garble::NoData if request.operation.is_graphql() => content.body = replaced("{}"),
        _ => return content,
    }
    if fits_garble {
        content.fate = Fate::Unknown;
    }
    content
}

fn foreign(request: &Request, content: Content) -> Content {
    if content.fate != Fate::Success {
        return content;
    }
    let record = json!({ "id": "job-of-another", "status": "COMPLETED", "output": {
        "call": 0, "job": "job-of-another"
    } });
    let body = match request.operation {
        Operation::Status | Operation::Cancel | Operation::Retry | Operation::Stream => record,
        Operation::Run | Operation::RunSync | Operation::Purge => {
            json!({ "jobs": {}, "workers": {} })
        }
        Operation::Health => record,
        // Nothing in these tells whose they are.
        Operation::Requests | Operation::Openai => return content,
        Operation::Rest => json!([]),
        _ => json!({ "data": { "podStop": null } }),
    };
    json_content(200, body.to_string().into_bytes(), Fate::Unknown)
}

fn echoed(echo: &Echo, request: &Request, reply: Option<&Reply>) -> Content {
    let canaries = request.canaries();
    let canary = canaries[usize::from(echo.which) % canaries.len()];
    let in_json = echo.spelling.in_json(canary);
    let in_text = echo.spelling.in_text(canary);
    let fate = if echo.status >= 500 { Fate::Unknown } else { Fate::Refused };
    let content = |status, kind: &str, body: String, fate| Content {
        status,
        headers: vec![("content-type", kind.to_owned())],
        body: body.into_bytes(),
        fate,
    };
    let json = "application/json";
    match echo.place {
        Place::JsonError => {
            content(echo.status, json, format!("{{\"error\":\"you sent {in_json}\"}}"), fate)
        }
        Place::HtmlTitle => content(
            echo.status,
            "text/html",
            format!("<html><head><title>Refused: {in_text}</title></head></html>"),
            fate,
        ),
        Place::Plain => content(echo.status, "text/plain", format!("refused {in_text}"), fate),
        Place::GraphqlMessage => {
            let status = if echo.status == 400 { 400 } else { 200 };
            let body =
                format!("{{\"data\":null,\"errors\":[{{\"message\":\"bad value {in_json}\"}}]}}");
            content(status, json, body, Fate::Refused)
        }
        Place::GraphqlExtension => {
            let body = format!(
                "{{\"data\":null,\"errors\":[{{\"message\":\"bad value\",\
                 \"extensions\":{{\"value\":\"{in_json}\"}}}}]}}"
            );
            content(200, json, body, Fate::Refused)
        }
        Place::WrongType => {
            let field = match request.operation {
                Operation::Health => "jobs",
                Operation::Rest => "env",
                operation if operation.is_graphql() => "data",
                Operation::Stream => "stream",
                _ => "delayTime",
            };
            let body = format!("{{\"{field}\":\"{in_json}\"}}");
            content(200, json, body, Fate::Unknown)
        }
        Place::JobFailure => {
            let id = reply.and_then(|reply| reply.new_job.clone()).unwrap_or_default();
            let body = format!(
                "{{\"id\":\"{id}\",\"status\":\"FAILED\",\"error\":\"no access with {in_json}\"}}"
            );
            content(200, json, body, Fate::Success)
        }
        Place::Location => {
            let mut content = content(302, "text/html", String::new(), Fate::Refused);
            let percent = crate::canary::Spelling::PercentUpper.in_text(canary);
            content.headers.push(("location", format!("http://other.example/?was={percent}")));
            content
        }
    }
}
