//! Comparison of a GraphQL schema: introspection, the report, the exit code and the written file.

use serde_json::{Value, json};

use crate::support::{Checkout, Service, field, input, of, value};

const SCHEMA: &str = r#"
# Written by hand, unsorted.
type Query { template(id: ID!, region: String): Template templates: [Template!]! }

type Mutation {
  saveTemplate(input: TemplateInput!): Template
  deleteTemplate(name: String!): Boolean
}

type Template {
  id: ID!
  name: String
  readme: String
  size: Int!
  state: State
}

enum State { READY BROKEN }
enum Region { NORTH SOUTH }

input TemplateInput {
  name: String!
  readme: String
  size: Int
  region: Region
}
"#;

const QUERY: &str = "query Read($id: ID!) {
  template(id: $id) {
    id
    readme
  }
}
";

fn changed() -> String {
    let object = |name: &str, fields: Value| json!({ "kind": "OBJECT", "name": name, "fields": fields, "interfaces": [] });
    let schema = json!({
        "queryType": { "name": "Query" },
        "mutationType": { "name": "Mutation" },
        "subscriptionType": null,
        "directives": [],
        "types": [
            object("Query", json!([
                field("template", "Template", json!([input("id", "ID!"), input("owner", "ID!")])),
                field("templates", "[Template!]!", json!([])),
                field("health", "Health", json!([])),
            ])),
            object("Mutation", json!([
                field("saveTemplate", "Template", json!([input("input", "TemplateInput!")])),
            ])),
            object("Template", json!([
                field("name", "String!", json!([])),
                field("id", "ID!", json!([])),
                field("size", "Int", json!([])),
                field("state", "State", json!([])),
                field("created", "String", json!([])),
            ])),
            object("Health", json!([field("isUp", "Boolean", json!([]))])),
            { "kind": "ENUM", "name": "State",
              "enumValues": [value("READY"), value("BUILDING")] },
            { "kind": "ENUM", "name": "Region", "enumValues": [value("NORTH")] },
            { "kind": "INPUT_OBJECT", "name": "TemplateInput", "inputFields": [
                input("name", "String!"), input("size", "Int!"), input("region", "Region"),
                input("image", "String!"), input("note", "String"),
            ] },
            { "kind": "SCALAR", "name": "String" },
        ],
    });
    json!({ "data": { "__schema": schema } }).to_string()
}

const REPORT: &str = "\
GraphQL schema, schema/mine.graphql: 16 changes, 9 of them breaking
  removed     Region.SOUTH; BREAKS writers (inputs with it are refused)
  removed     Template.readme: String; BREAKS readers (documents that select it fail)
  changed     Template.size: Int! -> Int; BREAKS readers (it may now be null)
  added       TemplateInput.image: String!; BREAKS writers (it is now required)
  removed     TemplateInput.readme: String; BREAKS writers (inputs with it are refused)
  changed     TemplateInput.size: Int -> Int!; BREAKS writers (it is now required)
  removed     mutation deleteTemplate: Boolean; BREAKS callers (the call fails)
  added       query template(owner): ID!; BREAKS callers (it is now required)
  removed     query template(region): String; BREAKS callers (documents that pass it fail)
  these affect no running program:
  added       Health: type
  removed     State.BROKEN; source change for readers (its variant is removed)
  added       State.BUILDING
  added       Template.created: String
  changed     Template.name: String -> String!; source change for readers (it is no longer an `Option`)
  added       TemplateInput.note: String; source change for writers (literals need it, or `..Default::default()`)
  added       query health: Health
";

fn checkout(name: &str) -> Checkout {
    Checkout::new(name)
        .write("schema/mine.graphql", SCHEMA)
        .write("queries/read.graphql", QUERY)
        .write("queries/all.graphql", "query All { templates { id } }")
}

#[test]
fn graphql_changes_are_reported_with_their_effects() {
    let checkout = checkout("report");
    let service = Service::answering(&[(200, &changed())]);
    let run = checkout.run(&["--graphql", &service.url, "--check"]);
    assert_eq!(run.err, "");
    assert_eq!(
        run.out,
        REPORT.to_owned()
            + "\nqueries that do not validate:\n  \
               queries/read.graphql:2:3: Field \"template\" argument \"owner\" of type \"ID!\" is required, but it was not provided.\n  \
               queries/read.graphql:4:5: Cannot query field \"readme\" on type \"Template\".\n"
    );
    assert_eq!(run.code, 1);
}

