//! Diagnostics of invalid queries: one line with its position for every error of every file, and
//! nothing else. No panic, and no error about generated code.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod copy;

use std::fs;

use copy::Copy;

/// Files, and the lines that the build says of each.
const MISTAKES: &[(&str, &str, &[&str])] = &[
    (
        "fields.graphql",
        "mutation Fields($input: SaveTemplateInput!) {\n  saveTemplate(input: $input) {\n    nmae\n    env\n    id { x }\n  }\n}\n",
        &[
            "3:5: Cannot query field \"nmae\" on type \"Template\". Did you mean \"name\"?",
            "4:5: Field \"env\" of type \"[EnvironmentVariable!]\" must have a selection of subfields. Did you mean \"env { ... }\"?",
            "5:5: Field \"id\" must not have a selection since type \"String\" has no subfields.",
            "5:10: Cannot query field \"x\" on type \"String\".",
        ],
    ),
    (
        "deep/er/values.graphql",
        "mutation Values {\r\n\tsecretCreate(input: {name: 5, valu: \"x\"}) { ...Kept }\r\n}\r\n",
        &[
            "2:22: Field \"SecretCreateInput.value\" of required type \"String!\" was not provided.",
            "2:29: Expected value of type \"String\", found 5.",
            "2:32: Field \"valu\" is not defined by type \"SecretCreateInput\". Did you mean \"value\"?",
        ],
    ),
    (
        "variables.graphql",
        "mutation Variables2($id: Int) { secretDelete(id: $id) }\nmutation Undeclared { secretDelete(id: $id) }\n",
        &[
            "1:21: Variable \"$id\" of type \"Int\" used in position expecting type \"String!\".",
            "2:40: Variable \"$id\" is not defined by operation \"Undeclared\".",
        ],
    ),
    (
        "missing.graphql",
        "mutation Missing { secretDelete }",
        &[
            "1:20: Field \"secretDelete\" argument \"id\" of type \"String!\" is required, but it was not provided.",
        ],
    ),
    (
        "unnamed.graphql",
        "\n{ _empty }",
        &[
            "2:1: this operation has no name; the Rust type is named like it: write `query Name { … }`",
        ],
    ),
    (
        "keyword.graphql",
        "query Match { _empty }",
        &["1:1: the operation `Match` would be called `match`, a keyword of Rust; rename it"],
    ),
    (
        "twice.graphql",
        "query Forget { _empty }",
        &[
            "1:1: the operation `Forget` is already defined: `Forget` at queries/secrets.graphql:12:1",
        ],
    ),
    (
        "syntax.graphql",
        "query Syntax {\n  _empty(\n}",
        &["3:1: syntax error: Unexpected `}`; Expected Name"],
    ),
    ("empty.graphql", "", &["1:1: there is no operation in this file"]),
    (
        "subscription.graphql",
        "subscription Later { _empty }",
        &["1:1: a subscription cannot be sent over plain HTTP; take it out of this file"],
    ),
];

#[test]
fn every_error_is_one_line_with_its_place() {
    let copy = Copy::new("diagnostics");
    let mut expected = Vec::new();
    for (name, text, said) in MISTAKES {
        let path = copy.query(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        let lines = said.iter().map(|line| format!("service-queries@0.0.0: queries/{name}:{line}"));
        expected.extend(lines);
    }
    fs::write(copy.query("bytes.graphql"), b"query Bytes {\n  \xff\n}").unwrap();
    expected.push(
        "service-queries@0.0.0: queries/bytes.graphql:2:3: this file is not UTF-8".to_owned(),
    );
    expected.sort();

    let output = copy.cargo(&["build", "-p", "service-queries"]);
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let mut errors: Vec<_> =
        said.lines().filter_map(|line| line.strip_prefix("error: service-queries")).collect();
    errors.sort();
    let errors: Vec<_> = errors.into_iter().map(|it| format!("service-queries{it}")).collect();
    assert_eq!(errors, expected, "{said}");
    for word in ["panicked", "RUST_BACKTRACE", "podqueue_queries.rs", "-->"] {
        assert!(!said.contains(word), "{word} is in\n{said}");
    }
}

#[test]
fn a_build_script_that_is_forgotten_is_asked_for() {
    let copy = Copy::new("forgotten");
    fs::remove_file(copy.file("build.rs")).unwrap();
    let output = copy.cargo(&["build", "-p", "service-queries"]);
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let wanted = "this crate needs a build script, `build.rs`, whose `main` calls `podqueue_codegen::queries(\"queries\")`";
    assert!(said.contains(wanted), "{said}");
}
