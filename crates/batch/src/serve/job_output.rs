//! Job output as a response: the input of a job for a request, and the response in its output.
//!
//! A text-generation worker takes the path and the body of a request as `openai_route` and
//! `openai_input`. It returns the body of the response, or a list with that as its only item if it
//! streams; an error is a body with a member `error`, or with `"object": "error"`.

use std::borrow::Cow;

use podqueue::RetryPolicy;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::api::types;
use crate::submission::{JobId, Submission, Submit};

/// Submits the body of a request as a job.
pub(super) struct SubmitRequest {
    /// The path of the request.
    pub(super) route: String,
}

/// The input of a job.
#[derive(Serialize)]
struct JobInput<'a> {
    openai_route: &'a str,
    openai_input: &'a RawValue,
}

impl Submit for SubmitRequest {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            let Submission { endpoint, input, policy, .. } = submission;
            let input = JobInput { openai_route: &self.route, openai_input: input };
            // Retries are decided by the runner, once the outcome is recorded.
            let mut run = endpoint.run(&input).retry(RetryPolicy::never());
            if let Some(policy) = policy {
                run = run.policy(policy.clone());
            }
            Ok(run.await?.id().to_owned())
        })
    }
}

/// A line of the results of a batch.
#[derive(Deserialize)]
pub(super) struct ResultLine<'a> {
    /// The custom id of the request.
    #[serde(borrow)]
    pub(super) key: Option<&'a RawValue>,
    #[serde(borrow)]
    job_id: Cow<'a, str>,
    #[serde(borrow)]
    output: &'a RawValue,
}

impl<'a> ResultLine<'a> {
    /// The response in the output, and its usage if it is a success.
    pub(super) fn response(&self) -> (JobResponse<'a>, Option<Usage>) {
        response(self.output, self.job_id.clone())
    }
}

/// A response to a request.
#[derive(Debug, Serialize)]
pub(super) struct JobResponse<'a> {
    pub(super) status_code: u16,
    pub(super) request_id: Cow<'a, str>,
    pub(super) body: Cow<'a, RawValue>,
}

impl JobResponse<'_> {
    pub(super) fn is_success(&self) -> bool {
        self.status_code == 200
    }
}

/// The members of a body that tell what it is.
#[derive(Default, Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    object: Option<Cow<'a, RawValue>>,
    #[serde(borrow)]
    error: Option<Cow<'a, RawValue>>,
    #[serde(borrow)]
    code: Option<Cow<'a, RawValue>>,
    #[serde(borrow)]
    usage: Option<Cow<'a, RawValue>>,
}

/// The response in the output of a job, and its usage if it is a success.
fn response<'a>(output: &'a RawValue, job_id: Cow<'a, str>) -> (JobResponse<'a>, Option<Usage>) {
    let body = only_item(output);
    let fields: Body<'_> = object(body.get()).unwrap_or_default();
    let text = |value: &Option<Cow<'_, RawValue>>| value.as_ref().map(|it| it.get().to_owned());
    let is_old_error = text(&fields.object).as_deref() == Some("\"error\"");
    let error = fields.error.as_ref().map(|error| error.get()).filter(|error| *error != "null");
    // A response that has failed has an error, too, and is of a type.
    let is_error = is_old_error || (error.is_some() && fields.object.is_none());
    if !is_error {
        let usage = fields.usage.and_then(|usage| Usage::read(usage.get()));
        let response =
            JobResponse { status_code: 200, request_id: job_id, body: Cow::Borrowed(body) };
        return (response, usage);
    }
    let code = match error {
        Some(error) => object::<Body<'_>>(error).and_then(|it| text(&it.code)),
        None => text(&fields.code),
    };
    let code = code.and_then(|code| code.parse().ok());
    let status_code = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
    let is_plain = error.is_none_or(|error| !error.starts_with('{'));
    let body = match (is_old_error, is_plain) {
        (true, _) => wrapped(body),
        (false, true) => {
            let text = error.map(|error| serde_json::from_str(error).unwrap_or(error.into()));
            let message = match text.unwrap_or_default() {
                Value::String(message) => message,
                other => other.to_string(),
            };
            error_body(&message)
        }
        (false, false) => Cow::Borrowed(body),
    };
    (JobResponse { status_code, request_id: job_id, body }, None)
}

/// The response to a request whose job failed.
pub(super) fn failure<'a>(message: &str, job_id: Cow<'a, str>) -> JobResponse<'a> {
    JobResponse { status_code: 500, request_id: job_id, body: error_body(message) }
}

/// The only item of a list, or the value itself.
fn only_item(output: &RawValue) -> &RawValue {
    if output.get().starts_with('[')
        && let Ok([item]) = serde_json::from_str::<Vec<&RawValue>>(output.get()).as_deref()
    {
        return item;
    }
    output
}

/// An error as the body of a response.
fn wrapped(error: &RawValue) -> Cow<'static, RawValue> {
    #[derive(Serialize)]
    struct Wrapped<'a> {
        error: &'a RawValue,
    }
    raw(&Wrapped { error })
}

fn error_body(message: &str) -> Cow<'static, RawValue> {
    raw(&types::Refused {
        error: Some(types::Refusal {
            message: Some(message.to_owned()),
            type_: Some("server_error".to_owned()),
            param: None,
            code: None,
        }),
    })
}

