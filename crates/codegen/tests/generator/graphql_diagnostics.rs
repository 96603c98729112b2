//! Diagnostics of queries: every error is reported with its position, all of them together.

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
        "1:19: There can only be one variable named \"$id\".",
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
        "a fragment that holds itself",
        "query A { pets { ...F } }\nfragment F on Pet { ...F }",
        "2:24: Cannot spread fragment \"F\" within itself.",
    ),
    ("an unknown directive", "query A { pets @nope { id } }", "1:16: Unknown directive \"@nope\"."),
    (
        "a field that is nearly there",
        "query A { pets { nmae } }",
        "1:18: Cannot query field \"nmae\" on type \"Pet\". Did you mean \"name\"?",
    ),
    (
        "a field of the root that is nearly there",
        "query A {\n  pet_s { id }\n}",
        "2:3: Cannot query field \"pet_s\" on type \"Query\". Did you mean \"pets\"?",
    ),
    (
        "an argument that is nearly there",
        "query A { pets(limits: 1) { id } }",
        "1:16: Unknown argument \"limits\" on field \"Query.pets\". Did you mean \"limit\"?",
    ),
    (
        "an argument of a directive that is nearly there",
        "query A { pets { id @skip(iff: true) } }",
        "1:21: Directive \"@skip\" argument \"if\" of type \"Boolean!\" is required, but it was not provided.\n1:27: Unknown argument \"iff\" on directive \"@skip\". Did you mean \"if\"?",
    ),
    (
        "a field of an input that is nearly there",
        "query A { pets(filter: {nam: \"a\"}) { id } }",
        "1:25: Field \"nam\" is not defined by type \"Filter\". Did you mean \"name\"?",
    ),
    (
        "a variable that is nearly there",
        "query A($petId: ID!) { pet(id: $petID) { id } b: pet(id: $petId) { id } }",
        "1:32: Variable \"$petID\" is not defined by operation \"A\". Did you mean \"$petId\"?",
    ),
    (
        "a type that is nearly there",
        "query A($f: Filtre) { pets(filter: $f) { id } }",
        "1:9: Unknown type \"Filtre\". Did you mean \"Filter\"?\n1:9: Variable \"$f\" of type \"Filtre\" used in position expecting type \"Filter\".",
    ),
    (
        "a fragment that is nearly there",
        "query A { pets { ...Name } }\nfragment Names on Pet { id }",
        "1:21: Unknown fragment \"Name\". Did you mean \"Names\"?",
    ),
    (
        "a directive that is nearly there",
        "query A { pets @skipp(if: true) { id } }",
        "1:16: Unknown directive \"@skipp\". Did you mean \"@skip\"?",
    ),
    (
        "a value of an enum that is nearly there",
        "query A { pets(filter: {colors: [WHIT]}) { id } }",
        "1:34: Value \"WHIT\" does not exist in \"Color\" enum. Did you mean \"WHITE\"?",
    ),
    (
        "a value of an enum between quotation marks",
        "query A { pets(filter: {colors: [\"WHITE\"]}) { id } }",
        "1:34: Enum \"Color\" cannot represent non-enum value: \"WHITE\" Did you mean \"WHITE\"?",
    ),
    (
        "a fragment on a type that is nearly there",
        "query A { animal { ... on Pets { id } } }",
        "1:24: Unknown type \"Pets\". Did you mean \"Pet\"?",
    ),
    (
        "a fragment on a type that cannot be",
        "query A { pets { ...F } }\nfragment F on Fish { depth }",
        "1:21: Fragment \"F\" cannot be spread here as objects of type \"Pet\" can never be of type \"Fish\".",
    ),
    (
        "two different fields of one name",
        "query A { pets { name name: id } }",
        "1:18: Fields \"name\" conflict because \"name\" and \"id\" are different fields. Use different aliases on the fields to fetch both if this was intentional.",
    ),
    (
        "a field of an input that is required",
        "mutation A { savePet(input: {}) { id } }",
        "1:29: Field \"PetInput.name\" of required type \"String!\" was not provided.",
    ),
    (
        "null where there must be a value",
        "query A { pet(id: null) { id } }",
        "1:19: Expected value of type \"ID!\", found null",
    ),
    (
        "an operation named like a type of Rust",
        "query Option { pets { id } }",
        "1:1: the operation `Option` would be called `Option`, a name that Rust or the generated code already uses; rename it",
    ),
    (
        "an operation whose name has no letters",
        "query _ { pets { id } }",
        "1:1: the operation `_` would be called ``, a keyword of Rust; rename it",
    ),
    (
        "a fragment named like a type of Rust",
        "query A { pets { ...String } }\nfragment String on Pet { id }",
        "2:1: the fragment `String` would be called `String`, a name that Rust or the generated code already uses; rename it",
    ),
    (
        "a string that does not end",
        "query A {\n  pet(id: \"1) { id }\n}",
        "2:11: syntax error: unterminated string value; Unexpected end of input; Expected IntValue, FloatValue, StringValue, BlockString, true, false, null or Name",
    ),
    (
        "a character that means nothing",
        "query A { pets { id? } }",
        "1:20: syntax error: unexpected character '?'; Expected }",
    ),
    (
        "a type in a file of queries",
        "type A { id: ID }",
        "1:1: syntax error: Unexpected `type`; Expected {, query, mutation, subscription or fragment",
    ),
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
        "1:1: the operation `Types` would be the module `types`, which already exists; rename it",
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
        "2:1: the operation `get_pets` is already defined: `GetPets` at queries/test.graphql:1:1",
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
        "a field of one fragment whose type has the fragment's name",
        "query A { pets { ...APets } }\nfragment APets on Pet { id }",
        "1:1: two types of this operation would be called `APets`; give one of the fields an alias, or the operation or the fragment another name",
    ),
    (
        "a field of one fragment whose type has the name of an input",
        "query Pet { input: pets { ...F } }\nfragment F on Pet { id }",
        "1:1: two types of this operation would be called `PetInput`; give one of the fields an alias, or the operation or the fragment another name",
    ),
    (
        "a part of one fragment whose type has the name of another field's",
        "query A { animal { ... on Pet { ...F } } animalOnPet: pets { id } }\nfragment F on Pet { id }",
        "1:1: two types of this operation would be called `AAnimalOnPet`; give one of the fields an alias, or the operation or the fragment another name",
    ),
    (
        "a type that has the name of a scalar",
        "query I { d: pets { id } }\nquery A { pets { ...Int } }\nfragment Int on Pet { id }",
        "1:1: two types of this operation would be called `ID`; give one of the fields an alias, or the operation or the fragment another name\n2:1: two types of this operation would be called `Int`; give one of the fields an alias, or the operation or the fragment another name",
    ),
    (
        "a syntax error",
        "query A {\n  pets { id\n}",
        "3:2: syntax error: Unexpected end of input; Expected }",
    ),
    (
        "the same error twice, and what only looks like it",
        "query A { pet(id: \"x\") { id } a: pets(limit: \"x\") { id } b: pets(limit: \"x\") { id } }",
        "1:46: Expected value of type \"Int\", found \"x\".\n1:73: Expected value of type \"Int\", found \"x\".",
    ),
    (
        "one argument of several by a name that is wrong in one place",
        "query A { pets(limit: 1) { id } pet(id: 1, limit: 3) { id } }",
        "1:44: Unknown argument \"limit\" on field \"Query.pet\".",
    ),
    (
        "a list where there is one value",
        "query A { pet(id: [1, 2]) { id } }",
        "1:19: Expected value of type \"ID\", found [1, 2].",
    ),
    (
        "a list where there is one object",
        "query A { pets(filter: [{name: \"a\"}]) { id } }",
        "1:24: Expected value of type \"Filter\", found [{name: \"a\"}].",
    ),
    (
        "an object where there is a scalar or an enum",
        "query A { pet(id: {a: 1}) { id @skip(if: {b: 2}) } pets(filter: {colors: {c: WHITE}}) { id } }",
        "1:19: Expected value of type \"ID\", found {a: 1}.\n1:42: Expected value of type \"Boolean\", found {b: 2}.\n1:74: Expected value of type \"Color\", found {c: WHITE}.",
    ),
    (
        "null within a list",
        "query A { pets(filter: {colors: [WHITE, null]}) { id } }",
        "1:41: Expected value of type \"Color!\", found null",
    ),
    (
        "a variable of the wrong type in a list",
        "query A($c: String) { pets(filter: {colors: [$c]}) { id } }",
        "1:9: Variable \"$c\" of type \"String\" used in position expecting type \"Color!\".",
    ),
    (
        "a default of the wrong type",
        "query A($n: Int = \"x\", $f: Filter = {nme: \"a\"}) { pets(limit: $n, filter: $f) { id } }",
        "1:19: Expected value of type \"Int\", found \"x\".\n1:38: Field \"nme\" is not defined by type \"Filter\". Did you mean \"name\"?",
    ),
    (
        "a variable of a type that is no input",
        "query A($p: Pet) { pets { id name @skip(if: $p) } }",
        "1:9: Variable \"$p\" cannot be non-input type \"Pet\".\n1:9: Variable \"$p\" of type \"Pet\" used in position expecting type \"Boolean!\".",
    ),
    (
        "a variable that is not declared by the second operation",
        "query A($n: Int) { pets(limit: $n) { id } }\nquery B { pets(limit: $n) { id } }",
        "2:23: Variable \"$n\" is not defined by operation \"B\".",
    ),
    (
        "a field of an input given twice",
        "mutation A { savePet(input: {name: \"a\", name: \"b\"}) { id } }",
        "1:41: There can be only one input field named \"name\".",
    ),
    (
        "a required field that only the inner input lacks",
        "mutation A { savePet(input: {name: \"a\", parent: {color: WHITE}}) { id } }",
        "1:49: Field \"PetInput.name\" of required type \"String!\" was not provided.",
    ),
    (
        "an argument given twice",
        "query A { pet(id: 1, id: 2) { id } }",
        "1:22: There can be only one argument named \"id\".",
    ),
    (
        "a part on a type that cannot be, beside one that can",
        "query A { animal { ... on Fish { depth } } pets { ... on Fish { depth } } }",
        "1:51: Fragment cannot be spread here as objects of type \"Pet\" can never be of type \"Fish\".",
    ),
    (
        "a fragment on what has no fields",
        "query A { pets { ... on Color { x } } }",
        "1:22: Fragment cannot condition on non composite type \"Color\".\n1:33: Cannot query field \"x\" on type \"Color\".",
    ),
    (
        "a union without a selection of its members",
        "query A { animal { depth } }",
        "1:20: Cannot query field \"depth\" on type \"Animal\".",
    ),
    (
        "a directive where it may not stand",
        "query A @skip(if: true) { pets { id } }",
        "1:9: Directive \"@skip\" may not be used on QUERY",
    ),
    (
        "a directive without its argument, and one twice",
        "query A { pets { id @include name @skip(if: true) @skip(if: false) } }",
        "1:21: Directive \"@include\" argument \"if\" of type \"Boolean!\" is required, but it was not provided.\n1:51: Duplicate directive \"skip\"",
    ),
    (
        "a number that is too large, and one that is not whole",
        "query A { pets(limit: 99999999999) { id } a: pets(limit: 1.5) { id } }",
        "1:23: Int cannot represent non 32-bit signed integer value: 99999999999\n1:58: Expected value of type \"Int\", found 1.5.",
    ),
    (
        "a query that asks about the schema",
        "query A { __type(name: \"Pet\") { name } pets { id } }",
        "1:11: `__type` asks about the schema, not the service; it cannot be typed here",
    ),
    (
        "fragments that hold each other",
        "query A { pets { ...F } }\nfragment F on Pet { ...G }\nfragment G on Pet { ...F }",
        "2:24: Cannot spread fragment \"F\" within itself via \"G\".",
    ),
    (
        "three operations of one name",
        "query A { pets { id } }\nquery A { pets { id } }\nquery A { pets { id } }",
        "2:7: There can be only one operation named \"A\".\n3:7: There can be only one operation named \"A\".",
    ),
    (
        "two fragments of one name",
        "query A { pets { ...F } }\nfragment F on Pet { id }\nfragment F on Pet { name }",
        "3:10: There can be only one fragment named \"F\".",
    ),
    (
        "a word that is no kind of operation",
        "qury A { pets { id } }",
        "1:1: syntax error: Unexpected `qury`; Expected {, query, mutation, subscription or fragment",
    ),
    (
        "a selection of nothing",
        "query A { pets { } }",
        "1:18: syntax error: Unexpected `}`; Expected Name",
    ),
    (
        "an error behind tabs",
        "query A {\n\t\tpets(\tlimit: true) {\tnope }\n}",
        "2:16: Expected value of type \"Int\", found true.\n2:24: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "an error in a file with the line ends of another system",
        "# One.\r\n# Two.\r\nquery A {\r\n  pets(limit: true) { nope }\r\n}\r\n",
        "4:15: Expected value of type \"Int\", found true.\n4:23: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "an error behind a byte order mark and letters of several bytes",
        "\u{feff}query A { pets(limit: \"é漢\") { nope } }",
        "1:23: Expected value of type \"Int\", found \"é漢\".\n1:31: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "an error in a file with the line ends of an old system",
        "query A {\r  pets {\r    nope\r  }\r}\r",
        "3:5: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "an error behind characters that are escaped",
        "query A { pets(filter: {name: \"\\u{1F600}\\uD83D\\uDE00\"}, limit: true) { nope } }",
        "1:64: Expected value of type \"Int\", found true.\n1:72: Cannot query field \"nope\" on type \"Pet\".",
    ),
    (
        "an argument given twice",
        "query A { pets(limit: 1, filter: {limit: 2}, limit: 3) { id } }",
        "1:35: Field \"limit\" is not defined by type \"Filter\".\n1:46: There can be only one argument named \"limit\".",
    ),
    (
        "an argument of a directive given twice",
        "query A { pets { id @include(if: true, if: false) } }",
        "1:40: There can be only one argument named \"if\".",
    ),
    (
        "an unknown directive without arguments beside an error",
        "query A { pets { id @nope nope } }",
        "1:21: Unknown directive \"@nope\".\n1:27: Cannot query field \"nope\" on type \"Pet\".",
    ),
    ("an empty file", "", "1:1: there is no operation in this file"),
    ("a file of comments", "# nothing\n", "1:1: there is no operation in this file"),
];

