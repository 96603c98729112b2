//! A GraphQL schema, and what the generator asks it.

use graphql_tools::parser::Pos;
use graphql_tools::parser::schema::{Definition, TypeDefinition as Defined, parse_schema};
use graphql_tools::static_graphql::schema::{
    Document, EnumType, Field, InputObjectType, ScalarType, Type, TypeDefinition,
};

use crate::{Diagnostic, Source};

/// What every schema has without saying so, and the validation wants said.
const SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];
const DIRECTIVES: [(&str, &str); 4] = [
    ("include", "directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("skip", "directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("deprecated", "directive @deprecated(reason: String) on FIELD_DEFINITION | ENUM_VALUE"),
    ("specifiedBy", "directive @specifiedBy(url: String!) on SCALAR"),
];

/// A parsed schema with the built-in definitions in it.
pub(crate) struct Schema {
    pub(crate) document: Document,
    /// The text it was parsed from.
    pub(crate) text: String,
}

impl Schema {
    /// Reads SDL.
    pub(crate) fn parse(source: &Source) -> Result<Self, Diagnostic> {
        let mut document = parse(&source.text).map_err(|message| {
            let (position, message) = split_position(&message);
            Diagnostic::new(&source.name, position.line, position.column, message)
        })?;
        let mut missing = String::new();
        for scalar in SCALARS.iter().filter(|name| document.type_by_name(name).is_none()) {
            missing.push_str(&format!("scalar {scalar}\n"));
        }
        for (name, definition) in DIRECTIVES {
            if document.directive_by_name(name).is_none() {
                missing.push_str(&format!("{definition}\n"));
            }
        }
        if let Ok(built_in) = parse(&missing) {
            document.definitions.extend(built_in.definitions);
        }
        let query = document.query_type_name().and_then(|name| document.type_by_name(name));
        if !matches!(query, Some(Defined::Object(_))) {
            return Err(Diagnostic::of_file(
                &source.name,
                "this schema has no query type, which GraphQL asks of every schema",
            ));
        }
        Ok(Self { document, text: source.text.clone() })
    }

    fn types(&self) -> impl Iterator<Item = &TypeDefinition> {
        self.document.definitions.iter().filter_map(|definition| match definition {
            Definition::TypeDefinition(definition) => Some(definition),
            _ => None,
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<&TypeDefinition> {
        self.types().find(|definition| definition.name() == name)
    }

    /// All input objects, by name.
    pub(crate) fn inputs(&self) -> Vec<&InputObjectType> {
        let mut inputs: Vec<_> = self
            .types()
            .filter_map(|definition| match definition {
                Defined::InputObject(input) => Some(input),
                _ => None,
            })
            .collect();
        inputs.sort_by(|a, b| a.name.cmp(&b.name));
        inputs
    }

    /// All enums of the service, by name.
    pub(crate) fn enums(&self) -> Vec<&EnumType> {
        let mut enums: Vec<_> = self
            .types()
            .filter_map(|definition| match definition {
                Defined::Enum(item) if !item.name.starts_with("__") => Some(item),
                _ => None,
            })
            .collect();
        enums.sort_by(|a, b| a.name.cmp(&b.name));
        enums
    }

    /// All scalars that GraphQL itself does not know, by name.
    pub(crate) fn custom_scalars(&self) -> Vec<&ScalarType> {
        let mut scalars: Vec<_> = self
            .types()
            .filter_map(|definition| match definition {
                Defined::Scalar(scalar) if !SCALARS.contains(&scalar.name.as_str()) => Some(scalar),
                _ => None,
            })
            .collect();
        scalars.sort_by(|a, b| a.name.cmp(&b.name));
        scalars
    }

    /// A field of an object or an interface.
    pub(crate) fn field(&self, of: &str, name: &str) -> Option<&Field> {
        let fields = match self.find(of)? {
            Defined::Object(object) => &object.fields,
            Defined::Interface(interface) => &interface.fields,
            _ => return None,
        };
        fields.iter().find(|field| field.name == name)
    }

    /// The description of a type.
    pub(crate) fn description(&self, of: &str) -> Option<&str> {
        match self.find(of)? {
            Defined::Scalar(it) => it.description.as_deref(),
            Defined::Object(it) => it.description.as_deref(),
            Defined::Interface(it) => it.description.as_deref(),
            Defined::Union(it) => it.description.as_deref(),
            Defined::Enum(it) => it.description.as_deref(),
            Defined::InputObject(it) => it.description.as_deref(),
        }
    }
}

/// The name in the middle of a type: `Pod` of `[Pod!]!`.
pub(crate) fn inner_name(ty: &Type) -> &str {
    ty.inner_type()
}

/// Splits what the query parser says into where and what.
pub(crate) fn split_position(message: &str) -> (Pos, String) {
    let message = message.trim();
    let Some((_, after)) = message.split_once("Parse error at ") else {
        return (Pos { line: 1, column: 1 }, message.to_owned());
    };
    let (place, what) = after.split_once('\n').unwrap_or((after, ""));
    let (line, column) = place.trim().split_once(':').unwrap_or((place, "1"));
    let number = |text: &str| text.parse().unwrap_or(1);
    let what = what.lines().map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>();
    (
        Pos { line: number(line), column: number(column) },
        format!("syntax error: {}", what.join("; ")),
    )
}

fn parse(text: &str) -> Result<Document, String> {
    parse_schema::<String>(text).map(|document| document.into_static()).map_err(|it| it.to_string())
}
