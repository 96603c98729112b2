//! Shrinking: the smallest part of a value that still has a property.

use std::time::Instant;

use podqueue_fake::__private::remove;
use serde_json::Value;

/// Removes parts of a value for as long as it has the property, until no part can be removed or
/// time is up.
pub fn shrink(mut value: Value, until: Instant, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut pointers = Vec::new();
        collect(&value, String::new(), &mut pointers);
        // Large parts first.
        pointers.sort_by_key(|it| it.matches('/').count());
        let mut smaller = false;
        for pointer in pointers {
            if Instant::now() > until {
                return value;
            }
            let mut candidate = value.clone();
            if remove(&mut candidate, &pointer) && holds(&candidate) {
                value = candidate;
                smaller = true;
            }
        }
        if !smaller {
            return value;
        }
    }
}

fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    let mut add = |key: &str, value: &Value| {
        let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        pointers.push(pointer.clone());
        collect(value, pointer, pointers);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| add(key, value)),
        // From the end, so that removing an item does not move those before it.
        Value::Array(items) => {
            items.iter().enumerate().rev().for_each(|(index, value)| add(&index.to_string(), value))
        }
        _ => {}
    }
}
