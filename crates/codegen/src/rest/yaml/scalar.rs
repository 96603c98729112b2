//! What a scalar means.

use granit_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};

/// A scalar by the core schema of YAML 1.2. What is quoted is text unless a tag says otherwise.
pub(super) fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let kind = tag.filter(|tag| tag.is_yaml_core_schema()).map(Tag::suffix);
    let is_text = match kind {
        Some(kind) => kind == "str",
        None => style != ScalarStyle::Plain,
    };
    if is_text {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        // JSON has no number for it.
        ".nan" | ".NaN" | ".NAN" => Value::Null,
        text if is_infinite(text) => Value::Null,
        text => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn is_infinite(text: &str) -> bool {
    [".inf", ".Inf", ".INF"].contains(&text.strip_prefix(['+', '-']).unwrap_or(text))
}

fn number(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.strip_suffix(digits)?, digits),
        None => ("", text),
    };
    // A second sign, and words such as `infinity`, which Rust takes for numbers.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let is_padded = radix == 10
        && digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|it| it.is_ascii_digit());
    if is_padded || digits.starts_with(['+', '-']) {
        return None;
    }
    let sign = sign.trim_start_matches('+');
    if let Ok(whole) = i64::from_str_radix(&format!("{sign}{digits}"), radix) {
        return Some(whole.into());
    }
    if let (Ok(whole), "") = (u64::from_str_radix(digits, radix), sign) {
        return Some(whole.into());
    }
    match radix {
        10 => format!("{sign}{digits}").parse().ok().and_then(Number::from_f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("NULL", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("7", json!(7)),
            ("+7", json!(7)),
            ("-7", json!(-7)),
            ("0x1F", json!(31)),
            ("-0o17", json!(-15)),
            ("0b11", json!(3)),
            ("0xZ", json!("0xZ")),
            ("007", json!("007")),
            ("0", json!(0)),
            ("0.50", json!(0.5)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("9223372036854775807", json!(i64::MAX)),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("-9223372036854775809", json!(-9_223_372_036_854_775_809.0)),
            ("infinity", json!("infinity")),
            ("--1", json!("--1")),
            ("+-1", json!("+-1")),
            ("1_000", json!("1_000")),
            ("1.2.3", json!("1.2.3")),
            ("2020-01-01", json!("2020-01-01")),
            (".inf", json!(null)),
            ("-.Inf", json!(null)),
        ] {
            assert_eq!(scalar(text, ScalarStyle::Plain, None), value, "{text}");
        }
    }

    #[test]
    fn what_is_quoted_is_text_unless_a_tag_says_otherwise() {
        let core = |kind: &str| Some(Tag::new("tag:yaml.org,2002:", kind));
        for (text, style, tag, value) in [
            ("true", ScalarStyle::SingleQuoted, None, json!("true")),
            ("", ScalarStyle::DoubleQuoted, None, json!("")),
            ("7", ScalarStyle::Literal, None, json!("7")),
            ("7", ScalarStyle::Plain, core("str"), json!("7")),
            ("7", ScalarStyle::DoubleQuoted, core("int"), json!(7)),
            ("7", ScalarStyle::Plain, Some(Tag::new("!", "other")), json!(7)),
        ] {
            assert_eq!(scalar(text, style, tag.as_ref()), value, "{text} {tag:?}");
        }
    }
}
