//! What generated calls say of themselves.

use quote::ToTokens;
use syn::Type;

use crate::rest::model::{Operation, Parameter, Place};
use crate::{naming, print};

/// The docs of a method, with those of its arguments.
pub(super) fn method(operation: &Operation, required: &[(String, String)]) -> String {
    let mut docs = sentence(&operation.summary, "Prepares a call.");
    if !operation.description.is_empty() {
        docs.push_str("\n\n");
        docs.push_str(&print::prose(&operation.description));
    }
    docs.push_str(&format!("\n\n`{} {}`", operation.method, operation.path));
    let id = operation.id.as_deref();
    if let Some(id) = id.filter(|id| !naming::reads_as(id, &operation.name)) {
        docs.push_str(&format!(", the operation `{id}`"));
    }
    if let (Some((other, media)), Some(body)) = (&operation.other_body, &operation.body) {
        let own = &body.media;
        docs.push_str(&format!("\n\nThe body is `{own}`; that of `{other}` is `{media}`."));
    }
    if !required.is_empty() {
        docs.push_str("\n\n# Arguments\n");
        for (name, meaning) in required {
            docs.push_str(&format!("\n- `{name}`: {}", meaning.replace('\n', "\n  ")));
        }
    }
    if !operation.errors.is_empty() {
        docs.push_str("\n\n# Errors\n");
        for (status, meaning) in &operation.errors {
            let meaning = print::prose(meaning).replace('\n', "\n  ");
            docs.push_str(&format!("\n- {status}: {meaning}"));
        }
    }
    docs
}

/// The docs of a parameter.
pub(super) fn parameter(parameter: &Parameter) -> String {
    let place = match parameter.place {
        Place::Path if naming::reads_as(&parameter.wire, &parameter.name) => {
            return sentence(&parameter.description, "A part of the path.");
        }
        Place::Path => "the part of the path",
        Place::Query => "the query parameter",
        Place::Header => "the header",
        Place::Part(_) => "the part",
    };
    let meaning = sentence(&parameter.description, "");
    format!("{meaning}\n\nSent as {place} `{}`.", parameter.wire).trim_start().to_owned()
}

/// How to read the data of events, if it is of this type.
pub(super) fn event(data: Option<&Type>) -> String {
    let Some(ty) = data else { return String::new() };
    let name = ty.to_token_stream().to_string().replace(' ', "");
    format!("[`json`](__runtime::ServerEvent::json) reads the data of an event as a [`{name}`].")
}

/// The words of the description, or ours where it has none.
pub(super) fn sentence(text: &str, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { print::prose(text) }
}
