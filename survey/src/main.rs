//! Survey: runs the generator on published and on random descriptions. `scripts/survey.sh` runs it
//! and lists the arguments.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program's output")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may panic"))]

mod against;
mod description;
mod driver;
mod generated;
mod generation;
mod measure;
mod random;
mod samples;
mod selected;
mod shrink;
mod synthetic;
mod table;
mod user_crate;

use std::path::PathBuf;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("survey: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Returns true if nothing was found.
fn run(arguments: &[String]) -> Result<bool, Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        // Subcommands that run in child processes, for measurement and isolation.
        ["__measure", report, command @ ..] => measure::child(report.as_ref(), command),
        ["__generate", description, code] => generation::child(description, code.as_ref()),
        ["__random", seed, count, folder] => {
            random::child(seed.parse()?, count.parse()?, folder.as_ref())
        }
        ["--selected", description, selectors @ ..] if !selectors.is_empty() => {
            selected::run(description.as_ref(), selectors)
        }
        ["--untyped", files @ ..] if !files.is_empty() => {
            let files: Result<Vec<_>, _> = files.iter().map(std::fs::read_to_string).collect();
            generated::untyped_fields(&files?)?.iter().for_each(|it| println!("{it}"));
            Ok(true)
        }
        ["__print", seed] => random::print(seed.parse()?),
        ["__problem", file, code] => random::problem_of(file.as_ref(), code.as_ref()),
        ["--synthetic", operations, types] => {
            println!("{}", synthetic::description(operations.parse()?, types.parse()?));
            Ok(true)
        }
        ["--random", seconds] => random::run(seconds.parse()?, None),
        ["--random", seconds, seed] => random::run(seconds.parse()?, Some(seed.parse()?)),
        ["--against", rival, places @ ..] => {
            against::run(rival, &places.iter().map(PathBuf::from).collect::<Vec<_>>())
        }
        ["--drive", places @ ..] if !places.is_empty() => {
            driver::run(&places.iter().map(PathBuf::from).collect::<Vec<_>>())
        }
        ["--samples", count, places @ ..] => {
            let (seed, places) = match places.split_first() {
                Some((seed, rest)) if seed.parse::<u64>().is_ok() => (seed.parse()?, rest),
                _ => (fastrand::u64(..1 << 40), places),
            };
            samples::run(
                count.parse()?,
                seed,
                &places.iter().map(PathBuf::from).collect::<Vec<_>>(),
            )
        }
        [] => Err("name descriptions, folders of them, or --random SECONDS".into()),
        places => table::print(&places.iter().map(PathBuf::from).collect::<Vec<_>>()),
    }
}
