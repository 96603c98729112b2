//! Table of descriptions: generated and compiled operations, warnings and cost, a row for each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generation::{Generation, Outcome, generate, left_out};
use crate::user_crate::UserCrate;
use crate::{Failure, description, generated};

/// Generates code from each description, compiles it, and prints the cost and the losses. False if
/// an operation is lost, the generator panics, or code does not compile.
pub fn print(places: &[PathBuf]) -> Result<bool, Failure> {
    let user = UserCrate::of_runtime("described")?;
    let mut findings = Vec::new();
    println!(
        "{:32} {:>9} {:>8} {:>5} {:>5} {:>5} {:>5} {:>7} {:>6} {:>7} {:>7} {:>6} {:>8}",
        "description",
        "generates",
        "compiles",
        "in",
        "out",
        "named",
        "warns",
        "gen s",
        "gen MB",
        "lines",
        "check s",
        "cpu s",
        "check MB"
    );
    for path in description::find(places)? {
        let row = row(&user, &path)?;
        println!("{row}");
        findings.extend(row.findings.into_iter().map(|it| format!("{}: {it}", path.display())));
    }
    findings.iter().for_each(|finding| println!("\n{finding}"));
    println!("\n{} findings", findings.len());
    Ok(findings.is_empty())
}

struct Row {
    name: String,
    generation: Generation,
    operations: [Option<usize>; 3],
    lines: usize,
    compiled: Option<crate::measure::Measured>,
    findings: Vec<String>,
}

fn row(user: &UserCrate, path: &Path) -> Result<Row, Failure> {
    let code_file = user.file("generated.rs");
    fs::remove_file(&code_file).ok();
    let generation = generate(path, &code_file)?;
    let mut row = Row {
        name: short(path),
        generation,
        operations: [None; 3],
        lines: 0,
        compiled: None,
        findings: Vec::new(),
    };
    let described = description::read(path).map(|it| description::operations(&it));
    let described =
        described.map_err(|error| row.findings.push(format!("not readable: {error}"))).ok();
    row.operations[0] = described.as_ref().map(BTreeSet::len);
    let warnings = match &row.generation.outcome {
        Outcome::Generated { warnings } => warnings,
        Outcome::Refused { diagnostics } => {
            row.findings.push(format!("refused: {}", diagnostics.join("\n  ")));
            return Ok(row);
        }
        Outcome::Panicked { message } => {
            row.findings.push(format!("panicked: {message}"));
            return Ok(row);
        }
    };
    let code = fs::read_to_string(&code_file)?;
    let calls = generated::calls(&code)?;
    row.lines = code.lines().count();
    row.operations[1] = Some(calls.len());
    row.operations[2] = Some(left_out(warnings).count());
    let known: BTreeSet<_> =
        left_out(warnings).chain(calls.iter().map(|it| it.operation.as_str())).collect();
    for operation in described.iter().flatten() {
        if !description::is_known(operation, |it| known.contains(it)) {
            row.findings.push(format!("left out without a warning: {operation}"));
        }
    }
    user.write("lib.rs", "#![allow(deprecated)]\n#[allow(unused_imports)]\nuse ::podqueue as __runtime;\ninclude!(\"generated.rs\");\n")?;
    let compiled = user.check(None)?;
    if compiled.code != Some(0) {
        let log = user.log()?;
        row.findings.push(format!("does not compile: {}", first_lines(&log, 30)));
    }
    row.compiled = Some(compiled);
    Ok(row)
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = |it: Option<usize>| it.map_or("-".to_owned(), |it| it.to_string());
        let (generates, warnings) = match &self.generation.outcome {
            Outcome::Generated { warnings } => ("yes", Some(warnings.len())),
            Outcome::Refused { .. } => ("no", None),
            Outcome::Panicked { .. } => ("panic", None),
        };
        let compiles = match self.compiled {
            Some(it) if it.code == Some(0) => "yes",
            Some(_) => "no",
            None => "-",
        };
        let check = self.compiled.unwrap_or_default();
        let [described, out, named] = self.operations.map(number);
        let cost = self.generation.measured;
        write!(
            f,
            "{:32} {generates:>9} {compiles:>8} {described:>5} {out:>5} {named:>5} {:>5} {:>7.1} {:>6.0} {:>7} {:>7.1} {:>6.1} {:>8.0}",
            self.name,
            number(warnings),
            cost.seconds,
            cost.megabytes,
            self.lines,
            check.seconds,
            check.processor_seconds,
            check.megabytes,
        )
    }
}

/// The last two segments of a path: many descriptions are named `openapi.json`.
pub fn short(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|it| it.to_string_lossy()).collect();
    let name = names[names.len().saturating_sub(2)..].join("/");
    let skipped = name.chars().count().saturating_sub(32);
    name.chars().skip(skipped).collect()
}

pub fn first_lines(text: &str, most: usize) -> String {
    text.lines().take(most).collect::<Vec<_>>().join("\n  ")
}
