//! Forward compatibility: podqueue's own wrappers still compile and work if the description and the
//! schema grow. podqueue is built with an extended description and an extended schema, and its
//! wrappers are called.

use std::fs;
use std::path::{Path, PathBuf};

use graphql_tools::parser::Pos;
use graphql_tools::parser::schema::{
    Definition, EnumValue, Field, InputValue, Type, TypeDefinition, parse_schema,
};
use podqueue_codegen::{Build, Source, rest};
use serde_json::{Value, json};

/// Writes podqueue as a package, as it would be had the service's description and its schema grown.
/// The generated code is packaged, so that it builds without its generator.
pub fn write_library(folder: &Path) {
    let workspace = workspace();
    fs::remove_dir_all(folder).ok();
    for name in ["src", "queries", "crates/runtime"] {
        copy_folder(&workspace.join(name), &folder.join(name));
    }
    fs::copy(workspace.join("README.md"), folder.join("README.md")).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("openapi/grown.json", &grown_description(&workspace).to_string());
    write("schema/grown.graphql", &grown_schema(&workspace));
    write(
        "queries/grown.graphql",
        "mutation GrowMore($grown: GrownInput) { grow(grown: $grown) { grown many { grown } } }\n",
    );
    let generated = folder.join("generated");
    fs::create_dir_all(&generated).unwrap();
    let build = Build::new()
        .own_rest(folder.join("openapi/grown.json"), "Rest")
        .operations(folder.join("schema"), folder.join("queries"));
    let report = build.generate(&generated);
    assert!(!report.failed, "{:?}", report.directives);

    write("build.rs", BUILD_SCRIPT);
    let manifest = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let (package, _) = manifest.split_once("[[example]]").unwrap();
    write(
        "Cargo.toml",
        &package.replace("members = [\"crates/*\"", "members = [\"crates/runtime\""),
    );
}

const BUILD_SCRIPT: &str = r#"
fn main() -> std::io::Result<()> {
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for file in ["podqueue_rest.rs", "graphql.rs"] {
        std::fs::copy(std::path::Path::new("generated").join(file), out.join(file))?;
    }
    Ok(())
}
"#;

/// The folder of the whole checkout.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_file() {
            fs::copy(&path, &to).unwrap();
        } else {
            copy_folder(&path, &to);
        }
    }
}

/// The description with more of everything that a service adds without notice to its clients:
/// fields, values of enums, optional parameters, answers, operations, schemas.
fn grown_description(workspace: &Path) -> Value {
    let source = Source::read(&workspace.join("openapi/podqueue.yaml")).unwrap();
    let mut description = rest::read(&source).unwrap();
    grow_schemas(&mut description);
    let grown = json!({"$ref": "#/components/schemas/Grown"});
    let answer =
        json!({"description": "Grown.", "content": {"application/json": {"schema": grown}}});
    let mut grew = 0;
    for item in description["paths"].as_object_mut().unwrap().values_mut() {
        for operation in item.as_object_mut().unwrap().values_mut().filter(|it| it.is_object()) {
            let parameters = operation["parameters"].as_array_mut().unwrap();
            parameters.push(json!({"name": "grown", "in": "query", "schema": {"type": "string"}}));
            parameters
                .push(json!({"name": "x-grown", "in": "header", "schema": {"type": "integer"}}));
            operation["responses"]["202"] = answer.clone();
            operation["responses"]["418"] = answer.clone();
            grew += 1;
        }
    }
    assert!(grew > 1, "there is something to grow");
    description["components"]["schemas"]["Grown"] = json!({"type": "object", "properties": {
        "grown": {"type": "string", "enum": ["A", "B"]}, "more": {"$ref": "#/components/schemas/Grown"},
    }});
    description["paths"]["/grown/{id}"] = json!({
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
        "get": {"responses": {"200": answer}},
        "post": {"operationId": "grow", "responses": {"200": answer}, "requestBody": {
            "required": true, "content": {"application/json": {"schema": grown}}}},
    });
    description
}

fn grow_schemas(value: &mut Value) {
    if let Some(Value::Object(properties)) = value.get_mut("properties") {
        properties.insert("grownText".to_owned(), json!({"type": "string"}));
        properties.insert(
            "grownMany".to_owned(),
            json!({"type": "array", "items": {"$ref": "#/components/schemas/Grown"}}),
        );
    }
    if let Some(Value::Array(values)) = value.get_mut("enum") {
        values.push(json!("GROWN"));
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(grow_schemas),
        Value::Array(items) => items.iter_mut().for_each(grow_schemas),
        _ => {}
    }
}

/// The schema with more fields, optional fields of inputs, optional arguments, values of enums,
/// types and operations.
fn grown_schema(workspace: &Path) -> String {
    let text = fs::read_to_string(workspace.join("schema/schema.graphql")).unwrap();
    let mut document = parse_schema::<String>(&text).unwrap().into_static();
    let named = |name: &str| Type::NamedType(name.to_owned());
    let input = |name: &str, of: &str| InputValue {
        position: Pos::default(),
        description: None,
        name: name.to_owned(),
        value_type: named(of),
        default_value: None,
        directives: Vec::new(),
    };
    let field = |name: &str, of: &str| Field {
        position: Pos::default(),
        description: None,
        name: name.to_owned(),
        arguments: Vec::new(),
        field_type: named(of),
        directives: Vec::new(),
    };
    for definition in &mut document.definitions {
        let Definition::TypeDefinition(definition) = definition else { continue };
        match definition {
            TypeDefinition::Object(it) => {
                it.fields.iter_mut().for_each(|it| it.arguments.push(input("grown", "GrownInput")));
                it.fields.push(field("grownText", "String"));
                it.fields.push(field("grown", "Grown"));
                if it.name == "Mutation" {
                    let mut grow = field("grow", "Grown");
                    grow.arguments.push(input("grown", "GrownInput"));
                    it.fields.push(grow);
                }
            }
            TypeDefinition::InputObject(it) => {
                it.fields.push(input("grownText", "String"));
                it.fields.push(input("grown", "GrownInput"));
                it.fields.push(input("grownKind", "GrownKind"));
            }
            TypeDefinition::Enum(it) => it.values.push(EnumValue::new("GROWN".to_owned())),
            _ => {}
        }
    }
    format!(
        "{document}\ntype Grown {{ grown: GrownKind many: [Grown!] }}\n\
         enum GrownKind {{ A B }}\n\
         input GrownInput {{ grown: GrownKind! more: GrownInput of: [GrownInput!] }}\n"
    )
}
