//! Output files of a batch: the successful responses, and the errors of all other requests, in the
//! order of the input file.
//!
//! Invariant: each request is in one of the files, once. The files follow from the journal, the
//! results and the decision how the batch ends, which do not change any more, and have ids that
//! follow from that of the batch: a process that writes them anew after a crash writes the same.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde::Serialize;
use serde_json::value::RawValue;

use super::batches::{BatchFolder, Ended, Ending, Finalizing, Journals};
use super::durable::NewFolder;
use super::files::{CONTENT, Files, NewFile, OUTPUT};
use super::ids;
use super::job_output::{JobResponse, ResultLine, Usage, failure};
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::Input;

/// A line of an output file.
#[derive(Serialize)]
struct OutputLine<'a> {
    id: String,
    custom_id: Option<&'a RawValue>,
    response: Option<JobResponse<'a>>,
    error: Option<RequestError>,
}

/// The reason for which there is no response.
#[derive(Serialize)]
struct RequestError {
    code: &'static str,
    message: String,
}

/// Writes the files of a batch whose requests have ended, and returns its last event.
pub(super) fn write(
    batch: &BatchFolder,
    journals: &Journals,
    finalizing: &Finalizing,
    lifetime: Option<u64>,
    now: u64,
) -> Result<Ended> {
    let folder = Files::of(batch.owner(), now).folder().to_owned();
    let file = |part: &'static str| OutputFile {
        parent: folder.clone(),
        id: ids::derived(ids::FILE, finalizing.at, batch.id(), part),
        filename: format!("{}_{part}.jsonl", batch.id()),
        open: None,
        lines: 0,
        bytes: 0,
    };
    let (mut output, mut errors) = (file("output"), file("error"));
    let mut usage: Option<Usage> = None;
    batch.reader(journals)?.each_input(|input, key, line| {
        let id = ids::of_line(batch.id(), input.index);
        let Some(line) = line else {
            let (response, error) = without_output(&input, finalizing.ending);
            return errors.append(&OutputLine { id, custom_id: key, response, error });
        };
        let line: ResultLine<'_> = serde_json::from_slice(line).map_err(|error| {
            let message = format!("the result of input {} cannot be read: {error}", input.index);
            Error::new(ErrorKind::Results, message)
        })?;
        let (response, used) = line.response();
        let is_success = response.is_success();
        if let Some(used) = used {
            usage.get_or_insert_default().add(used);
        }
        let response = Some(response);
        let line = OutputLine { id, custom_id: line.key, response, error: None };
        if is_success { output.append(&line) } else { errors.append(&line) }
    })?;
    let (completed, failed) = (output.lines, errors.lines);
    Ok(Ended {
        at: now,
        output_file_id: output.finish(finalizing.at, lifetime)?,
        error_file_id: errors.finish(finalizing.at, lifetime)?,
        completed,
        failed,
        usage: usage.map(Into::into),
    })
}

/// The line of a request that has no output.
fn without_output(
    input: &Input,
    ending: Ending,
) -> (Option<JobResponse<'static>>, Option<RequestError>) {
    let reason = input.error.clone().unwrap_or_default();
    let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let stopped = |what: &str| match ending {
        Ending::Expired => Some(("batch_expired", format!("The completion window passed {what}."))),
        Ending::Cancelled => Some(("batch_cancelled", format!("The batch was cancelled {what}."))),
        Ending::Completed => None,
    };
    let before_end = stopped("before the request was completed");
    let (code, message) = match input.state {
        State::Failed => {
            let job_id = input.job_id.clone().unwrap_or_default();
            return (Some(failure(&reason, job_id.into())), None);
        }
        State::Unknown => (
            "outcome_unknown",
            format!(
                "It is not known whether the service accepted this request{because}. It may have been processed: before you send it again, check the jobs of the endpoint, and whatever the request changes, for its effect."
            ),
        ),
        State::Cancelled => before_end
            .unwrap_or_else(|| ("job_cancelled", format!("The job was cancelled{because}."))),
        State::Expired => before_end.unwrap_or_else(|| {
            (
                "result_expired",
                format!("The service deleted the job before its output was read{because}."),
            )
        }),
        State::TimedOut => {
            ("job_timed_out", format!("The job exceeded its execution time{because}."))
        }
        State::Lost => ("job_lost", format!("The service no longer knows the job{because}.")),
        State::Refused => ("request_refused", format!("The request was not accepted{because}.")),
        State::Completed => {
            ("result_lost", "The output is not in the results of the batch.".to_owned())
        }
        State::Submitted => {
            let job_id = input.job_id.as_deref().unwrap_or_default();
            stopped(&format!(
                "and job {job_id} of the request could not be reached: it may have been processed"
            ))
            .unwrap_or(("job_lost", format!("Job {job_id} of the request was not collected.")))
        }
        // A server that was suspended while the others completed the batch had not sent it.
        State::Pending | State::Intent => before_end.unwrap_or_else(|| {
            ("not_submitted", "The request was not submitted: send it again.".to_owned())
        }),
    };
    (None, Some(RequestError { code, message }))
}

/// A file that is being written. There is none without lines.
struct OutputFile {
    parent: PathBuf,
    id: String,
    filename: String,
    open: Option<(NewFolder, BufWriter<std::fs::File>)>,
    lines: u64,
    bytes: u64,
}

impl OutputFile {
    fn append(&mut self, line: &OutputLine<'_>) -> Result<()> {
        let mut text = serde_json::to_vec(line)
            .map_err(|error| Error::new(ErrorKind::Results, format!("a response: {error}")))?;
        text.push(b'\n');
        let written = match &mut self.open {
            Some((_, file)) => file.write_all(&text),
            none => NewFolder::begin(&self.parent).and_then(|folder| {
                let file = BufWriter::new(folder.create(CONTENT)?);
                none.insert((folder, file)).1.write_all(&text)
            }),
        };
        self.lines += 1;
        self.bytes += text.len() as u64;
        written.map_err(|error| {
            Error::file(ErrorKind::Results, "write an output file in", &self.parent, error)
        })
    }

    /// Completes the file, and returns its id.
    fn finish(self, created_at: u64, lifetime: Option<u64>) -> Result<Option<String>> {
        let Self { parent, id, filename, open, bytes, .. } = self;
        let Some((folder, file)) = open else { return Ok(None) };
        let record = NewFile { id: id.clone(), created_at, lifetime, filename, purpose: OUTPUT };
        let written = file
            .into_inner()
            .map_err(|error| error.into_error())
            .and_then(|file| file.sync_all())
            .and_then(|()| record.publish(folder, bytes));
        written.map(|_| Some(id)).map_err(|error| {
            Error::file(ErrorKind::Results, "write an output file in", &parent, error)
        })
    }
}
