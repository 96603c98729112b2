//! A dry run.

use std::future::IntoFuture;
use std::io;

use podqueue_batch::{Batch, Checked, Error, Sqlite};
use serde_json::json;

use super::place::{failure, words};
use super::run::Arguments;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::output::Table;

/// Checks all inputs, and leaves nothing behind: the journal that this takes is a temporary one.
pub async fn check(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let failed = |error: Error| failure(&error, &words(&arguments.inputs, None), None);
    let folder = tempfile::tempdir().map_err(|error: io::Error| {
        Failure::new(Exit::Error, format!("failed to create a temporary folder: {error}"))
            .hint("set TMPDIR to a folder that can be written")
    })?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("checking {}", arguments.inputs.display()));
    let opening = Batch::open(Sqlite::file(folder.path().join("journal")))
        .inputs(arguments.read())
        .results(folder.path().join("results"));
    let checking = async { opening.into_future().await?.check().await };
    let checked = signals.unless(checking).await;
    drop(progress);
    let checked = checked?.map_err(failed)?;
    print(context, &checked)?;
    Ok(if checked.flawed == 0 { Exit::Done } else { Exit::Usage })
}

fn print(context: &Context, checked: &Checked) -> Result<(), Failure> {
    if context.output.is_json() {
        let flaw = |(line, error): &(u64, String)| json!({ "line": line, "error": error });
        return context.output.json(&json!({
            "valid": checked.valid,
            "copies": checked.copies,
            "invalid": checked.flawed,
            "flaws": checked.flaws.iter().map(flaw).collect::<Vec<_>>(),
        }));
    }
    let mut table = Table::default();
    table.row(["valid".into(), checked.valid.to_string().into()]);
    table.row(["copies".into(), checked.copies.to_string().into()]);
    table.row(["invalid".into(), checked.flawed.to_string().into()]);
    for (line, flaw) in &checked.flaws {
        table.row([format!("line {line}").into(), flaw.as_str().into()]);
    }
    context.output.styled(table)
}
