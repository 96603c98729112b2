//! Parameter styles: values in paths (RFC 6570), queries and forms
//! (`application/x-www-form-urlencoded`).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::url::{escaped, escaped_unless_reserved};

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

/// The notation of a form field or of a query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    style: Option<Style>,
    allows_reserved: bool,
    needs_items: bool,
}

impl Encoding {
    /// A list is one pair per element; all characters with a meaning are escaped.
    pub const PLAIN: Self = Self { style: None, allows_reserved: false, needs_items: false };

    /// With this style.
    #[must_use]
    pub const fn style(self, style: Style) -> Self {
        Self { style: Some(style), ..self }
    }

    /// Reserved characters are not escaped (`allowReserved`), except for those that separate or
    /// mean something else in a query or a form: what is read is the value, in any case.
    #[must_use]
    pub const fn reserved(self) -> Self {
        Self { allows_reserved: true, ..self }
    }

    /// It is a list that is required. No style but JSON can express an empty one: it would be missing,
    /// so it is refused.
    #[must_use]
    pub const fn with_items(self) -> Self {
        Self { needs_items: true, ..self }
    }

    fn escape(self, text: &str) -> Cow<'_, str> {
        if self.allows_reserved { escaped_unless_reserved(text) } else { escaped(text) }
    }
}

/// Writes an object as a form. Fields that are null are omitted. A field without an encoding is
/// repeated for each element of a list; objects are JSON text. A refusal names the field.
pub(super) fn form(
    body: &Value,
    encodings: &[(&str, Encoding)],
) -> Result<String, (String, String)> {
    const RULE: &str = "is not an object, so it cannot be sent as a form";
    let fields = body.as_object().ok_or_else(|| ("body".to_owned(), RULE.to_owned()))?;
    let mut form = String::new();
    for (name, value) in fields {
        let encoding = encodings.iter().find(|(it, _)| it == name);
        let encoding = encoding.map_or(Encoding::PLAIN, |(_, encoding)| *encoding);
        write(&mut form, name, value, encoding).map_err(|rule| (name.clone(), rule))?;
    }
    Ok(form)
}

/// Adds the pairs of a field to a form or a query. Spaces are written as `%20`, which every decoder
/// reads as a space; `+` means a space in forms only.
pub(super) fn write(
    form: &mut String,
    name: &str,
    value: &Value,
    encoding: Encoding,
) -> Result<(), String> {
    let before = form.len();
    let mut pair = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            add(form, name, &encoding.escape(&text));
        }
    };
    match (value, encoding.style) {
        (Value::Null, _) => {}
        (value, Some(Style::Json)) => pair(name, Some(value.to_string())),
        (value @ (Value::Array(_) | Value::Object(_)), Some(Style::Deep)) => {
            deep(form, name, value, encoding);
        }
        (Value::Array(_) | Value::Object(_), Some(Style::Joined(separator))) => {
            let escape = |text: &str| encoding.escape(text).into_owned();
            if is_within(separator, value, escape) {
                let sign = match separator {
                    "%20" => "a space",
                    "%7C" => "`|`",
                    _ => "a comma",
                };
                return Err(separates(sign));
            }
            let texts = texts(value, separator, escape);
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
    if encoding.needs_items && form.len() == before {
        return Err(NO_ITEMS.to_owned());
    }
    Ok(())
}

/// The rule that a required list without elements breaks.
pub(super) const NO_ITEMS: &str = "must not be empty: a list without values is not sent";

/// The rule that a value with a separator breaks.
fn separates(sign: &str) -> String {
    format!("must not contain {sign} in a value: it separates the values")
}

/// Returns true if a value of a list or an object contains the separator, so that it would be read
/// as several values.
fn is_within(separator: &str, value: &Value, written: impl Fn(&str) -> String) -> bool {
    // A separator that is escaped itself is read as the character that a value may have unescaped.
    let decoded = percent_decode_str(separator).decode_utf8_lossy();
    let has = |text: &str| written(text).contains(separator) || written(text).contains(&*decoded);
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

/// The values of a list or of an object, as they are `written`, those of an object behind their
/// names; for any other value its text. Null is omitted.
fn texts(value: &Value, after_name: &str, written: impl Fn(&str) -> String) -> Vec<String> {
    let own = |value: &Value| text(value).map(|text| written(&text));
    match value {
        Value::Array(items) => items.iter().filter_map(own).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| Some(format!("{}{after_name}{}", written(key), own(value)?)))
            .collect(),
        value => own(value).into_iter().collect(),
    }
}

fn deep(form: &mut String, name: &str, value: &Value, encoding: Encoding) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                deep(form, &format!("{name}[{index}]"), item, encoding);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                deep(form, &format!("{name}[{key}]"), value, encoding);
            }
        }
        value => {
            if let Some(text) = text(value) {
                add(form, name, &encoding.escape(&text));
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

/// The style of a path parameter, or of a header: JSON text, or `Simple`. If exploded, each value is
/// written separately.
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
    let written = |text: &str| escaped(text).into_owned();
    let mut texts = texts(value, if is_exploded { "=" } else { "," }, written);
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

/// The text of a header, in which nothing is escaped; none if there is no value. A refusal is the rule
/// that the value breaks.
pub(super) fn header(value: &Value, style: PathStyle) -> Result<Option<String>, String> {
    let exploded = match style {
        _ if value.is_null() => return Ok(None),
        PathStyle::Json => return Ok(Some(ascii(value))),
        PathStyle::Simple { exploded }
        | PathStyle::Label { exploded }
        | PathStyle::Matrix { exploded } => exploded,
    };
    let is_several = value.is_array() || value.is_object();
    if is_several && is_within(",", value, str::to_owned) {
        return Err(separates("a comma"));
    }
    let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
    if exploded && names.clone().any(|name| name.contains('=')) {
        return Err(
            "must not contain `=` in a name: it separates the name from the value".to_owned()
        );
    }
    let texts = texts(value, if exploded { "=" } else { "," }, str::to_owned);
    Ok((!texts.is_empty()).then(|| texts.join(",")))
}

/// JSON without characters that a header cannot contain.
fn ascii(value: &Value) -> String {
    let mut text = String::new();
    for character in value.to_string().chars() {
        match character {
            // JSON has such characters within strings only.
            '\u{7f}'.. => {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units).iter();
                text.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
            character => text.push(character),
        }
    }
    text
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
            let styles: Vec<_> = style
                .map(|it| Encoding::PLAIN.style(it))
                .into_iter()
                .flat_map(|it| [("a", it), ("list", it)])
                .collect();
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
            let refused =
                form(&body, &[("a", Encoding::PLAIN.style(Style::Joined(separator)))]).err();
            assert_eq!(refused.as_ref().map(|(field, _)| field.as_str()), sign.map(|_| "a"));
            let rule = refused.map(|(_, rule)| rule).unwrap_or_default();
            assert!(rule.contains(sign.unwrap_or_default()), "{rule}");
        }
    }

    #[test]
    fn reserved_characters_that_separate_nothing_are_kept() {
        let reserved = Encoding::PLAIN.reserved();
        let written = |value: Value, encoding| form(&json!({ "a": value }), &[("a", encoding)]);
        let all = ":/?#[]@!$&'()*+,;= %25ü";
        let kept = "a=:/?%23%5B%5D@!$%26'()*%2B,%3B=%20%2525%C3%BC";
        assert_eq!(written(json!(all), reserved).as_deref(), Ok(kept));
        assert_eq!(written(json!(["b/c", "d&e"]), reserved).as_deref(), Ok("a=b/c&a=d%26e"));
        let joined = reserved.style(Style::Joined(","));
        assert_eq!(written(json!(["b/c", "d"]), joined).as_deref(), Ok("a=b/c,d"));
        assert!(written(json!(["b,c", "d"]), joined).is_err());
        // Of a form, whose separator is escaped itself.
        let of_form = reserved.style(Style::Joined("%2C"));
        assert!(written(json!(["b,c", "d"]), of_form).is_err());
        let deep = reserved.style(Style::Deep);
        assert_eq!(written(json!({"b": "c/d"}), deep).as_deref(), Ok("a%5Bb%5D=c/d"));
    }

    #[test]
    fn a_required_list_that_would_not_be_sent_is_refused() {
        for (value, style, is_sent) in [
            (json!([]), None, false),
            (json!([null]), None, false),
            (json!([]), Some(Style::Joined(",")), false),
            (json!([]), Some(Style::Deep), false),
            (json!([]), Some(Style::Json), true),
            (json!([""]), None, true),
            (json!(null), None, false),
        ] {
            let encoding = Encoding { style, ..Encoding::PLAIN.with_items() };
            let written = form(&json!({ "a": value, "b": 1 }), &[("a", encoding)]);
            assert_eq!(written.is_ok(), is_sent, "{value} {style:?}: {written:?}");
        }
    }
}

