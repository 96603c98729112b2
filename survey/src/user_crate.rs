//! User crate around generated code: its dependencies are compiled once, its code is replaced.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Failure;
use crate::measure::{Measured, measured};

/// The dependency of programs that make calls.
pub const TOKIO: &str = "tokio = { version = \"1\", features = [\"rt\", \"macros\", \"time\"] }";

pub struct UserCrate {
    name: String,
    pub folder: PathBuf,
}

impl UserCrate {
    /// Writes a crate on podqueue below the target folder, without code, and compiles its
    /// dependencies.
    pub fn new(name: &str) -> Result<Self, Failure> {
        let podqueue = format!("podqueue = {{ path = {:?}, default-features = false }}", root());
        Self::on(name, &format!("{podqueue}\nserde = \"1\"\nserde_json = \"1\"\n{TOKIO}"))
    }

    /// As [`new`](Self::new), for generated code alone: a crate on the runtime, under the same name,
    /// and nothing else.
    pub fn of_runtime(name: &str) -> Result<Self, Failure> {
        Self::on(name, &runtime())
    }

    /// As [`of_runtime`](Self::of_runtime), with what a program needs that makes calls.
    pub fn of_callers(name: &str) -> Result<Self, Failure> {
        Self::on(name, &format!("{}\nserde_json = \"1\"\n{TOKIO}", runtime()))
    }

    /// A crate of this name that has its manifest already.
    pub fn at(name: &str, folder: PathBuf) -> Self {
        Self { name: name.to_owned(), folder }
    }

    fn on(name: &str, dependencies: &str) -> Result<Self, Failure> {
        let user = Self::at(name, work().join(name));
        fs::create_dir_all(user.folder.join("src"))?;
        fs::copy(root().join("Cargo.lock"), user.folder.join("Cargo.lock"))?;
        let manifest = format!(
            "[workspace]\n\n[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n"
        );
        fs::write(user.folder.join("Cargo.toml"), manifest)?;
        // The program of an earlier run may not compile.
        fs::remove_file(user.file("main.rs")).ok();
        user.write("lib.rs", "")?;
        match user.check(None)? {
            Measured { code: Some(0), .. } => Ok(user),
            _ => {
                Err(format!("what generated code depends on does not compile:\n{}", user.log()?)
                    .into())
            }
        }
    }

    /// Writes a file of its code.
    pub fn write(&self, name: &str, code: &str) -> Result<(), Failure> {
        Ok(fs::write(self.folder.join("src").join(name), code)?)
    }

    /// The path of a file of its code.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join("src").join(name)
    }

    /// Runs `cargo check`, with a time limit.
    pub fn check(&self, patience: Option<Duration>) -> Result<Measured, Failure> {
        let mut command = Command::new("cargo");
        command.args(["check", "--quiet", "--target-dir"]).arg(target());
        // What an earlier check has left would be part of the measure.
        command.env("CARGO_INCREMENTAL", "0");
        measured(command.current_dir(&self.folder), &self.folder.join("cargo.log"), patience)
    }

    /// Builds the program of its `main.rs`; none if it does not compile.
    pub fn build(&self) -> Result<Option<PathBuf>, Failure> {
        let mut command = Command::new("cargo");
        command.args(["build", "--quiet", "--bin", &self.name, "--target-dir"]).arg(target());
        let measured =
            measured(command.current_dir(&self.folder), &self.folder.join("cargo.log"), None)?;
        Ok((measured.code == Some(0)).then(|| target().join("debug").join(&self.name)))
    }

    /// The output of the last run of cargo.
    pub fn log(&self) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.folder.join("cargo.log"))?)
    }
}

/// The runtime, under the name that programs on podqueue use.
fn runtime() -> String {
    let path = root().join("crates/runtime");
    format!("podqueue = {{ package = \"podqueue-runtime\", path = {path:?} }}")
}

/// The folder of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The folder for the files of this program.
pub fn work() -> PathBuf {
    target().join("survey")
}

/// The target folder of the workspace, so that nothing is compiled twice.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| root().join("target"));
    std::path::absolute(&target).unwrap_or(target)
}
