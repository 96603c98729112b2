//! Every mistake in a query is said with its place, all of them at once.

use crate::support::{lines, queried};
use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, SharedTypes};

/// A file's text, and the lines that a user gets to see, without the file's name.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "an unknown field",
        "query A {\n  pets {\n    nope\n  }\n}",
        "3:5: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "a required argument that is missing",
        "query A {\n  pet { id }\n}",
        "2:3: Field \"pet\" argument \"id\" of type \"ID!\" is required, but it was not provided.",
    ),
    (
        "an unknown argument",
        "query A {\n  pets(limit: 1, size: 2) { id }\n}",
        "2:18: Unknown argument \"size\" on field \"Query.pets\".",
    ),
    (
        "an argument of the wrong type",
        "query A {\n  pets(limit: \"many\") { id }\n}",
        "2:15: Expected value of type \"Int\", found \"many\".",
    ),
    (
        "an unknown field of an input",
        "query A { pets(filter: {name: \"a\", size: 1}) { id } }",
        "1:36: Field \"size\" is not defined by type \"Filter\".",
    ),
    (
        "a variable that is not declared",
        "query A { pet(id: $id) { id } }",
        "1:19: Variable \"$id\" is not defined by operation \"A\".",
    ),
    (
        "a variable that is not used",
        "query A($id: ID) { pets { id } }",
        "1:9: Variable \"$id\" is never used in operation \"A\".",
    ),
    (
        "a variable of the wrong type",
        "query A($id: Int) { pet(id: $id) { id } }",
        "1:9: Variable \"$id\" of type \"Int\" used in position expecting type \"ID!\".",
    ),
    (
        "a variable declared twice",
        "query A($id: ID!, $id: ID!) { pet(id: $id) { id } }",
        "1:9: There can only be one variable named \"$id\".",
    ),
    (
        "a variable of an unknown type",
        "query A($id: Nope) { pets { id } a: pet(id: $id) { id } }",
        "1:9: Unknown type \"Nope\".\n1:9: Variable \"$id\" of type \"Nope\" used in position expecting type \"ID!\".",
    ),
    (
        "an object without a selection",
        "query A { pets }",
        "1:11: Field \"pets\" of type \"[Pet!]!\" must have a selection of subfields. Did you mean \"pets { ... }\"?",
    ),
    (
        "a selection of what has no fields",
        "query A { pets { id { x } } }",
        "1:18: Field \"id\" must not have a selection since type \"ID!\" has no subfields.\n1:23: Cannot query field \"x\" on type \"ID\".",
    ),
    ("an unknown fragment", "query A { pets { ...F } }", "1:21: Unknown fragment \"F\"."),
    (
        "a fragment that is not used",
        "query A { pets { id } }\nfragment F on Pet { id }",
        "2:10: Fragment \"F\" is never used.",
    ),
    (
        "a fragment that holds itself",
        "query A { pets { ...F } }\nfragment F on Pet { ...F }",
        "2:24: Cannot spread fragment \"F\" within itself.",
    ),
    ("an unknown directive", "query A { pets @nope { id } }", "1:16: Unknown directive \"@nope\"."),
    (
        "an operation without a name",
        "\nquery { pets { id } }",
        "2:1: this operation has no name; the Rust type is named like it: write `query Name { … }`",
    ),
    (
        "a bare selection",
        "{ pets { id } }",
        "1:1: this operation has no name; the Rust type is named like it: write `query Name { … }`",
    ),
    (
        "an operation named like a keyword",
        "query type { pets { id } }",
        "1:1: the operation `type` would be called `type`, a keyword of Rust; rename it",
    ),
    (
        "an operation named like a module that there is",
        "query Types { pets { id } }",
        "1:1: the operation `Types` would be the module `types`, which there is already; rename it",
    ),
    (
        "a subscription",
        "subscription S { pets { id } }",
        "1:1: a subscription cannot be sent over plain HTTP; take it out of this file",
    ),
    (
        "two operations of one name",
        "query A { pets { id } }\nquery A { pets { id } }",
        "2:7: There can be only one operation named \"A\".",
    ),
    (
        "two operations whose names are one in Rust",
        "query GetPets { pets { id } }\nquery get_pets { pets { id } }",
        "2:1: the operation `get_pets` is there already: `GetPets` at queries/test.graphql:1:1",
    ),
    (
        "two variables whose names are one in Rust",
        "query A($aB: ID!, $a_b: ID!) { pet(id: $aB) { id } b: pet(id: $a_b) { id } }",
        "1:1: two variables of this operation would be called `a_b` in `Variables`; rename one of them",
    ),
    (
        "two fields whose names are one in Rust",
        "query A { pets { aB: id a_b: name } }",
        "1:1: two fields of this operation would be called `a_b` in `APets`; rename one of them",
    ),
    (
        "a syntax error",
        "query A {\n  pets { id\n}",
        "3:2: syntax error: Unexpected end of input; Expected }",
    ),
    ("an empty file", "", "1:1: there is no operation in this file"),
    ("a file of comments", "# nothing\n", "1:1: there is no operation in this file"),
];

#[test]
fn each_mistake_has_its_message_and_its_place() {
    let mut wrong = Vec::new();
    for (what, text, expected) in MISTAKES {
        let got = match queried(&[("queries/test.graphql", text)]) {
            Ok(_) => "nothing".to_owned(),
            Err(mistakes) => lines(&mistakes).replace("\nqueries/test.graphql:", "\n"),
        };
        let expected = format!("queries/test.graphql:{expected}");
        if got != expected {
            wrong.push(format!("{what}:\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_mistakes_of_all_files_come_at_once() {
    let mistakes = queried(&[
        ("queries/b.graphql", "query B { pets { nope } }"),
        ("queries/a.graphql", "query A { pets { nope } }\nquery C { pets { neither } }"),
        ("queries/fine.graphql", "query Fine { pets { id } }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&mistakes),
        "queries/a.graphql:1:18: Cannot query field \"nope\" on type \"Pet\".\n\
         queries/a.graphql:2:18: Cannot query field \"neither\" on type \"Pet\".\n\
         queries/b.graphql:1:18: Cannot query field \"nope\" on type \"Pet\"."
    );
}

#[test]
fn an_operation_of_one_name_in_two_files() {
    let mistakes = queried(&[
        ("queries/a.graphql", "query A { pets { id } }"),
        ("queries/b.graphql", "\nquery A { pets { name } }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&mistakes),
        "queries/b.graphql:2:1: the operation `A` is there already: `A` at queries/a.graphql:1:1"
    );
}

#[test]
fn a_schema_that_is_none() {
    for (text, expected) in [
        (
            "type Query { a Int }",
            "schema.graphql:1:16: syntax error: Unexpected `Int[Name]`; Expected :",
        ),
        (
            "type Pet { a: Int }",
            "schema.graphql:1:1: this schema has no query type, which GraphQL asks of every schema",
        ),
    ] {
        let schema = Source::new("schema.graphql", text);
        let mistakes = graphql::generate(&schema, &[], SharedTypes::Here).unwrap_err();
        assert_eq!(lines(&mistakes), expected);
    }
}
