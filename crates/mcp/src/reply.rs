//! Replies of tools: bounded results, each as structured content and the same as text, and windows
//! by which the rest of a long output is read. An error is text alone, since clients compare all
//! structured content with the schema that the tool publishes for its results.
//!
//! Invariant: the serialized result of a call has at most [`MAX_BYTES`] bytes, whatever the service
//! returns. What is longer is cut to the largest window that fits ([`fit`]).

use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Limit of a whole result in bytes: 2,000 tokens of about 4 bytes.
pub(crate) const MAX_BYTES: usize = 8_000;

/// Limit of a message of an error, in bytes.
const MAX_MESSAGE: usize = 1_200;

/// A part of something longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Window {
    /// Where the part begins.
    pub(crate) from: usize,
    /// Where it ends: to read on, pass this number as the argument that `next` names.
    pub(crate) to: usize,
    /// The length of the whole.
    pub(crate) total: usize,
}

/// The call of a tool that continues.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Next {
    /// The name of the tool.
    pub(crate) tool: &'static str,
    /// Its arguments.
    pub(crate) arguments: serde_json::Map<String, Value>,
}

impl Next {
    /// A call with arguments, an object.
    pub(crate) fn new(tool: &'static str, arguments: Value) -> Self {
        let Value::Object(mut arguments) = arguments else {
            return Self { tool, arguments: serde_json::Map::new() };
        };
        arguments.retain(|_, value| !value.is_null());
        Self { tool, arguments }
    }
}

/// An error of a tool: a sentence, and the tool to call next.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) next: Option<Next>,
}

/// The result of a tool.
pub(crate) type ToolResult = Result<CallToolResult, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), next: None }
    }

    pub(crate) fn next(self, next: Next) -> Self {
        Self { next: Some(next), ..self }
    }

    pub(crate) fn result(&self) -> CallToolResult {
        let mut content = json!({ "message": cut(&self.message, MAX_MESSAGE) });
        // Arguments that a caller made too long are not repeated.
        let next = self.next.as_ref().map(|next| json!(next));
        if let Some(next) = next.filter(|next| next.to_string().len() <= MAX_MESSAGE) {
            content["next"] = next;
        }
        CallToolResult::error(vec![ContentBlock::text(content.to_string())])
    }
}

/// The text up to a length in bytes, with an ellipsis if it is longer.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}…", &text[..char_boundary(text, max)])
}

/// The last boundary of characters at or before `index`.
pub(crate) fn char_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// The result of a call that succeeded.
pub(crate) fn success(content: &impl Serialize) -> CallToolResult {
    let content = serde_json::to_value(content).unwrap_or_default();
    let mut result = CallToolResult::success(vec![ContentBlock::text(content.to_string())]);
    result.structured_content = Some(content);
    result
}

/// Returns true if the whole result is within the limit.
pub(crate) fn fits(result: &impl Serialize) -> bool {
    serde_json::to_vec(result).is_ok_and(|bytes| bytes.len() <= MAX_BYTES)
}

/// The largest result that is within the limit, of those with a number of units (bytes, or items)
/// between none and `total`. The size of a result grows with that number.
pub(crate) fn fit<R: Serialize>(total: usize, build: impl Fn(usize) -> R) -> R {
    let whole = build(total);
    if fits(&whole) {
        return whole;
    }
    let (mut fitting, mut too_many) = (0, total);
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(&build(middle)) { fitting = middle } else { too_many = middle }
    }
    build(fitting)
}

/// Items that fit into one result, of a list that begins at `from`.
pub(crate) fn fit_items<R: Serialize>(
    items: &[Value],
    from: usize,
    build: impl Fn(Vec<Value>, Window) -> R,
) -> CallToolResult {
    let from = from.min(items.len());
    let rest = &items[from..];
    fit(rest.len(), |count| {
        let window = Window { from, to: from + count, total: items.len() };
        success(&build(rest[..count].to_vec(), window))
    })
}

/// Limit of an item of a list, in bytes, so that at least one fits into a result.
const MAX_ITEM: usize = 1_500;

/// An item of a list: the value, with the beginning of the text of each long member if that is too
/// long, or only the beginning of its text.
pub(crate) fn item(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= MAX_ITEM {
        return value;
    }
    if let Value::Object(members) = &value {
        for longest in [MAX_ITEM / 2, MAX_ITEM / 4, MAX_ITEM / 10, MAX_ITEM / 30] {
            let mut members = members.clone();
            for member in members.values_mut() {
                let text = member.to_string();
                if text.len() > longest {
                    // The text of a string without quotes and escapes.
                    *member = cut(member.as_str().unwrap_or(&text), longest / 2).into();
                }
            }
            let shortened = Value::Object(members);
            if shortened.to_string().len() <= MAX_ITEM {
                return shortened;
            }
        }
    }
    match value {
        // Escaped, the text may be longer.
        Value::String(text) => Value::String(cut(&text, MAX_ITEM / 2)),
        _ => Value::String(cut(&text, MAX_ITEM / 2)),
    }
}
