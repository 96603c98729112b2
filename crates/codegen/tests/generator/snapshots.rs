//! Snapshots: generated code, compared with what the repository keeps of it.
//!
//! Of a few representative documents, the whole code is kept in `snapshots/`; of every document, a
//! line with a hash in `snapshots/manifest.txt`. So each change of the generator shows in review,
//! and `scripts/generated.sh` shows its diff for all documents.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p podqueue-codegen --test generator` rewrites both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, SharedTypes};

use crate::rest_corpus::small;
use crate::support::{SCHEMA, lines};

/// The documents whose code is kept in whole.
const WHOLE: &[&str] =
    &["graphql/pets", "rest/bodies", "rest/parameters", "rest/responses_by_status", "rest/unions"];

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

#[test]
fn generated_code_matches_its_snapshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    // Where `scripts/generated.sh` reads the code of all documents.
    let dump = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let mut changed = Vec::new();
    let mut manifest = String::new();
    let kept = read_manifest(&folder.join("manifest.txt"));
    let all = all_code();
    for (name, code) in &all {
        write(&dump.join(format!("{name}.rs")), code);
        let line = format!("{name} {} lines {}", code.lines().count(), hash(code));
        if kept.get(name.as_str()) != Some(&line) {
            changed.push(name.clone());
        }
        manifest += &format!("{line}\n");
    }
    changed.extend(kept.keys().filter(|name| !all.contains_key(*name)).cloned());
    let is_update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    if is_update {
        write(&folder.join("manifest.txt"), &manifest);
    }
    for name in WHOLE {
        let path = folder.join(format!("{}.rs", name.replace('/', "_")));
        if is_update {
            write(&path, &all[*name]);
        }
        let before = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if let Some(line) = first_difference(&before, &all[*name]) {
            changed.push(format!("{name}, {line}"));
        }
    }
    assert!(
        is_update || changed.is_empty(),
        "the generated code of these documents has changed; `scripts/generated.sh` shows how, and \
         UPDATE_SNAPSHOTS=1 accepts it\n{}",
        changed.join("\n")
    );
}

/// The code of every document of the corpus with its warnings, by name.
fn all_code() -> BTreeMap<String, String> {
    let rest = small().into_iter().map(|document| {
        let warnings: String =
            document.generated.warnings.iter().map(|it| format!("// {it}\n")).collect();
        (format!("rest/{}", document.name), format!("{warnings}{}", document.generated.code))
    });
    let graphql = [("pets", SharedTypes::Here), ("pets_of_podqueue", SharedTypes::OfPodqueue)];
    let graphql = graphql.map(|(name, shared)| {
        let queries = [Source::new("queries/pets.graphql", QUERIES)];
        let generated = graphql::generate(&Source::new("schema.graphql", SCHEMA), &queries, shared);
        let generated = generated.unwrap_or_else(|diagnostics| panic!("{}", lines(&diagnostics)));
        (format!("graphql/{name}"), generated.code)
    });
    rest.chain(graphql).collect()
}

fn read_manifest(path: &PathBuf) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| Some((line.split(' ').next()?, line)));
    lines.map(|(name, line)| (name.to_owned(), line.to_owned())).collect()
}

fn hash(code: &str) -> String {
    blake3::hash(code.as_bytes()).to_hex()[..16].to_owned()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn first_difference(kept: &str, now: &str) -> Option<String> {
    let (kept, now): (Vec<_>, Vec<_>) = (kept.lines().collect(), now.lines().collect());
    let at = (0..kept.len().max(now.len())).find(|at| kept.get(*at) != now.get(*at))?;
    Some(format!("line {}: {:?} was {:?}", at + 1, now.get(at), kept.get(at)))
}
