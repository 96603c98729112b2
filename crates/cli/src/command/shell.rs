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
    context.output.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub fn man(context: &Context, arguments: &Man) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Error, format!("failed to write the manual: {error}"))
    };
    let mut pages = manual((context.program)()).map_err(failed)?.into_iter();
    let Some(directory) = &arguments.directory else {
        if let Some((_, page)) = pages.next() {
            context.output.text(&page)?;
        }
        return Ok(Exit::Done);
    };
    fs::create_dir_all(directory).map_err(failed)?;
    for (name, page) in pages {
        let path = directory.join(name);
        fs::write(&path, page).map_err(failed)?;
        context.output.line(path.display())?;
    }
    Ok(Exit::Done)
}
