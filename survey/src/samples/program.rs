//! Source of the program that reads and writes the values.

use super::ComponentType;

const MAIN: &str = r#"
use ::podqueue::__private::lenient::{Lenient, Reading, serialize, value};
use ::serde_json::{Value, json};

fn through<T: Lenient>(from: &Value) -> Value {
    let read: T = match value(from, Reading::Lenient) {
        Ok(read) => read,
        Err(error) => return json!({ "error": format!("{error:?}") }),
    };
    let written = match serialize(&read, ::serde_json::value::Serializer) {
        Ok(written) => written,
        Err(error) => return json!({ "error": format!("cannot be written: {error}") }),
    };
    let same = value::<T>(&written, Reading::Lenient).is_ok_and(|it| it == read);
    let printed = format!("{read:?}");
    let variant = printed.split(['(', ' ']).next().unwrap_or_default();
    json!({ "value": written, "same": same, "variant": variant })
}

fn main() {
    let mut arguments = ::std::env::args().skip(1);
    let number: usize = arguments.next().unwrap().parse().unwrap();
    let samples = ::std::fs::read_to_string(arguments.next().unwrap()).unwrap();
    let table = TABLES.iter().find(|it| it.0 == number).unwrap().1;
    let mut lines = String::new();
    for line in samples.lines() {
        let given: Value = ::serde_json::from_str(line).unwrap();
        let through = table[given[0].as_u64().unwrap() as usize];
        lines.push_str(&through(&given[2]).to_string());
        lines.push('\n');
    }
    print!("{lines}");
}
"#;

/// A program with a table of the types of each description.
pub fn program<'a>(descriptions: impl Iterator<Item = (usize, &'a Vec<ComponentType>)>) -> String {
    let mut code = String::from("#![allow(warnings)]\n");
    let mut tables = String::new();
    for (number, types) in descriptions {
        code.push_str(&format!(
            "mod d{number} {{\n    use ::podqueue as __runtime;\n    include!(\"d{number}.rs\");\n    \
             pub const TABLE: &[fn(&::serde_json::Value) -> ::serde_json::Value] = &[\n"
        ));
        for it in types {
            code.push_str(&format!("        crate::through::<{}>,\n", it.ty));
        }
        code.push_str("    ];\n}\n");
        tables.push_str(&format!("    ({number}, d{number}::TABLE),\n"));
    }
    format!(
        "{code}static TABLES: &[(usize, &[fn(&::serde_json::Value) -> ::serde_json::Value])] = &[\n{tables}];\n{MAIN}"
    )
}
