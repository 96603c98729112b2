//! Looking at a batch, also while another process runs it.

use std::error::Error as _;
use std::path::PathBuf;
use std::{io, iter};

use clap::Args;
use podqueue_batch::{State, Status};
use serde::Serialize;

use super::place::Place;
use super::summary::{self, LastRun};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, translated};
use crate::output::Table;

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    place: Place,

    /// Those of other machines that share the journal: all are merged.
    more: Vec<PathBuf>,

    /// In the order of the inputs. Without this, do not rely on any order.
    #[arg(long)]
    ordered: bool,
}

#[derive(Serialize)]
struct StatusShape<'a> {
    #[serde(flatten)]
    status: &'a Status,
    /// What goes wrong, if anything does.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    #[serde(flatten)]
    last: &'a LastRun,
}

pub fn status(context: &Context, place: &Place) -> Result<Exit, Failure> {
    let failed = |error| place.failure(&error);
    let mut reader = place.journal().read().map_err(failed)?;
    let status = reader.status().map_err(failed)?;
    let results = place.results(&mut reader).map_err(failed)?;
    let running = place.journal().is_open().map_err(failed)?;
    let pace = reader.pace().map_err(failed)?.filter(|_| running);
    let trouble = pace.and_then(|pace| pace.trouble).map(|trouble| translated(trouble).0);
    let last = LastRun::read(&mut reader).map_err(failed)?;
    if context.output.is_json() {
        context.output.json(&StatusShape { status: &status, trouble, last: &last })?;
    } else {
        let (results, trouble) = (results.as_deref(), trouble.as_deref());
        summary::print_status(context, &status, results, trouble, &last)?;
    }
    if !running && status.counts.open() > 0 {
        context.output.hint(summary::NOBODY);
    }
    summary::advise(context, &status.counts, &place.words());
    Ok(Exit::Done)
}

pub fn unknown(context: &Context, place: &Place) -> Result<Exit, Failure> {
    let failed = |error| place.failure(&error);
    let mut reader = place.journal().read().map_err(failed)?;
    let unknown = reader.unknown().map_err(failed)?;
    let in_flight = reader.status().map_err(failed)?.counts.of(State::Intent);
    if context.output.is_json() {
        for input in &unknown {
            context.output.json(input)?;
        }
    } else if !unknown.is_empty() {
        let mut table = Table::with_header(["INDEX", "LINE", "KEY", "ATTEMPT", "WHY"]);
        for input in &unknown {
            table.row([
                input.index.to_string().into(),
                input.line.to_string().into(),
                input.key.as_ref().map(|key| key.get().to_owned()).unwrap_or_default().into(),
                input.attempt.to_string().into(),
                input.reason.as_str().into(),
            ]);
        }
        context.output.styled(table)?;
    }
    if in_flight > 0 {
        context.output.hint(format!(
            "{in_flight} more are being submitted; if the process that did so is dead, the next run lists them"
        ));
    }
    Ok(Exit::Done)
}

pub fn export(context: &Context, arguments: &Export) -> Result<Exit, Failure> {
    let failed = |error: podqueue_batch::Error| {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        match cause.map(io::Error::kind) {
            Some(io::ErrorKind::BrokenPipe) => Failure::silent(Exit::Done),
            Some(io::ErrorKind::NotFound) if arguments.place.is_shared() => {
                arguments.place.failure(&error).hint("copy the results of all machines here, and name all of them: podqueue batch export A.jsonl B.jsonl --journal …")
            }
            _ => arguments.place.failure(&error),
        }
    };
    let mut reader = arguments.place.journal().read().map_err(failed)?;
    // Whoever does not ask for an order gets this one, too.
    let _ = arguments.ordered;
    let completed = reader.status().map_err(failed)?.counts.of(State::Completed);
    let found = arguments.place.results(&mut reader).map_err(failed)?;
    let are_several = !arguments.more.is_empty();
    let first = found.or_else(|| are_several.then(|| arguments.place.results.clone()));
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
