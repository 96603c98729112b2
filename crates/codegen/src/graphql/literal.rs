//! Values as GraphQL literals.

use graphql_tools::parser::query::Value;

/// A value without variables, as a GraphQL literal.
pub fn literal(value: &Value<'static, String>) -> String {
    match value {
        Value::Variable(name) => format!("${name}"),
        Value::Int(number) => number.as_i64().unwrap_or_default().to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::String(text) => quoted(text),
        Value::Boolean(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::Enum(name) => name.clone(),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}: {}", literal(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
