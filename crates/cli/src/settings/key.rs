//! Where the key comes from.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use podqueue::SecretString;
use podqueue::blocking::Block;
use tokio::process::Command;

use super::variable::{KEY, variable};
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::interrupt::{Signals, blocking};
use crate::terminal::Kept;
use crate::text;

#[derive(Clone, Debug)]
pub enum KeySource {
    Missing,
    Environment,
    /// A shell command that prints it.
    Command(String),
    /// A file that only its owner can read.
    File(PathBuf),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("not set"),
            Self::Environment => write!(f, "the variable {KEY}"),
            Self::Command(_) => f.write_str("the profile's key_command"),
            Self::File(path) => write!(f, "the file {}", path.display()),
        }
    }
}

impl KeySource {
    /// The first line of what the source contains.
    pub fn read(&self) -> Result<Option<SecretString>, Failure> {
        let text = match self {
            Self::Missing => return Ok(None),
            Self::Environment => match variable(KEY)? {
                Some(key) => key.trim().to_owned(),
                None => return Ok(None),
            },
            Self::Command(command) => of_command(command)?,
            Self::File(path) => private_file("key file", path)
                .map_err(|failure| Failure { exit: Exit::NotAuthorized, ..failure })?,
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match text.lines().next().map(str::trim) {
            // As the library has it, which does not know where the key is from.
            Some(key) if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(unavailable(format!(
                    "{self} has no valid API key: it must consist of visible ASCII characters, \
                     without spaces"
                )))
            }
            Some(key) if !key.is_empty() => Ok(Some(key.into())),
            _ => Err(unavailable(format!("{self} has no API key in its first line"))),
        }
    }
}

fn unavailable(message: String) -> Failure {
    Failure::new(Exit::NotAuthorized, message)
}

/// What a command prints. It may ask on the terminal, for a password manager's passphrase, but gets
/// nothing else that this program could read.
fn of_command(command: &str) -> Result<String, Failure> {
    let output = unless_interrupted(command).block()?;
    if !output.status.success() {
        return Err(unavailable(format!("key_command failed: {}", output.status)));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| unavailable("the output of key_command is not UTF-8".to_owned()))
}

/// Runs a command. A signal kills it, whether or not the command of this program listens to signals.
async fn unless_interrupted(command: &str) -> Result<Output, Failure> {
    let failed = |error| unavailable(format!("failed to run key_command: {error}"));
    let mut signals = Signals::listen()?;
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.args([if cfg!(windows) { "/C" } else { "-c" }, command]);
    if !io::stdin().is_terminal() {
        // It holds an input, the value of a secret, or the lines that a script goes through.
        shell.stdin(Stdio::null());
    }
    let _kept = Kept::now();
    let child = shell.stdout(Stdio::piped()).kill_on_drop(true).spawn().map_err(failed)?;
    signals.unless(child.wait_with_output()).await?.map_err(failed)
}

/// The text of a file that contains a secret: only its owner may be able to read it.
pub fn private_file(what: &str, path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let failed = |error| Failure::unreadable(format_args!("the {what} {shown}"), &error);
    blocking(|| {
        let file = File::open(path).map_err(failed)?;
        check_privacy(what, &file, path)?;
        text::of(file).map_err(failed)
    })
}

/// Refuses a file that others can read. It asks the open file, which nobody can replace.
#[cfg(unix)]
fn check_privacy(what: &str, file: &File, path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let of = file.metadata();
    match of.map(|of| if of.is_dir() { None } else { Some(of.permissions().mode()) }) {
        // Reading it fails, and says why.
        Ok(None) => Ok(()),
        Ok(Some(mode)) if mode & 0o077 == 0 => Ok(()),
        _ => {
            let shown = path.display();
            Err(Failure::usage(format!("others can read the {what} {shown}"))
                .hint(format!("make it private: chmod 600 {}", quoted(&shown.to_string()))))
        }
    }
}

/// Files in a user's folders are private to the user, unless shared on purpose.
#[cfg(not(unix))]
fn check_privacy(_: &str, _: &File, _: &Path) -> Result<(), Failure> {
    Ok(())
}
