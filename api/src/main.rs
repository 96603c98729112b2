//! Public API snapshots: one list of items per crate, from rustdoc's JSON, compared with the list
//! that is checked in.
//!
//! `podqueue-api FOLDER CRATE…`: the folder has the JSON files. With `UPDATE_SNAPSHOTS=1` in the
//! environment the lists are written instead.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// One line for each item.
fn listed(json: &Path) -> Result<String, Box<dyn Error>> {
    let api = public_api::Builder::from_rustdoc_json(json).omit_blanket_impls(true).build()?;
    let lines = api.items().map(|item| format!("{item}\n"));
    Ok(lines.filter(|line| !is_expected(line)).collect())
}

/// Returns true for lines that are omitted because nearly every type has them: unconditional auto
/// traits such as `Send` and `Sync`, and the methods of derived traits, whose `impl` has a line.
fn is_expected(line: &str) -> bool {
    let auto_trait = |name: &str| line.contains(&format!("core::marker::{name} for "));
    let panics = line.contains("core::panic::unwind_safe::");
    let unconditional = !line.starts_with("impl !") && !line.contains(" where ");
    let derived = [
        "::clone(&self) -> ",
        "::eq(&self, &",
        "::fmt(&self, &mut core::fmt::Formatter<'_>)",
        "::hash<__H: ",
        "::serialize<__S>(&self, __S)",
        "::deserialize<__D>(__D)",
    ];
    panics
        || ["Freeze", "StructuralPartialEq", "Unpin", "UnsafeUnpin"].into_iter().any(auto_trait)
        || (unconditional && ["Send", "Sync"].into_iter().any(auto_trait))
        || (line.starts_with("pub fn ") && derived.into_iter().any(|method| line.contains(method)))
}

/// The version of the format, where it is not the one that is read here.
fn foreign_format(json: &Path) -> Result<Option<u64>, Box<dyn Error>> {
    let text = fs::read_to_string(json).map_err(|error| format!("{}: {error}", json.display()))?;
    let written = serde_json::from_str::<serde_json::Value>(&text)?["format_version"].as_u64();
    Ok(written.filter(|it| *it != FORMAT))
}

/// Version of rustdoc's JSON format that rustdoc 1.95 writes and `public_api` reads.
const FORMAT: u64 = 57;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let folder = args.next().ok_or("usage: podqueue-api FOLDER CRATE…")?;
    let update = env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut code = ExitCode::SUCCESS;
    for name in args {
        let json = Path::new(&folder).join(format!("{}.json", name.replace('-', "_")));
        if let Some(version) = foreign_format(&json)? {
            return Err(format!(
                "{}: this rustdoc writes format {version}, and the lists are made of format \
                 {FORMAT}, that of Rust 1.95: run it with that toolchain, or move api/Cargo.toml \
                 on to a `public-api` that reads the newer one",
                json.display()
            )
            .into());
        }
        let now = listed(&json)?;
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.txt"));
        if update {
            fs::write(&list, now)?;
            continue;
        }
        let before = fs::read_to_string(&list).unwrap_or_default();
        if before != now {
            code = ExitCode::FAILURE;
            let changes = changes(&before, &now);
            eprintln!("the public API of {name} differs from api/{name}.txt:\n{changes}");
        }
    }
    if code != ExitCode::SUCCESS {
        eprintln!("if that is intended, run `UPDATE_SNAPSHOTS=1 scripts/api.sh` and commit api/");
    }
    Ok(code)
}

/// The lines that are in one of the lists only.
fn changes(before: &str, now: &str) -> String {
    let only = |these: &str, those: &str, mark: char| -> String {
        let those: Vec<_> = those.lines().collect();
        let only = these.lines().filter(|line| !those.contains(line));
        only.map(|line| format!("{mark} {line}\n")).collect()
    };
    only(before, now, '-') + &only(now, before, '+')
}
