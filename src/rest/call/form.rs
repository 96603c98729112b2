//! Bodies of `application/x-www-form-urlencoded`.

use reqwest::Url;
use serde_json::Value;

/// How a form field or a query parameter that is a list or an object is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As JSON text.
    Json,
    /// A list as one pair per element, an object as one pair per field.
    Exploded,
    /// All in one pair, with this separator between the values.
    Joined(&'static str),
    /// `a[b][0]=c`, at any depth.
    Deep,
}

/// Writes an object as a form. Fields that are null are omitted. A field without a style is
/// repeated for each element of a list; objects are JSON text.
pub(super) fn form(body: &Value, styles: &[(&str, Style)]) -> Option<String> {
    let mut pairs = Vec::new();
    for (name, value) in body.as_object()? {
        let style = styles.iter().find(|(it, _)| it == name).map(|(_, style)| *style);
        write(&mut pairs, name, value, style);
    }
    // The one serializer of forms that is at hand anyway.
    let mut url = Url::parse("form:").ok()?;
    url.query_pairs_mut().extend_pairs(pairs);
    Some(url.query().unwrap_or_default().to_owned())
}

/// Adds the pairs of a field.
pub(super) fn write(
    pairs: &mut Vec<(String, String)>,
    name: &str,
    value: &Value,
    style: Option<Style>,
) {
    let mut pair = |name: &str, text: Option<String>| {
        pairs.extend(text.map(|text| (name.to_owned(), text)));
    };
    match (value, style) {
        (Value::Null, _) => {}
        (value, Some(Style::Json)) => pair(name, Some(value.to_string())),
        (value @ (Value::Array(_) | Value::Object(_)), Some(Style::Deep)) => {
            deep(pairs, name, value);
        }
        (Value::Array(items), Some(Style::Joined(separator))) => {
            let texts: Vec<_> = items.iter().filter_map(text).collect();
            pair(name, (!texts.is_empty()).then(|| texts.join(separator)));
        }
        (Value::Object(fields), Some(Style::Joined(separator))) => {
            let texts: Vec<_> = fields
                .iter()
                .filter_map(|(key, value)| Some(format!("{key}{separator}{}", text(value)?)))
                .collect();
            pair(name, (!texts.is_empty()).then(|| texts.join(separator)));
        }
        (Value::Array(items), _) => items.iter().for_each(|item| pair(name, text(item))),
        (Value::Object(fields), Some(Style::Exploded)) => {
            fields.iter().for_each(|(key, value)| pair(key, text(value)));
        }
        (value, _) => pair(name, text(value)),
    }
}

fn deep(pairs: &mut Vec<(String, String)>, name: &str, value: &Value) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                deep(pairs, &format!("{name}[{index}]"), item);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                deep(pairs, &format!("{name}[{key}]"), value);
            }
        }
        value => pairs.extend(text(value).map(|text| (name.to_owned(), text))),
    }
}

/// A value as the text of a query or a form; `None` for null.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        // As in a path: 10, and not 10.0.
        Value::Number(number) if number.is_f64() => number.as_f64().map(|it| it.to_string()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_style_has_its_form() {
        let body = json!({
            "a": {"x": "1 2", "y": [true, {"z": null, "w": 3}]}, "list": ["b&", null, 4], "no": null
        });
        for (style, expected) in [
            (
                None,
                "a=%7B%22x%22%3A%221+2%22%2C%22y%22%3A%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D%7D&list=b%26&list=4",
            ),
            (
                Some(Style::Deep),
                "a%5Bx%5D=1+2&a%5By%5D%5B0%5D=true&a%5By%5D%5B1%5D%5Bw%5D=3&list%5B0%5D=b%26&list%5B2%5D=4",
            ),
            (
                Some(Style::Exploded),
                "x=1+2&y=%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D&list=b%26&list=4",
            ),
            (
                Some(Style::Joined(",")),
                "a=x%2C1+2%2Cy%2C%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D&list=b%26%2C4",
            ),
        ] {
            let styles: Vec<_> =
                style.into_iter().flat_map(|style| [("a", style), ("list", style)]).collect();
            assert_eq!(form(&body, &styles).as_deref(), Some(expected), "{style:?}");
        }
        assert_eq!(form(&json!([1]), &[]), None);
    }
}
