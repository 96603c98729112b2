//! Reading of schemas: SDL, with extensions merged, and results of introspection queries. A schema
//! that contradicts itself is refused with positions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use graphql_tools::parser::schema::{Definition, TypeDefinition, TypeExtension, parse_schema};
use graphql_tools::parser::{Pos, TokenKind, spanned_tokens};
use graphql_tools::static_graphql::schema::{
    self as ast, Document, Field, InputValue, SchemaDefinition,
};
use serde_json::Value;

use super::text::{column, quoted, split_position};
use crate::naming::nearest;
use crate::{Diagnostic, Source};

/// The built-in scalars.
pub(crate) const SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];

/// The built-in directives, and their definitions.
pub(crate) const DIRECTIVES: [(&str, &str); 4] = [
    ("include", "directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("skip", "directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("deprecated", "directive @deprecated(reason: String) on FIELD_DEFINITION | ENUM_VALUE"),
    ("specifiedBy", "directive @specifiedBy(url: String!) on SCALAR"),
];

type Extension = TypeExtension<'static, String>;

/// Parses SDL, and merges extensions into definitions.
pub(crate) fn parse(source: &Source) -> Result<Document, Diagnostic> {
    let (text, roots) = without_schema_extensions(&source.text);
    let parsed = parse_schema::<String>(&text).map_err(|error| {
        let (position, message) = split_position(&error.to_string());
        diagnostic(source, position, message)
    })?;
    let mut document = parsed.into_static();
    fold_extensions(&mut document);
    add_roots(&mut document, roots);
    Ok(document)
}

/// Errors that would otherwise be reported far from their cause: a type that is defined twice, a
/// type that does not exist.
pub(crate) fn diagnostics(source: &Source, document: &Document) -> Vec<Diagnostic> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut diagnostics = Vec::new();
    let mut at = |position: Pos, message: String| {
        diagnostics.push(diagnostic(source, position, message));
    };
    for definition in types(document) {
        if !known.insert(definition.name()) {
            at(
                position(definition),
                format!("the type `{}` is already defined", definition.name()),
            );
        }
    }
    let candidates: Vec<&str> = known.iter().copied().collect();
    let mut check = |position: Pos, what: &str, of: &str| {
        if !known.contains(of) {
            let nearest = nearest(of, &candidates);
            let suggestion =
                nearest.map_or_else(String::new, |it| format!(" Did you mean \"{it}\"?"));
            at(position, format!("{what}: there is no type `{of}`.{suggestion}"));
        }
    };
    let mut field = |of: &str, field: &Field| {
        let name = format!("{of}.{}", field.name);
        check(field.position, &name, field.field_type.inner_type());
        for argument in &field.arguments {
            let name = format!("{name}({})", argument.name);
            check(argument.position, &name, argument.value_type.inner_type());
        }
    };
    for definition in types(document) {
        match definition {
            TypeDefinition::Object(it) => it.fields.iter().for_each(|f| field(&it.name, f)),
            TypeDefinition::Interface(it) => it.fields.iter().for_each(|f| field(&it.name, f)),
            _ => {}
        }
    }
    let mut input = |of: &str, field: &InputValue| {
        let name = format!("{of}.{}", field.name);
        check(field.position, &name, field.value_type.inner_type());
    };
    for definition in types(document) {
        if let TypeDefinition::InputObject(it) = definition {
            it.fields.iter().for_each(|field| input(&it.name, field));
        }
    }
    for definition in types(document) {
        match definition {
            TypeDefinition::Union(it) => {
                it.types.iter().for_each(|of| check(it.position, &it.name, of));
            }
            TypeDefinition::Object(it) => {
                it.implements_interfaces.iter().for_each(|of| check(it.position, &it.name, of));
            }
            _ => {}
        }
    }
    diagnostics
}

fn diagnostic(source: &Source, position: Pos, message: String) -> Diagnostic {
    let line = source.text.lines().nth(position.line.saturating_sub(1)).unwrap_or_default();
    Diagnostic::new(&source.name, position.line, column(line, position.column), message)
}

fn types(document: &Document) -> impl Iterator<Item = &ast::TypeDefinition> {
    document.definitions.iter().filter_map(|definition| match definition {
        Definition::TypeDefinition(definition) => Some(definition),
        _ => None,
    })
}

