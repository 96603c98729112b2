//! Random descriptions: generated from a seed, compiled, and checked for losses; findings are
//! shrunk.

mod grammar;
mod loss_check;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, setrlimit};
use podqueue_codegen::__private::linked;
use podqueue_codegen::{Source, rest};
use serde_json::Value;

use crate::generation::left_out;
use crate::measure::within;
use crate::shrink::shrink;
use crate::table::first_lines;
use crate::user_crate::{UserCrate, work};
use crate::{Failure, description, generated};

/// The number of descriptions that are compiled together.
const BATCH: u64 = 60;

/// The maximum time for generating one description.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum time for compiling.
const COMPILING: Duration = Duration::from_secs(240);

/// The maximum memory of any process, including the generator and the compiler.
const MOST_BYTES: u64 = 8 << 30;

/// The maximum time for shrinking a finding.
const SHRINKING: Duration = Duration::from_secs(120);

const NO_RETURN: &str = "the generator does not return, or ends its process";

/// Tests random descriptions for a time, at least one batch. False if there are findings.
pub fn run(seconds: u64, seed: Option<u64>) -> Result<bool, Failure> {
    let first = seed.unwrap_or_else(|| fastrand::u64(..1 << 40));
    println!("random descriptions from seed {first} on");
    setrlimit(Resource::RLIMIT_AS, MOST_BYTES, MOST_BYTES)?;
    let user = UserCrate::new("random")?;
    let start = Instant::now();
    let (mut seed, mut operations, mut findings) = (first, 0, Vec::new());
    loop {
        let batch = Batch::run(seed, &user)?;
        operations += batch.operations;
        for (seed, finding) in batch.findings {
            println!("{}", report(seed, &finding, &user)?);
            findings.push(seed);
        }
        seed += BATCH;
        if start.elapsed().as_secs() >= seconds {
            break;
        }
    }
    println!(
        "{} descriptions with {operations} operations from seed {first} on: {} findings",
        seed - first,
        findings.len()
    );
    Ok(findings.is_empty())
}

/// A finding about a description.
enum Finding {
    /// Found by generating.
    Generating(String),
    Compiling(String),
}

struct Batch {
    operations: usize,
    findings: Vec<(u64, Finding)>,
}

impl Batch {
    fn run(first: u64, user: &UserCrate) -> Result<Self, Failure> {
        let mut batch = Self { operations: 0, findings: Vec::new() };
        let mut modules = Vec::new();
        let mut next = first;
        let end = first + BATCH;
        while next < end {
            // A process of its own, which a stack overflow of the generator ends.
            let mut command = Command::new(std::env::current_exe()?);
            let folder = user.file("");
            command.arg("__random").arg(next.to_string()).arg((end - next).to_string()).arg(folder);
            let output = ended(command, PATIENCE * 4)?;
            for line in output.lines() {
                let Some((seed, said)) = line.split_once(' ') else { continue };
                next = seed.parse::<u64>()? + 1;
                match said.split_once(' ') {
                    Some(("compile", operations)) => {
                        modules.push(next - 1);
                        batch.operations += operations.parse::<usize>()?;
                    }
                    Some(("finding", text)) => {
                        let text = text.replace("\\n", "\n");
                        batch.findings.push((next - 1, Finding::Generating(text)));
                    }
                    _ => {}
                }
            }
            if next < end {
                batch.findings.push((next, Finding::Generating(NO_RETURN.to_owned())));
                next += 1;
            }
        }
        let refused = refused(user, &modules)?;
        batch
            .findings
            .extend(refused.into_iter().map(|(seed, log)| (seed, Finding::Compiling(log))));
        Ok(batch)
    }
}

/// The generated modules that do not compile, with the errors.
fn refused(user: &UserCrate, modules: &[u64]) -> Result<Vec<(u64, String)>, Failure> {
    let mut left: Vec<u64> = modules.to_vec();
    let mut found = Vec::new();
    loop {
        let module = |seed: &u64| {
            format!(
                "pub mod d{seed} {{ #[allow(unused_imports)] use ::podqueue as __runtime; include!(\"d{seed}.rs\"); }}\n"
            )
        };
        let code: String = left.iter().map(module).collect();
        user.write("lib.rs", &format!("#![allow(deprecated)]\n{code}"))?;
        if user.check(Some(COMPILING))?.code == Some(0) {
            return Ok(found);
        }
        let log = user.log()?;
        let before = found.len();
        left.retain(|seed| {
            let errors: Vec<_> =
                log.split("\n\n").filter(|it| it.contains(&format!("/d{seed}.rs:"))).collect();
            let errors: Vec<_> = errors.into_iter().filter(|it| it.starts_with("error")).collect();
            if !errors.is_empty() {
                found.push((*seed, first_lines(&errors.join("\n\n"), 20)));
            }
            errors.is_empty()
        });
        if found.len() == before {
            // The compiler does not name the module, or does not return.
            found.extend(match left.as_slice() {
                [] => return Err(first_lines(&log, 60).into()),
                [only] => vec![(*only, format!("error: {}", first_lines(&log, 20)))],
                several => {
                    let (some, others) = several.split_at(several.len() / 2);
                    [refused(user, some)?, refused(user, others)?].concat()
                }
            });
            return Ok(found);
        }
    }
}

