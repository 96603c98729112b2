//! GraphQL schema, with lookups.

use std::collections::{BTreeMap, HashMap, HashSet};

use graphql_tools::parser::schema::{Definition, TypeDefinition as Defined, parse_schema};
use graphql_tools::static_graphql::schema::{
    Document, EnumType, Field, InputObjectType, ScalarType, Type, TypeDefinition,
};

use super::sdl::{self, DIRECTIVES, SCALARS};
use crate::{Diagnostic, Source, naming};

/// A parsed schema with the built-in definitions in it.
pub(crate) struct Schema {
    pub(crate) document: Document,
    /// The indices of the types' definitions, by name.
    places: HashMap<String, usize>,
    /// The Rust names of the types that operations share.
    names: BTreeMap<String, String>,
}

/// The definitions of a schema, with its extensions merged and the built-in definitions added.
///
/// # Errors
///
/// All errors of the schema, each with its position.
pub fn document(source: &Source) -> Result<Document, Vec<Diagnostic>> {
    Schema::parse(source).map(|schema| schema.document)
}

impl Schema {
    /// Reads SDL or, from a file that ends in `.json`, an introspection result.
    pub(crate) fn parse(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let from_json = source.extension() == "json";
        let text =
            if from_json { sdl::sdl(source).map_err(|it| vec![it])? } else { source.text.clone() };
        let source = Source::new(&source.name, text);
        let mut document = sdl::parse(&source).map_err(|diagnostic| {
            // A position in the converted SDL would mean nothing to the user.
            vec![if from_json {
                Diagnostic::of_file(&source.name, diagnostic.message)
            } else {
                diagnostic
            }]
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
        if let Ok(built_in) = parse_schema::<String>(&missing) {
            document.definitions.extend(built_in.into_static().definitions);
        }
        let diagnostics = sdl::diagnostics(&source, &document);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let query = document.query_type_name().and_then(|name| document.type_by_name(name));
        if !matches!(query, Some(Defined::Object(_))) {
            return Err(vec![Diagnostic::of_file(
                &source.name,
                "this schema has no query type, which GraphQL asks of every schema",
            )]);
        }
        let definitions = document.definitions.iter().enumerate();
        let places = definitions.filter_map(|(place, definition)| match definition {
            Definition::TypeDefinition(definition) => Some((definition.name().to_owned(), place)),
            _ => None,
        });
        let places = places.collect();
        let mut schema = Self { document, places, names: BTreeMap::new() };
        schema.names = schema.shared_names();
        Ok(schema)
    }

    /// Makes the Rust names of types distinct from each other and from those that generated code
    /// uses. A name that needs no change stays with its type.
    fn shared_names(&self) -> BTreeMap<String, String> {
        let inputs = self.inputs().into_iter().map(|it| &it.name);
        let enums = self.enums().into_iter().map(|it| &it.name);
        let scalars = self.custom_scalars().into_iter().map(|it| &it.name);
        let mut shared: Vec<_> = inputs.chain(enums).chain(scalars).collect();
        shared.sort_by_key(|name| (naming::upper_camel(name) != **name, *name));
        let mut taken = HashSet::new();
        shared
            .into_iter()
            .map(|name| (name.clone(), naming::unique_pascal(&mut taken, naming::shared(name))))
            .collect()
    }

    /// The Rust name of an input, an enum or a scalar.
    pub(crate) fn rust_name(&self, name: &str) -> String {
        self.names.get(name).cloned().unwrap_or_else(|| naming::upper_camel(name))
    }

    /// The name of a shared type in the schema for graphql_client: its Rust name, if that differs
    /// by more than case.
    pub(crate) fn client_name(&self, name: &str) -> String {
        let renamed = self.names.get(name).filter(|new| **new != naming::upper_camel(name));
        renamed.cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Replaces the name in a type by that in the schema for graphql_client.
    pub(crate) fn rename(&self, ty: &mut Type) {
        match ty {
            Type::NonNullType(inner) | Type::ListType(inner) => self.rename(inner),
            Type::NamedType(name) => *name = self.client_name(name),
        }
    }

    /// The schema for graphql_client: without descriptions, arguments and inputs, and with the Rust
    /// names of types.
    pub(crate) fn text_for_types(&self) -> String {
        let mut document = Document { definitions: Vec::new() };
        for definition in &self.document.definitions {
            let mut definition = definition.clone();
            let Definition::TypeDefinition(defined) = &mut definition else {
                if matches!(definition, Definition::SchemaDefinition(_)) {
                    document.definitions.push(definition);
                }
                continue;
            };
            match defined {
                Defined::Scalar(it) => {
                    if SCALARS.contains(&it.name.as_str()) {
                        continue;
                    }
                    (it.description, it.directives) = (None, Vec::new());
                    it.name = self.client_name(&it.name);
                }
                Defined::Object(it) => {
                    (it.description, it.directives) = (None, Vec::new());
                    it.fields.iter_mut().for_each(|field| self.plain_field(field));
                }
                Defined::Interface(it) => {
                    (it.description, it.directives) = (None, Vec::new());
                    it.implements_interfaces.clear();
                    it.fields.iter_mut().for_each(|field| self.plain_field(field));
                }
                Defined::Union(it) => (it.description, it.directives) = (None, Vec::new()),
                Defined::Enum(it) => {
                    (it.description, it.directives) = (None, Vec::new());
                    // `types` generates its values.
                    it.values.truncate(1);
                    for value in &mut it.values {
                        (value.description, value.directives) = (None, Vec::new());
                    }
                    it.name = self.client_name(&it.name);
                }
                // `inputs` generates its fields.
                Defined::InputObject(it) => {
                    *defined = Defined::Scalar(ScalarType::new(self.client_name(&it.name)));
                }
            }
            document.definitions.push(definition);
        }
        document.to_string()
    }

    fn plain_field(&self, field: &mut Field) {
        field.description = None;
        field.arguments.clear();
        field.directives.retain(|directive| directive.name == "deprecated");
        self.rename(&mut field.field_type);
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &TypeDefinition> {
        self.document.definitions.iter().filter_map(|definition| match definition {
            Definition::TypeDefinition(definition) => Some(definition),
            _ => None,
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<&TypeDefinition> {
        match self.document.definitions.get(*self.places.get(name)?)? {
            Definition::TypeDefinition(definition) => Some(definition),
            _ => None,
        }
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

    /// All custom scalars, by name.
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
