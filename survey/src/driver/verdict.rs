//! Verdict: compares requests with their arguments, and responses with what was decoded.

use serde_json::Value;

use super::Driven;
use super::peer::{Exchange, Peer};
use crate::{Failure, description};

/// Judges each line of the program's output by the exchange that the peer recorded.
pub fn judge(
    peer: &Peer,
    lines: &[Value],
    description: &Value,
    driven: &mut Driven,
) -> Result<(), Failure> {
    let exchanges = peer.exchanges()?;
    for line in lines {
        let index = line["index"].as_u64().unwrap_or_default() as usize;
        let example = line["example"].as_u64().map(|it| it as usize);
        let operation = peer.samples[index]["operation"].as_str().unwrap_or_default();
        let exchange = exchanges.iter().find(|it| it.index == index && it.example == example);
        let case = Case { operation, example, line, exchange, description };
        case.judge(driven);
    }
    Ok(())
}

struct Case<'a> {
    operation: &'a str,
    example: Option<usize>,
    line: &'a Value,
    exchange: Option<&'a Exchange>,
    description: &'a Value,
}

impl Case<'_> {
    fn judge(&self, driven: &mut Driven) {
        let name = match self.example {
            Some(example) => format!("{}, example {}", self.operation, example + 1),
            None => self.operation.to_owned(),
        };
        let find =
            |driven: &mut Driven, text: String| driven.findings.push(format!("{name}: {text}"));
        if let Some(stop) = self.line["stop"].as_str() {
            // Reported once, not for each example.
            match stop.strip_prefix("sample refused: ") {
                _ if self.example.is_some() => {}
                Some(what) => find(driven, format!("refuses a valid value: {}", cut(what))),
                None => driven.undriven(&cut(stop), self.operation),
            }
            return;
        }
        let Some(exchange) = self.exchange else {
            find(
                driven,
                format!("is not sent: {}", cut(self.line["error"].as_str().unwrap_or_default())),
            );
            return;
        };
        if self.example.is_none() {
            driven.driven += 1;
            match exchange.status {
                200..300 => driven.accepted += 1,
                // A limit of the peer: no response is described, or none that it can make.
                500.. => driven.undriven(
                    &format!("the peer cannot respond: {}", title(&exchange.response)),
                    self.operation,
                ),
                // OpenAPI says that such parameters are ignored; the peer checks them.
                _ if self.is_about_ignored_headers() => driven
                    .undriven("the peer checks a header that is not a parameter", self.operation),
                _ if is_falsy(&exchange.body)
                    && self.violations("request") == "Body parameter is required" =>
                {
                    driven
                        .undriven("the peer takes a falsy body for a missing one", self.operation);
                }
                status if self.violations("request").is_empty() => driven.undriven(
                    &format!("the peer responds with {status} whatever is sent"),
                    self.operation,
                ),
                _ if self.is_about_samples() => {
                    driven.undriven("a sample does not conform to its schema", self.operation);
                }
                status => {
                    find(driven, format!("refused with {status}: {}", self.violations("request")))
                }
            }
            self.differences().into_iter().for_each(|it| find(driven, it));
        } else if self.is_asked_for(exchange) {
            driven.examples += 1;
        } else {
            return;
        }
        if !(200..300).contains(&exchange.status) {
            return;
        }
        if let Some(error) = self.line["error"].as_str() {
            find(driven, format!("does not decode: {} in {}", cut(error), cut(&exchange.response)));
            return;
        }
        driven.decoded += usize::from(self.example.is_none());
        let Ok(sent) = serde_json::from_str::<Value>(&exchange.response) else { return };
        if !exchange.media.contains("json") || self.line["response"].is_null() {
            return;
        }
        let mut lost = Vec::new();
        losses(&sent, &self.line["response"], String::new(), &mut lost);
        // A field that the schema does not have is ignored, as documented.
        let schema = description::response_schema(
            self.description,
            self.operation,
            exchange.status,
            &exchange.media,
        );
        let before = lost.len();
        lost.retain(|(place, _)| description::has_place(self.description, schema, place));
        driven.ignored += before - lost.len();
        if !lost.is_empty() {
            find(driven, format!("loses of the response: {}{}", listed(&lost), self.doubt()));
        }
    }

    /// A note that the response itself violates its schema, if the peer reports that.
    fn doubt(&self) -> String {
        match self.violations("response") {
            it if it.is_empty() => String::new(),
            it => format!(" (it does not conform: {it})"),
        }
    }

    fn is_about_ignored_headers(&self) -> bool {
        let said = self.violations("request");
        let about = |it: &str| {
            ["content-type", "accept", "authorization"]
                .iter()
                .any(|name| it.starts_with(&format!("Request header parameter {name} ")))
        };
        !said.is_empty() && said.split("; ").all(about)
    }

    /// Returns true if all violations are about values that were sent unchanged.
    fn is_about_samples(&self) -> bool {
        const RULES: [&str; 5] =
            ["match pattern", "match format", "match exactly one", "be <", "be >"];
        let said = self.violations("request");
        let about = |it: &str| RULES.iter().any(|rule| it.contains(&format!(" must {rule}")));
        self.differences().is_empty() && said.split("; ").all(about)
    }

    /// Returns true if the call accepts the media type of a published example.
    fn is_asked_for(&self, exchange: &Exchange) -> bool {
        let accepted = exchange.headers.get("accept").and_then(Value::as_str).unwrap_or_default();
        accepted != "application/json" || exchange.media.contains("json")
    }

    /// The violations of the request or of the response that the peer reports.
    fn violations(&self, about: &str) -> String {
        let Some(exchange) = self.exchange else { return String::new() };
        let violations: Value = serde_json::from_str(&exchange.violations).unwrap_or_default();
        let problem: Value = serde_json::from_str(&exchange.response).unwrap_or_default();
        let more = problem["validation"].as_array().into_iter().flatten();
        let all = violations.as_array().into_iter().flatten().chain(more);
        let all = all.filter(|it| (it["location"][0] == "response") == (about == "response"));
        let texts = all.filter_map(|it| it["message"].as_str());
        cut(&texts.collect::<Vec<_>>().join("; "))
    }

    /// The differences between the arguments and the request.
    fn differences(&self) -> Vec<String> {
        let Some(exchange) = self.exchange else { return Vec::new() };
        let mut found = Vec::new();
        let query = exchange.url.split_once('?').map_or("", |(_, query)| query);
        let query = pairs(query);
        for given in self.line["given"].as_array().into_iter().flatten() {
            let (place, name, value) =
                (given[0].as_str(), given[1].as_str().unwrap_or_default(), &given[2]);
            let expected = texts(value);
            match place {
                Some("query") => {
                    let sent: Vec<_> = query
                        .iter()
                        .filter(|(it, _)| it == name)
                        .map(|(_, it)| it.as_str())
                        .collect();
                    let joined = [",", " ", "|"].map(|it| expected.join(it));
                    let is_same = sent == expected
                        || sent.len() == 1 && joined.iter().any(|it| it == sent[0]);
                    if !is_same && !value.is_object() {
                        found.push(format!(
                            "the query parameter {name} is sent as {sent:?}, not {expected:?}"
                        ));
                    }
                }
                Some("header") => {
                    let sent = exchange.headers.get(&name.to_lowercase()).and_then(Value::as_str);
                    let joined = Some(expected.join(",")).filter(|_| !expected.is_empty());
                    if sent.map(str::trim) != joined.as_deref().map(str::trim) && !value.is_object()
                    {
                        found.push(format!(
                            "the header {name} is sent as {sent:?}, not {expected:?}"
                        ));
                    }
                }
                Some("body") => found.extend(self.body_differences(exchange, value)),
                Some("part") if !exchange.body.contains(&format!("name=\"{name}\"")) => {
                    found.push(format!("the part {name} is not sent"));
                }
                _ => {}
            }
        }
        found
    }

    fn body_differences(&self, exchange: &Exchange, value: &Value) -> Option<String> {
        let media =
            exchange.headers.get("content-type").and_then(Value::as_str).unwrap_or_default();
        if media.contains("json") {
            let bytes: Vec<u8> = exchange.body.chars().map(|it| it as u8).collect();
            let Ok(sent) = serde_json::from_slice::<Value>(&bytes) else {
                return Some(format!("the body is not JSON: {}", cut(&exchange.body)));
            };
            let mut lost = Vec::new();
            losses(value, &sent, String::new(), &mut lost);
            // Samples have additional fields where their schemas permit any.
            let schema = description::body_schema(self.description, self.operation, media);
            lost.retain(|(place, _)| description::has_place(self.description, schema, place));
            return (!lost.is_empty()).then(|| format!("loses of the body: {}", listed(&lost)));
        }
        if media.starts_with("application/x-www-form-urlencoded") {
            let sent = pairs(&exchange.body);
            let is_sent = |name: &str| {
                sent.iter().any(|(it, _)| it == name || it.starts_with(&format!("{name}[")))
            };
            let mut missing = value
                .as_object()?
                .iter()
                .filter(|(name, value)| !is_empty(value) && !is_sent(name));
            return missing
                .next()
                .map(|(name, _)| format!("the field {name} of the form is not sent"));
        }
        None
    }
}

