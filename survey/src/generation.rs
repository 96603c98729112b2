//! One run of the generator, in a process of its own: it may overflow its stack or run out of
//! memory.

use std::path::Path;
use std::process::Command;

use podqueue_codegen::{Diagnostic, Source, rest};
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::measure::{Measured, measured};

/// The result and the cost of a run.
pub struct Generation {
    pub measured: Measured,
    pub outcome: Outcome,
}

pub enum Outcome {
    Generated { warnings: Vec<String> },
    Refused { diagnostics: Vec<String> },
    Panicked { message: String },
}

#[derive(Default, Serialize, Deserialize)]
struct Said {
    warnings: Vec<String>,
    diagnostics: Vec<String>,
}

/// Generates code from a description into a file.
pub fn generate(description: &Path, code: &Path) -> Result<Generation, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("__generate").arg(description).arg(code);
    let output = code.with_extension("generation");
    let measured = measured(&command, &output, None)?;
    let outcome = match measured.code {
        Some(0) => {
            let said: Said = serde_json::from_slice(&std::fs::read(code.with_extension("said"))?)?;
            match said.diagnostics.is_empty() {
                true => Outcome::Generated { warnings: said.warnings },
                false => Outcome::Refused { diagnostics: said.diagnostics },
            }
        }
        _ => Outcome::Panicked { message: std::fs::read_to_string(output)? },
    };
    Ok(Generation { measured, outcome })
}

/// The main function of that process.
pub fn child(description: &str, code: &Path) -> Result<bool, Failure> {
    let lines = |them: Vec<Diagnostic>| them.into_iter().map(|it| it.message).collect();
    let mut said = Said::default();
    let read = Source::read(Path::new(description)).map_err(|it| vec![it]);
    match read.and_then(|source| rest::generate(&source)) {
        Ok(generated) => {
            std::fs::write(code, generated.code)?;
            said.warnings = lines(generated.warnings);
        }
        Err(diagnostics) => said.diagnostics = lines(diagnostics),
    }
    std::fs::write(code.with_extension("said"), serde_json::to_vec(&said)?)?;
    Ok(true)
}

/// The operations that warnings report as left out, as `GET /pods/{id}`.
pub fn left_out(warnings: &[String]) -> impl Iterator<Item = &str> {
    let named = warnings.iter().filter_map(|it| it.strip_prefix("left out "));
    named.map(|rest| rest.split_once(": ").map_or(rest, |(operation, _)| operation))
}
