//! Fault matrix: every operation under every fault, how often it is sent and processed, and what
//! the caller learns. The rows are all operations of the local service, the columns all of its
//! faults; the test fails if one is missing.
//!
//! It runs over real HTTP on a clock that advances whenever all tasks wait, so that a timeout takes
//! no time.

mod faults;
mod fixture;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use podqueue::ErrorKind;
use podqueue_local::Operation;

use self::faults::{ClientOutcome, DOWNTIME, FaultCase, TESTED_ELSEWHERE};
use self::fixture::{Fixture, Http};
use crate::local::support::HeldBack;

/// Expected retries of an ambiguous call: it is not known whether it took effect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Retries {
    /// The request is sent again.
    Safe,
    /// The request is sent again, and "not found" means that it took effect.
    UntilNotFound,
    /// It polls anyway, until it succeeds.
    UntilSuccess,
    /// The request is sent again, and may take effect twice, as the caller has chosen.
    AtLeastOnce,
    /// The request is not sent again: the outcome is unknown.
    Never,
    /// The request is not sent again, but a poll of the job's status settles the outcome.
    SettledByStatus,
}

const ROWS: [(Call, Operation, Retries); 20] = [
    (Call::Run, Operation::Run, Retries::Never),
    (Call::RunAtLeastOnce, Operation::Run, Retries::AtLeastOnce),
    (Call::RunSync, Operation::RunSync, Retries::Never),
    (Call::RunSyncAtLeastOnce, Operation::RunSync, Retries::AtLeastOnce),
    (Call::Status, Operation::Status, Retries::Safe),
    (Call::Wait, Operation::Status, Retries::UntilSuccess),
    (Call::Stream, Operation::Stream, Retries::UntilSuccess),
    (Call::Cancel, Operation::Cancel, Retries::Safe),
    (Call::Retry, Operation::Retry, Retries::SettledByStatus),
    (Call::PurgeQueue, Operation::PurgeQueue, Retries::Never),
    (Call::Health, Operation::Health, Retries::Safe),
    (Call::OpenAi, Operation::OpenAi, Retries::Never),
    (Call::Requests, Operation::Requests, Retries::Safe),
    (Call::GetPod, Operation::GetPod, Retries::Safe),
    (Call::GetTemplate, Operation::GetTemplate, Retries::Safe),
    (Call::CreateTemplate, Operation::GraphQl, Retries::Never),
    (Call::UpdateTemplate, Operation::GraphQl, Retries::Safe),
    (Call::DeleteTemplate, Operation::GraphQl, Retries::UntilNotFound),
    (Call::CreateSecret, Operation::GraphQl, Retries::Never),
    (Call::DeleteSecret, Operation::GraphQl, Retries::UntilNotFound),
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

fn expected(case: &FaultCase, call: Call, retries: Retries) -> Expected {
    use ClientOutcome::{
        Ambiguous, Final, ForeignRecord, Intercepted, NeverSent, Rejected, Response, Unreadable,
        UnreadableOutput,
    };
    use Retries::{AtLeastOnce, Never, Safe, SettledByStatus, UntilNotFound, UntilSuccess};
    let name = |kind: ErrorKind| format!("{kind:?}");
    let kind = |(error, sent): (Option<ErrorKind>, usize)| (error.map(name), sent);
    let unknown = Some(ErrorKind::OutcomeUnknown);
    let lost = case.processed && matches!(case.outcome, Ambiguous | Unreadable);
    let (error, sent) = match (case.outcome, call) {
        (Ambiguous | Unreadable, Call::Stream) if lost => (Some("StreamGap".to_owned()), 2),
        (UnreadableOutput, Call::Status | Call::Wait) => kind((Some(ErrorKind::Decode), 1)),
        (ForeignRecord, Call::Status) => (Some("ForeignRecord".to_owned()), 1),
        (ForeignRecord, Call::Wait) => (None, 2),
        // Not affected: calls that read no output, calls that learn the id of their job only now,
        // and calls that a poll of the status settles.
        (UnreadableOutput | ForeignRecord, _) => (None, 1),
        _ => kind(match (case.outcome, retries) {
            (Response | UnreadableOutput | ForeignRecord | NeverSent, _) => (None, 1),
            (Rejected, _) => (None, 2),
            (Ambiguous, Safe | UntilNotFound | UntilSuccess | AtLeastOnce) => (None, 2),
            (Ambiguous, Never) => (unknown, 1),
            (Ambiguous, SettledByStatus) => (unknown.filter(|_| !case.processed), 1),
            (Unreadable, Safe) => (Some(ErrorKind::Decode), 1),
            (Unreadable, UntilSuccess) => (None, 2),
            (Unreadable, AtLeastOnce | Never | UntilNotFound) => (unknown, 1),
            (Unreadable, SettledByStatus) => (None, 1),
            (Intercepted, Safe | UntilSuccess | AtLeastOnce | UntilNotFound) => (None, 2),
            (Intercepted, Never | SettledByStatus) => (Some(ErrorKind::Server), 1),
            (Final(ErrorKind::RateLimited), UntilSuccess) => (None, 2),
            (Final(kind), _) => (Some(kind), 1),
        }),
    };
    Expected { error, sent }
}

/// Number of polls of a stream: for the chunks, for the rest, which is empty, and once more when
/// the status has reported the end of the job. A poll that was processed is one of these, even if
/// its response was lost.
fn polls(case: &FaultCase) -> usize {
    3 + usize::from(case.fault.is_some() && !case.processed)
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
                    for case in faults::all() {
                        let cell = runtime.block_on(cell(row, case, &http));
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
    &(call, operation, retries): &(Call, Operation, Retries),
    case: FaultCase,
    http: &Http,
) -> Result<(), String> {
    let expected = expected(&case, call, retries);
    let _held_back = HeldBack::new();
    let fixture = Fixture::set_up(call, http).await;
    let before = fixture.sent(call);
    match case.fault.clone() {
        Some(fault) => fixture.local.add_fault(fault.on(operation).times(1)),
        None => fixture.local.refuse_connections(DOWNTIME).await,
    }
    let hour = Duration::from_secs(3_600);
    let Ok(result) = tokio::time::timeout(hour, fixture.make(call)).await else {
        return Err(format!("{call:?} under {} hangs", case.name));
    };
    let sent = fixture.sent(call) - before;
    let expected_sent = match expected.error.as_deref() {
        None | Some("StreamGap") if call == Call::Stream => polls(&case),
        _ => expected.sent,
    };
    if case.outlasts_call {
        tokio::time::sleep(faults::LONG_DELAY).await;
    }
    let effects = fixture.effects(call).await;
    let cell = format!(
        "{call:?} under {}: {result:?}, arrived {sent} times, took effect {effects:?} times",
        case.name
    );

    let error = result.as_ref().err().map(|told| told.kind.clone());
    if error != expected.error || sent != expected_sent {
        return Err(format!("{cell}; expected: {:?}, {expected_sent} times", expected.error));
    }
    let Some(effects) = effects else { return Ok(()) };
    let most = if retries == Retries::AtLeastOnce { sent } else { 1 };
    let suffered = usize::from(case.fault.is_some());
    let processed = expected.sent - suffered + suffered * usize::from(case.processed);
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
    // faults. Those of the account interface are in tests/client/local/account.rs.
    let of_others =
        |name: &str| ["Control", "Account", "Ping"].contains(&name) || name.starts_with("Job");
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
        faults::all().iter().filter_map(|case| case.constructor).chain(TESTED_ELSEWHERE).collect();
    assert_eq!(there, suffered);
    assert!(there.len() >= 10, "{there:?}");
}
