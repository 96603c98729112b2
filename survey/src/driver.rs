//! Driver: makes every call of a description against a mock server that an independent
//! implementation makes from it.

mod peer;
mod program;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use self::peer::Peer;
use crate::generated::Call;
use crate::generation::{Outcome, generate};
use crate::table::short;
use crate::user_crate::UserCrate;
use crate::{Failure, description, generated};

/// Makes all calls of each description, and prints the differences. False if there are any.
pub fn run(places: &[PathBuf]) -> Result<bool, Failure> {
    let user = UserCrate::new("driven")?;
    user.write("support.rs", include_str!("driver/support.rs"))?;
    let mut total = 0;
    println!(
        "{:32} {:>5} {:>6} {:>8} {:>7} {:>8} {:>7} {:>8} {:>9}",
        "description",
        "calls",
        "driven",
        "accepted",
        "decoded",
        "examples",
        "ignored",
        "undriven",
        "findings"
    );
    for path in description::find(places)? {
        match drive(&user, &path) {
            Ok(driven) => {
                total += driven.findings.len();
                print!("{driven}");
            }
            Err(failure) => {
                println!(
                    "{:32} not driven: {}",
                    short(&path),
                    crate::table::first_lines(&failure.to_string(), 20)
                );
                total += 1;
            }
        }
    }
    println!("\n{total} findings");
    Ok(total == 0)
}

/// The results of the calls of a description.
#[derive(Default)]
struct Driven {
    name: String,
    calls: usize,
    driven: usize,
    accepted: usize,
    decoded: usize,
    examples: usize,
    /// Fields of responses that their schemas do not describe.
    ignored: usize,
    findings: Vec<String>,
    /// Operations without a valid call, by reason.
    undriven: BTreeMap<String, Vec<String>>,
}

impl Driven {
    fn undriven(&mut self, reason: &str, operation: &str) {
        self.undriven.entry(reason.to_owned()).or_default().push(operation.to_owned());
    }
}

fn drive(user: &UserCrate, path: &Path) -> Result<Driven, Failure> {
    let mut driven = Driven { name: short(path), ..Driven::default() };
    let code_file = user.file("generated.rs");
    if !matches!(generate(path, &code_file)?.outcome, Outcome::Generated { .. }) {
        return Err("nothing is generated".into());
    }
    let code = fs::read_to_string(&code_file)?;
    let calls = generated::calls(&code)?;
    driven.calls = calls.len();
    let peer = Peer::start(path, &user.folder)?;
    let known: Vec<_> =
        calls.iter().filter_map(|call| Some((peer.index(&call.operation)?, call))).collect();
    for call in calls.iter().filter(|call| peer.index(&call.operation).is_none()) {
        driven.undriven("the peer has no such operation", &call.operation);
    }
    // Paths that differ after a `#` are the same on the wire.
    let mut seen = BTreeSet::new();
    let (known, again): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|(index, _)| seen.insert(*index));
    for (_, call) in again {
        driven.undriven("another operation has the same path", &call.operation);
    }
    let program = build(user, known, &generated::servers(&code), &mut driven)?;
    let output = Command::new(program)
        .arg(peer.port.to_string())
        .arg(&peer.samples_file)
        .stderr(Stdio::inherit())
        .output()?;
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    if !output.status.success() {
        let last = lines.last().map(|it| it["index"].to_string()).unwrap_or_default();
        driven
            .findings
            .push(format!("the program ended after operation {last}: {}", output.status));
    }
    verdict::judge(&peer, &lines, &description::read(path)?, &mut driven)?;
    Ok(driven)
}

/// Builds the program without the calls that do not compile.
fn build(
    user: &UserCrate,
    mut calls: Vec<(usize, &Call)>,
    servers: &BTreeSet<String>,
    driven: &mut Driven,
) -> Result<PathBuf, Failure> {
    loop {
        user.write("main.rs", &program::program(&calls, servers))?;
        if let Some(program) = user.build()? {
            return Ok(program);
        }
        let log = user.log()?;
        let before = calls.len();
        // Each call is on a line of its own.
        let lines: Vec<_> = log.split("src/main.rs:").skip(1).collect();
        let lines: Vec<usize> =
            lines.iter().filter_map(|it| it.split(':').next()?.parse().ok()).collect();
        calls.retain(|(index, call)| {
            let refused = lines.contains(&program::line_of(*index, &user.file("main.rs")));
            if refused {
                driven.undriven("its arguments are not understood", &call.operation);
            }
            !refused
        });
        if calls.len() == before {
            return Err(format!("it does not compile:\n{log}").into());
        }
    }
}

impl std::fmt::Display for Driven {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let undriven: usize = self.undriven.values().map(Vec::len).sum();
        writeln!(
            f,
            "{:32} {:>5} {:>6} {:>8} {:>7} {:>8} {:>7} {undriven:>8} {:>9}",
            self.name,
            self.calls,
            self.driven,
            self.accepted,
            self.decoded,
            self.examples,
            self.ignored,
            self.findings.len()
        )?;
        for finding in &self.findings {
            writeln!(f, "  {finding}")?;
        }
        for (reason, operations) in &self.undriven {
            writeln!(f, "  undriven, {reason} ({}): {}", operations.len(), operations.join(", "))?;
        }
        Ok(())
    }
}
