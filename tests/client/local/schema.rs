//! Equality of the executed schema of the local service and `schema/`.

use std::collections::BTreeMap;

use graphql_parser::schema::{Definition, Document, Field, InputValue, TypeDefinition};

use crate::local::support::service;

/// Each type with its fields, their arguments and types; descriptions and order do not matter.
fn outline(document: &Document<'_, String>) -> BTreeMap<String, Vec<String>> {
    let input = |value: &InputValue<'_, String>| format!("{}: {}", value.name, value.value_type);
    let field = |field: &Field<'_, String>| {
        let mut arguments: Vec<_> = field.arguments.iter().map(input).collect();
        arguments.sort();
        format!("{}({}): {}", field.name, arguments.join(", "), field.field_type)
    };
    let mut outline = BTreeMap::new();
    for definition in &document.definitions {
        let Definition::TypeDefinition(definition) = definition else { continue };
        let (name, mut fields): (_, Vec<_>) = match definition {
            TypeDefinition::Object(object) => {
                (format!("type {}", object.name), object.fields.iter().map(field).collect())
            }
            TypeDefinition::InputObject(object) => {
                (format!("input {}", object.name), object.fields.iter().map(input).collect())
            }
            TypeDefinition::Scalar(scalar) => (format!("scalar {}", scalar.name), Vec::new()),
            other => panic!("the schema has grown another kind of type: {other}"),
        };
        fields.sort();
        outline.insert(name, fields);
    }
    outline
}

#[tokio::test]
async fn the_local_service_executes_the_schema_of_this_crate() {
    let local = service().start().await.unwrap();
    let theirs = local.graphql_sdl();
    let ours = std::fs::read_to_string("../schema/schema.graphql").unwrap();
    let parse = |text| graphql_parser::parse_schema::<String>(text).unwrap().into_static();
    assert_eq!(outline(&parse(&theirs)), outline(&parse(&ours)), "{theirs}");
}
