//! Hostile GraphQL documents: small documents of a high cost, such as multiplying fragments,
//! recursive introspection and nested text.

use std::fmt::Write;

use podqueue_local::Builder;
use serde_json::json;

use crate::support::{KEY, Service, seconds};

/// Sends a document, asserts that it is refused soon, and returns the reason.
async fn refused(document: &str) -> String {
    let service = Service::still(Builder::control_plane).await;
    let begun = std::time::Instant::now();
    let (status, answer) = service.graphql(document).await;
    assert!(begun.elapsed() < seconds(60), "{:?}", begun.elapsed());
    assert_eq!(status, 400, "{:.500}", answer.to_string());
    assert!(answer.get("data").is_none());
    answer["errors"][0]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn fragments_that_multiply_are_refused() {
    let mut document = "query { ...f0 } fragment f30 on Query { _empty }".to_owned();
    for n in 0..30 {
        let next = n + 1;
        write!(document, " fragment f{n} on Query {{ ...f{next} ...f{next} }}").unwrap();
    }
    assert!(refused(&document).await.contains("fields"));
}

#[tokio::test]
async fn fragments_that_use_themselves_are_refused() {
    for document in [
        "{ ...a } fragment a on Query { ...a }",
        "{ ...a } fragment a on Query { ...b } fragment b on Query { _empty ...a }",
        "{ _empty } fragment a on Query { ...b } fragment b on Query { ...a }",
    ] {
        assert!(refused(document).await.contains("uses itself"));
    }
}

#[tokio::test]
async fn a_long_chain_of_fragments_is_refused() {
    let mut document = "query { ...f0 } fragment f900 on Query { _empty }".to_owned();
    for n in 0..900 {
        write!(document, " fragment f{n} on Query {{ ...f{} }}", n + 1).unwrap();
    }
    assert!(refused(&document).await.contains("nests"));
}

#[tokio::test]
async fn recursive_introspection_is_refused() {
    let mut levels = "name".to_owned();
    for _ in 0..12 {
        levels = format!("fields {{ type {{ {levels} }} }}");
    }
    let document = format!("{{ __schema {{ types {{ {levels} }} }} }}");
    assert!(refused(&document).await.contains("schema"));
    let mut levels = "name".to_owned();
    for _ in 0..4 {
        levels = format!("possibleTypes {{ fields {{ args {{ type {{ {levels} }} }} }} }}");
    }
    let document = format!("{{ __type(name: \"Query\") {{ {levels} }} }}");
    assert!(refused(&document).await.contains("schema"));
}

#[tokio::test]
async fn many_aliases_of_one_field_are_refused() {
    let fields = |count: usize, field: &str| {
        let list: Vec<_> = (0..count).map(|n| format!("a{n}: {field}")).collect();
        list.join(" ")
    };
    let secrets = fields(1500, r#"secretCreate(input: { name: "s", value: "v" }) { id }"#);
    assert!(refused(&format!("mutation {{ {secrets} }}")).await.contains("fields"));
    assert!(
        refused(&format!("{{ {} }}", fields(20_000, "_empty"))).await.contains("outside strings")
    );
    let schemas = fields(250, "__schema { types { fields { args { name } } } }");
    assert!(refused(&format!("{{ {schemas} }}")).await.contains("schema"));
}

#[tokio::test]
async fn many_directives_are_refused() {
    let document = format!("{{ _empty {} }}", "@skip(if: false) ".repeat(500));
    assert!(refused(&document).await.contains("directives"));
}

#[tokio::test]
async fn nested_text_is_refused() {
    for (open, close) in [("{a", "}"), ("[", "]"), ("{a:", "}"), ("... on Query {", "}")] {
        for depth in [40, 100_000] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            for document in [
                format!("{open}{close}"),
                open.clone(),
                format!("{{ _empty(x: {open}{close}) }}"),
                format!("query($x: {open}T{close}) {{ _empty }}"),
            ] {
                let reason = refused(&document).await;
                assert!(reason.contains("nested") || reason.contains("bytes"), "{reason}");
            }
        }
    }
}

#[tokio::test]
async fn long_text_is_refused() {
    let comment = format!("{{ _empty }} #{}", "a".repeat(2 * 1024 * 1024));
    assert!(refused(&comment).await.contains("bytes"));
    assert!(refused(&"{".repeat(2 * 1024 * 1024)).await.contains("bytes"));
}

/// Brackets and signs in strings and comments are text.
#[tokio::test]
async fn text_in_strings_does_not_count() {
    let service = Service::still(|builder| builder).await;
    let brackets = "{[(@".repeat(20_000);
    for literal in [
        format!("\"{brackets}\""),
        format!("\"\\\"{brackets}\\\\\""),
        format!("\"\"\"{brackets} \"quoted\" \\\"\"\" {brackets}\"\"\""),
    ] {
        let document = format!(
            "mutation {{ # {brackets}\n secretCreate(input: {{ name: \"s\", value: {literal} }}) {{ id }} }}"
        );
        let (status, answer) = service.graphql(&document).await;
        assert_eq!((status, answer.get("errors")), (200, None), "{literal:.40}");
    }
}

#[tokio::test]
async fn introspection_by_tools_is_allowed() {
    let of_type =
        (0..9).fold("kind name".to_owned(), |inner, _| format!("kind name ofType {{ {inner} }}"));
    let document = format!(
        "query IntrospectionQuery {{ __schema {{ queryType {{ name kind }} mutationType {{ name kind }}
            subscriptionType {{ name kind }} types {{ ...FullType }}
            directives {{ name description locations args {{ ...InputValue }} }} }} }}
        fragment FullType on __Type {{ kind name description specifiedByURL
            fields(includeDeprecated: true) {{ name description args {{ ...InputValue }}
                type {{ ...TypeRef }} isDeprecated deprecationReason }}
            inputFields {{ ...InputValue }} interfaces {{ ...TypeRef }}
            enumValues(includeDeprecated: true) {{ name description isDeprecated deprecationReason }}
            possibleTypes {{ ...TypeRef }} }}
        fragment InputValue on __InputValue {{ name description type {{ ...TypeRef }} defaultValue }}
        fragment TypeRef on __Type {{ {of_type} }}"
    );
    let service = Service::still(|builder| builder).await;
    let (status, answer) = service.graphql(&document).await;
    assert_eq!((status, answer.get("errors")), (200, None));
    assert!(answer["data"]["__schema"]["types"].as_array().unwrap().len() > 10);
    let many: Vec<_> = (0..200)
        .map(|n| {
            format!("a{n}: secretCreate(input: {{ name: \"s\", value: \"v\" }}) {{ id name }}")
        })
        .collect();
    let body = json!({ "query": format!("mutation {{ {} }}", many.join(" ")) });
    assert_eq!(service.graphql_body(body).await.0, 200);
}

