//! Untyped JSON in the `Debug` output of generated types.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::REDACTED;
use super::secret_values::is_secret_name;

/// Untyped JSON that `Debug` prints as JSON, with `[redacted]` for each value whose name means a
/// secret, at any depth. The value of a pair, which stands beside its `key` or `name`, is redacted,
/// too.
pub struct Untyped<'a, T>(pub &'a T);

impl<T: Serialize> fmt::Debug for Untyped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::to_value(self.0) {
            Ok(json) => write!(f, "{}", redacted(json)),
            Err(_) => f.write_str(REDACTED),
        }
    }
}

fn redacted(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(redacted).collect(),
        Value::Object(fields) => {
            let is_pair = fields.contains_key("key") || fields.contains_key("name");
            let shown = fields.into_iter().map(|(name, value)| {
                let is_secret = is_secret_name(&name) || (is_pair && name == "value");
                let value = if is_secret { REDACTED.into() } else { redacted(value) };
                (name, value)
            });
            shown.collect::<Map<_, _>>().into()
        }
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_redacted_by_its_name_at_any_depth() {
        let json = json!({
            "ids": ["a", 1], "auth": {"apiKey": "s3cret", "user": "u"}, "env": {"A": "s3cret"},
            "list": [{"HF_TOKEN": "s3cret"}, {"key": "A", "value": "s3cret"}, {"value": 5}],
        });
        assert_eq!(
            format!("{:?}", Untyped(&Some(json))),
            r#"{"auth":{"apiKey":"[redacted]","user":"u"},"env":"[redacted]","ids":["a",1],"list":[{"HF_TOKEN":"[redacted]"},{"key":"A","value":"[redacted]"},{"value":5}]}"#
        );
        assert_eq!(format!("{:?}", Untyped(&None::<Value>)), "null");
    }
}
