//! What a schema is called that has no name.

use serde_json::Value;

use crate::naming;

/// A name for the schema that keys lead to in a file: `PodImage` for the field `image` of `Pod`,
/// `ListPodsResponse` for what the operation `listPods` answers with.
pub(super) fn title(keys: &[String], tree: &Value, file: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut value = tree;
    let mut before = "";
    for key in keys {
        let index = key.parse::<usize>();
        let within = index.as_ref().ok().and_then(|index| value.get(index));
        value = within.or_else(|| value.get(key)).unwrap_or(&Value::Null);
        match (before, key.as_str()) {
            ("properties", name) => words.push(name.to_owned()),
            ("schemas" | "$defs" | "definitions", name) => words = vec![name.to_owned()],
            ("content", _) => {}
            ("responses", status) if !status.starts_with(char::is_alphabetic) => {
                words.push("response".to_owned());
            }
            ("allOf" | "oneOf" | "anyOf", _) => {
                words.push(format!("part{}", index.map_or(1, |index| index + 1)));
            }
            (_, "items") => words.push("item".to_owned()),
            (_, "additionalProperties") => words.push("value".to_owned()),
            (_, "requestBody") => words.push("body".to_owned()),
            (_, key) if STRUCTURE.contains(&key) => {}
            (_, key) => words.push(key.to_owned()),
        }
        if let Some(id) = value.get("operationId").and_then(Value::as_str) {
            words = vec![id.to_owned()];
        }
        // What is called like a keyword is none.
        before = if NAMES.contains(&before) { "" } else { key };
    }
    if words.is_empty() {
        let stem = file.rsplit('/').next().unwrap_or(file);
        words.push(stem.split('.').next().unwrap_or(stem).to_owned());
    }
    naming::pascal(&words.join("-"))
}

/// Keys whose own keys are names.
const NAMES: [&str; 5] = ["properties", "schemas", "$defs", "definitions", "content"];

/// Keys that say nothing of what is there.
const STRUCTURE: [&str; 14] = [
    "components",
    "schemas",
    "$defs",
    "definitions",
    "properties",
    "schema",
    "paths",
    "parameters",
    "headers",
    "pathItems",
    "requestBodies",
    "responses",
    "content",
    "allOf",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rest::pointer;

    #[test]
    fn names_say_where_a_schema_stands() {
        let tree = json!({"paths": {"/pods": {"get": {"operationId": "listPods"}}}});
        for (pointer, name) in [
            ("#/components/schemas/Pod/properties/image", "PodImage"),
            ("#/components/schemas/Pod/allOf/1", "PodPart2"),
            ("#/components/schemas/Pod/properties/items/items", "PodItemsItem"),
            (
                "#/paths/~1pods/get/responses/200/content/application~1json/schema",
                "ListPodsResponse",
            ),
            ("#/paths/~1a~1{b}/put/requestBody/content/text~1json/schema", "ABPutBody"),
            ("#/components/responses/Thing/content/application~1json/schema", "Thing"),
            ("#/components/parameters/Limit/schema", "Limit"),
            ("#", "Pet"),
        ] {
            assert_eq!(title(&pointer::keys(pointer), &tree, "schemas/pet.v1.yaml"), name);
        }
    }
}
