//! Command `man`: the manual pages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;
use clap_mangen::roff::{Roff, bold, roman};

use crate::context::Context;
use crate::examples::examples_of;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder for a page of each command; it is created if missing.
    directory: Option<PathBuf>,
}

pub fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.directory {
        Some(directory) => install(context, directory)?,
        None => {
            let first = pages(context)?.into_iter().next();
            first.map_or(Ok(()), |(_, page)| context.output.text(&page))?;
        }
    }
    Ok(Exit::Done)
}

/// Writes a page of each command into a folder, and prints the files.
pub fn install(context: &Context, directory: &Path) -> Result<(), Failure> {
    for (name, page) in pages(context)? {
        write(context, &directory.join(name), &page)?;
    }
    Ok(())
}

/// Writes a file, in a folder that it creates if it is missing, and prints the path.
pub fn write(context: &Context, path: &Path, text: &str) -> Result<(), Failure> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written.and_then(|()| fs::write(path, text)).map_err(|error| {
        Failure::new(Exit::Error, format!("failed to write {}: {error}", path.display()))
    })?;
    context.output.line(path.display())
}

fn pages(context: &Context) -> Result<Vec<(String, String)>, Failure> {
    let mut pages = Vec::new();
    let added = add_pages(&mut pages, (context.program)(), "podqueue");
    added.map_err(|error| {
        Failure::new(Exit::Error, format!("failed to write the manual: {error}"))
    })?;
    Ok(pages)
}

/// A page with its other characters escaped, which not every formatter can read.
fn ascii(page: &str) -> String {
    let escaped = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => format!("\\[u{:04X}]", u32::from(char)),
    };
    page.chars().map(escaped).collect()
}

/// Adds a page for a command and for each of its subcommands: the name of the file, and its text.
fn add_pages(
    pages: &mut Vec<(String, String)>,
    mut command: clap::Command,
    path: &str,
) -> io::Result<()> {
    command.build();
    let name = path.replace(' ', "-");
    let is_root = path == "podqueue";
    let man = clap_mangen::Man::new(command.clone().name(name.clone()).bin_name(path));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    if let Some(examples) = examples_of(path) {
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []).to_writer(&mut page)?;
    }
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if is_root {
        let mut roff = Roff::new();
        roff.control("SH", ["EXIT STATUS"]);
        for (exit, meaning) in Exit::TABLE {
            roff.control("TP", []).text([bold(exit.code().to_string())]).text([roman(meaning)]);
        }
        roff.to_writer(&mut page)?;
    }
    pages.push((format!("{name}.1"), ascii(&String::from_utf8_lossy(&page))));
    for sub in command.get_subcommands() {
        if sub.get_name() != "help" {
            add_pages(pages, sub.clone(), &format!("{path} {}", sub.get_name()))?;
        }
    }
    Ok(())
}