#[test]
fn check_and_dry_run_change_nothing() {
    let checkout = checkout("nothing");
    let service = Service::answering(&[(200, &changed())]);
    assert_eq!(checkout.run(&["--graphql", &service.url, "--check"]).code, 1);
    let run = checkout.run(&["--graphql", &service.url, "--dry-run"]);
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("GraphQL schema, schema/mine.graphql: 1"), "{}", run.out);
    assert_eq!(checkout.read("schema/mine.graphql"), SCHEMA);
}

#[test]
fn check_fails_for_queries_alone() {
    let checkout = checkout("queries-alone").write("queries/wrong.graphql", "query W { nope }");
    let run = checkout.run(&["--graphql", "schema/mine.graphql", "--check"]);
    assert!(run.out.starts_with("GraphQL schema, schema/mine.graphql: no drift\n"), "{}", run.out);
    assert!(run.out.contains("queries/wrong.graphql:1:11: "), "{}", run.out);
    assert_eq!(run.code, 1);
}

#[test]
fn the_written_schema_is_sorted_and_has_no_drift() {
    let checkout = checkout("written");
    let service = Service::answering(&[(200, &changed())]);
    // The query `read` no longer validates, which needs attention.
    assert_eq!(checkout.run(&["--graphql", &service.url]).code, 1);
    assert_eq!(
        checkout.read("schema/mine.graphql"),
        "schema {\n  query: Query\n  mutation: Mutation\n}\n\
         \ntype Health {\n  isUp: Boolean\n}\n\
         \ntype Mutation {\n  saveTemplate(input: TemplateInput!): Template\n}\n\
         \ntype Query {\n  health: Health\n  template(id: ID!, owner: ID!): Template\n  templates: [Template!]!\n}\n\
         \nenum Region {\n  NORTH\n}\n\
         \nenum State {\n  BUILDING\n  READY\n}\n\
         \ntype Template {\n  created: String\n  id: ID!\n  name: String!\n  size: Int\n  state: State\n}\n\
         \ninput TemplateInput {\n  image: String!\n  name: String!\n  note: String\n  region: Region\n  size: Int!\n}\n"
    );
    let checkout = checkout.write("queries/read.graphql", "query Read { templates { name } }");
    let run = checkout.run(&["--graphql", &service.url, "--check"]);
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, "GraphQL schema, schema/mine.graphql: no drift\n\nall queries of queries validate\n")
    );
}

#[test]
fn descriptions_deprecations_and_defaults_break_no_program() {
    let before = "\"One\nline.\" type Query { a(limit: Int = 1): Int b: Int \"Old.\" c: Int }";
    let after = "\"One line.\" type Query {
        a(limit: Int = 2): Int b: Int @deprecated(reason: \"Ask for a.\") \"New.\" c: Int
    }";
    let checkout = Checkout::new("words")
        .write("schema/a.graphql", &before.replace("\"One\nline.\"", "\"\"\"\nOne\nline.\n\"\"\""))
        .write("after.graphql", after);
    let run = checkout.run(&["--graphql", "after.graphql", "--check"]);
    assert_eq!(
        run.out,
        "GraphQL schema, schema/a.graphql: 3 changes, 0 of them breaking\n  \
         changed     query a(limit): Int = 1 -> Int = 2; CHECK callers (what is left out has another meaning)\n  \
         changed     query c: \"Old.\" -> \"New.\"; CHECK callers (it is described differently)\n  \
         these affect no running program:\n  \
         deprecated  query b: Ask for a.\n\
         \nall queries of queries validate\n"
    );
    assert_eq!(run.code, 1);
}

