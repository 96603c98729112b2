//! A copy of these crates, to be changed and built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// It shares what is built of the dependencies with the crates that it was copied from.
pub struct Copy(PathBuf);

impl Copy {
    pub fn new(name: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let podqueue = here.parent().unwrap().parent().unwrap();
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::remove_dir_all(&copy).ok();
        copy_folder(here, &copy);
        for member in fs::read_dir(&copy).unwrap() {
            let manifest = member.unwrap().path().join("Cargo.toml");
            let Ok(text) = fs::read_to_string(&manifest) else { continue };
            let podqueue = podqueue.display().to_string().replace('\\', "/");
            fs::write(&manifest, text.replace("../../..", &podqueue)).unwrap();
        }
        // Alone, it would have other features of the dependencies, which would all be built again.
        let manifest = copy.join("service-queries/Cargo.toml");
        let features = podqueue.join("tests/features").display().to_string().replace('\\', "/");
        let features = format!("[dependencies]\npodqueue-features = {{ path = \"{features}\" }}\n");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace("[dependencies]\n", &features)).unwrap();
        // It is about what is built, not about what the tests say.
        fs::remove_dir_all(copy.join("service-queries/tests")).unwrap();
        Self(copy)
    }

    /// A file or a folder of queries.
    pub fn query(&self, name: &str) -> PathBuf {
        self.file("queries").join(name)
    }

    /// A file of the crate `service-queries`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join("service-queries").join(name)
    }

    /// Runs cargo in it.
    pub fn cargo(&self, arguments: &[&str]) -> Output {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).args(["--offline", "--target-dir"]).arg(target);
        // This test has a folder of a build script, the copy has its own.
        command.current_dir(&self.0).env_remove("OUT_DIR").output().unwrap()
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