#[cfg(test)]
mod header_tests {
    use serde_json::json;

    use super::*;

    /// The examples of OpenAPI's table of styles, and cases that it does not show.
    #[test]
    fn every_header_style_has_its_form() {
        use PathStyle::{Json, Simple};
        let (exploded, whole) = (true, false);
        let list = json!(["blue", "black", "brown"]);
        let object = json!({"B": 150, "G": 200, "R": 100});
        for (value, style, expected) in [
            (&json!("a, b"), Simple { exploded }, Some("a, b")),
            (&list, Simple { exploded: whole }, Some("blue,black,brown")),
            (&list, Simple { exploded }, Some("blue,black,brown")),
            (&object, Simple { exploded: whole }, Some("B,150,G,200,R,100")),
            (&object, Simple { exploded }, Some("B=150,G=200,R=100")),
            (&json!(["a b/c", null, 2.0]), Simple { exploded }, Some("a b/c,2")),
            (&json!({"a": "b=c", "d": null}), Simple { exploded }, Some("a=b=c")),
            (&json!([]), Simple { exploded }, None),
            (&json!({}), Simple { exploded }, None),
            (&json!([""]), Simple { exploded }, Some("")),
            (&json!(null), Json, None),
            (&json!(["ü😀"]), Json, Some("[\"\\u00fc\\ud83d\\ude00\"]")),
        ] {
            let header = header(value, style);
            assert_eq!(header.as_ref().map(Option::as_deref), Ok(expected), "{value} {style:?}");
        }
    }

    #[test]
    fn a_header_that_would_be_read_as_another_value_is_refused() {
        let (exploded, whole) = (true, false);
        for (value, exploded, sign) in [
            (json!(["a,b"]), whole, Some("a comma")),
            (json!({"a": "b,c"}), exploded, Some("a comma")),
            (json!({"a,b": 1}), whole, Some("a comma")),
            (json!({"a=b": 1}), exploded, Some("`=`")),
            (json!({"a=b": 1}), whole, None),
            // Lists in objects are JSON.
            (json!({"a": [1, 2]}), whole, Some("a comma")),
        ] {
            let refused = header(&value, PathStyle::Simple { exploded }).err();
            assert_eq!(refused.is_some(), sign.is_some(), "{value}");
            assert!(refused.unwrap_or_default().contains(sign.unwrap_or_default()), "{value}");
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
