//! Draws a plan.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;

use super::fault::{Answer, Echo, Ending, Fault, Garble, H2Reset, Place, RetryAfter, Words};
use super::step::{End, JobScript, Manner, Pick, Step, Work};
use super::{Actor, Plan, Settings};
use crate::canary::Spelling;
use crate::operation::Operation;

/// The plan that a seed stands for.
pub fn plan(seed: u64) -> Plan {
    let mut rng = Rng::with_seed(seed);
    let settings = settings(&mut rng);
    let mut calls = 0;
    let actors = (0..rng.usize(1..=4)).map(|_| actor(&mut rng, &mut calls)).collect();
    let faults = faults(&mut rng, settings.http2);
    let dead_connections = if rng.u8(..6) == 0 { rng.u8(1..4) } else { 0 };
    let away = (rng.u8(..10) == 0).then(|| {
        let from = millis(&mut rng, 0, 5_000);
        (from, from + millis(&mut rng, 10, 30_000))
    });
    Plan { seed, settings, actors, faults, dead_connections, away }
}

fn settings(rng: &mut Rng) -> Settings {
    let http2 = rng.u8(..5) == 0;
    Settings {
        http2,
        streams: pick(rng, &[1, 3, 10, 100]),
        attempts: pick(rng, &[1, 1, 2, 3, 3, 3, 5]),
        timeout: Duration::from_secs(pick(rng, &[1, 5, 20, 60, 60])),
        call_timeout: (rng.u8(..4) == 0).then(|| Duration::from_secs(pick(rng, &[1, 10, 100]))),
        connect_timeout: Duration::from_secs(pick(rng, &[1, 10])),
        share: pick(rng, &[None, None, Some(1.0), Some(0.02), Some(0.005)]),
        polls_per_second: pick(rng, &[1, 10, 150]),
        first_pause: if rng.u8(..20) == 0 {
            Duration::ZERO
        } else {
            pick(rng, &[ms(100), ms(100), ms(1_000)])
        },
        longest_pause: pick(rng, &[ms(3_000), ms(3_000), ms(30_000)]),
        graphql_variables: rng.bool(),
        traced: rng.u8(..12) == 0,
    }
}

fn actor(rng: &mut Rng, calls: &mut u64) -> Actor {
    let starts = if rng.bool() { Duration::ZERO } else { millis(rng, 0, 3_000) };
    let mut steps = Vec::new();
    // Most actors begin with a job, and go on with it.
    match rng.u8(..10) {
        0..6 => steps.push(run(rng)),
        6..8 => steps.push(run_sync(rng)),
        _ => {}
    }
    for _ in 0..rng.usize(1..=4) {
        steps.push(step(rng));
    }
    let steps = steps.into_iter().map(|step| {
        *calls += 1;
        let manner = manner(rng, &step);
        Work { call: *calls * 1_000, step, manner }
    });
    Actor { starts, steps: steps.collect() }
}

fn manner(rng: &mut Rng, step: &Step) -> Manner {
    if matches!(step, Step::Sleep(_)) {
        return Manner::Await;
    }
    match rng.u8(..16) {
        0 => Manner::DropAfter(millis(rng, 0, 2_000)),
        1 => Manner::DropAtPoll(rng.u32(1..6)),
        2 | 3 => Manner::Hold { polls: rng.u32(1..5), pause: millis(rng, 100, 120_000) },
        4 => Manner::Elsewhere { polls: rng.u32(0..4) },
        _ => Manner::Await,
    }
}

fn run(rng: &mut Rng) -> Step {
    Step::Run {
        script: script(rng),
        at_least_once: rng.u8(..8) == 0,
        storage: rng.u8(..4) == 0,
        webhook: rng.u8(..6) == 0,
    }
}

fn run_sync(rng: &mut Rng) -> Step {
    Step::RunSync {
        script: script(rng),
        wait: rng.bool().then(|| Duration::from_secs(pick(rng, &[1, 30, 300]))),
        output: rng.bool(),
        storage: rng.u8(..4) == 0,
    }
}

