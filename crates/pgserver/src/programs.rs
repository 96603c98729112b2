//! Programs of the distribution's packages, run as a user other than root.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// User of the server in place of root, which PostgreSQL refuses.
const USER: &str = "postgres";

/// Returns the command of a program of PostgreSQL.
pub(crate) fn postgres(name: &str) -> Command {
    as_user(&find(name))
}

/// Returns the command of the pooler.
pub(crate) fn pgbouncer() -> Command {
    let places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
    let found = places.into_iter().map(Path::new).find(|path| path.exists());
    as_user(found.unwrap_or_else(|| panic!("{}", missing("pgbouncer"))))
}

/// Runs a command to its end, and returns its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Makes the user of the server the owner of a folder or file.
pub(crate) fn give_to_user(folder: &Path) {
    if is_root() {
        run(Command::new("chown").arg(USER).arg(folder));
    }
}

fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", USER, "--regid", USER, "--clear-groups"]).arg(program);
    // The working directory may be inaccessible to that user.
    command.current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Returns the program of the newest installed version.
fn find(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<_> = versions
        .filter_map(|version| {
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            let path = version.path().join("bin").join(name);
            path.exists().then_some((number, path))
        })
        .collect();
    found.sort();
    let elsewhere = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
    let mut elsewhere = elsewhere.into_iter().map(|folder| Path::new(folder).join(name));
    let newest = found.pop().map(|(_, path)| path).or_else(|| elsewhere.find(|path| path.exists()));
    newest.unwrap_or_else(|| panic!("{}", missing(name)))
}

fn missing(name: &str) -> String {
    format!(
        "these tests start a PostgreSQL server of their own, and {name} is not installed: apt-get install postgresql pgbouncer"
    )
}
