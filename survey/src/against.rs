//! Side-by-side comparison with another generator: the same descriptions, a row for each.
//!
//! Measured are operations, untyped fields of structs, lines, those of them that are code, and
//! `cargo check` of a crate whose dependencies are compiled already. Its cost is processor time, which
//! a busy machine changes little, and the peak memory of the largest process. After the table, `calls`
//! compares calls of both on the wire.

mod calls;
mod recorder;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::generation::{Outcome, generate};
use crate::measure::{Measured, measured};
use crate::table::short;
use crate::user_crate::{UserCrate, work};
use crate::{Failure, description, generated};

/// The only other generator that is known, and the version that is compared.
const RIVAL: (&str, &str) = ("openapi-to-rust", "0.23.0");

/// The time that either generator, or the compiler, may take.
const PATIENCE: Duration = Duration::from_secs(1800);

/// The columns after those of generating and compiling, each of which is better if it is smaller.
const COSTS: [&str; 5] = ["untyped", "lines", "of code", "check s", "check MB"];

/// The output of a generator for a description, measured.
#[derive(Default)]
struct Side {
    generates: bool,
    compiles: bool,
    operations: usize,
    untyped: usize,
    lines: usize,
    /// Without comments and blank lines: documentation is no cost.
    code_lines: usize,
    check: Measured,
}

/// Compares the generators on each description. False if ours fails where the other does not.
pub fn run(rival: &str, places: &[PathBuf]) -> Result<bool, Failure> {
    if rival != RIVAL.0 {
        return Err(format!("only {} can be compared with", RIVAL.0).into());
    }
    let program = install()?;
    let user = UserCrate::of_runtime("ours")?;
    println!("ours / {} {}, and * where ours is behind", RIVAL.0, RIVAL.1);
    print!("{:32} {:>9} {:>9} {:>13}", "description", "generates", "compiles", "operations");
    COSTS.iter().for_each(|it| print!(" {it:>17}"));
    println!();
    let mut rows = Vec::new();
    for path in description::find(places)? {
        let row =
            Row { name: short(&path), ours: ours(&user, &path)?, theirs: theirs(&program, &path)? };
        println!("{row}");
        rows.push(row);
    }
    print_summary(&rows);
    let is_called = calls::run(&program, RIVAL.0)?;
    Ok(is_called && rows.iter().all(|it| it.ours.compiles || !it.theirs.compiles))
}

struct Row {
    name: String,
    ours: Side,
    theirs: Side,
}

impl Row {
    /// Both sides of each column, as numbers of which the smaller one is better. Costs are compared
    /// only where both compile.
    fn columns(&self) -> Vec<(&'static str, [f64; 2])> {
        let both = |of: fn(&Side) -> f64| [of(&self.ours), of(&self.theirs)];
        let mut columns = vec![
            ("generates", both(|it| f64::from(!it.generates))),
            ("compiles", both(|it| f64::from(!it.compiles))),
        ];
        if self.ours.compiles && self.theirs.compiles {
            columns.push(("operations", both(|it| -(it.operations as f64))));
            let costs: [fn(&Side) -> f64; 5] = [
                |it| it.untyped as f64,
                |it| it.lines as f64,
                |it| it.code_lines as f64,
                |it| (it.check.processor_seconds * 10.0).round() / 10.0,
                |it| it.check.megabytes.round(),
            ];
            columns.extend(COSTS.into_iter().zip(costs.map(both)));
        }
        columns
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behind = |column: &str| {
            let behind =
                |(name, [ours, theirs]): &(&str, [f64; 2])| *name == column && ours > theirs;
            if self.columns().iter().any(behind) { "*" } else { " " }
        };
        let yes = |it: bool| if it { "yes" } else { "no" };
        let Self { ours, theirs, .. } = self;
        let pair = |of: fn(&Side) -> String| format!("{}/{}", of(ours), of(theirs));
        write!(f, "{:32}", self.name)?;
        let generates = format!("{}/{}", yes(ours.generates), yes(theirs.generates));
        let compiles = format!("{}/{}", yes(ours.compiles), yes(theirs.compiles));
        write!(f, " {generates:>8}{}", behind("generates"))?;
        write!(f, " {compiles:>8}{}", behind("compiles"))?;
        write!(f, " {:>12}{}", pair(|it| it.operations.to_string()), behind("operations"))?;
        let costs: [fn(&Side) -> String; 5] = [
            |it| it.untyped.to_string(),
            |it| it.lines.to_string(),
            |it| it.code_lines.to_string(),
            |it| format!("{:.1}", it.check.processor_seconds),
            |it| format!("{:.0}", it.check.megabytes),
        ];
        for (column, cost) in COSTS.into_iter().zip(costs) {
            write!(f, " {:>16}{}", pair(cost), behind(column))?;
        }
        Ok(())
    }
}

