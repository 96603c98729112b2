//! Parameter styles: values in paths (RFC 6570), queries and forms
//! (`application/x-www-form-urlencoded`).

use serde_json::Value;

use crate::url::escaped;

/// The style of a form field or a query parameter that is a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// JSON text.
    Json,
    /// A list as one pair per element, an object as one pair per field.
    Exploded,
    /// All values in one pair, with this separator between them, which is written unchanged and
    /// which no value may contain.
    Joined(&'static str),
    /// `a[b][0]=c`, at any depth.
    Deep,
}

/// Writes an object as a form. Fields that are null are omitted. A field without a style is
/// repeated for each element of a list; objects are JSON text. A refusal names the field.
pub(super) fn form(body: &Value, styles: &[(&str, Style)]) -> Result<String, (String, String)> {
    const RULE: &str = "is not an object, so it cannot be sent as a form";
    let fields = body.as_object().ok_or_else(|| ("body".to_owned(), RULE.to_owned()))?;
    let mut form = String::new();
    for (name, value) in fields {
        let style = styles.iter().find(|(it, _)| it == name).map(|(_, style)| *style);
        write(&mut form, name, value, style).map_err(|rule| (name.clone(), rule))?;
    }
    Ok(form)
}

/// Adds the pairs of a field to a form or a query. Spaces are written as `%20`, which every decoder
/// reads as a space; `+` means a space in forms only.
pub(super) fn write(
    form: &mut String,
    name: &str,
    value: &Value,
    style: Option<Style>,
) -> Result<(), String> {
    let mut pair = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            add(form, name, &escaped(&text));
        }
    };
    match (value, style) {
        (Value::Null, _) => {}
        (value, Some(Style::Json)) => pair(name, Some(value.to_string())),
        (value @ (Value::Array(_) | Value::Object(_)), Some(Style::Deep)) => {
            deep(form, name, value);
        }
        (Value::Array(_) | Value::Object(_), Some(Style::Joined(separator))) => {
            if is_within(separator, value) {
                let sign = match separator {
                    "%20" => "a space",
                    "%7C" => "`|`",
                    _ => "a comma",
                };
                return Err(format!("must not contain {sign} in a value: it separates the values"));
            }
            let texts = escaped_texts(value, separator);
            if !texts.is_empty() {
                add(form, name, &texts.join(separator));
            }
        }
        (Value::Array(items), _) => items.iter().for_each(|item| pair(name, text(item))),
        (Value::Object(fields), Some(Style::Exploded)) => {
            fields.iter().for_each(|(key, value)| pair(key, text(value)));
        }
        (value, _) => pair(name, text(value)),
    }
    Ok(())
}

/// Returns true if a value of a list or an object contains the separator, so that it would be read
/// as several values.
fn is_within(separator: &str, value: &Value) -> bool {
    let has = |text: &str| escaped(text).contains(separator);
    match value {
        Value::Array(items) => items.iter().filter_map(text).any(|it| has(&it)),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| has(key) || text(value).is_some_and(|it| has(&it)))
        }
        _ => false,
    }
}

/// Adds a pair whose value is escaped already.
fn add(form: &mut String, name: &str, escaped_text: &str) {
    if !form.is_empty() {
        form.push('&');
    }
    form.push_str(&escaped(name));
    form.push('=');
    form.push_str(escaped_text);
}

/// The values of a list or of an object, each escaped, those of an object behind their names; for
/// any other value its text. Null is omitted.
pub(super) fn escaped_texts(value: &Value, after_name: &str) -> Vec<String> {
    let own = |value: &Value| text(value).map(|text| escaped(&text).into_owned());
    match value {
        Value::Array(items) => items.iter().filter_map(own).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| Some(format!("{}{after_name}{}", escaped(key), own(value)?)))
            .collect(),
        value => own(value).into_iter().collect(),
    }
}

fn deep(form: &mut String, name: &str, value: &Value) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                deep(form, &format!("{name}[{index}]"), item);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                deep(form, &format!("{name}[{key}]"), value);
            }
        }
        value => {
            if let Some(text) = text(value) {
                add(form, name, &escaped(&text));
            }
        }
    }
}

/// A value as the text of a query or a form; `None` for null.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        // Written as in a path: 10, and not 10.0.
        Value::Number(number) if number.is_f64() => number.as_f64().map(|it| it.to_string()),
        other => Some(other.to_string()),
    }
}

/// The style of a path parameter. If exploded, each value is written separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStyle {
    /// JSON text.
    Json,
    /// `a,b`
    Simple {
        /// Fields of an object are `k=v` rather than `k,v`.
        exploded: bool,
    },
    /// `.a,b`
    Label {
        /// `.a.b`
        exploded: bool,
    },
    /// `;name=a,b`
    Matrix {
        /// `;name=a;name=b`
        exploded: bool,
    },
}