fn step(rng: &mut Rng) -> Step {
    match rng.u8(..30) {
        0 => Step::Sleep(millis(rng, 1, 90_000)),
        1 => run(rng),
        2 | 3 => run_sync(rng),
        4 | 5 => Step::Status(target(rng)),
        6..10 => Step::Wait {
            pick: target(rng),
            timeout: (rng.u8(..3) > 0).then(|| millis(rng, 50, 300_000)),
            cancel: rng.u8(..4) == 0,
            polite: rng.u8(..6) == 0,
        },
        10..13 => Step::Stream { take: (rng.u8(..5) == 0).then(|| rng.usize(1..4)) },
        13 => Step::Cancel(target(rng)),
        14 | 15 => Step::Retry(target(rng)),
        16 => Step::Purge,
        17 => match rng.u8(..3) {
            0 => Step::Health,
            1 => Step::Requests,
            _ => Step::Openai,
        },
        18 => Step::RunAll {
            script: script(rng),
            jobs: rng.u64(1..12),
            width: rng.usize(1..5),
            timeout: rng.bool().then(|| millis(rng, 1_000, 100_000)),
            take: (rng.u8(..4) == 0).then(|| rng.usize(1..4)),
        },
        19 => Step::Unordered {
            script: script(rng),
            // More than the burst of the documented limits, at times.
            calls: if rng.u8(..12) == 0 { 300 } else { rng.u64(2..30) },
            width: rng.usize(2..20),
            looks: rng.bool(),
        },
        20 => Step::GetPod,
        21 => Step::UpdateTemplate,
        22 => Step::CreateTemplate { short: rng.u8(..3) == 0 },
        23 | 24 => Step::DeleteTemplate,
        25 => Step::CreateSecret,
        26 | 27 => Step::OpenaiStream { total: millis(rng, 100, 100_000) },
        _ => Step::DeleteSecret,
    }
}

fn target(rng: &mut Rng) -> Pick {
    if rng.u8(..5) == 0 { Pick::Any(rng.usize(..4)) } else { Pick::Own }
}

fn script(rng: &mut Rng) -> JobScript {
    JobScript {
        queued: pick(rng, &[ms(0), ms(0), ms(300), ms(20_000)]),
        runs: pick(rng, &[ms(0), ms(50), ms(700), ms(5_000), ms(40_000), ms(200_000)]),
        chunks: rng.u64(0..7),
        end: pick(
            rng,
            &[End::Completed, End::Completed, End::Completed, End::Failed, End::TimedOut],
        ),
    }
}

fn faults(rng: &mut Rng, http2: bool) -> BTreeMap<Operation, Vec<Fault>> {
    // How hostile the peer is: mostly a little, so that what follows a fault is seen as well.
    let (lengths, rate) = pick(rng, &[(6, 2), (6, 5), (3, 9), (15, 8), (40, 9), (0, 0)]);
    let mut faults = BTreeMap::new();
    for operation in Operation::ALL {
        let list: Vec<_> = (0..rng.usize(..=lengths))
            .map(|_| if rng.u8(..10) < rate { fault(rng, operation, http2) } else { Fault::None })
            .collect();
        if list.iter().any(|fault| *fault != Fault::None) {
            faults.insert(operation, list);
        }
    }
    faults
}

fn fault(rng: &mut Rng, operation: Operation, http2: bool) -> Fault {
    if http2 {
        match rng.u8(..16) {
            0..4 => {
                // REFUSED_STREAM most often: it alone says that nothing has happened.
                let code = if rng.bool() { 7 } else { rng.u32(0..14) };
                let midway = code != 7 && rng.u8(..4) == 0;
                return Fault::Reset(H2Reset { code, acts: code != 7 && rng.bool(), midway });
            }
            4 => return Fault::GoAway { after: rng.bool() },
            _ => {}
        }
    }
    match rng.u8(..30) {
        0..8 => Fault::Answer(answer(rng, operation)),
        8..11 => Fault::Cut { at: rng.u16(..1_000), ending: ending(rng) },
        11 => Fault::Unheard(ending(rng)),
        12 | 13 => Fault::Late { by: millis(rng, 1, 90_000), acts_late: rng.bool() },
        14 => Fault::Pieces { count: rng.u8(2..20), pause: millis(rng, 0, 3_000) },
        15..18 => Fault::Garbled(pick(
            rng,
            &[
                Garble::ByteOrderMark,
                Garble::NotANumber,
                Garble::DuplicateId,
                Garble::NoStatus,
                Garble::Html,
                Garble::Empty,
                Garble::NoContent,
                Garble::OtherShape,
                Garble::Trailing,
                Garble::Encoded,
                Garble::NoData,
            ],
        )),
        18 | 19 => Fault::Foreign,
        20 => Fault::Doubled,
        21 => Fault::Unsolicited { after: millis(rng, 0, 2_000) },
        22 => Fault::ThenEnds(if rng.bool() { Ending::Close } else { Ending::Reset }),
        23 => Fault::Informational(pick(rng, &[100, 102, 103])),
        24 => Fault::Chunked,
        25 => Fault::Unframed { at: if rng.bool() { 1_000 } else { rng.u16(..1_000) } },
        // Without content, a stream ends as it does after its last event.
        27 if operation == Operation::Openai => {
            Fault::Garbled(pick(rng, &[Garble::Empty, Garble::NoContent, Garble::Encoded]))
        }
        26 if operation == Operation::Openai => {
            Fault::Comments { pause: pick(rng, &[ms(700), ms(4_000), ms(15_000)]) }
        }
        _ => Fault::Echo(echo(rng, operation)),
    }
}

