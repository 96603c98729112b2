//! Fault matrix: every operation under every fault, how often it is sent and processed, and what
//! the caller learns. The rows are all operations of the local service, the columns all of its
//! faults; the test fails if one is missing.
//!
//! It runs over real HTTP on a clock that advances whenever all tasks wait, so that a timeout takes
//! no time.

mod faults;
mod stage;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use podqueue::ErrorKind;
use podqueue_local::Operation;

use self::faults::{DOWN, ELSEWHERE, Knows, Suffering};
use self::stage::{Http, Stage};
use crate::support::HeldBack;

/// Repetition of a call when it is not known whether it took effect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Repeats {
    /// It is sent again.
    Safely,
    /// It is sent again, and what is not there any more then was deleted.
    UntilGone,
    /// It is repeated until it succeeds: it polls anyway.
    AsOftenAsNeeded,
    /// It is sent again, and may do something twice: the caller has asked for that.
    AtLeastOnce,
    /// It is not: the outcome is unknown.
    Never,
    /// It is not, but a look at the job's status settles the outcome.
    AfterALook,
}

const ROWS: [(Call, Operation, Repeats); 20] = [
    (Call::Run, Operation::Run, Repeats::Never),
    (Call::RunAtLeastOnce, Operation::Run, Repeats::AtLeastOnce),
    (Call::RunSync, Operation::RunSync, Repeats::Never),
    (Call::RunSyncAtLeastOnce, Operation::RunSync, Repeats::AtLeastOnce),
    (Call::Status, Operation::Status, Repeats::Safely),
    (Call::Wait, Operation::Status, Repeats::AsOftenAsNeeded),
    (Call::Stream, Operation::Stream, Repeats::AsOftenAsNeeded),
    (Call::Cancel, Operation::Cancel, Repeats::Safely),
    (Call::Retry, Operation::Retry, Repeats::AfterALook),
    (Call::PurgeQueue, Operation::PurgeQueue, Repeats::Never),
    (Call::Health, Operation::Health, Repeats::Safely),
    (Call::OpenAi, Operation::OpenAi, Repeats::Never),
    (Call::Requests, Operation::Requests, Repeats::Safely),
    (Call::GetPod, Operation::GetPod, Repeats::Safely),
    (Call::GetTemplate, Operation::GetTemplate, Repeats::Safely),
    (Call::CreateTemplate, Operation::GraphQl, Repeats::Never),
    (Call::UpdateTemplate, Operation::GraphQl, Repeats::Safely),
    (Call::DeleteTemplate, Operation::GraphQl, Repeats::UntilGone),
    (Call::CreateSecret, Operation::GraphQl, Repeats::Never),
    (Call::DeleteSecret, Operation::GraphQl, Repeats::UntilGone),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Run,
    RunAtLeastOnce,
    RunSync,
    RunSyncAtLeastOnce,
    Status,
    Wait,
    Stream,
    Cancel,
    Retry,
    PurgeQueue,
    Health,
    OpenAi,
    Requests,
    GetPod,
    GetTemplate,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

/// Expectation of a cell.
struct Expected {
    /// The name of the kind of error.
    error: Option<String>,
    /// Number of arrivals of the call at the service.
    sent: usize,
}

fn expected(suffering: &Suffering, call: Call, repeats: Repeats) -> Expected {
    use Knows::{
        All, AllButOutput, AnotherJobs, Final, Intercepted, NotArrived, NotTaken, Nothing,
        Unreadable,
    };
    use Repeats::{AfterALook, AsOftenAsNeeded, AtLeastOnce, Never, Safely, UntilGone};
    let name = |kind: ErrorKind| format!("{kind:?}");
    let kind = |(error, sent): (Option<ErrorKind>, usize)| (error.map(name), sent);
    let unknown = Some(ErrorKind::OutcomeUnknown);
    let lost = suffering.processed && matches!(suffering.knows, Nothing | Unreadable);
    let (error, sent) = match (suffering.knows, call) {
        (Nothing | Unreadable, Call::Stream) if lost => (Some("StreamGap".to_owned()), 2),
        (AllButOutput, Call::Status | Call::Wait) => kind((Some(ErrorKind::Decode), 1)),
        (AnotherJobs, Call::Status) => (Some("ForeignRecord".to_owned()), 1),
        (AnotherJobs, Call::Wait) => (None, 2),
        // What reads no output is not harmed, nor is what learns the id of its job only now, and a
        // look at the status settles the rest.
        (AllButOutput | AnotherJobs, _) => (None, 1),
        _ => kind(match (suffering.knows, repeats) {
            (All | AllButOutput | AnotherJobs | NotArrived, _) => (None, 1),
            (NotTaken, _) => (None, 2),
            (Nothing, Safely | UntilGone | AsOftenAsNeeded | AtLeastOnce) => (None, 2),
            (Nothing, Never) => (unknown, 1),
            (Nothing, AfterALook) => (unknown.filter(|_| !suffering.processed), 1),
            (Unreadable, Safely) => (Some(ErrorKind::Decode), 1),
            (Unreadable, AsOftenAsNeeded) => (None, 2),
            (Unreadable, AtLeastOnce | Never | UntilGone) => (unknown, 1),
            (Unreadable, AfterALook) => (None, 1),
            (Intercepted, Safely | AsOftenAsNeeded | AtLeastOnce | UntilGone) => (None, 2),
            (Intercepted, Never | AfterALook) => (Some(ErrorKind::Server), 1),
            (Final(ErrorKind::RateLimited), AsOftenAsNeeded) => (None, 2),
            (Final(kind), _) => (Some(kind), 1),
        }),
    };
    Expected { error, sent }
}

/// How often a stream is asked for: for what there is, for what is left, which is nothing, and once
/// more when the status has told that the job has ended. A poll that was processed is one of these,
/// whatever became of its answer.
fn polls(suffering: &Suffering) -> usize {
    3 + usize::from(suffering.fault.is_some() && !suffering.processed)
}

#[test]
fn every_operation_under_every_fault() {
    let rows = Mutex::new(ROWS.iter());
    let cells = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(row) = { rows.lock().unwrap().next() } {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .start_paused(true)
                        .build()
                        .unwrap();
                    let http = Http::new();
                    for suffering in faults::all() {
                        let cell = runtime.block_on(cell(row, suffering, &http));
                        cells.lock().unwrap().push(cell);
                    }
                }
            });
        }
    });
    let cells = cells.into_inner().unwrap();
    assert_eq!(cells.len(), ROWS.len() * faults::all().len());
    let wrong: Vec<_> = cells.iter().filter_map(|cell| cell.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} cells: {wrong:#?}", wrong.len());
}

