//! Command `completions`: a completion script for a shell, printed or installed with the manual.

use std::env;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use etcetera::BaseStrategy;

use super::man;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The shell; with --install, that of $SHELL by default.
    shell: Option<Shell>,
    /// Install the script for bash, zsh or fish, and the manual, where they find it in your home,
    /// and print the files.
    #[arg(long)]
    install: bool,
}

pub fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let of_user = || env::var_os("SHELL").and_then(|it| Shell::from_shell_path(Path::new(&it)));
    let shell = arguments.shell.or_else(|| if arguments.install { of_user() } else { None });
    let Some(shell) = shell else {
        let shells: Vec<_> = Shell::value_variants().iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!("name a shell: {}", shells.join(", "))));
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut (context.program)(), "podqueue", &mut script);
    let script = with_file_completion(shell, &String::from_utf8_lossy(&script));
    match arguments.install {
        true => install(context, shell, &script)?,
        false => context.output.text(&script)?,
    }
    Ok(Exit::Done)
}

fn install(context: &Context, shell: Shell, script: &str) -> Result<(), Failure> {
    let place = match shell {
        Shell::Bash => "bash-completion/completions/podqueue",
        Shell::Zsh => "zsh/site-functions/_podqueue",
        Shell::Fish => "fish/vendor_completions.d/podqueue.fish",
        _ => {
            let message = format!("there is no folder from which {shell} reads completions");
            let hint = format!("write `podqueue completions {shell}` into a file that it reads");
            return Err(Failure::usage(message).hint(hint));
        }
    };
    let strategy = etcetera::choose_base_strategy();
    let strategy =
        strategy.map_err(|error| Failure::usage(format!("failed to find your home: {error}")))?;
    let file: PathBuf = strategy.data_dir().join(place);
    man::write(context, &file, script)?;
    man::install(context, &strategy.data_dir().join("man/man1"))?;
    if let (Shell::Zsh, Some(folder)) = (shell, file.parent()) {
        let folder = folder.display();
        context.output.note(format!(
            "zsh reads it with this line in ~/.zshrc, before compinit: fpath+=({folder})"
        ));
    }
    Ok(())
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
