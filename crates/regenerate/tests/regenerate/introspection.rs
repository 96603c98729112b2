//! How the service is asked, and what is made of its answer.

use serde_json::{Value, json};

use crate::support::{Checkout, Service, field, input, of, value};

fn answer(types: Value, directives: Value) -> String {
    let schema = json!({
        "queryType": { "name": "Root" }, "mutationType": null, "subscriptionType": null,
        "types": types, "directives": directives,
    });
    json!({ "data": { "__schema": schema } }).to_string()
}

fn small() -> String {
    let root = json!({ "kind": "OBJECT", "name": "Root", "interfaces": null,
        "fields": [field("a", "Int", json!([]))] });
    answer(json!([root]), json!([]))
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
fn an_older_service_is_asked_less() {
    let refusal = r#"{"errors":[{"message":"Cannot query field \"isOneOf\""}]}"#;
    let service = Service::answering(&[(400, refusal), (200, &small())]);
    let run = Checkout::new("older").run(&["--graphql", &service.url]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let received = service.received();
    assert_eq!(received.len(), 2);
    assert!(received[0].body.contains("isOneOf") && !received[1].body.contains("isOneOf"));
}

#[test]
fn everything_that_introspection_tells_is_kept() {
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
    let checkout = Checkout::new("everything").write("now.json", &answer(types, directives));
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
fn the_order_of_the_answer_does_not_matter() {
    let types = |names: [&str; 2]| {
        let fields: Vec<_> = names.iter().map(|name| field(name, "Int", json!([]))).collect();
        json!([{ "kind": "OBJECT", "name": "Root", "interfaces": [], "fields": fields }])
    };
    let checkout = Checkout::new("order")
        .write("one.json", &answer(types(["b", "a"]), json!([])))
        .write("two.json", &answer(types(["a", "b"]), json!([])));
    assert_eq!(checkout.run(&["--graphql", "one.json"]).code, 0);
    let written = checkout.read("schema/schema.graphql");
    assert_eq!(checkout.run(&["--graphql", "two.json", "--check"]).code, 0);
    assert_eq!(checkout.run(&["--graphql", "two.json"]).code, 0);
    assert_eq!(checkout.read("schema/schema.graphql"), written);
}
