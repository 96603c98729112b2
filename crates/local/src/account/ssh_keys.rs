//! SSH keys of the account.

use std::sync::Mutex;

use serde_json::json;

use super::request::Request;
use super::response::{Outcome, ok};
use crate::tasks::locked;

#[derive(Debug, Default)]
pub(super) struct SshKeys(Mutex<Vec<String>>);

impl SshKeys {
    pub(super) fn get(&self) -> Outcome {
        ok(json!({ "keys": *locked(&self.0) }))
    }

    pub(super) fn replace(&self, request: &Request) -> Outcome {
        let keys = request.read(|fields| {
            fields.require(&["keys"]);
            fields.strings("keys", "public SSH keys, each with its type and its data", is_key)
        })?;
        *locked(&self.0) = keys.unwrap_or_default();
        self.get()
    }
}

/// Returns true for a line of an `authorized_keys` file: type, data, and possibly a comment.
fn is_key(text: &str) -> bool {
    let Some((kind, rest)) = text.split_once(' ') else { return false };
    let is_kind = ["ssh-", "ecdsa-", "sk-"]
        .iter()
        .any(|prefix| kind.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
        && !kind.contains(char::is_whitespace);
    let (data, comment) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let is_comment =
        comment.is_empty() || (comment.starts_with([' ', '\t']) && !comment.contains(['\n', '\r']));
    is_kind && !data.is_empty() && is_comment
}
