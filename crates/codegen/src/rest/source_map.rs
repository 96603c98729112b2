//! Source map: the line and column of each part of a description.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value;

use super::pointer::keys;
use super::yaml::{self, Content, LineColumn, Node};

/// The source map of a text.
pub(super) struct SourceMap<'a> {
    text: &'a str,
    root: OnceCell<Option<Rc<Node>>>,
}

impl<'a> SourceMap<'a> {
    /// A source map of a text that is parsed at the first lookup.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, root: OnceCell::new() }
    }

    /// A source map of a parsed text.
    pub(super) fn parsed(text: &'a str, root: Rc<Node>) -> Self {
        Self { text, root: OnceCell::from(Some(root)) }
    }

    /// This source map without the text.
    pub(super) fn detached(&self) -> SourceMap<'static> {
        self.root();
        SourceMap { text: "", root: self.root.clone() }
    }

    /// The place of the node at the path `keys`: that of its own key, or that of the innermost part
    /// that exists.
    pub(super) fn of(&self, keys: &[String]) -> LineColumn {
        let mut place = (1, 1);
        let Some(mut node) = self.root() else { return place };
        for key in keys {
            (place, node) = match &node.content {
                Content::Map(entries) => match entries.iter().find(|it| it.key == *key) {
                    Some(entry) => (entry.place, &entry.value),
                    None => break,
                },
                Content::List(items) => {
                    match key.parse().ok().and_then(|at: usize| items.get(at)) {
                        Some(item) => (item.place, item),
                        None => break,
                    }
                }
                Content::Scalar(_) => break,
            };
        }
        place
    }

    /// The place of the node at a JSON pointer.
    pub(super) fn of_pointer(&self, pointer: &str) -> LineColumn {
        self.of(&keys(pointer))
    }

    /// The place of the first `$ref` whose target satisfies a predicate, if there is one.
    pub(super) fn of_reference(&self, is_target: &impl Fn(&str) -> bool) -> Option<LineColumn> {
        self.root().and_then(|root| reference(root, is_target))
    }

    fn root(&self) -> Option<&Rc<Node>> {
        let parse = |text: &str| yaml::parse(text).ok();
        // JSON permits control characters that YAML does not: the same text without them has the
        // same places.
        let without = || self.text.replace(|it: char| it.is_control() && !it.is_whitespace(), " ");
        self.root.get_or_init(|| parse(self.text).or_else(|| parse(&without()))).as_ref()
    }
}

fn reference(node: &Node, is_target: &impl Fn(&str) -> bool) -> Option<LineColumn> {
    match &node.content {
        Content::Scalar(_) => None,
        Content::List(items) => items.iter().find_map(|it| reference(it, is_target)),
        Content::Map(entries) => entries.iter().find_map(|entry| match &entry.value.content {
            Content::Scalar(Value::String(target)) if entry.key == "$ref" && is_target(target) => {
                Some(entry.place)
            }
            _ => reference(&entry.value, is_target),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, pointer: &str) -> LineColumn {
        SourceMap::new(text).of_pointer(pointer)
    }

    #[test]
    fn keys_are_found_in_block_flow_and_json_notation() {
        let block = "openapi: 3.0.0\n# paths:\npaths:\n  '/a/{id}':\n    get:\n      parameters:\n      - {name: x}\n  /b: {get: {responses: {200: {description: 'a, b: {'}, 404: {}}}}\ncomponents:\n  schemas:\n    A:\n      properties:\n        b: {type: string}\n    B: {}\n";
        assert_eq!(place(block, "#/paths/~1a~1{id}/get"), (5, 5));
        assert_eq!(place(block, "#/paths/~1b/get"), (8, 8));
        assert_eq!(place(block, "#/paths/~1b/get/responses/404"), (8, 57));
        assert_eq!(place(block, "#/components/schemas/A/properties/b"), (13, 9));
        assert_eq!(place(block, "#/components/schemas/B"), (14, 5));
        let list = "paths:\n  /a:\n    parameters:\n    - name: x\n    - {name: y, schema: {type: string}}\n    get: {}\n";
        assert_eq!(place(list, "#/paths/~1a/parameters/0/schema"), (4, 7));
        assert_eq!(place(list, "#/paths/~1a/parameters/1/schema/type"), (5, 26));
        assert_eq!(place(list, "#/paths/~1a/get"), (6, 5));
        let json = "{\"openapi\": \"3\", \"x\": {\"paths\": 1},\n \"paths\": {\"/a\": {\"get\": {\"parameters\": [{\"name\": \"]\"}, {\"name\": \"b\"}]}}}}";
        assert_eq!(place(json, "#/paths/~1a/get"), (2, 19));
        assert_eq!(place(json, "#/paths/~1a/get/parameters/1"), (2, 57));
        let pretty = "{\n  \"paths\": {\n    \"/a\": {\n      \"get\": {}\n    }\n  }\n}\n";
        assert_eq!(place(pretty, "#/paths/~1a/get"), (4, 7));
    }

    #[test]
    fn keys_are_found_with_quotes_anchors_and_complex_mappings() {
        let text = "? paths\n: '/a': &a\n    \"get\" : {x: 1,\n      'y' : [[], [{z: 2}]]}\n  /b: *a\n  /c: |\n    get: {}\n  200: {a\\b: 1}\n";
        assert_eq!(place(text, "#/paths/~1a/get"), (3, 5));
        assert_eq!(place(text, "#/paths/~1a/get/y/1/0/z"), (4, 20));
        assert_eq!(place(text, "#/paths/~1b/get/x"), (3, 14));
        assert_eq!(place(text, "#/paths/~1c/get"), (6, 3));
        assert_eq!(place(text, "#/paths/200/a\\b"), (8, 9));
    }

    #[test]
    fn keys_are_found_in_json_with_characters_that_yaml_does_not_permit() {
        let json = "{\"a\": {\"b\": \"\u{91}\u{9c}\u{7f}\\ud83d\\ude00\"}, \"c\": {\"d\": 1}}";
        assert_eq!(place(json, "#/c/d"), (1, 39));
    }

    #[test]
    fn a_reference_is_found_by_its_complete_target() {
        let of_reference =
            |text, target: &str| SourceMap::new(text).of_reference(&|it: &str| it == target);
        let text = "a: {$ref: '#/b/c'}\nb: {$ref: \"#/b\"}\n";
        assert_eq!(of_reference(text, "#/b"), Some((2, 5)));
        assert_eq!(of_reference(text, "#/b/c"), Some((1, 5)));
        assert_eq!(of_reference(text, "#/c"), None);
        let text = "a: |\n  $ref: '#/b'\nb:\n- $ref:\n    '#/b'\n";
        assert_eq!(of_reference(text, "#/b"), Some((4, 3)));
    }

    #[test]
    fn missing_keys_have_the_place_of_the_innermost_part_that_exists() {
        assert_eq!(place("paths:\n  /a: anchor\n", "#/paths/~1a/get"), (2, 3));
        assert_eq!(place("paths: {}\n", "#/components/schemas/A"), (1, 1));
        assert_eq!(place("", "#/paths"), (1, 1));
    }
}
