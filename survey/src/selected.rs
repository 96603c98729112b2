//! Cost of a selection: what `cargo check` of the selected operations of a description takes above that
//! of an empty crate.

use std::fs;
use std::path::Path;

use crate::user_crate::{UserCrate, work};
use crate::{Failure, generated};

/// How often each crate is checked.
const RUNS: usize = 3;

/// Prints the processor time of both, the medians of three runs. False if the code does not compile.
pub fn run(description: &Path, selectors: &[&str]) -> Result<bool, Failure> {
    let out = work().join("selected");
    fs::create_dir_all(&out)?;
    let build = podqueue_codegen::Build::new().rest(description).only(selectors.to_vec());
    let report = build.generate(&out);
    if report.failed {
        return Err(report.directives.join("\n").into());
    }
    let name = description.file_stem().unwrap_or_default().to_string_lossy();
    let code = fs::read_to_string(out.join(format!("podqueue_rest_{name}.rs")))?;
    let user = UserCrate::of_runtime("chosen")?;
    let whole = format!("#![allow(warnings)]\nuse ::podqueue as __runtime;\n{code}");
    let (mut compiles, mut costs) = (true, Vec::new());
    for code in ["", &whole] {
        let mut seconds = Vec::new();
        for run in 0..RUNS {
            // Another text each time: cargo would not check it again.
            user.write("lib.rs", &format!("{code}\n// {run}\n"))?;
            let measured = user.check(None)?;
            compiles &= measured.code == Some(0);
            seconds.push(measured.processor_seconds);
        }
        seconds.sort_by(f64::total_cmp);
        costs.push(seconds[RUNS / 2]);
    }
    println!(
        "{} operations, {} lines: {:.2} s of processor time, an empty crate {:.2} s, above it {:.2} s",
        generated::calls(&code)?.len(),
        code.lines().count(),
        costs[1],
        costs[0],
        costs[1] - costs[0],
    );
    if !compiles {
        println!("it does not compile:\n{}", user.log()?);
    }
    Ok(compiles)
}