fn position(definition: &ast::TypeDefinition) -> Pos {
    match definition {
        TypeDefinition::Scalar(it) => it.position,
        TypeDefinition::Object(it) => it.position,
        TypeDefinition::Interface(it) => it.position,
        TypeDefinition::Union(it) => it.position,
        TypeDefinition::Enum(it) => it.position,
        TypeDefinition::InputObject(it) => it.position,
    }
}

/// An extension of a missing definition becomes a definition: federated services publish such
/// schemas.
fn fold_extensions(document: &mut Document) {
    let mut extensions = Vec::new();
    let mut definitions = Vec::new();
    for definition in std::mem::take(&mut document.definitions) {
        match definition {
            Definition::TypeExtension(extension) => extensions.push(extension),
            other => definitions.push(other),
        }
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, definition) in definitions.iter().enumerate() {
        if let Definition::TypeDefinition(it) = definition {
            places.entry(it.name().to_owned()).or_insert(place);
        }
    }
    for extension in extensions {
        let place = *places.entry(extended(&extension).to_owned()).or_insert(definitions.len());
        match definitions.get_mut(place) {
            Some(Definition::TypeDefinition(extended)) => extend(extended, extension),
            _ => definitions.push(Definition::TypeDefinition(define(extension))),
        }
    }
    document.definitions = definitions;
}

fn extended(extension: &Extension) -> &str {
    match extension {
        TypeExtension::Scalar(it) => &it.name,
        TypeExtension::Object(it) => &it.name,
        TypeExtension::Interface(it) => &it.name,
        TypeExtension::Union(it) => &it.name,
        TypeExtension::Enum(it) => &it.name,
        TypeExtension::InputObject(it) => &it.name,
    }
}

fn extend(definition: &mut ast::TypeDefinition, extension: Extension) {
    match (definition, extension) {
        (TypeDefinition::Scalar(it), TypeExtension::Scalar(more)) => {
            it.directives.extend(more.directives);
        }
        (TypeDefinition::Object(it), TypeExtension::Object(more)) => {
            it.implements_interfaces.extend(more.implements_interfaces);
            it.directives.extend(more.directives);
            it.fields.extend(more.fields);
        }
        (TypeDefinition::Interface(it), TypeExtension::Interface(more)) => {
            it.implements_interfaces.extend(more.implements_interfaces);
            it.directives.extend(more.directives);
            it.fields.extend(more.fields);
        }
        (TypeDefinition::Union(it), TypeExtension::Union(more)) => {
            it.directives.extend(more.directives);
            it.types.extend(more.types);
        }
        (TypeDefinition::Enum(it), TypeExtension::Enum(more)) => {
            it.directives.extend(more.directives);
            it.values.extend(more.values);
        }
        (TypeDefinition::InputObject(it), TypeExtension::InputObject(more)) => {
            it.directives.extend(more.directives);
            it.fields.extend(more.fields);
        }
        // An extension of another kind than its definition is ignored.
        _ => {}
    }
}

fn define(extension: Extension) -> ast::TypeDefinition {
    let mut definition = match &extension {
        TypeExtension::Scalar(it) => TypeDefinition::Scalar(ast::ScalarType::new(it.name.clone())),
        TypeExtension::Object(it) => TypeDefinition::Object(ast::ObjectType::new(it.name.clone())),
        TypeExtension::Interface(it) => {
            TypeDefinition::Interface(ast::InterfaceType::new(it.name.clone()))
        }
        TypeExtension::Union(it) => TypeDefinition::Union(ast::UnionType::new(it.name.clone())),
        TypeExtension::Enum(it) => TypeDefinition::Enum(ast::EnumType::new(it.name.clone())),
        TypeExtension::InputObject(it) => {
            TypeDefinition::InputObject(ast::InputObjectType::new(it.name.clone()))
        }
    };
    extend(&mut definition, extension);
    definition
}

/// One `schema { … }` that names all root types, including those with the default names.
fn add_roots(document: &mut Document, more: BTreeMap<String, String>) {
    let named =
        |kind: &str, name: Option<&String>| name.cloned().or_else(|| more.get(kind).cloned());
    let schema = SchemaDefinition {
        position: Pos::default(),
        directives: Vec::new(),
        query: named("query", document.query_type_name()),
        mutation: named("mutation", document.mutation_type_name()),
        subscription: named("subscription", document.subscription_type_name()),
    };
    document.definitions.retain(|it| !matches!(it, Definition::SchemaDefinition(_)));
    document.definitions.push(Definition::SchemaDefinition(schema));
}