fn answer(rng: &mut Rng, operation: Operation) -> Answer {
    let status = pick(
        rng,
        &[
            400, 401, 403, 403, 404, 404, 408, 413, 425, 429, 429, 429, 429, 500, 500, 501, 502,
            502, 502, 503, 503, 504, 505, 520, 599, 301, 307, 304, 226, 418,
        ],
    );
    let mut words = pick(
        rng,
        &[
            Words::Json("the service says no"),
            Words::Html,
            Words::Html,
            Words::Plain("no healthy upstream"),
            Words::Plain("upstream connect error"),
            Words::Empty,
            Words::Problem,
        ],
    );
    let mut status = status;
    if operation.is_graphql() && rng.bool() {
        let words_of_graphql: &[&'static str] = &[
            "Unknown error",
            "No permission for this operation",
            "no healthy upstream",
            "no such host",
        ];
        (status, words) =
            (pick(rng, &[200, 200, 400]), Words::Graphql(pick(rng, words_of_graphql)));
    }
    // A refusal that reads like the service's own knowledge would be a lie that nobody could see
    // through: 404 comes from something in between, in a form of its own.
    if status == 404 && !matches!(words, Words::Html | Words::Plain(_)) {
        words = Words::Html;
    }
    if status == 400 && !operation.is_graphql() {
        words = Words::Html;
    }
    let retry_after = (rng.u8(..3) == 0).then(|| match rng.u8(..6) {
        0..3 => RetryAfter::Seconds(pick(rng, &[0, 1, 7, 30, 119, 121, 100_000])),
        3 | 4 => RetryAfter::Date {
            from_now: pick(rng, &[1, 10, 60]),
            // Never right: what is left of a second would be another in each run.
            off: pick(rng, &[-3_600, 3_600]),
        },
        _ => RetryAfter::Nonsense,
    });
    // Of these any JSON in a success is a response.
    let is_raw = matches!(operation, Operation::Rest | Operation::Openai | Operation::Requests);
    if is_raw && (200..300).contains(&status) {
        words = Words::Html;
    }
    let acts = status >= 500 && status != 501 && rng.bool();
    Answer { status, words, retry_after, acts }
}

fn echo(rng: &mut Rng, operation: Operation) -> Echo {
    let mut places =
        vec![Place::JsonError, Place::JsonError, Place::HtmlTitle, Place::Plain, Place::Location];
    // Of these any JSON is a response.
    if !matches!(operation, Operation::Openai | Operation::Requests) {
        places.push(Place::WrongType);
    }
    if operation.is_graphql() {
        places.extend([Place::GraphqlMessage, Place::GraphqlMessage, Place::GraphqlExtension]);
    }
    if operation == Operation::RunSync {
        places.extend([Place::JobFailure, Place::JobFailure]);
    }
    Echo {
        status: pick(rng, &[400, 400, 401, 422, 500, 503]),
        spelling: pick(rng, &Spelling::ALL),
        place: pick(rng, &places),
        which: rng.u8(..4),
    }
}

fn ending(rng: &mut Rng) -> Ending {
    pick(rng, &[Ending::Close, Ending::Reset, Ending::Stall])
}

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.usize(..list.len())]
}

/// A time in this range: short ones as often as long ones.
fn millis(rng: &mut Rng, least: u64, most: u64) -> Duration {
    let bits = 64 - (most - least).leading_zeros();
    let width = 1_u64 << rng.u32(..=bits);
    ms((least + rng.u64(..width)).min(most))
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
