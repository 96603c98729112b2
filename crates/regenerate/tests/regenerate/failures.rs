//! Failures to fetch or read: a message on standard error without the key, exit code 3, and no
//! written file.

use crate::support::{Checkout, Service};

const KEY: &str = "canary-5f3a";

fn fails(checkout: &Checkout, arguments: &[&str]) -> String {
    let run = checkout.run_with(arguments, &[("PODQUEUE_API_KEY", KEY)]);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    assert!(!run.err.contains(KEY), "{}", run.err);
    let message = run.err.strip_prefix("podqueue-regenerate: ").unwrap();
    message.trim_end().to_owned()
}

#[test]
fn a_response_without_a_schema_is_refused() {
    let checkout = Checkout::new("no-schema");
    let echo = format!(r#"{{"errors":[{{"message":"introspection is off for {KEY}"}}]}}"#);
    let service = Service::answering(&[(200, &echo)]);
    assert_eq!(
        fails(&checkout, &["--graphql", &service.url]),
        format!(
            "{}/: responded with 200 (introspection is off for [the key]), but without its schema; \
             does it allow introspection?",
            service.url
        )
    );
    let service = Service::answering(&[(502, "<html>Bad gateway</html>")]);
    assert!(
        fails(&checkout, &["--graphql", &service.url]).contains("responded with 502, but without")
    );
    let service = Service::answering(&[(307, "")]);
    assert!(fails(&checkout, &["--graphql", &service.url]).contains("a redirect"));
    assert_eq!(service.received().len(), 1);
    assert!(!checkout.has("schema/schema.graphql"));
}

#[test]
fn an_unreachable_service_is_reported_without_the_key() {
    let checkout = Checkout::new("unreachable");
    for option in ["--graphql", "--rest"] {
        let url = format!("http://127.0.0.1:9/x?api_key={KEY}");
        let message = fails(&checkout, &[option, &url]);
        assert!(message.starts_with("http://127.0.0.1:9/x: "), "{message}");
    }
}

#[test]
fn the_key_is_not_sent_unencrypted() {
    let message = fails(&Checkout::new("clear"), &["--graphql", "http://api.example/graphql"]);
    assert_eq!(
        message,
        "http://api.example/graphql: the API key would be sent there unencrypted; use https"
    );
}

#[test]
fn an_invalid_introspection_result_is_refused() {
    let checkout = Checkout::new("invalid");
    for (text, message) in [
        ("{", "invalid.json:1:1: EOF while parsing an object at line 1 column 1"),
        (
            r#"{"data":null}"#,
            "invalid.json:1:1: this is not an introspection result: it has no `__schema` with `types`",
        ),
        (
            r#"{"types":[{"name":"A b","kind":"SCALAR"}]}"#,
            "invalid.json:1:1: `A b` is not a valid GraphQL name",
        ),
        (
            r#"{"types":[{"name":"A","kind":"NEW"}]}"#,
            "invalid.json:1:1: A: `NEW` is not a kind of type",
        ),
        (
            r#"{"types":[{"name":"A","kind":"OBJECT","fields":[{"name":"b","type":{"kind":"LIST"}}]}]}"#,
            "invalid.json:1:1: A: b: its type is nested deeper than the introspection query asked",
        ),
        (
            r#"{"types":[]}"#,
            "invalid.json:1:1: this schema has no query type, which GraphQL asks of every schema",
        ),
    ] {
        let checkout = Checkout::new("invalid-now").write("invalid.json", text);
        assert_eq!(fails(&checkout, &["--graphql", "invalid.json"]), message);
    }
    assert!(fails(&checkout, &["--graphql", "missing.graphql"]).contains("cannot be read"));
}

#[test]
fn several_schema_files_are_refused() {
    let checkout = Checkout::new("two")
        .write("schema/a.graphql", "type Query { a: Int }")
        .write("schema/b.graphql", "type Query { a: Int }");
    let message = fails(&checkout, &["--graphql", "schema/a.graphql"]);
    assert_eq!(message, "schema:1:1: expected exactly one file here, found more than one");
}

#[test]
fn nothing_is_written_when_one_of_two_cannot_be_fetched() {
    let checkout = Checkout::new("one-of-two").write("now.yaml", "openapi: 3.0.3\npaths: {}\n");
    fails(&checkout, &["--rest", "now.yaml", "--graphql", "missing.graphql"]);
    assert!(!checkout.has("openapi/rest.yaml"));
}

#[test]
fn invalid_arguments_exit_with_2() {
    let checkout = Checkout::new("arguments");
    for arguments in [&[][..], &["--check"], &["--graphql", "a", "--check", "--dry-run"], &["a"]] {
        assert_eq!(checkout.run(arguments).code, 2, "{arguments:?}");
    }
    let help = checkout.run(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("Exit codes:") && help.out.contains("PODQUEUE_API_KEY"));
}