#[tokio::test]
async fn many_values_without_separators_are_refused() {
    let length = 900_000;
    for (kind, piece) in
        [("Int", "0"), ("Int", "1-"), ("Int", "-0"), ("Boolean", "true"), ("Boolean", "nullfalse")]
    {
        let values = piece.repeat(length / piece.len());
        let document = format!("query ($a: [{kind}] = [{values}1]) {{ _empty }}");
        assert!(refused(&document).await.contains("outside strings"), "{piece}");
    }
}

#[tokio::test]
async fn names_may_begin_with_a_value() {
    let service = Service::still(Builder::control_plane).await;
    let document = format!("{{ {}: _empty nullable: _empty }}", "truenull1a".repeat(10));
    assert_eq!(service.graphql(&document).await.0, 200);
}

#[tokio::test]
async fn variables_with_many_values_are_refused() {
    let service = Service::still(Builder::control_plane).await;
    for variables in [
        json!({ "input": { "env": vec![json!({ "key": "a", "value": "b" }); 100_000] } }),
        json!({ "input": [vec![[0]; 100_000]] }),
        (0..100_000).map(|n| (format!("v{n}"), json!(n))).collect(),
    ] {
        let document =
            "mutation ($input: SaveTemplateInput!) { saveTemplate(input: $input) { id } }";
        let body = json!({ "query": document, "variables": variables });
        let request = service.http.post(format!("{}?api_key={KEY}", service.local.graphql_url()));
        let (status, answer) = crate::support::answer(request.json(&body)).await;
        assert_eq!(status, 400);
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("50000 values"), "{message}");
    }
}