fn raw(value: &impl Serialize) -> Cow<'static, RawValue> {
    // Neither a key that is not a string nor a failing implementation is in these values.
    Cow::Owned(serde_json::value::to_raw_value(value).unwrap_or_default())
}

/// Reads the members of an object. Of a list, serde would read the items as members.
fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok())?
}

/// The tokens of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    input: u64,
    output: u64,
    total: u64,
    cached: u64,
    reasoning: u64,
}

impl Usage {
    /// Reads the tokens of an object, in the words of any of the paths, some of which a service
    /// repeats in those of another. What is no number is zero.
    fn read(usage: &str) -> Option<Self> {
        let usage: Value = object(usage)?;
        let number = |places: [&str; 2]| {
            places.iter().find_map(|place| usage.pointer(place)?.as_u64()).unwrap_or(0)
        };
        Some(Self {
            input: number(["/input_tokens", "/prompt_tokens"]),
            output: number(["/output_tokens", "/completion_tokens"]),
            total: number(["/total_tokens"; 2]),
            cached: number([
                "/input_tokens_details/cached_tokens",
                "/prompt_tokens_details/cached_tokens",
            ]),
            reasoning: number([
                "/output_tokens_details/reasoning_tokens",
                "/completion_tokens_details/reasoning_tokens",
            ]),
        })
    }

    /// Adds the tokens of another response.
    pub(super) fn add(&mut self, other: Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.input, other.input);
        add(&mut self.output, other.output);
        add(&mut self.total, other.total);
        add(&mut self.cached, other.cached);
        add(&mut self.reasoning, other.reasoning);
    }
}

impl From<Usage> for types::Usage {
    fn from(usage: Usage) -> Self {
        let number = |number: u64| Some(i64::try_from(number).unwrap_or(i64::MAX));
        Self {
            input_tokens: number(usage.input),
            input_tokens_details: Some(types::InputTokensDetails {
                cached_tokens: number(usage.cached),
            }),
            output_tokens: number(usage.output),
            output_tokens_details: Some(types::OutputTokensDetails {
                reasoning_tokens: number(usage.reasoning),
            }),
            total_tokens: number(usage.total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str) -> (u16, String, Option<Usage>) {
        let output: Box<RawValue> = serde_json::from_str(output).expect("JSON");
        let (response, usage) = response(&output, "j".into());
        (response.status_code, response.body.get().to_owned(), usage)
    }

    #[test]
    fn a_response_is_the_output_or_its_only_item() {
        for (output, body) in [
            (r#"{"choices":[]}"#, r#"{"choices":[]}"#),
            (r#"[ {"choices": []} ]"#, r#"{"choices": []}"#),
            (r#"[{"n":1},{"n":2}]"#, r#"[{"n":1},{"n":2}]"#),
            (r#""text""#, r#""text""#),
            (r#"[null,"boom",3,4]"#, r#"[null,"boom",3,4]"#),
            ("[]", "[]"),
            (
                r#"{"object":"response","error":{"code":400}}"#,
                r#"{"object":"response","error":{"code":400}}"#,
            ),
            (r#"{"object":"list","error":null}"#, r#"{"object":"list","error":null}"#),
        ] {
            assert_eq!(of(output), (200, body.to_owned(), None), "{output}");
        }
    }

    #[test]
    fn an_error_in_the_output_is_a_response_with_its_status() {
        for (output, status, message) in [
            (r#"{"error":{"message":"too long","code":400}}"#, 400, "too long"),
            (r#"[{"error":{"message":"too long","code":"x"}}]"#, 500, "too long"),
            (r#"{"object":"error","message":"no model","code":404}"#, 404, "no model"),
            (r#"{"error":"it broke"}"#, 500, "it broke"),
            (r#"{"error":["a"]}"#, 500, r#"["a"]"#),
        ] {
            let (code, body, usage) = of(output);
            let body: Value = serde_json::from_str(&body).expect("JSON");
            assert_eq!((code, usage), (status, None), "{output}");
            assert_eq!(body["error"]["message"], message, "{output}");
        }
    }

    #[test]
    fn usage_is_read_in_the_words_of_any_path() {
        let chat = r#"{"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":null}}"#;
        let responses = r#"{"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3,"output_tokens_details":{"reasoning_tokens":1}}}"#;
        let mut sum = Usage::default();
        for output in [chat, responses, r#"{"usage":{"prompt_tokens":5,"total_tokens":5}}"#] {
            sum.add(of(output).2.expect("usage"));
        }
        let sum = serde_json::to_value(types::Usage::from(sum)).expect("JSON");
        assert_eq!(
            sum,
            serde_json::json!({
                "input_tokens": 9, "input_tokens_details": {"cached_tokens": 2},
                "output_tokens": 6, "output_tokens_details": {"reasoning_tokens": 1},
                "total_tokens": 15,
            })
        );
        for usage in ["null", "[1,2,3]", "7"] {
            assert_eq!(of(&format!(r#"{{"usage":{usage}}}"#)).2, None, "{usage}");
        }
        let both = r#"{"usage":{"prompt_tokens":5,"input_tokens":5,"completion_tokens":1,"output_tokens":1,"total_tokens":6}}"#;
        let read = of(both).2.expect("usage");
        assert_eq!((read.input, read.output, read.total), (5, 1, 6));
    }
}