#[test]
fn a_type_and_its_nullability_can_change_together() {
    let before = "type Query {
            a(wide: [String!], wider: [String!]!, narrow: [String], same: [String!] = []): Int
            less: [String]! more: [String!]! sure: [String]
        }
        type Mutation { save(input: Input): Int }
        input Input { wide: [Int!] wider: [Int!]! other: Int }";
    let after = "type Query {
            a(wide: [String]!, wider: [String], narrow: [String!]!, same: [String]! = []): Int
            less: [String!] more: [String] sure: [String!]!
        }
        type Mutation { save(input: Input): Int }
        input Input { wide: [Int]! wider: [Int] other: String! }";
    let checkout = Checkout::new("type-and-null")
        .write("schema/a.graphql", before)
        .write("after.graphql", after);
    let run = checkout.run(&["--graphql", "after.graphql", "--check"]);
    assert_eq!(run.out, "\
GraphQL schema, schema/a.graphql: 10 changes, 7 of them breaking
  changed     Input.other: Int -> String!; BREAKS writers (it has a different type); BREAKS writers (it is now required)
  changed     Input.wide: [Int!] -> [Int]!; BREAKS writers (it is now required); source change for writers (more values are accepted)
  changed     query a(narrow): [String] -> [String!]!; BREAKS callers (it has a different type); BREAKS callers (it is now required)
  changed     query a(same): [String!] = [] -> [String]! = []; BREAKS callers (it must no longer be null); source change for callers (more values are accepted)
  changed     query a(wide): [String!] -> [String]!; BREAKS callers (it is now required); source change for callers (more values are accepted)
  changed     query less: [String]! -> [String!]; BREAKS readers (it may now be null); source change for readers (fewer values are possible)
  changed     query more: [String!]! -> [String]; BREAKS readers (it has a different type); BREAKS readers (it may now be null)
  these affect no running program:
  changed     Input.wider: [Int!]! -> [Int]; source change for writers (it is now an `Option`); source change for writers (more values are accepted)
  changed     query a(wider): [String!]! -> [String]; source change for callers (it is now an `Option`); source change for callers (more values are accepted)
  changed     query sure: [String] -> [String!]!; source change for readers (fewer values are possible); source change for readers (it is no longer an `Option`)

all queries of queries validate
");
}

#[test]
fn unions_interfaces_scalars_and_directives_are_compared() {
    let before = "type Query { animal: Animal named: Named at: Time }
        union Animal = Cat | Dog  interface Named { name: String }
        type Cat implements Named { name: String } type Dog { id: ID }
        scalar Time directive @cached(for: Int) on FIELD";
    let after = "type Query { animal: Animal named: Named at: Time }
        union Animal = Cat | Fish interface Named { name: String }
        type Cat { name: String } type Fish { id: ID }
        enum Time { NOON }";
    let checkout =
        Checkout::new("kinds").write("schema/a.graphql", before).write("after.graphql", after);
    let run = checkout.run(&["--graphql", "after.graphql", "--check"]);
    assert_eq!(
        run.out,
        "GraphQL schema, schema/a.graphql: 8 changes, 5 of them breaking\n  \
         removed     @cached: FIELD; BREAKS callers (documents that use it fail)\n  \
         removed     Animal | Dog; BREAKS readers (documents that select it fail)\n  \
         removed     Cat implements Named; BREAKS readers (documents that select it fail)\n  \
         removed     Dog: type; BREAKS readers (documents that select it fail)\n  \
         changed     Time: scalar -> enum; BREAKS readers (it has a different type)\n  \
         these affect no running program:\n  \
         added       Animal | Fish\n  \
         added       Fish: type\n  \
         added       Time.NOON\n\
         \nall queries of queries validate\n"
    );
}

#[test]
fn a_stored_introspection_result_becomes_sdl() {
    let checkout = Checkout::new("json").write("schema/mine.json", &changed());
    let service = Service::answering(&[(200, &changed().replace("isUp", "is_up"))]);
    let run = checkout.run(&["--graphql", &service.url]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(
        run.out,
        "GraphQL schema, schema/mine.graphql: 2 changes, 1 of them breaking\n  \
         removed     Health.isUp: Boolean; BREAKS readers (documents that select it fail)\n  \
         these affect no running program:\n  \
         added       Health.is_up: Boolean\n  \
         replaces schema/mine.json\n\
         \nall queries of queries validate\n"
    );
    assert!(checkout.read("schema/mine.graphql").contains("is_up: Boolean"));
    assert!(!checkout.has("schema/mine.json"));
}

fn introspection_result(types: Value, directives: Value) -> String {
    let schema = json!({
        "queryType": { "name": "Root" }, "mutationType": null, "subscriptionType": null,
        "types": types, "directives": directives,
    });
    json!({ "data": { "__schema": schema } }).to_string()
}

fn small() -> String {
    let root = json!({ "kind": "OBJECT", "name": "Root", "interfaces": null,
        "fields": [field("a", "Int", json!([]))] });
    introspection_result(json!([root]), json!([]))
}

#[test]
fn the_key_goes_into_the_url_and_the_body_is_the_document_alone() {
    let service = Service::answering(&[(200, &small())]);
    let url = format!("{}/graphql", service.url);
    let checkout = Checkout::new("asked");
    let run = checkout.run_with(&["--graphql", &url], &[("PODQUEUE_API_KEY", "k&y 1")]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let received = service.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].line, "POST /graphql?api_key=k%26y+1 HTTP/1.1");
    let body: Value = serde_json::from_str(&received[0].body).unwrap();
    let keys: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["query"]);
    assert!(body["query"].as_str().unwrap().contains("__schema"));
}

