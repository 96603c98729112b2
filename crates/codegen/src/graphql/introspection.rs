//! The result of an introspection query, as the SDL that the rest of the generator reads.
//!
//! What an introspection result does not tell is not there: directives that the service put on
//! its definitions, comments, and which definition stood in which extension.

use serde_json::Value;

use super::built_in::SCALARS;
use crate::{Diagnostic, Source};

/// The directives that every schema has, and SDL therefore does not define.
const DIRECTIVES: [&str; 5] = ["include", "skip", "deprecated", "specifiedBy", "oneOf"];

/// The places of a directive that SDL can name.
const LOCATIONS: [&str; 19] = [
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION",
    "SCHEMA",
    "SCALAR",
    "OBJECT",
    "FIELD_DEFINITION",
    "ARGUMENT_DEFINITION",
    "INTERFACE",
    "UNION",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

/// The schema in SDL. The JSON may be a whole answer (`{"data": {"__schema": …}}`), its data, or
/// the schema alone.
pub(crate) fn sdl(source: &Source) -> Result<String, Diagnostic> {
    let json: Value = serde_json::from_str(&source.text).map_err(|error| {
        Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
    })?;
    write(&json).map_err(|message| Diagnostic::of_file(&source.name, message))
}

/// The same, from a tree.
fn write(json: &Value) -> Result<String, String> {
    let schema = [json.pointer("/data/__schema"), json.get("__schema"), Some(json)]
        .into_iter()
        .flatten()
        .find(|it| it.get("types").is_some_and(Value::is_array))
        .ok_or("this is not an introspection result: it has no `__schema` with `types`")?;
    let mut sdl = String::from("schema {\n");
    for (operation, key) in
        [("query", "queryType"), ("mutation", "mutationType"), ("subscription", "subscriptionType")]
    {
        if let Some(name) = schema[key]["name"].as_str() {
            sdl.push_str(&format!("  {operation}: {name}\n"));
        }
    }
    sdl.push_str("}\n");
    for directive in list(schema, "directives") {
        sdl.push_str(&directive_definition(directive)?);
    }
    for definition in list(schema, "types") {
        sdl.push_str(&type_definition(definition)?);
    }
    Ok(sdl)
}

fn directive_definition(directive: &Value) -> Result<String, String> {
    let name = name(directive)?;
    let locations: Vec<_> = list(directive, "locations")
        .iter()
        .filter_map(Value::as_str)
        .filter(|location| LOCATIONS.contains(location))
        .collect();
    if DIRECTIVES.contains(&name) || locations.is_empty() {
        return Ok(String::new());
    }
    let description = description(directive, "");
    let arguments = arguments(directive).map_err(within(&format!("@{name}")))?;
    let repeatable =
        if directive["isRepeatable"] == Value::Bool(true) { " repeatable" } else { "" };
    let locations = locations.join(" | ");
    Ok(format!("\n{description}directive @{name}{arguments}{repeatable} on {locations}\n"))
}

fn type_definition(definition: &Value) -> Result<String, String> {
    let name = name(definition)?;
    if name.starts_with("__") || SCALARS.contains(&name) {
        return Ok(String::new());
    }
    let kind = definition["kind"].as_str().unwrap_or_default();
    let written = match kind {
        "SCALAR" => Ok(format!("scalar {name}{}", specified_by(definition))),
        "OBJECT" => fields(definition)
            .map(|fields| format!("type {name}{} {fields}", implements(definition))),
        "INTERFACE" => fields(definition)
            .map(|fields| format!("interface {name}{} {fields}", implements(definition))),
        "UNION" => {
            let members = names(definition, "possibleTypes");
            let is = if members.is_empty() { "" } else { " = " };
            Ok(format!("union {name}{is}{}", members.join(" | ")))
        }
        "ENUM" => values(definition).map(|values| format!("enum {name} {values}")),
        "INPUT_OBJECT" => input_fields(definition).map(|fields| {
            let is_one_of = definition["isOneOf"] == Value::Bool(true);
            format!("input {name}{} {fields}", if is_one_of { " @oneOf" } else { "" })
        }),
        other => Err(format!("`{other}` is not a kind of type")),
    };
    let written = written.map_err(within(name))?;
    Ok(format!("\n{}{written}\n", description(definition, "")))
}

fn specified_by(definition: &Value) -> String {
    // The key has been spelled both ways.
    let url = ["specifiedByURL", "specifiedByUrl"].iter().find_map(|key| definition[*key].as_str());
    url.map_or_else(String::new, |url| format!(" @specifiedBy(url: {})", quoted(url)))
}

fn implements(definition: &Value) -> String {
    let names = names(definition, "interfaces");
    if names.is_empty() { String::new() } else { format!(" implements {}", names.join(" & ")) }
}

fn fields(definition: &Value) -> Result<String, String> {
    block(list(definition, "fields").iter().map(|field| {
        let name = name(field)?;
        let write = || {
            let (arguments, of) = (arguments(field)?, type_reference(&field["type"])?);
            Ok(format!("{name}{arguments}: {of}{}", deprecated(field)))
        };
        let written = write().map_err(within(name))?;
        Ok(format!("{}  {written}\n", description(field, "  ")))
    }))
}

fn input_fields(definition: &Value) -> Result<String, String> {
    block(list(definition, "inputFields").iter().map(|field| {
        let written = input_value(field)?;
        Ok(format!("{}  {written}\n", description(field, "  ")))
    }))
}

fn values(definition: &Value) -> Result<String, String> {
    block(list(definition, "enumValues").iter().map(|value| {
        let name = name(value)?;
        Ok(format!("{}  {name}{}\n", description(value, "  "), deprecated(value)))
    }))
}

fn arguments(of: &Value) -> Result<String, String> {
    let mut arguments = String::new();
    for argument in list(of, "args") {
        arguments.push_str(&description(argument, "    "));
        arguments.push_str(&format!("    {}\n", input_value(argument)?));
    }
    Ok(if arguments.is_empty() { arguments } else { format!("(\n{arguments}  )") })
}

fn input_value(value: &Value) -> Result<String, String> {
    let name = name(value)?;
    let of = type_reference(&value["type"]).map_err(within(name))?;
    let default = value["defaultValue"].as_str();
    let default = default.map_or_else(String::new, |literal| format!(" = {literal}"));
    Ok(format!("{name}: {of}{default}{}", deprecated(value)))
}

fn type_reference(of: &Value) -> Result<String, String> {
    match of["kind"].as_str() {
        Some("NON_NULL") => Ok(format!("{}!", type_reference(&of["ofType"])?)),
        Some("LIST") => Ok(format!("[{}]", type_reference(&of["ofType"])?)),
        Some(_) => name(of).map(str::to_owned),
        None => Err("its type is nested deeper than the introspection query asked".to_owned()),
    }
}

fn deprecated(item: &Value) -> String {
    if item["isDeprecated"] != Value::Bool(true) {
        return String::new();
    }
    match item["deprecationReason"].as_str() {
        Some(reason) => format!(" @deprecated(reason: {})", quoted(reason)),
        None => " @deprecated".to_owned(),
    }
}

/// A description on a line of its own.
fn description(item: &Value, indentation: &str) -> String {
    match item["description"].as_str() {
        Some(text) if !text.trim().is_empty() => format!("{indentation}{}\n", quoted(text)),
        _ => String::new(),
    }
}

fn block(lines: impl Iterator<Item = Result<String, String>>) -> Result<String, String> {
    let lines: String = lines.collect::<Result<_, _>>()?;
    // A block must not be empty, a type may be.
    Ok(if lines.is_empty() { lines } else { format!("{{\n{lines}}}") })
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn names<'a>(of: &'a Value, key: &str) -> Vec<&'a str> {
    list(of, key).iter().filter_map(|it| it["name"].as_str()).collect()
}

/// A name that SDL can hold as it is.
fn name(of: &Value) -> Result<&str, String> {
    let name = of["name"].as_str().unwrap_or_default();
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(name) } else { Err(format!("`{name}` is not a valid GraphQL name")) }
}

fn within(what: &str) -> impl Fn(String) -> String + '_ {
    move |message| format!("{what}: {message}")
}

/// A string literal. Those of GraphQL and of JSON escape alike.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
