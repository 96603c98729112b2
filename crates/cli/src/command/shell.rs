//! Completions and the manual.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::manual::manual;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// The folder into which a page for each command is written; it is created if missing.
    directory: Option<PathBuf>,
}

pub fn completions(context: &Context, arguments: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut (context.program)(), "podqueue", &mut script);
    context.output.text(&with_files(arguments.shell, &String::from_utf8_lossy(&script)))?;
    Ok(Exit::Done)
}

/// The script, and in it what completes the file after an `@`, where the generator knows nothing of.
fn with_files(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => {
            let script = script.replace("complete -F _podqueue ", "complete -F _podqueue_or_file ");
            script + include_str!("shell/files.bash")
        }
        Shell::Zsh => {
            let script = script.replace(":_default'", ":_podqueue_or_file'");
            // The last lines may call it.
            script.replacen('\n', &format!("\n{}", include_str!("shell/files.zsh")), 1)
        }
        _ => script.to_owned(),
    }
}

pub fn man(context: &Context, arguments: &Man) -> Result<Exit, Failure> {
    let failed = |place: String| {
        move |error: std::io::Error| {
            Failure::new(Exit::Error, format!("failed to write the manual{place}: {error}"))
        }
    };
    let mut pages = manual((context.program)()).map_err(failed(String::new()))?.into_iter();
    let Some(directory) = &arguments.directory else {
        if let Some((_, page)) = pages.next() {
            context.output.text(&page)?;
        }
        return Ok(Exit::Done);
    };
    fs::create_dir_all(directory).map_err(failed(format!(" into {}", directory.display())))?;
    for (name, page) in pages {
        let path = directory.join(name);
        fs::write(&path, page).map_err(failed(format!(" to {}", path.display())))?;
        context.output.line(path.display())?;
    }
    Ok(Exit::Done)
}
