//! Reads SDL as services publish it: `extend` folded into what it extends, and a schema that does
//! not hold together refused with the places.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use graphql_tools::parser::schema::{Definition, TypeDefinition, TypeExtension, parse_schema};
use graphql_tools::parser::{Pos, TokenKind, spanned_tokens};
use graphql_tools::static_graphql::schema::{
    self as ast, Document, Field, InputValue, SchemaDefinition,
};

use super::nearest::nearest;
use super::position::{column, split_position};
use crate::{Diagnostic, Source};

type Extension = TypeExtension<'static, String>;

/// Parses SDL into definitions that stand for themselves.
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

/// What would end in an error far from its cause: a type that is defined twice, a type that is
/// not there.
pub(crate) fn mistakes(source: &Source, document: &Document) -> Vec<Diagnostic> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut mistakes = Vec::new();
    let mut at = |position: Pos, message: String| {
        mistakes.push(diagnostic(source, position, message));
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
    mistakes
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

/// An extension of what is not there becomes a definition, as services that are put together from
/// others publish it.
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
        let place = *places.entry(name(&extension).to_owned()).or_insert(definitions.len());
        match definitions.get_mut(place) {
            Some(Definition::TypeDefinition(extended)) => extend(extended, extension),
            _ => definitions.push(Definition::TypeDefinition(define(extension))),
        }
    }
    document.definitions = definitions;
}

fn name(extension: &Extension) -> &str {
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
        // An extension of another kind than what it extends adds nothing.
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

/// One `schema { … }` that names all roots, also those that are named by custom only.
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

/// The parser takes neither `extend schema` nor a description of the schema. What says nothing
/// about types is blanked out, so that all places stay as they are; the roots that an extension
/// names are handed back.
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

/// The words that a definition begins with.
const DEFINITIONS: [&str; 9] =
    ["schema", "extend", "scalar", "type", "interface", "union", "enum", "input", "directive"];