/// Blanks out `extend schema` and the description of the schema, which the parser does not support,
/// so that all positions stay the same. Returns the root types that the extensions name.
fn without_schema_extensions(text: &str) -> (String, BTreeMap<String, String>) {
    let mut roots = BTreeMap::new();
    let Ok(tokens) = spanned_tokens(text) else { return (text.to_owned(), roots) };
    let word = |at: usize| tokens.get(at).and_then(|(_, range)| text.get(range.clone()));
    let is_string = |at: usize| {
        let kind = tokens.get(at).map(|(kind, _)| *kind);
        matches!(kind, Some(TokenKind::StringValue | TokenKind::BlockString))
    };
    let mut blanks = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = word(at) {
        if depth == 0 && is_string(at) && word(at + 1) == Some("schema") {
            blanks.push(tokens[at].1.clone());
        } else if depth == 0 && token == "extend" && word(at + 1) == Some("schema") {
            let start = at;
            at += 2;
            let mut inside = 0_usize;
            while let Some(token) = word(at) {
                let starts_next = !matches!(word(at - 1), Some("@" | ":"))
                    && (DEFINITIONS.contains(&token) || is_string(at));
                if inside == 0 && starts_next {
                    break;
                }
                match token {
                    "{" | "(" | "[" => inside += 1,
                    "}" | ")" | "]" => inside = inside.saturating_sub(1),
                    "query" | "mutation" | "subscription" if word(at + 1) == Some(":") => {
                        let name = word(at + 2).unwrap_or_default();
                        roots.insert(token.to_owned(), name.to_owned());
                    }
                    _ => {}
                }
                at += 1;
            }
            let end = tokens.get(at - 1).map_or(text.len(), |(_, range)| range.end);
            blanks.push(tokens[start].1.start..end);
            continue;
        }
        match token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    let mut blanked = String::with_capacity(text.len());
    let mut from = 0;
    for range in blanks {
        blanked.push_str(&text[from..range.start]);
        blanked.extend(text[range.clone()].chars().map(|c| if c == '\n' { c } else { ' ' }));
        from = range.end;
    }
    blanked.push_str(&text[from..]);
    (blanked, roots)
}

/// The keywords of definitions.
const DEFINITIONS: [&str; 9] =
    ["schema", "extend", "scalar", "type", "interface", "union", "enum", "input", "directive"];

/// The built-in directives, which SDL does not define.
const UNDEFINED_DIRECTIVES: [&str; 5] = ["include", "skip", "deprecated", "specifiedBy", "oneOf"];

/// The locations of a directive in SDL.
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

/// Converts the result of an introspection query into SDL: a whole response (`{"data": {"__schema":
/// …}}`), its data, or the schema alone.
pub(crate) fn sdl(source: &Source) -> Result<String, Diagnostic> {
    let json: Value = serde_json::from_str(&source.text).map_err(|error| {
        Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
    })?;
    write(&json).map_err(|message| Diagnostic::of_file(&source.name, message))
}

/// Writes the schema of an introspection result, from a tree.
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
    if UNDEFINED_DIRECTIVES.contains(&name) || locations.is_empty() {
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
    // Both spellings occur.
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

/// A description on its own line.
fn description(item: &Value, indentation: &str) -> String {
    match item["description"].as_str() {
        Some(text) if !text.trim().is_empty() => format!("{indentation}{}\n", quoted(text)),
        _ => String::new(),
    }
}

fn block(lines: impl Iterator<Item = Result<String, String>>) -> Result<String, String> {
    let lines: String = lines.collect::<Result<_, _>>()?;
    // In SDL a block must not be empty, but a type may have no fields.
    Ok(if lines.is_empty() { lines } else { format!("{{\n{lines}}}") })
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn names<'a>(of: &'a Value, key: &str) -> Vec<&'a str> {
    list(of, key).iter().filter_map(|it| it["name"].as_str()).collect()
}

/// Returns a name if it is valid in SDL.
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
