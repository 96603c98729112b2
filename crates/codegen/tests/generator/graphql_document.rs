//! Documents in pieces, into which the runtime writes variables as literals.

use crate::support::{dense, item, query};

/// The parts and the variables of the one operation in a query, as source text.
fn document(text: &str) -> String {
    let code = query(text);
    let start = code.find("const DOCUMENT").unwrap();
    let end = code[start..].find("impl __runtime::__private::graphql_client").unwrap();
    dense(&code[start..start + end])
}

fn parts(text: &str) -> String {
    let document = document(text);
    let parts = document.split("parts: &[").nth(1).unwrap();
    parts.split("], variables:").next().unwrap().trim().trim_end_matches(',').to_owned()
}

#[test]
fn an_argument_that_is_a_variable_is_a_placeholder() {
    assert_eq!(
        parts("mutation S($input: PetInput!) { savePet(input: $input) { id } }"),
        "Part::Text(\"mutation S { savePet\"), \
         Part::Arguments(&[ Part::Entry { name: \"input\", variable: \"input\", }, ]), \
         Part::Text(\" { id } }\")"
    );
}

#[test]
fn constants_stay_text_also_beside_variables() {
    assert_eq!(
        parts("query P($f: Filter) { pets(filter: $f, limit: 3) { id } b: pets(limit: 4) { id } }"),
        "Part::Text(\"query P { pets\"), \
         Part::Arguments(&[ Part::Entry { name: \"filter\", variable: \"f\", }, Part::Text(\"limit: 3\"), ]), \
         Part::Text(\" { id } b: pets(limit: 4) { id } }\")"
    );
}

#[test]
fn variables_within_lists_and_objects_are_placeholders() {
    assert_eq!(
        parts(
            "query P($c: Color!, $n: String) { pets(filter: {name: $n, colors: [WHITE, $c], not: {name: \"a\\\"b\"}}) { id } }"
        ),
        "Part::Text(\"query P { pets(filter: {\"), \
         Part::Entry { name: \"name\", variable: \"n\", }, \
         Part::Text(\" colors: [WHITE, \"), Part::Value(\"c\"), \
         Part::Text(\"] not: {name: \\\"a\\\\\\\"b\\\"}}) { id } }\")"
    );
}

#[test]
fn a_variable_of_a_directive_is_an_argument_too() {
    assert_eq!(
        parts("query P($yes: Boolean!) { pets @include(if: $yes) { id } }"),
        "Part::Text(\"query P { pets @include\"), \
         Part::Arguments(&[ Part::Entry { name: \"if\", variable: \"yes\", }, ]), \
         Part::Text(\" { id } }\")"
    );
}

#[test]
fn fragments_follow_and_their_variables_count() {
    let parts =
        parts("query P($yes: Boolean!) { pets { ...F } } fragment F on Pet { id @skip(if: $yes) }");
    assert!(
        parts
            .starts_with("Part::Text(\"query P { pets { ...F } } fragment F on Pet { id @skip\"),"),
        "{parts}"
    );
}

#[test]
fn variables_have_their_types() {
    let document = document(
        "query P($f: Filter, $limit: Int! = 7, $id: ID!, $colors: [Color!]! = [WHITE, dark_brown]) {
           pets(filter: $f, limit: $limit) { id } pet(id: $id) { id } more: pets(filter: {colors: $colors}) { id } }",
    );
    assert!(document.contains("kind: Kind::Query,"));
    for variable in [
        "Variable { name: \"f\", shape: Shape::Input(&shapes::FILTER), presence: Presence::Optional, default: None, secret_places: &[], }",
        "Variable { name: \"limit\", shape: Shape::Int, presence: Presence::NotNull, default: Some(\"7\"), secret_places: &[], }",
        "Variable { name: \"id\", shape: Shape::Id, presence: Presence::Required, default: None, secret_places: &[], }",
        "Variable { name: \"colors\", shape: Shape::List(&Shape::Enum), presence: Presence::NotNull, default: Some(\"[WHITE, dark_brown]\"), secret_places: &[], }",
    ] {
        assert!(document.contains(variable), "{variable} is not in\n{document}");
    }
}

#[test]
fn shapes_of_inputs_refer_to_each_other() {
    let code = query("query P { pets { id } }");
    let shape = dense(item(&code, "pub static PET_INPUT"));
    for field in [
        "name: \"color\", shape: Shape::Enum,",
        "name: \"friends\", shape: Shape::List(&Shape::Input(&PET_INPUT)),",
        "name: \"parent\", shape: Shape::Input(&PET_INPUT),",
    ] {
        assert!(shape.contains(field), "{field} is not in\n{shape}");
    }
    let filter = dense(item(&code, "pub static FILTER"));
    assert!(
        filter.contains("name: \"name\", shape: Shape::String, presence: Presence::Optional,"),
        "{filter}"
    );
}
