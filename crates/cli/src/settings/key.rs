//! API key sources: the environment, a command, or a private file.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::{env, fmt};

use podqueue::SecretString;
use podqueue::blocking::Block;
use tokio::process::Command;

use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::read_text;
use crate::interrupt::{Signals, TerminalState, blocking};

pub const KEY: &str = "PODQUEUE_API_KEY";

/// The value of an environment variable, unless it is blank.
pub fn variable(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.trim().is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("the variable {name} is not UTF-8")))
        }
    }
}

/// A source of the API key.
#[derive(Clone, Debug)]
pub enum KeySource {
    Missing,
    Environment,
    /// A shell command that prints the key.
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
            Self::Command(command) => run_key_command(command)?,
            Self::File(path) => read_private_file("key file", path)
                .map_err(|failure| Failure { exit: Exit::NotAuthorized, ..failure })?,
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match text.lines().next().map(str::trim) {
            // The same check as in the library, whose message cannot name the source of the key.
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

/// The output of a command. It may prompt on the terminal, for the passphrase of a password
/// manager, but does not inherit another standard input.
fn run_key_command(command: &str) -> Result<String, Failure> {
    let output = run_until_signal(command).block()?;
    if !output.status.success() {
        return Err(unavailable(format!("key_command failed: {}", output.status)));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| unavailable("the output of key_command is not UTF-8".to_owned()))
}

/// Runs a command, which a signal kills, also where the calling command does not listen to signals.
async fn run_until_signal(command: &str) -> Result<Output, Failure> {
    let failed = |error| unavailable(format!("failed to run key_command: {error}"));
    let mut signals = Signals::listen()?;
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.args([if cfg!(windows) { "/C" } else { "-c" }, command]);
    if !io::stdin().is_terminal() {
        // Standard input may be an input, the value of a secret, or the lines of a script.
        shell.stdin(Stdio::null());
    }
    let _restored = TerminalState::save();
    let child = shell.stdout(Stdio::piped()).kill_on_drop(true).spawn().map_err(failed)?;
    signals.unless(child.wait_with_output()).await?.map_err(failed)
}

/// The text of a file that contains a secret: only its owner may be able to read it.
pub fn read_private_file(what: &str, path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let failed = |error| Failure::unreadable(format_args!("the {what} {shown}"), &error);
    blocking(|| {
        let file = File::open(path).map_err(failed)?;
        check_privacy(what, &file, path)?;
        read_text(file).map_err(failed)
    })
}

/// Refuses a file that other users can read. Checks the open file, which cannot be replaced
/// meanwhile.
#[cfg(unix)]
fn check_privacy(what: &str, file: &File, path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata();
    match metadata.map(|it| if it.is_dir() { None } else { Some(it.permissions().mode()) }) {
        // Reading a folder fails with a better message.
        Ok(None) => Ok(()),
        Ok(Some(mode)) if mode & 0o077 == 0 => Ok(()),
        _ => {
            let shown = path.display();
            Err(Failure::usage(format!("other users can read the {what} {shown}"))
                .hint(format!("make it private: chmod 600 {}", quoted(&shown.to_string()))))
        }
    }
}

/// On Windows, files in the folders of a user are private by default.
#[cfg(not(unix))]
fn check_privacy(_: &str, _: &File, _: &Path) -> Result<(), Failure> {
    Ok(())
}