/// Prints for each column in how many rows ours is ahead, equal and behind, and then what it is in
/// most of them.
fn print_summary(rows: &[Row]) {
    let mut totals: Vec<(&str, [usize; 3])> = Vec::new();
    for (column, [ours, theirs]) in rows.iter().flat_map(Row::columns) {
        let index = match totals.iter().position(|(it, _)| *it == column) {
            Some(index) => index,
            None => {
                totals.push((column, [0; 3]));
                totals.len() - 1
            }
        };
        let place = if ours < theirs { 0 } else { 1 + usize::from(ours > theirs) };
        totals[index].1[place] += 1;
    }
    println!();
    for (column, [ahead, equal, behind]) in &totals {
        println!("{column}: ahead in {ahead} rows, equal in {equal}, behind in {behind}");
    }
    let named = |is: fn([usize; 3]) -> bool| {
        let named: Vec<_> = totals.iter().filter(|it| is(it.1)).map(|it| it.0).collect();
        if named.is_empty() { "nothing".to_owned() } else { named.join(", ") }
    };
    println!(
        "ahead in: {}; equal in: {}; behind in: {}",
        named(|[ahead, _, behind]| ahead > behind),
        named(|[ahead, _, behind]| ahead == behind),
        named(|[ahead, _, behind]| ahead < behind),
    );
}

/// Installs the other generator below the target folder, unless it is there.
fn install() -> Result<PathBuf, Failure> {
    let root = work().join("installed");
    let program = root.join("bin").join(RIVAL.0);
    if !program.exists() {
        let mut command = Command::new("cargo");
        command.args(["install", "--locked", "--debug", RIVAL.0, "--version", RIVAL.1, "--root"]);
        if !command.arg(&root).status()?.success() {
            return Err(format!("cannot install {} {}", RIVAL.0, RIVAL.1).into());
        }
    }
    Ok(program)
}

fn ours(user: &UserCrate, path: &Path) -> Result<Side, Failure> {
    let file = user.file("generated.rs");
    fs::remove_file(&file).ok();
    let generation = generate(path, &file)?;
    if !matches!(generation.outcome, Outcome::Generated { .. }) {
        return Ok(Side::default());
    }
    let code = fs::read_to_string(&file)?;
    user.write(
        "lib.rs",
        "#[allow(unused_imports)]\nuse ::podqueue as __runtime;\ninclude!(\"generated.rs\");\n",
    )?;
    let check = user.check(Some(PATIENCE))?;
    Ok(Side {
        generates: true,
        compiles: check.code == Some(0),
        operations: generated::documented_operations(&code)?.len(),
        untyped: generated::untyped_fields(std::slice::from_ref(&code))?.len(),
        lines: code.lines().count(),
        code_lines: code_lines(&code),
        check,
    })
}

fn theirs(program: &Path, path: &Path) -> Result<Side, Failure> {
    let Some(user) = generate_theirs(program, path, "theirs")? else { return Ok(Side::default()) };
    // Its dependencies are not part of the cost.
    user.write("lib.rs", "")?;
    user.check(None)?;
    user.write("lib.rs", "pub mod generated;\n")?;
    let check = user.check(Some(PATIENCE))?;
    let mut side =
        Side { generates: true, compiles: check.code == Some(0), check, ..Side::default() };
    if !side.compiles {
        // It may not even be Rust.
        return Ok(side);
    }
    let mut operations = BTreeSet::new();
    let mut files = Vec::new();
    for entry in fs::read_dir(user.file("generated"))? {
        let file = entry?.path();
        if file.extension().is_some_and(|it| it == "rs") {
            let code = fs::read_to_string(&file)?;
            side.lines += code.lines().count();
            side.code_lines += code_lines(&code);
            operations.extend(generated::documented_operations(&code)?);
            files.push(code);
        }
    }
    side.untyped = generated::untyped_fields(&files)?.len();
    side.operations = operations.len();
    Ok(side)
}

/// The number of lines that are neither blank nor comments.
fn code_lines(code: &str) -> usize {
    let lines = code.lines().map(str::trim_start);
    lines.filter(|it| !it.is_empty() && !it.starts_with("//")).count()
}

/// A crate of what the other generator writes, with the dependencies that it lists; none if it
/// refuses the description.
fn generate_theirs(program: &Path, path: &Path, name: &str) -> Result<Option<UserCrate>, Failure> {
    let folder = work().join(name);
    let source = folder.join("src");
    fs::remove_dir_all(&source).ok();
    fs::create_dir_all(&source)?;
    let mut command = Command::new(program);
    command.arg("generate").arg(std::path::absolute(path)?).current_dir(&folder);
    if measured(&command, &folder.join("generation.log"), Some(PATIENCE))?.code != Some(0) {
        return Ok(None);
    }
    let head = format!(
        "[workspace]\n\n[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n"
    );
    let required = source.join("generated/REQUIRED_DEPS.toml");
    let dependencies = fs::read_to_string(required).unwrap_or_default();
    fs::write(folder.join("Cargo.toml"), format!("{head}{dependencies}"))?;
    Ok(Some(UserCrate::at(name, folder)))
}