#[test]
fn each_error_has_its_message_and_position() {
    let mut wrong = Vec::new();
    for (what, text, expected) in MISTAKES {
        let got = match queried(&[("queries/test.graphql", text)]) {
            Ok(_) => "nothing".to_owned(),
            Err(diagnostics) => lines(&diagnostics).replace("\nqueries/test.graphql:", "\n"),
        };
        let expected = format!("queries/test.graphql:{expected}");
        if got != expected {
            wrong.push(format!("{what}:\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unused_fragment_is_a_warning() {
    let made = graphql::generate(
        &Source::new("schema.graphql", crate::support::SCHEMA),
        &[Source::new("a.graphql", "query A { pets { id } }\nfragment F on Pet { id }")],
        SharedTypes::Here,
    );
    assert_eq!(lines(&made.unwrap().warnings), "a.graphql:2:10: Fragment \"F\" is never used.");
}

#[test]
fn a_mistake_among_many_valid_uses_of_its_value_has_its_position() {
    let valid = (0..300).map(|at| format!("a{at}: pet(id: \"x\") {{ id }}\n")).collect::<String>();
    let wrong = ["b", "c"].map(|name| format!("{name}: pets(limit: \"x\") {{ id }}\n"));
    let query = format!("query A {{\n{}}}", wrong.concat().replace('\n', &format!("\n{valid}")));
    let diagnostics = queried(&[("queries/many.graphql", &query)]).unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "queries/many.graphql:2:16: Expected value of type \"Int\", found \"x\".\n\
         queries/many.graphql:303:16: Expected value of type \"Int\", found \"x\"."
    );
}

#[test]
fn all_errors_of_all_files_are_reported_together() {
    let diagnostics = queried(&[
        ("queries/b.graphql", "query B { pets { nope } }"),
        ("queries/a.graphql", "query A { pets { nope } }\nquery C { pets { neither } }"),
        ("queries/fine.graphql", "query Fine { pets { id } }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "queries/a.graphql:1:18: Cannot query field \"nope\" on type \"Pet\".\n\
         queries/a.graphql:2:18: Cannot query field \"neither\" on type \"Pet\".\n\
         queries/b.graphql:1:18: Cannot query field \"nope\" on type \"Pet\"."
    );
}

#[test]
fn operations_of_two_files_must_have_different_names() {
    let diagnostics = queried(&[
        ("queries/a.graphql", "query A { pets { id } }"),
        ("queries/b.graphql", "\nquery A { pets { name } }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "queries/b.graphql:2:1: the operation `A` is already defined: `A` at queries/a.graphql:1:1"
    );
}

#[test]
fn a_fragment_is_shared_by_all_files() {
    let code = queried(&[
        ("queries/a.graphql", "query A { pets { ...B } }"),
        ("queries/b.graphql", "fragment B on Pet { id ...C }"),
        ("queries/c.graphql", "query C { pets { ...C } }\nfragment C on Pet { name }"),
    ])
    .unwrap();
    assert!(code.contains(
        "\"query A { pets { ...B } } fragment B on Pet { id ...C } fragment C on Pet { name }\""
    ));
    assert!(code.contains("\"query C { pets { ...C } } fragment C on Pet { name }\""));
}

#[test]
fn an_error_in_a_fragment_is_reported_once_in_its_file() {
    let diagnostics = queried(&[
        ("queries/a.graphql", "query A($id: ID!) { pet(id: $id) { ...P } }\n\n\n\n"),
        ("queries/b.graphql", "\nfragment P on Pet {\n  nmae\n  tags { kex }\n}\n"),
        ("queries/c.graphql", "query C { pets { ...P ...Q } }"),
        ("queries/d.graphql", "# A comment without an end of line"),
        ("queries/e.graphql", "fragment Q on Pet { id @include(if: $yes) @skip(unless: 1) }"),
        ("queries/f.graphql", "fragment R on Pet { id }\nfragment P on Pet { id }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "queries/b.graphql:3:3: Cannot query field \"nmae\" on type \"Pet\". Did you mean \"name\"?\n\
         queries/b.graphql:4:10: Cannot query field \"kex\" on type \"Tag\". Did you mean \"key\"?\n\
         queries/c.graphql:1:7: Variable \"$yes\" is not defined by operation \"C\".\n\
         queries/d.graphql:1:1: there is no operation in this file\n\
         queries/e.graphql:1:43: Directive \"@skip\" argument \"if\" of type \"Boolean!\" is required, but it was not provided.\n\
         queries/e.graphql:1:49: Unknown argument \"unless\" on directive \"@skip\".\n\
         queries/f.graphql:2:1: the fragment `P` is already defined, at queries/b.graphql:2:1; the files of a folder share their fragments"
    );
}

#[test]
fn fragments_that_a_broken_file_may_define_are_not_reported_as_unknown() {
    let diagnostics = queried(&[
        ("queries/a.graphql", "query A { pets { ...B } }\nfragment C on Pet { id }"),
        ("queries/b.graphql", "fragment B on Pet { id\nquery D { pets { ...C } }"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&diagnostics),
        "queries/b.graphql:2:26: syntax error: Unexpected end of input; Expected }"
    );
}

#[test]
fn invalid_schemas_are_reported_with_positions() {
    for (text, expected) in [
        ("type Query { a Int }", "schema.graphql:1:16: syntax error: Unexpected `Int`; Expected :"),
        (
            "type Pet { a: Int }",
            "schema.graphql:1:1: this schema has no query type, which GraphQL asks of every schema",
        ),
    ] {
        let schema = Source::new("schema.graphql", text);
        let diagnostics = graphql::generate(&schema, &[], SharedTypes::Here).unwrap_err();
        assert_eq!(lines(&diagnostics), expected);
    }
}
