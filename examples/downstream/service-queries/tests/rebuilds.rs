//! Rebuilds after a file of queries was added, changed or removed: only the crate of the queries.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod copy;

use std::fs;

use copy::Copy;

/// Builds, and returns the packages of which something was rebuilt.
fn built(copy: &Copy) -> Vec<String> {
    // Of two crates with queries, and no tests, whose place a test may have in its program: in the
    // common target folder, the copy's would take that of the others.
    let crates = ["-p", "service-queries", "-p", "own-schema"];
    let output = copy.cargo(&[&["build", "--message-format=json"], &crates[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).unwrap();
    let mut built: Vec<String> = messages
        .lines()
        .filter(|line| line.contains(r#""reason":"compiler-artifact""#))
        .filter(|line| line.contains(r#""fresh":false"#))
        .map(|line| {
            let id = line.split(r#""package_id":""#).nth(1).unwrap();
            let id = id.split('"').next().unwrap();
            id.rsplit(['/', '#']).find(|it| !it.starts_with(char::is_numeric)).unwrap().to_owned()
        })
        .collect();
    built.sort();
    built.dedup();
    built
}

#[test]
fn just_what_has_the_queries_is_built_again() {
    let copy = Copy::new("rebuilds");
    built(&copy);
    assert_eq!(built(&copy), [""; 0], "nothing was touched");

    fs::write(
        copy.query("more.graphql"),
        "mutation More($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(built(&copy), ["service-queries"], "a query was added");
    assert_eq!(built(&copy), [""; 0], "nothing was touched");

    fs::write(
        copy.query("more.graphql"),
        "mutation Much($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(built(&copy), ["service-queries"], "a query was changed");

    fs::create_dir_all(copy.query("further/still")).unwrap();
    fs::write(
        copy.query("further/still/last.graphql"),
        "mutation Last($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(
        built(&copy),
        ["service-queries"],
        "a query was added to a folder within the folder"
    );
    assert_eq!(built(&copy), [""; 0], "nothing was touched");
    fs::write(
        copy.query("further/still/last.graphql"),
        "mutation Finally($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(built(&copy), ["service-queries"], "a query was changed in there");
    fs::remove_dir_all(copy.query("further")).unwrap();
    assert_eq!(built(&copy), ["service-queries"], "a folder of queries was removed");

    fs::remove_file(copy.query("more.graphql")).unwrap();
    assert_eq!(built(&copy), ["service-queries"], "a query was removed");
    assert_eq!(built(&copy), [""; 0], "nothing was touched");
}
