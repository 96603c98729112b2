//! What cargo builds again when a file of queries is added, changed or removed: the crate that has
//! the queries, and nothing else.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of these crates, to be changed. It shares what is built of the dependencies with the
/// crates that it was copied from.
struct Copy(PathBuf);

impl Copy {
    fn new() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let podqueue = here.parent().unwrap().parent().unwrap();
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rebuilds");
        fs::remove_dir_all(&copy).ok();
        copy_folder(here, &copy);
        for member in ["service-queries", "own-schema", "published-schema"] {
            let manifest = copy.join(member).join("Cargo.toml");
            let text = fs::read_to_string(&manifest).unwrap();
            let podqueue = podqueue.display().to_string().replace('\\', "/");
            fs::write(&manifest, text.replace("../../..", &podqueue)).unwrap();
        }
        // It is about what is built, not about what the tests say.
        fs::remove_file(copy.join("service-queries/tests/queries.rs")).unwrap();
        fs::remove_file(copy.join("service-queries/tests/rebuilds.rs")).unwrap();
        Self(copy)
    }

    fn query(&self, name: &str) -> PathBuf {
        self.0.join("service-queries/queries").join(name)
    }

    /// Builds, and gives the packages of which something was built again.
    fn build(&self) -> Vec<String> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["test", "--no-run", "--offline", "--message-format=json", "--target-dir"])
            .arg(target)
            .current_dir(&self.0)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let mut built: Vec<String> = messages
            .lines()
            .filter(|line| line.contains(r#""reason":"compiler-artifact""#))
            .filter(|line| line.contains(r#""fresh":false"#))
            .map(|line| {
                let id = line.split(r#""package_id":""#).nth(1).unwrap();
                let id = id.split('"').next().unwrap();
                id.rsplit(['/', '#'])
                    .find(|it| !it.starts_with(char::is_numeric))
                    .unwrap()
                    .to_owned()
            })
            .collect();
        built.sort();
        built.dedup();
        built
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() && !path.ends_with("target") {
            copy_folder(&path, &to);
        } else if path.is_file() {
            fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn just_what_has_the_queries_is_built_again() {
    let copy = Copy::new();
    copy.build();
    assert_eq!(copy.build(), [""; 0], "nothing was touched");

    fs::write(
        copy.query("more.graphql"),
        "mutation More($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(copy.build(), ["service-queries"], "a query was added");
    assert_eq!(copy.build(), [""; 0], "nothing was touched");

    fs::write(
        copy.query("more.graphql"),
        "mutation Much($id: String!) { secretDelete(id: $id) }\n",
    )
    .unwrap();
    assert_eq!(copy.build(), ["service-queries"], "a query was changed");

    fs::remove_file(copy.query("more.graphql")).unwrap();
    assert_eq!(copy.build(), ["service-queries"], "a query was removed");
    assert_eq!(copy.build(), [""; 0], "nothing was touched");
}
