//! Reading of GraphQL schemas as services publish them.

use crate::support::{above, dense, item, lines};
use podqueue_codegen::graphql::{self, SharedTypes};
use podqueue_codegen::{Diagnostic, Source};

fn generate(schema: &str, queries: &str) -> Result<String, Vec<Diagnostic>> {
    let schema = Source::new("schema.graphql", schema);
    let queries = [Source::new("queries/test.graphql", queries)];
    graphql::generate(&schema, &queries, SharedTypes::All).map(|it| it.code)
}

fn generated(schema: &str, queries: &str) -> String {
    generate(schema, queries).unwrap_or_else(|diagnostics| panic!("{}", lines(&diagnostics)))
}

const PUBLISHED: &str = r#"
"""
The "schema" itself, described.
"""
schema @link(url: "https://specs.example/link") { query: Root }

extend schema
  @link(url: "https://specs.example/federation", import: ["@key", "type"])
{
  mutation: Changes
}

directive @key(fields: String! = "id" @deprecated) repeatable on OBJECT | INTERFACE
directive @auth on FIELD_DEFINITION

interface Node { id: ID! }
interface Named implements Node @key(fields: "id") { id: ID! name: String }

type Root { node(id: ID!): Node }
extend type Root @auth { pet(by: By, kind: Kind = CAT, at: at): Pet  any: Any @auth }
type Changes { _empty: Boolean }
extend type Orphan { id: ID! }

type Pet implements Named & Node @key(fields: "id") @key(fields: "name") {
  id: ID!
  name: String @deprecated(reason: "Use `title`, \"please\".")
  self: Pet
}
extend type Pet { title(long: Boolean = false): String }

union Any = | Pet | Orphan
extend union Any = fish
type fish { id: ID! fn: Int }

enum Kind { CAT @deprecated DOG }
extend enum Kind { "Swims." fish }

input By @oneOf { id: ID name: String }
input Option { some: String vec: [Option!] string: String }
extend input Option { not: Option _not: Option }
input String_ { a: Int }
input Pet_input { a: Variables }
input PetInput { b: Id2 }
input Variables { _a: Int a: Int A: Int }
enum Id2 { a }
enum Self { a A }
enum Box { a }
scalar at @specifiedBy(url: "https://at.example")
scalar Vec
extend type Root { odd(o: Option, s: String_, p: Pet_input, q: PetInput, e: Self, b: Box, v: Vec, r: Result): Box }
enum Result { OK ERR }
type Subscription { pet: Pet }
"#;

#[test]
fn extensions_are_merged_into_definitions() {
    let code = generated(
        PUBLISHED,
        "query Q($kind: Kind) {
           pet(kind: $kind) { id title } node(id: 1) { id } any { ... on fish { fn } ... on Orphan { id } }
         }
         mutation M { _empty }",
    );
    assert!(item(&code, "pub enum Kind {").contains("/// Swims."));
    let module = dense(item(&code, "pub mod q {"));
    assert!(module.contains("pub title: Option<String>,"), "{module}");
    assert!(module.contains("fish(QAnyOnfish),") && module.contains("Orphan(QAnyOnOrphan),"));
    assert!(code.contains("pub struct M;"));
}

#[test]
fn types_do_not_shadow_names_of_rust() {
    let code = generated(
        PUBLISHED,
        "query Q($o: Option, $e: Self, $b: Box, $v: Vec, $r: Result) { odd(o: $o, e: $e, b: $b, v: $v, r: $r) }",
    );
    let variables = dense(item(item(&code, "pub mod q {"), "pub struct Variables {"));
    for field in [
        "pub o: Option<OptionType>,",
        "pub e: Option<SelfType>,",
        "pub b: Option<BoxType>,",
        "pub v: Option<VecType>,",
        "pub r: Option<ResultType>,",
    ] {
        assert!(variables.contains(field), "{field} is not in\n{variables}");
    }
    let input = dense(item(&code, "pub struct OptionType {"));
    assert!(input.contains("pub some: Option<String>,"), "{input}");
    assert!(input.contains("pub vec: Option<Vec<OptionType>>,"), "{input}");
    // On the wire they are called as the schema calls them.
    assert!(code.contains("query Q($o: Option, $e: Self,"), "{code}");
    assert!(code.contains("name: \"Option\","), "{code}");
}

#[test]
fn types_and_fields_with_equal_names_in_rust_are_numbered() {
    let code = generated(PUBLISHED, "query Q($p: Pet_input, $q: PetInput) { odd(p: $p, q: $q) }");
    let variables = dense(item(item(&code, "pub mod q {"), "pub struct Variables {"));
    assert!(variables.contains("pub p: Option<PetInput2>,"), "{variables}");
    assert!(variables.contains("pub q: Option<PetInput>,"), "{variables}");
    let input = dense(item(&code, "pub struct OptionType {"));
    assert!(input.contains("pub not: Option<Box<OptionType>>,"), "{input}");
    assert!(
        input.contains(
            "#[serde(rename = \"_not\", skip_serializing_if = \"Option::is_none\")] pub not_2: Option<Box<OptionType>>,"
        ),
        "{input}"
    );
}

