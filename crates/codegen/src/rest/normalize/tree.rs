//! Reading and changing a plain tree.

use serde_json::{Map, Value};

pub(in crate::rest) fn object_at(value: &Value, path: &[&str]) -> Map<String, Value> {
    path.iter()
        .try_fold(value, |value, key| value.get(key))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

pub(in crate::rest) fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

pub(super) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn remove(schema: &mut Value, keys: &[&str]) {
    if let Some(object) = schema.as_object_mut() {
        keys.iter().for_each(|key| {
            object.remove(*key);
        });
    }
}