/// The parts of a value that another value lacks. Null and empty values may be omitted.
fn losses(from: &Value, to: &Value, place: String, lost: &mut Vec<(String, String)>) {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            for (key, value) in from {
                let place = format!("{place}/{key}");
                match to.get(key) {
                    Some(other) => losses(value, other, place, lost),
                    None if is_empty(value) => {}
                    None => lost.push((place, format!("{value} is missing"))),
                }
            }
        }
        (Value::Array(from), Value::Array(to)) => {
            if from.len() != to.len() && from.iter().filter(|it| !it.is_null()).count() != to.len()
            {
                lost.push((place, format!("{} of {} items", to.len(), from.len())));
                return;
            }
            from.iter()
                .filter(|it| !it.is_null() || from.len() == to.len())
                .zip(to)
                .enumerate()
                .for_each(|(index, (from, to))| losses(from, to, format!("{place}/{index}"), lost));
        }
        (from, to) if is_same(from, to) || is_empty(from) => {}
        (from, to) => lost.push((place, format!("{from} becomes {to}"))),
    }
}

/// Returns true if a body is JSON that JavaScript tests as false: the peer takes it for a missing
/// body.
fn is_falsy(body: &str) -> bool {
    match serde_json::from_str(body) {
        Ok(Value::Null | Value::Bool(false)) => true,
        Ok(Value::Number(number)) => number.as_f64() == Some(0.0),
        Ok(Value::String(text)) => text.is_empty(),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
        _ => false,
    }
}

