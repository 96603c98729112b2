//! Command `completions`: a completion script for a shell.

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The shell; without it, the shells are listed.
    shell: Option<Shell>,
}

pub fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Some(shell) = arguments.shell else {
        let shells: Vec<_> = Shell::value_variants().iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!("name a shell: {}", shells.join(", "))));
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut (context.program)(), "podqueue", &mut script);
    context.output.text(&with_file_completion(shell, &String::from_utf8_lossy(&script)))?;
    Ok(Exit::Done)
}

/// Adds the completion of a file after `@`, which the generator does not support.
fn with_file_completion(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => {
            let script = script.replace("complete -F _podqueue ", "complete -F _podqueue_or_file ");
            script + include_str!("completions/files.bash")
        }
        Shell::Zsh => {
            let script = script.replace(":_default'", ":_podqueue_or_file'");
            // The last lines may call it.
            script.replacen('\n', &format!("\n{}", include_str!("completions/files.zsh")), 1)
        }
        _ => script.to_owned(),
    }
}
