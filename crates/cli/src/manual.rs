//! The manual.

use std::io;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::examples::examples_of;
use crate::exit::Exit;

/// A page for each command: its file's name, and its text.
pub fn manual(program: clap::Command) -> io::Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    add_pages(&mut pages, program, "podqueue".to_owned())?;
    Ok(pages)
}

/// The same page in the characters that every formatter reads.
fn ascii(page: &str) -> String {
    let escaped = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => format!("\\[u{:04X}]", u32::from(char)),
    };
    page.chars().map(escaped).collect()
}

fn add_pages(
    pages: &mut Vec<(String, String)>,
    mut command: clap::Command,
    path: String,
) -> io::Result<()> {
    command.build();
    let name = path.replace(' ', "-");
    let is_root = path == "podqueue";
    let man = Man::new(command.clone().name(name.clone()).bin_name(path.clone()));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    if let Some(examples) = examples_of(&path) {
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
            add_pages(pages, sub.clone(), format!("{path} {}", sub.get_name()))?;
        }
    }
    Ok(())
}
