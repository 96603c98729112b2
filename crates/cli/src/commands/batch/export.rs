//! Command `batch export`: the results of a batch, in the order of its inputs.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;

use clap::Args;
use podqueue_batch::{Error, State};

use crate::batches::columns;
use crate::batches::location::BatchLocation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    location: BatchLocation,

    /// The results of other machines that share the journal, to be merged.
    more: Vec<PathBuf>,

    /// Has no effect: the results always have the order of the inputs.
    #[arg(long = "ordered", hide = true)]
    _ordered: bool,

    /// Write the results to a file instead, in the format of its name: .csv or .parquet for a table,
    /// .gz or .zst for compressed JSON Lines.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The types of the table's columns: a JSON object such as {"output.score": "number"}.
    ///
    /// A type is boolean, integer, number, string or json. Other columns are inferred.
    #[arg(long, value_name = "FILE", requires = "out")]
    out_schema: Option<PathBuf>,
}

pub fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let failed = |error: Error| {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        match cause.map(io::Error::kind) {
            Some(io::ErrorKind::BrokenPipe) => Failure::silent(Exit::Done),
            Some(io::ErrorKind::NotFound) if arguments.location.is_shared() => {
                arguments.location.failure(&error).hint("copy the results of all machines here, and name all of them: podqueue batch export A.jsonl B.jsonl --journal …")
            }
            _ => arguments.location.failure(&error),
        }
    };
    let types = columns::read_schema(arguments.out_schema.as_deref())?;
    let mut reader = arguments.location.journal().read().map_err(failed)?;
    let completed = reader.status().map_err(failed)?.counts.of(State::Completed);
    let found = arguments.location.results(&mut reader).map_err(failed)?;
    let has_more = !arguments.more.is_empty();
    let first = found.or_else(|| has_more.then(|| arguments.location.results.clone()));
    let files: Vec<_> = first.into_iter().chain(arguments.more.iter().cloned()).collect();
    let exported = match &arguments.out {
        Some(out) => {
            let exported = reader.export_to(&files, out, &types).map_err(failed)?;
            columns::note(context, out, &exported.columns);
            exported.results
        }
        None => {
            let mut to = context.output.json_lines();
            let exported = match files.as_slice() {
                [] => reader.export(&mut to),
                files => reader.export_files(files, &mut to),
            };
            exported.map_err(failed)?
        }
    };
    if exported < completed {
        context.output.warn(format!(
            "only {exported} of {completed} results are in these files: name those of the other machines, too"
        ));
    }
    Ok(Exit::Done)
}
