//! What a fault makes of the body of a response.

use std::time::Duration;

use serde_json::{Value, json};

use crate::queue::Mode;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Stands for NaN until the JSON is text.
const STAND_IN: &str = "7f3e9a0c-not-a-number";

pub(super) fn foreign(body: &[u8]) -> Vec<u8> {
    rewritten(body, |record| {
        let mode = match record["id"].as_str() {
            Some(id) if id.starts_with("sync-") => Mode::Sync { wait: Duration::ZERO },
            _ => Mode::Async,
        };
        record["id"] = json!(&*mode.new_id());
        record["status"] = json!("COMPLETED");
        record["output"] = json!("of another job");
    })
}

pub(super) fn nan(body: &[u8]) -> Vec<u8> {
    let body = rewritten(body, |record| {
        if let Some(output) = record.get_mut("output") {
            without_numbers(output);
        }
    });
    match String::from_utf8(body) {
        Ok(text) => text.replace(&format!("\"{STAND_IN}\""), "NaN").into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

pub(super) fn byte_order_mark(body: &[u8]) -> Vec<u8> {
    [BYTE_ORDER_MARK, body].concat()
}

/// Changes a body that is the record of a job.
fn rewritten(body: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    match serde_json::from_slice::<Value>(body) {
        Ok(mut record) if record["id"].is_string() && record["status"].is_string() => {
            change(&mut record);
            record.to_string().into_bytes()
        }
        _ => body.to_vec(),
    }
}

fn without_numbers(value: &mut Value) {
    match value {
        Value::Number(_) => *value = json!(STAND_IN),
        Value::Array(items) => items.iter_mut().for_each(without_numbers),
        Value::Object(members) => members.values_mut().for_each(without_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
