//! Command line: the global options, and help texts that start with examples.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::examples::{FIRST_STEPS, examples_of};
use crate::exit::Exit;
use crate::output::OutputArguments;
use crate::settings::Selection;

/// Runs jobs on hosted GPUs: submit them, wait for them, stream from them, manage what they need.
#[derive(Debug, Parser)]
#[command(name = "podqueue", version, propagate_version = false, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub settings: Selection,

    #[command(flatten)]
    pub output: OutputArguments,

    #[command(subcommand)]
    pub command: Option<Command>,
}

const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// Parses the arguments of the program.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let matches = command().try_get_matches_from(arguments)?;
    Arguments::from_arg_matches(&matches)
}

/// The definition of the program: all commands, with their examples, and the exit codes.
pub fn command() -> clap::Command {
    let after = format!("Exit codes:\n{}", Exit::table());
    with_examples(Arguments::command(), "podqueue").after_long_help(after)
}

/// Adds the examples of a command and its subcommands. `path` is the command as typed.
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

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The help of a call without arguments.
pub fn first_steps() -> String {
    format!(
        "\
Runs jobs on hosted GPUs.

First steps:
{}
All commands: podqueue --help. Any one of them: podqueue run --help.
",
        indented(FIRST_STEPS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::EXAMPLES;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
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
        let all = EXAMPLES.iter().map(|(_, text)| *text).chain([FIRST_STEPS]);
        let all: Vec<String> = all.map(|text| text.replace("\\\n ", "")).collect();
        let width = |text: &str| text.lines().map(|line| line.chars().count()).max();
        assert!(EXAMPLES.iter().all(|(_, text)| width(text) <= Some(79)));
        for line in all.iter().flat_map(|text| text.split('\n')) {
            let line = line.split("  #").next().unwrap_or(line).trim_end();
            // From the name of the program to the end of its command.
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
