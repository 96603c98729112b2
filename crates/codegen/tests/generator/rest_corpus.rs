//! Corpus: a small description for each construct, and large ones composed of them.

use std::fs;
use std::path::PathBuf;

use podqueue_codegen::{Generated, Source, rest};
use serde_json::{Map, Value, json};

use crate::support::lines;

/// A description of the corpus.
pub struct Document {
    /// The name of its file, without the ending.
    pub name: String,
    /// The description.
    pub description: Value,
    /// The generated code.
    pub generated: Generated,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rest")
}

/// The small descriptions, by name.
pub fn small() -> Vec<Document> {
    files().iter().map(document).collect()
}

fn files() -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml" || it == "json"))
        .collect();
    paths.sort();
    paths
}

fn document(path: &PathBuf) -> Document {
    let text = fs::read_to_string(path).unwrap();
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    // Relative to where tests run, for references to other files.
    let source = Source::new(format!("tests/corpus/rest/{file}"), text);
    let description = rest::read(&source).unwrap();
    let generated = generate(&source);
    Document { name, description, generated }
}

fn generate(source: &Source) -> Generated {
    match rest::generate(source) {
        Ok(generated) => generated,
        Err(diagnostics) => panic!("{}", lines(&diagnostics)),
    }
}

/// All small descriptions in one, as often as it takes for so many operations. Schemas get a
/// prefix, so that they stay apart; operations keep their ids, so that they collide.
pub fn large(operations: usize) -> Document {
    let small = small();
    let mut paths = Map::new();
    let mut components = json!({});
    let mut count = 0;
    for (round, document) in small.iter().cycle().enumerate() {
        if count >= operations {
            break;
        }
        let mut description = document.description.clone();
        let prefix = format!("{}{round}", document.name);
        prefix_references(&mut description, &prefix);
        for (path, item) in description["paths"].as_object().into_iter().flatten() {
            count +=
                item.as_object().map_or(0, |it| it.keys().filter(|it| *it != "parameters").count());
            paths.insert(format!("/{prefix}{path}"), item.clone());
        }
        for (kind, named) in description["components"].as_object().into_iter().flatten() {
            for (name, value) in named.as_object().into_iter().flatten() {
                components[kind][format!("{prefix}.{name}")] = value.clone();
            }
        }
    }
    let description =
        json!({ "openapi": "3.1.0", "info": {}, "paths": paths, "components": components });
    let source = Source::new("large.json", description.to_string());
    Document { name: format!("large_{operations}"), description, generated: generate(&source) }
}

fn prefix_references(value: &mut Value, prefix: &str) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(target) if key == "$ref" => {
                        let parts: Vec<_> = target.splitn(4, '/').collect();
                        if let ["#", "components", kind, name] = parts.as_slice() {
                            *target = format!("#/components/{kind}/{prefix}.{name}");
                        }
                    }
                    value => prefix_references(value, prefix),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| prefix_references(it, prefix)),
        _ => {}
    }
}

#[test]
fn yaml_is_read_as_another_parser_reads_it() {
    let mut refused = Vec::new();
    for file in files().iter().filter(|it| it.extension().is_some_and(|it| it == "yaml")) {
        let text = fs::read_to_string(file).unwrap();
        let Ok(mut other) = yaml_serde::from_str::<yaml_serde::Value>(&text) else {
            refused.push(file.file_name().unwrap().to_str().unwrap().to_owned());
            continue;
        };
        other.apply_merge().unwrap();
        let read = rest::read(&Source::read(file).unwrap()).unwrap();
        assert_eq!(read, serde_json::to_value(other).unwrap(), "{}", file.display());
    }
    // The other parser has no integers beyond 64 bits.
    assert_eq!(refused, ["loose.yaml"]);
}

#[test]
fn the_same_description_gives_the_same_code() {
    let (first, second) = (large(60).generated, large(60).generated);
    assert!(first.code == second.code);
    assert_eq!(lines(&first.warnings), lines(&second.warnings));
}

#[test]
fn names_contain_no_placeholders_of_the_type_generator() {
    for document in small() {
        for word in ["subtype_", "Variant0", "Subtype"] {
            assert!(!document.generated.code.contains(word), "{word} is in {}", document.name);
        }
    }
}