async fn cell(
    &(call, operation, repeats): &(Call, Operation, Repeats),
    suffering: Suffering,
    http: &Http,
) -> Result<(), String> {
    let expected = expected(&suffering, call, repeats);
    let _held_back = HeldBack::new();
    let stage = Stage::set(call, http).await;
    let before = stage.sent(call);
    match suffering.fault.clone() {
        Some(fault) => stage.local.add_fault(fault.on(operation).times(1)),
        None => stage.local.refuse_connections(DOWN).await,
    }
    let hour = Duration::from_secs(3_600);
    let Ok(result) = tokio::time::timeout(hour, stage.make(call)).await else {
        return Err(format!("{call:?} under {} hangs", suffering.name));
    };
    let sent = stage.sent(call) - before;
    let expected_sent = match expected.error.as_deref() {
        None | Some("StreamGap") if call == Call::Stream => polls(&suffering),
        _ => expected.sent,
    };
    if suffering.late {
        tokio::time::sleep(faults::LATE).await;
    }
    let effects = stage.effects(call).await;
    let cell = format!(
        "{call:?} under {}: {result:?}, arrived {sent} times, took effect {effects:?} times",
        suffering.name
    );

    let error = result.as_ref().err().map(|told| told.kind.clone());
    if error != expected.error || sent != expected_sent {
        return Err(format!("{cell}; expected: {:?}, {expected_sent} times", expected.error));
    }
    let Some(effects) = effects else { return Ok(()) };
    let most = if repeats == Repeats::AtLeastOnce { sent } else { 1 };
    let suffered = usize::from(suffering.fault.is_some());
    let processed = expected.sent - suffered + suffered * usize::from(suffering.processed);
    let right = effects == processed.min(most);
    if right { Ok(()) } else { Err(cell) }
}

/// The rows and the columns are all that there are, by the source of the local service.
#[test]
fn no_operation_and_no_fault_is_missing() {
    let source = |file| std::fs::read_to_string(format!("../crates/local/src/{file}.rs")).unwrap();
    let operations = source("operation");
    let listed = operations.split_once("pub enum Operation {").unwrap().1;
    let listed = listed.split_once("\n}").unwrap().0;
    // No client sends what workers do; crates/local/tests/interface/worker_protocol.rs has their
    // faults.
    let of_others = |name: &str| name == "Control" || name == "Ping" || name.starts_with("Job");
    let there: BTreeSet<_> = listed
        .lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .filter(|name| !of_others(name))
        .map(str::to_owned)
        .collect();
    let driven: BTreeSet<_> =
        ROWS.iter().map(|(_, operation, _)| format!("{operation:?}")).collect();
    assert_eq!(there, driven);

    let faults = source("faults");
    let there: BTreeSet<_> = faults
        .lines()
        .filter(|line| line.contains("-> Self") && !line.contains("self"))
        .filter_map(|line| line.trim().strip_prefix("pub fn ")?.split('(').next())
        .collect();
    let suffered: BTreeSet<_> =
        faults::all().iter().filter_map(|suffering| suffering.made_by).chain(ELSEWHERE).collect();
    assert_eq!(there, suffered);
    assert!(there.len() >= 10, "{there:?}");
}