/// Reading is lenient: `"1"` is a number where one is described.
fn is_same(a: &Value, b: &Value) -> bool {
    let number = |it: &Value| it.as_f64().or_else(|| it.as_str()?.parse().ok());
    a == b
        || number(a).is_some_and(|it| Some(it) == number(b))
        || a.as_str() == Some(&b.to_string())
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|it| !it.is_empty());
    pairs
        .map(|it| it.split_once('=').unwrap_or((it, "")))
        .map(|(a, b)| (decoded(a), decoded(b)))
        .collect()
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let hex: Vec<u8> = rest.by_ref().take(2).collect();
                let hex =
                    std::str::from_utf8(&hex).ok().and_then(|it| u8::from_str_radix(it, 16).ok());
                bytes.push(hex.unwrap_or(b'?'));
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn title(problem: &str) -> String {
    let Ok(problem) = serde_json::from_str::<Value>(problem) else { return cut(problem) };
    let text = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
    cut(&format!("{} {}", text("title"), text("detail")))
}

fn listed(lost: &[(String, String)]) -> String {
    let shown: Vec<_> =
        lost.iter().take(4).map(|(place, how)| format!("{place}: {}", cut(how))).collect();
    let more = lost.len().saturating_sub(shown.len());
    let shown = shown.join("; ");
    if more > 0 { format!("{shown}; and {more} more") } else { shown }
}

fn cut(text: &str) -> String {
    const MAX_CHARACTERS: usize = 300;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falsy_bodies_are_json_that_javascript_tests_as_false() {
        for body in ["null", "false", "0", "-0.0", "\"\""] {
            assert!(is_falsy(body), "{body}");
        }
        for body in ["", "1", "true", "\"0\"", "[]", "{}"] {
            assert!(!is_falsy(body), "{body}");
        }
    }
}
