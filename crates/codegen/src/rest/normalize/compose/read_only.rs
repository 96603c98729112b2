//! Fields that only the service writes, where another schema says so.

use serde_json::{Value, json};

use crate::rest::normalize::references::resolve;
use crate::rest::normalize::tree::is_true;

/// Marks the fields of an object that refer to a schema which is `readOnly`.
pub(super) fn follow(description: &Value, object: &mut Value) {
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|it| it.values_mut()) {
        let target = field.get("$ref").and_then(|_| resolve(description, field));
        if target.is_some_and(|it| is_true(it, "readOnly")) {
            mark(field);
        }
    }
}

/// Marks a field. A reference can have nothing beside it.
pub(super) fn mark(field: &mut Value) {
    if field.get("$ref").is_some() {
        *field = json!({ "allOf": [field] });
    }
    field["readOnly"] = json!(true);
}
