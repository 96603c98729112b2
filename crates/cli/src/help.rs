//! Help, and the manual made of it: examples first.

mod examples;

use std::ffi::OsString;
use std::io;

use clap::{CommandFactory, FromArgMatches};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use self::examples::EXAMPLES;
use crate::arguments::Arguments;
use crate::exit::Exit;

const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// The arguments of the program.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let matches = command().try_get_matches_from(arguments)?;
    Arguments::from_arg_matches(&matches)
}

/// The program with all its commands, their examples, and the exit codes.
pub fn command() -> clap::Command {
    let after = format!("Exit codes:\n{}", Exit::table());
    with_examples(Arguments::command(), "podqueue").after_long_help(after)
}

/// `path` is the command as it is typed.
fn with_examples(command: clap::Command, path: &str) -> clap::Command {
    let command = command.help_template(TEMPLATE);
    let command = match examples_of(path) {
        Some(examples) => command.before_help(format!("Examples:\n{}", indented(examples))),
        None => command,
    };
    command.mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        with_examples(sub, &path)
    })
}

fn examples_of(path: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(of, _)| *of == path).map(|(_, examples)| *examples)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// What a newcomer needs.
pub fn first_steps() -> String {
    format!(
        "\
Runs jobs on hosted GPUs.

First steps:
{}
All commands: podqueue --help. Any one of them: podqueue run --help.
",
        indented(examples::FIRST_STEPS)
    )
}

/// A page for each command: its file's name, and its text.
pub fn manual() -> io::Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    add_pages(&mut pages, command(), "podqueue".to_owned())?;
    Ok(pages)
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
    pages.push((format!("{name}.1"), String::from_utf8_lossy(&page).into_owned()));
    for sub in command.get_subcommands() {
        if sub.get_name() != "help" {
            add_pages(pages, sub.clone(), format!("{path} {}", sub.get_name()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_that_parses() {
        fn check(command: &clap::Command, path: &str) {
            let text = examples_of(path).unwrap_or_else(|| panic!("{path} has no example"));
            assert!(text.contains(path), "{path} is not in its examples");
            for sub in command.get_subcommands() {
                check(sub, &format!("{path} {}", sub.get_name()));
            }
        }
        check(&command(), "podqueue");
        let all = EXAMPLES.iter().map(|(_, text)| *text).chain([examples::FIRST_STEPS]);
        let all: Vec<String> = all.map(|text| text.replace("\\\n ", "")).collect();
        let width = |text: &str| text.lines().map(|line| line.chars().count()).max();
        assert!(EXAMPLES.iter().all(|(_, text)| width(text) <= Some(79)));
        for line in all.iter().flat_map(|text| text.split('\n')) {
            let line = line.split("  #").next().unwrap_or(line).trim_end();
            // What the shell runs, from the program's name to the end of the command.
            let Some(start) = line.find("podqueue ") else { continue };
            let typed = line[start..].trim_end_matches(')');
            let words = shlex::split(typed).expect("a line for a shell");
            let end = words.iter().position(|it| ["|", "<", ">", "&&", "&"].contains(&it.as_str()));
            let words = words[..end.unwrap_or(words.len())].iter().map(OsString::from);
            if let Err(error) = parse(words) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn help_fits_into_80_columns() {
        fn check(command: &mut clap::Command) {
            let text = command.clone().term_width(80).render_long_help().to_string();
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            for sub in command.get_subcommands_mut() {
                check(sub);
            }
        }
        let mut all = command();
        all.build();
        check(&mut all);
    }
}
