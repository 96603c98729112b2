//! Chunks: the service hands each out once.

use crate::caller::{Entry, Got, Item, Kind, Outcome};
use crate::operation::Operation;
use crate::plan::Fault;
use crate::run::Run;
use crate::service::events;

/// The first reader of a job gets every chunk once and in order; where one is missing, the next says
/// that it comes after a gap, or the last item is an error.
pub(super) fn are_whole(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Outcome::Ok(Got::Items { items, ended }) = &entry.outcome else { continue };
        if let Err(what) = is_whole(run, entry, items, *ended) {
            broken.push(format!("the stream of call {}: {what}", entry.call));
        }
    }
}

fn is_whole(run: &Run, entry: &Entry, items: &[Item], ended: bool) -> Result<(), String> {
    let Some(job) = entry.job.as_ref().and_then(|id| run.service.jobs.get(id)) else {
        return Ok(());
    };
    // An array of chunks does not say whose they are.
    if run.transcript.of(Operation::Stream, &job.id).any(|arrival| arrival.lied) {
        return Ok(());
    }
    // A retry starts the chunks anew, in the middle of the stream.
    let is_simple = job.retries == 0;
    let mut next = 0;
    for item in items {
        let Item::Chunk { output, after_gap } = item else { continue };
        if output["job"] != job.id.as_str() {
            return Err(format!("a chunk of another: {output}"));
        }
        let Some(index) = output["chunk"].as_u64().filter(|_| is_simple) else { continue };
        if index < next {
            return Err(format!("chunk {index} came after chunk {}", next - 1));
        }
        if index > next && !after_gap {
            return Err(format!(
                "chunk {index} came where chunk {next} was next, and no gap is told"
            ));
        }
        next = index + 1;
    }
    let told_at_the_end = matches!(items.last(), Some(Item::Error(_)));
    if is_simple && ended && next < job.all_chunks() && !told_at_the_end {
        return Err(format!(
            "it ended after {next} of {} chunks, and no gap is told",
            job.all_chunks()
        ));
    }
    Ok(())
}

/// The events of a stream come in order, and all of them where it ended without an error.
pub(super) fn of_events_are_whole(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let (Kind::Events { .. }, Outcome::Ok(Got::Items { items, ended })) =
            (entry.kind, &entry.outcome)
        else {
            continue;
        };
        let id = entry.call.to_string();
        // A body that ends where the connection does is cut without a trace.
        let cut = |fault: &Fault| matches!(fault, Fault::Unframed { at } if *at < 1_000);
        let (mut lied, mut is_cut) = (false, false);
        for arrival in run.transcript.of(Operation::Openai, &id) {
            lied |= arrival.lied;
            is_cut |= cut(&arrival.fault);
        }
        if lied {
            continue;
        }
        let came = items.iter().filter_map(|item| match item {
            Item::Chunk { output, .. } => Some(output.clone()),
            Item::Error(_) => None,
        });
        let (came, sent): (Vec<_>, Vec<_>) = (came.collect(), events(&id).collect());
        let failed = items.iter().any(|item| matches!(item, Item::Error(_)));
        let may_lack = failed || is_cut || !*ended;
        if !sent.starts_with(&came) || (came.len() < sent.len() && !may_lack) {
            broken.push(format!(
                "the stream of call {id} ended well with {} of {} events: {came:?}",
                came.len(),
                sent.len()
            ));
        }
    }
}
