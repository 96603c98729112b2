//! Command `batch export`: the results of a batch, in the order of its inputs.

use std::error::Error as _;
use std::path::PathBuf;
use std::{io, iter};

use clap::Args;
use podqueue_batch::{Error, State};

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

    /// Print the results in the order of the inputs, which is otherwise not guaranteed.
    #[arg(long)]
    ordered: bool,
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
    let mut reader = arguments.location.journal().read().map_err(failed)?;
    // The results are always ordered; the option is a promise for scripts.
    let _ = arguments.ordered;
    let completed = reader.status().map_err(failed)?.counts.of(State::Completed);
    let found = arguments.location.results(&mut reader).map_err(failed)?;
    let has_more = !arguments.more.is_empty();
    let first = found.or_else(|| has_more.then(|| arguments.location.results.clone()));
    let mut to = context.output.json_lines();
    let exported = match first {
        Some(first) => {
            let more = arguments.more.iter().cloned();
            reader.export_files(&iter::once(first).chain(more).collect::<Vec<_>>(), &mut to)
        }
        None => reader.export(&mut to),
    };
    let exported = exported.map_err(failed)?;
    drop(to);
    if exported < completed {
        context.output.warn(format!(
            "only {exported} of {completed} results are in these files: name those of the other machines, too"
        ));
    }
    Ok(Exit::Done)
}
