//! JSON pointers: their steps, their form in the fragment of a URL, and removal at one.

use serde_json::Value;

/// A JSON pointer as the fragment of a URL.
pub(crate) fn escaped(pointer: &str) -> String {
    const KEPT: percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'~')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.');
    percent_encoding::utf8_percent_encode(pointer, &KEPT).to_string()
}

/// A key as a step of a JSON pointer.
pub(crate) fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The JSON pointer of a local reference.
pub(crate) fn pointer_of(reference: &str) -> Option<String> {
    let pointer = percent_encoding::percent_decode_str(reference.strip_prefix('#')?);
    Some(pointer.decode_utf8_lossy().into_owned())
}

/// Removes the part of a value at a JSON pointer. False for the whole value.
pub fn remove(value: &mut Value, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return false };
    let key = key.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.remove(&key).is_some(),
        Some(Value::Array(items)) => match key.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}
