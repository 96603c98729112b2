//! Submission: the body of `/run` and `/runsync`, and the `wait` of `/runsync`. Parsed by hand, so
//! that every refusal names its field.

use std::time::Duration;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::error::Refusal;
use crate::worker::{JobPolicy, S3Config};

const MIN_EXECUTION_TIMEOUT: Duration = Duration::from_secs(5);
const MIN_TTL: Duration = Duration::from_secs(10);
const MAX_LIFESPAN: Duration = Duration::from_secs(7 * 24 * 3600);
/// In bytes. The log of webhook deliveries keeps the URL of each.
const MAX_WEBHOOK: usize = 8 * 1024;

/// The submission of a job.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) input: Value,
    pub(crate) webhook: Option<Url>,
    pub(crate) policy: JobPolicy,
    pub(crate) s3_config: Option<S3Config>,
    /// True if chunks of any size are not split.
    pub(crate) has_whole_chunks: bool,
}

impl Submission {
    /// A submission of an input only, whose chunks are not for `/stream`.
    pub(crate) fn of(input: Value) -> Self {
        let policy = JobPolicy::default();
        Self { input, webhook: None, policy, s3_config: None, has_whole_chunks: true }
    }

    pub(crate) fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let body: Value = serde_json::from_slice(body)
            .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
        let Value::Object(mut body) = body else {
            return Err(wrong_type("the body", "an object", &body));
        };
        let input = match body.remove("input") {
            Some(input @ Value::Object(_)) => input,
            Some(other) => return Err(wrong_type("input", "an object", &other)),
            None => return Err(Refusal::invalid("input is required")),
        };
        Ok(Self {
            input,
            webhook: body.get("webhook").map(webhook).transpose()?,
            policy: body.get("policy").map(policy).transpose()?.unwrap_or_default(),
            s3_config: body.get("s3Config").map(s3_config).transpose()?,
            has_whole_chunks: false,
        })
    }
}

/// Checks a ttl of `?ttl=` or `policy.ttl`.
pub(crate) fn parse_ttl(name: &str, milliseconds: Option<u64>) -> Result<Duration, Refusal> {
    within(name, milliseconds, MIN_TTL, MAX_LIFESPAN)
}

/// Checks that a number of milliseconds is from `min` to `max`.
fn within(
    name: &str,
    milliseconds: Option<u64>,
    min: Duration,
    max: Duration,
) -> Result<Duration, Refusal> {
    milliseconds
        .map(Duration::from_millis)
        .filter(|duration| (min..=max).contains(duration))
        .ok_or_else(|| {
            Refusal::invalid(format!(
                "{name} must be an integer from {} to {}, in milliseconds",
                min.as_millis(),
                max.as_millis(),
            ))
        })
}

fn webhook(value: &Value) -> Result<Url, Refusal> {
    let text = string("webhook", value)?;
    if text.len() > MAX_WEBHOOK {
        return Err(Refusal::invalid(format!("webhook must be at most {MAX_WEBHOOK} bytes")));
    }
    web_address(text).ok_or_else(|| {
        Refusal::invalid("webhook must be an absolute URL that starts with http or https")
    })
}

fn web_address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn policy(value: &Value) -> Result<JobPolicy, Refusal> {
    let policy = object("policy", value)?;
    Ok(JobPolicy {
        execution_timeout: policy
            .get("executionTimeout")
            .map(|value| {
                within(
                    "policy.executionTimeout",
                    value.as_u64(),
                    MIN_EXECUTION_TIMEOUT,
                    MAX_LIFESPAN,
                )
            })
            .transpose()?,
        low_priority: match policy.get("lowPriority") {
            None => false,
            Some(Value::Bool(low)) => *low,
            Some(other) => return Err(wrong_type("policy.lowPriority", "a boolean", other)),
        },
        ttl: policy.get("ttl").map(|value| parse_ttl("policy.ttl", value.as_u64())).transpose()?,
    })
}

fn s3_config(value: &Value) -> Result<S3Config, Refusal> {
    let config = object("s3Config", value)?;
    let member = |name: &str| {
        let value = config.get(name);
        value.map(|value| string(&format!("s3Config.{name}"), value).map(str::to_owned)).transpose()
    };
    let endpoint_url = member("endpointUrl")?;
    if endpoint_url.as_deref().is_some_and(|text| web_address(text).is_none()) {
        return Err(Refusal::invalid("s3Config.endpointUrl must be an absolute URL"));
    }
    Ok(S3Config {
        access_id: member("accessId")?,
        access_secret: member("accessSecret")?,
        bucket_name: member("bucketName")?,
        endpoint_url,
    })
}

fn object<'a>(name: &str, value: &'a Value) -> Result<&'a Map<String, Value>, Refusal> {
    value.as_object().ok_or_else(|| wrong_type(name, "an object", value))
}

fn string<'a>(name: &str, value: &'a Value) -> Result<&'a str, Refusal> {
    value.as_str().ok_or_else(|| wrong_type(name, "a string", value))
}

fn wrong_type(name: &str, expected: &str, found: &Value) -> Refusal {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Refusal::invalid(format!("{name} must be {expected}, not {found}"))
}

const MIN_WAIT: Duration = Duration::from_secs(1);
pub(super) const MAX_WAIT: Duration = Duration::from_secs(300);
const DEFAULT_WAIT: Duration = Duration::from_secs(90);

/// Parses the `wait` of `/runsync`, in milliseconds.
pub(crate) fn parse_wait(wait: Option<&str>) -> Result<Duration, Refusal> {
    match wait {
        None => Ok(DEFAULT_WAIT),
        Some(wait) => within("wait", wait.parse().ok(), MIN_WAIT, MAX_WAIT),
    }
}