/// The escaped text of a value; empty if it has none.
pub(super) fn expanded(name: &str, value: &Value, style: PathStyle) -> String {
    let (before, between, is_exploded) = match style {
        PathStyle::Json => return escaped(&value.to_string()).into_owned(),
        PathStyle::Simple { exploded } => ("", ",", exploded),
        PathStyle::Label { exploded } => (".", ".", exploded),
        PathStyle::Matrix { exploded } => (";", ";", exploded),
    };
    let mut texts = escaped_texts(value, if is_exploded { "=" } else { "," });
    if texts.iter().all(String::is_empty) {
        return String::new();
    }
    let name = escaped(name);
    let is_several = value.is_array() || value.is_object();
    let is_matrix = matches!(style, PathStyle::Matrix { .. });
    if is_matrix && is_exploded && value.is_array() {
        texts.iter_mut().for_each(|text| *text = format!("{name}={text}"));
    }
    let named = is_matrix && !(is_exploded && is_several);
    let before = if named { format!("{before}{name}=") } else { before.to_owned() };
    before + &texts.join(if is_exploded { between } else { "," })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_query_style_has_its_form() {
        let body = json!({
            "a": {"x": "1 2", "y": [true, {"z": null, "w": 3}]}, "list": ["b&", null, 4], "no": null
        });
        for (style, expected) in [
            (
                None,
                "a=%7B%22x%22%3A%221%202%22%2C%22y%22%3A%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D%7D&list=b%26&list=4",
            ),
            (
                Some(Style::Deep),
                "a%5Bx%5D=1%202&a%5By%5D%5B0%5D=true&a%5By%5D%5B1%5D%5Bw%5D=3&list%5B0%5D=b%26&list%5B2%5D=4",
            ),
            (
                Some(Style::Exploded),
                "x=1%202&y=%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D&list=b%26&list=4",
            ),
            (
                Some(Style::Joined(",")),
                "a=x,1%202,y,%5Btrue%2C%7B%22w%22%3A3%2C%22z%22%3Anull%7D%5D&list=b%26,4",
            ),
        ] {
            let styles: Vec<_> =
                style.into_iter().flat_map(|style| [("a", style), ("list", style)]).collect();
            assert_eq!(form(&body, &styles).as_deref(), Ok(expected), "{style:?}");
        }
        assert!(form(&json!([1]), &[]).is_err());
    }

    #[test]
    fn a_value_that_would_be_taken_for_several_is_refused() {
        let list = |text: &str| json!({ "a": ["x", text] });
        for (body, separator, sign) in [
            (list("b c"), "%20", Some("a space")),
            (list("b|c"), "%7C", Some("`|`")),
            (list("b,c"), "%2C", Some("a comma")),
            (json!({"a": {"b|c": 1}}), "%7C", Some("`|`")),
            // Escaped, it is another sign than the separator.
            (list("b,c"), ",", None),
            (list("b c"), "%7C", None),
        ] {
            let refused = form(&body, &[("a", Style::Joined(separator))]).err();
            assert_eq!(refused.as_ref().map(|(field, _)| field.as_str()), sign.map(|_| "a"));
            let rule = refused.map(|(_, rule)| rule).unwrap_or_default();
            assert!(rule.contains(sign.unwrap_or_default()), "{rule}");
        }
    }
}

#[cfg(test)]
mod path_tests {
    use serde_json::json;

    use super::*;

    /// The examples of OpenAPI's table of styles, and cases that it does not show.
    #[test]
    fn every_path_style_has_its_form() {
        use PathStyle::{Json, Label, Matrix, Simple};
        let (exploded, whole) = (true, false);
        let text = json!("blue");
        let list = json!(["blue", "black", "brown"]);
        let object = json!({"B": 150, "G": 200, "R": 100});
        for (value, style, expected) in [
            (&text, Simple { exploded }, "blue"),
            (&text, Label { exploded }, ".blue"),
            (&text, Matrix { exploded }, ";color=blue"),
            (&text, Json, "%22blue%22"),
            (&list, Simple { exploded: whole }, "blue,black,brown"),
            (&list, Simple { exploded }, "blue,black,brown"),
            (&list, Label { exploded: whole }, ".blue,black,brown"),
            (&list, Label { exploded }, ".blue.black.brown"),
            (&list, Matrix { exploded: whole }, ";color=blue,black,brown"),
            (&list, Matrix { exploded }, ";color=blue;color=black;color=brown"),
            (&object, Simple { exploded: whole }, "B,150,G,200,R,100"),
            (&object, Simple { exploded }, "B=150,G=200,R=100"),
            (&object, Label { exploded: whole }, ".B,150,G,200,R,100"),
            (&object, Label { exploded }, ".B=150.G=200.R=100"),
            (&object, Matrix { exploded: whole }, ";color=B,150,G,200,R,100"),
            (&object, Matrix { exploded }, ";B=150;G=200;R=100"),
            (&json!(["a,b", null, "c/d"]), Simple { exploded }, "a%2Cb,c%2Fd"),
            (&json!({"a=b": "c;d"}), Matrix { exploded }, ";a%3Db=c%3Bd"),
            (&json!([]), Matrix { exploded }, ""),
            (&json!([""]), Label { exploded }, ""),
            (&json!(null), Simple { exploded }, ""),
        ] {
            assert_eq!(expanded("color", value, style), expected, "{value} {style:?}");
        }
        assert_eq!(expanded("a b", &list, Matrix { exploded: whole }), ";a%20b=blue,black,brown");
    }
}