/// A finding with the smallest description that has it, which is also written to a file.
fn report(seed: u64, finding: &Finding, user: &UserCrate) -> Result<String, Failure> {
    let until = Instant::now() + SHRINKING;
    let (text, small) = match finding {
        Finding::Generating(text) => {
            let kind = kind(text);
            let same = |value: &Value| {
                survives(value, &user.file("d0.rs"))
                    .is_ok_and(|it| it.is_some_and(|it| self::kind(&it) == kind))
            };
            (text, shrink(grammar::description(seed), until, same))
        }
        Finding::Compiling(text) => {
            let code = text.split_whitespace().next().unwrap_or_default();
            let same = |value: &Value| {
                fs::remove_file(user.file("d0.rs")).ok();
                survives(value, &user.file("d0.rs")).is_ok_and(|it| it.is_none())
                    && refused(user, &[0])
                        .is_ok_and(|it| it.iter().any(|it| it.1.starts_with(code)))
            };
            (text, shrink(grammar::description(seed), until, same))
        }
    };
    let folder = work().join("findings");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{seed}.json"));
    fs::write(&file, serde_json::to_string_pretty(&small)?)?;
    Ok(format!(
        "seed {seed}: {text}\n  smallest description, also in {}:\n  {small}\n",
        file.display()
    ))
}

/// The kind of a finding: the step, and the first words of its message.
fn kind(text: &str) -> String {
    let (what, how) = text.split_once(": ").unwrap_or((text, ""));
    let how = how.split([':', '(', '`', '$']).next().unwrap_or_default();
    match what {
        "refused" | "panic" => format!("{what}: {how}"),
        // The operation is not part of the kind.
        _ => what.to_owned(),
    }
}

/// The finding about a description, searched in a process of its own. Without a finding, the
/// generated code is written to a file.
fn survives(description: &Value, code: &Path) -> Result<Option<String>, Failure> {
    let file = work().join("candidate.json");
    fs::write(&file, description.to_string())?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("__problem").arg(&file).arg(code);
    let said = ended(command, PATIENCE / 6)?;
    Ok(match said.split_once(' ') {
        Some(("problem", text)) => Some(text.to_owned()),
        Some(_) => None,
        None => Some(NO_RETURN.to_owned()),
    })
}

/// Prints the description of a seed.
pub fn print(seed: u64) -> Result<bool, Failure> {
    println!("{}", serde_json::to_string_pretty(&grammar::description(seed))?);
    Ok(true)
}

/// The main function of that process.
pub fn problem_of(file: &Path, code: &Path) -> Result<bool, Failure> {
    std::panic::set_hook(Box::new(|_| ()));
    match problem(&serde_json::from_slice(&fs::read(file)?)?) {
        Err(text) => println!("problem {text}"),
        Ok(generated) => {
            fs::write(code, generated)?;
            println!("no problem");
        }
    }
    Ok(true)
}

/// Generates code for a range of seeds, and prints a line for each.
pub fn child(seed: u64, count: u64, folder: &Path) -> Result<bool, Failure> {
    std::panic::set_hook(Box::new(|_| ()));
    for seed in seed..seed + count {
        let description = grammar::description(seed);
        match problem(&description) {
            Err(problem) => println!("{seed} finding {}", problem.replace('\n', "\\n")),
            Ok(generated) => {
                fs::write(folder.join(format!("d{seed}.rs")), generated)?;
                println!("{seed} compile {}", description::operations(&description).len());
            }
        }
    }
    Ok(true)
}

fn source(description: &Value) -> Source {
    Source::new("openapi/random.json", description.to_string())
}

/// The generated code, or the finding: a panic, a refusal, an operation that is left out without a
/// warning.
fn problem(description: &Value) -> Result<String, String> {
    let source = source(description);
    let generated = match std::panic::catch_unwind(|| rest::generate(&source)) {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            return Err(format!("panic: {text}"));
        }
        Ok(Err(diagnostics)) => {
            let diagnostics: Vec<_> = diagnostics.iter().map(|it| it.message.as_str()).collect();
            return Err(format!("refused: {}", diagnostics.join("; ")));
        }
        Ok(Ok(generated)) => generated,
    };
    let warnings: Vec<_> = generated.warnings.iter().map(|it| it.message.clone()).collect();
    let calls = generated::calls(&generated.code).map_err(|it| format!("does not parse: {it}"))?;
    let mut known: BTreeSet<_> = left_out(&warnings).map(str::to_owned).collect();
    known.extend(calls.iter().map(|it| it.operation.clone()));
    // Linking turns references to any place into references to named schemas.
    let (linked, _) = linked(&source).map_err(|it| format!("does not link: {}", it.message))?;
    let missing = description::operations(&linked);
    match missing.iter().find(|it| !description::is_known(it, |it| known.contains(it))) {
        Some(missing) => Err(format!("left out without a warning: {missing}")),
        None => match loss_check::missing(&linked, &calls, &warnings, &generated.code) {
            Some(missing) => Err(format!("lost without a warning: {missing}")),
            None => Ok(generated.code),
        },
    }
}

/// The output of a process until it ends or exceeds its time.
fn ended(mut command: Command, patience: Duration) -> Result<String, Failure> {
    let output: PathBuf = work().join("random.out");
    let file = fs::File::create(&output)?;
    within(command.stdout(file).stderr(Stdio::null()), Some(patience))?;
    Ok(fs::read_to_string(&output)?)
}