#[test]
fn an_older_service_gets_a_smaller_query() {
    let refusal = r#"{"errors":[{"message":"Cannot query field \"isOneOf\""}]}"#;
    let service = Service::answering(&[(400, refusal), (200, &small())]);
    let run = Checkout::new("older").run(&["--graphql", &service.url]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let received = service.received();
    assert_eq!(received.len(), 2);
    assert!(received[0].body.contains("isOneOf") && !received[1].body.contains("isOneOf"));
}

#[test]
fn everything_that_introspection_exposes_is_written() {
    let types = json!([
        { "kind": "OBJECT", "name": "Root", "description": "The \"root\".\n\nOf all.",
          "interfaces": [{ "name": "Node" }],
          "fields": [
            { "name": "list", "description": "Some.", "type": of("[[Cat!]!]"),
              "isDeprecated": true, "deprecationReason": "Say \"no\".",
              "args": [
                { "name": "where", "description": "Which.", "type": of("Filter"),
                  "defaultValue": "{name: \"a\\\"b\", in: [RED], n: 1}" },
                input("all", "Boolean!"),
              ] },
            field("id", "ID!", json!([])),
          ] },
        { "kind": "INTERFACE", "name": "Node", "interfaces": [],
          "fields": [field("id", "ID!", json!([]))] },
        { "kind": "OBJECT", "name": "Cat", "fields": [field("at", "Time", json!([]))] },
        { "kind": "UNION", "name": "Pet", "possibleTypes": [{ "name": "Root" }, { "name": "Cat" }] },
        { "kind": "ENUM", "name": "Color", "enumValues": [
            value("RED"),
            { "name": "BLUE", "description": "Like the sky.", "isDeprecated": true,
              "deprecationReason": null },
        ] },
        { "kind": "INPUT_OBJECT", "name": "Filter", "isOneOf": true, "inputFields": [
            input("name", "String"), input("in", "[Color!]"), input("n", "Int"),
        ] },
        { "kind": "SCALAR", "name": "Time", "specifiedByURL": "https://time.example" },
        { "kind": "SCALAR", "name": "String" },
        { "kind": "OBJECT", "name": "__Type", "fields": [field("x", "Int", json!([]))] },
    ]);
    let directives = json!([
        { "name": "skip", "locations": ["FIELD"], "args": [input("if", "Boolean!")] },
        { "name": "cached", "description": "From a cache.", "isRepeatable": true,
          "locations": ["QUERY", "FIELD", "SOMETHING_NEW"], "args": [input("for", "Int")] },
    ]);
    let checkout =
        Checkout::new("everything").write("now.json", &introspection_result(types, directives));
    let run = checkout.run(&["--graphql", "now.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(
        checkout.read("schema/schema.graphql"),
        r#"schema {
  query: Root
}

"From a cache."
directive @cached(for: Int) repeatable on FIELD | QUERY

type Cat {
  at: Time
}

enum Color {
  "Like the sky."
  BLUE @deprecated

  RED
}

input Filter @oneOf {
  in: [Color!]
  n: Int
  name: String
}

interface Node {
  id: ID!
}

union Pet = Cat | Root

"""
The "root".

Of all.
"""
type Root implements Node {
  id: ID!

  "Some."
  list(
    all: Boolean!
    "Which."
    where: Filter = {in: [RED], n: 1, name: "a\"b"}
  ): [[Cat!]!] @deprecated(reason: "Say \"no\".")
}

scalar Time @specifiedBy(url: "https://time.example")
"#
    );
    let run = checkout.run(&["--graphql", "now.json", "--check"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn the_order_of_an_introspection_result_does_not_matter() {
    let types = |names: [&str; 2]| {
        let fields: Vec<_> = names.iter().map(|name| field(name, "Int", json!([]))).collect();
        json!([{ "kind": "OBJECT", "name": "Root", "interfaces": [], "fields": fields }])
    };
    let checkout = Checkout::new("order")
        .write("one.json", &introspection_result(types(["b", "a"]), json!([])))
        .write("two.json", &introspection_result(types(["a", "b"]), json!([])));
    assert_eq!(checkout.run(&["--graphql", "one.json"]).code, 0);
    let written = checkout.read("schema/schema.graphql");
    assert_eq!(checkout.run(&["--graphql", "two.json", "--check"]).code, 0);
    assert_eq!(checkout.run(&["--graphql", "two.json"]).code, 0);
    assert_eq!(checkout.read("schema/schema.graphql"), written);
}