#[test]
fn typename_is_selected_where_it_is_needed() {
    let code = generated(
        PUBLISHED,
        "query Q { node(id: 1) { id ... { id } ... on Pet { name } } any { ...A } } fragment A on Any { ... on fish { fn } }",
    );
    let text = code.split("TEXT: &'static str = \"").nth(1).unwrap();
    assert!(
        text.starts_with(
            "query Q { node(id: 1) { __typename id ... on Node { id } ... on Pet { name } } any { ...A } } \
             fragment A on Any { __typename ... on fish { fn } }\";"
        ),
        "{text}"
    );
}

#[test]
fn fields_with_include_or_skip_are_optional() {
    let code = generated(
        PUBLISHED,
        "query Q($yes: Boolean!) { pet { id @include(if: $yes) self { title ...P @skip(if: $yes) } } } fragment P on Pet { id }",
    );
    let module = dense(item(&code, "pub mod q {"));
    let pet = item(&code, "pub struct QPet {");
    assert!(pet.contains("pub id: Option<String>,"), "{pet}");
    assert!(module.contains("#[serde(flatten)] pub p: Option<P>,"), "{module}");
}

#[test]
fn an_introspection_result_is_a_schema() {
    let json = r#"{"data": {"__schema": {
      "queryType": {"name": "Query"}, "mutationType": null, "subscriptionType": null, "directives": [],
      "types": [
        {"kind": "OBJECT", "name": "Query", "description": "All there is.", "interfaces": [], "fields": [
          {"name": "pet", "description": "Reads a pet.", "isDeprecated": true, "deprecationReason": "No pets.",
           "args": [{"name": "color", "type": {"kind": "ENUM", "name": "Color", "ofType": null}, "defaultValue": "RED"}],
           "type": {"kind": "NON_NULL", "name": null, "ofType": {"kind": "SCALAR", "name": "String", "ofType": null}}}]},
        {"kind": "ENUM", "name": "Color", "enumValues": [{"name": "RED", "description": "Like a rose."}]},
        {"kind": "SCALAR", "name": "String"}
      ]}}}"#;
    let generate = |queries: &str| {
        let schema = Source::new("schema.json", json);
        let queries = [Source::new("queries/test.graphql", queries)];
        graphql::generate(&schema, &queries, SharedTypes::Here)
    };
    let code = generate("query Q($color: Color) { pet(color: $color) }").unwrap().code;
    assert!(item(&code, "pub enum Color {").contains("/// Like a rose."));
    assert!(above(&code, "pub struct Q;").contains("/// Reads a pet."));
    assert!(dense(item(&code, "pub struct ResponseData {")).contains("pub pet: String,"));
    assert_eq!(
        lines(&generate("query Q { pat }").unwrap_err()),
        "queries/test.graphql:1:11: Cannot query field \"pat\" on type \"Query\". Did you mean \"pet\"?"
    );
}

#[test]
fn contradictions_of_a_schema_are_reported_with_positions() {
    for (schema, expected) in [
        (
            "type Query { a: Nope }\ntype None { a: Int }",
            "schema.graphql:1:14: Query.a: there is no type `Nope`. Did you mean \"None\"?",
        ),
        (
            "type Query { a(\n  b: [B!]!): Int }\ninput C { d: D }",
            "schema.graphql:2:3: Query.a(b): there is no type `B`.\n\
             schema.graphql:3:11: C.d: there is no type `D`. Did you mean \"ID\"?",
        ),
        (
            "type Query { a: Int }\n\ntype Query { b: Int }",
            "schema.graphql:3:1: the type `Query` is already defined",
        ),
        (
            "type Query implements N { a: U }\nunion U = Query | X",
            "schema.graphql:1:1: Query: there is no type `N`.\nschema.graphql:2:1: U: there is no type `X`.",
        ),
    ] {
        let diagnostics = generate(schema, "query Q { a }").unwrap_err();
        assert_eq!(lines(&diagnostics), expected);
    }
    let schema = Source::new("schema.json", "{\n \"data\": {}}");
    let diagnostics = graphql::generate(&schema, &[], SharedTypes::Here).unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "schema.json:1:1: this is not an introspection result: it has no `__schema` with `types`"
    );
}

#[test]
fn a_schema_with_hundreds_of_types_is_read() {
    let mut schema = String::from("type Query { thing0(input: Input0): Thing0 }\n");
    for number in 0..300 {
        let next = (number + 1) % 300;
        schema.push_str(&format!(
            "type Thing{number} {{ id: ID! next: Thing{next} kind: Kind{number} }}\n\
             enum Kind{number} {{ ONE TWO }}\n\
             input Input{number} {{ id: ID next: Input{next} kind: Kind{number} }}\n"
        ));
    }
    let code = generated(
        &schema,
        "query Q($input: Input0) { thing0(input: $input) { next { next { kind } } } }",
    );
    assert_eq!(code.matches("pub enum Kind").count(), 300);
    assert_eq!(code.matches("pub struct Input").count(), 300);
    assert!(code.contains("pub kind: Option<Kind2>,"));
}
