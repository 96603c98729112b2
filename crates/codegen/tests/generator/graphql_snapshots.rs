//! The whole of what is generated from queries, as it stood when it was last looked at: a change
//! of the generator shows as a diff of these files.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p podqueue-codegen --test generator` writes them anew.

use std::fs;
use std::path::Path;

use crate::support::{SCHEMA, lines};
use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, SharedTypes};

const QUERIES: &str = r#"
# Gets a pet and, where asked, its tags.
query GetPet($id: ID!, $withTags: Boolean! = false) {
  pet(id: $id) {
    ...Looks
    petName: name
    tags @include(if: $withTags) { key value }
  }
}

query Search($filter: Filter, $limit: Int) {
  pets(filter: $filter, limit: $limit) { id born }
  animal {
    ... on Pet { name }
    ... on Fish { id depth }
  }
}

mutation SavePet($input: PetInput!) {
  savePet(input: $input) { id }
}

fragment Looks on Pet {
  id
  color
}
"#;

fn generated(shared: SharedTypes) -> String {
    let queries = [Source::new("queries/pets.graphql", QUERIES)];
    let made = graphql::generate(&Source::new("schema.graphql", SCHEMA), &queries, shared);
    made.unwrap_or_else(|mistakes| panic!("{}", lines(&mistakes))).code
}

fn assert_snapshot(name: &str, code: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, code).unwrap();
    }
    let before = fs::read_to_string(&path).unwrap_or_default();
    let before = before.replace("\r\n", "\n");
    let first = before.lines().zip(code.lines()).position(|(before, now)| before != now);
    let first = first.unwrap_or(before.lines().count().min(code.lines().count()));
    assert!(
        before == code,
        "{} differs from line {} on: it was\n  {}\nand is\n  {}\nLook at the whole with UPDATE_SNAPSHOTS=1 and git diff.",
        path.display(),
        first + 1,
        before.lines().nth(first).unwrap_or("(the end)"),
        code.lines().nth(first).unwrap_or("(the end)"),
    );
}

#[test]
fn operations_with_types_of_their_own() {
    assert_snapshot("pets.rs", &generated(SharedTypes::Here));
}

#[test]
fn operations_with_podqueues_types() {
    assert_snapshot("pets_of_podqueue.rs", &generated(SharedTypes::OfPodqueue));
}
