//! A request as it arrived, and what it asks for.

use std::time::Duration;

use serde_json::Value;

use crate::canary;
use crate::operation::Operation;

#[derive(Clone, Debug)]
pub struct Request {
    pub operation: Operation,
    /// Path without query.
    pub path: String,
    pub query: String,
    pub body: Value,
    /// The job, Pod, template or secret that it names, or the call that it belongs to.
    pub id: String,
}

/// What a request line asks for; for GraphQL the body decides.
pub fn operation_of(path: &str, body: &str) -> Option<Operation> {
    if path.starts_with("/graphql") {
        let changes = body.contains("tplid-");
        return Some(match () {
            () if body.contains("deleteTemplate") => Operation::DeleteTemplate,
            () if body.contains("secretCreate") => Operation::CreateSecret,
            () if body.contains("secretDelete") => Operation::DeleteSecret,
            () if body.contains("saveTemplate") && changes => Operation::UpdateTemplate,
            () if body.contains("saveTemplate") => Operation::CreateTemplate,
            () => return None,
        });
    }
    if path.starts_with("/v1/pods/") {
        return Some(Operation::Rest);
    }
    Some(match path.split('/').nth(3)? {
        "run" => Operation::Run,
        "runsync" => Operation::RunSync,
        "status" => Operation::Status,
        "stream" => Operation::Stream,
        "cancel" => Operation::Cancel,
        "retry" => Operation::Retry,
        "purge-queue" => Operation::Purge,
        "health" => Operation::Health,
        "requests" => Operation::Requests,
        "openai" => Operation::Openai,
        _ => return None,
    })
}

impl Request {
    pub fn new(target: &str, body: &str) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let operation = operation_of(path, body)?;
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let id = match operation {
            Operation::Run | Operation::RunSync => json["input"]["call"].to_string(),
            // The names say which call it is, whatever form the document has.
            Operation::CreateTemplate | Operation::DeleteTemplate => token(body, "tpl-")?,
            Operation::UpdateTemplate => token(body, "tplid-")?,
            Operation::CreateSecret => token(body, "sec-")?,
            Operation::DeleteSecret => token(body, "secid-")?,
            _ => path.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        Some(Self { operation, path: path.to_owned(), query: query.to_owned(), body: json, id })
    }

    /// How long `/runsync` is asked to wait.
    pub fn wait(&self) -> Duration {
        let wait = self.query.split('&').find_map(|pair| pair.strip_prefix("wait="));
        Duration::from_millis(wait.and_then(|wait| wait.parse().ok()).unwrap_or(90_000))
    }

    /// The canaries that it carries, the key among them.
    pub fn canaries(&self) -> Vec<&'static str> {
        let mut canaries = vec![canary::KEY];
        match self.operation {
            Operation::CreateSecret => canaries.push(canary::SECRET),
            Operation::CreateTemplate | Operation::UpdateTemplate => canaries.push(canary::ENV),
            _ => {}
        }
        if !self.body["s3Config"].is_null() {
            canaries.push(canary::STORAGE);
        }
        if !self.body["webhook"].is_null() {
            canaries.push(canary::WEBHOOK);
        }
        canaries
    }
}

/// The first word in a text that begins with this, and goes on with digits.
fn token(text: &str, prefix: &str) -> Option<String> {
    let start = text.find(prefix)?;
    let digits = text[start + prefix.len()..].chars().take_while(char::is_ascii_digit);
    Some(format!("{prefix}{}", digits.collect::<String>()))
}
