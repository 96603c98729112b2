//! The limiter in controlled time, against every way in which a service may count.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, advance, sleep};

use super::gate::{Gate, Pass};
use super::limiter::Limiter;
use super::simulation::{Count, Service};
use super::{GRACE, Limit, RateLimits};

/// What an attempt may take by default.
const TIME: Duration = Duration::from_secs(30);

fn gate(requests: u64, concurrent: Option<u64>) -> Arc<Gate> {
    Arc::new(Gate::new(Limit { requests, concurrent }))
}

async fn pass(gate: &Arc<Gate>) -> Pass {
    Arc::clone(gate).pass(Duration::MAX, None).await
}

/// A request that is answered at once.
async fn request(gate: &Arc<Gate>) {
    let mut pass = pass(gate).await;
    pass.sent();
    pass.answered();
    pass.finished();
}

#[tokio::test(start_paused = true)]
async fn no_request_is_refused_and_almost_all_that_are_allowed_are_made() {
    for (requests, concurrent, latency) in [
        (1_000, 200, 0..1),
        (1_000, 200, 1..40),
        (2_000, 400, 1..3),
        (100, 20, 0..1),
        (100, 20, 1..40),
    ] {
        let service = Arc::new(Service::new(requests, Count::all(requests), requests));
        let gate = gate(requests, Some(concurrent));
        let seen = service.saturate(&gate, 500, latency.clone(), 60).await;
        let rate = seen.admitted.len() as f64 / (requests * 6) as f64;
        assert_eq!(seen.refused, 0, "{requests} {latency:?}");
        assert!(rate >= 0.99, "{requests} {latency:?}: {rate}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_requests_take_long_all_slots_are_used_and_none_more() {
    for (concurrent, work) in [(200, 2_500), (20, 300), (2, 40)] {
        let work = Duration::from_millis(work);
        let service = Arc::new(Service::new(1_000, Count::all(1_000), 9).taking(work));
        let seen = service.saturate(&gate(1_000, Some(concurrent)), 500, 1..2, 60).await;
        assert_eq!((seen.refused, seen.most_open), (0, concurrent));
        let allowed = concurrent as f64 * 60.0 / (work.as_secs_f64() + 0.004);
        let made = seen.admitted.len() as f64;
        assert!(made >= allowed * 0.95, "{made} of {allowed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_network_that_shuffles_requests_by_seconds_gets_none_refused() {
    for requests in [2, 10, 100, 1_000] {
        let service = Arc::new(Service::new(requests, Count::all(requests), requests));
        let seen = service.saturate(&gate(requests, None), 2_000, 1..3_000, 120).await;
        assert_eq!(seen.refused, 0, "{requests}");
        // Half of the round trip of three seconds on the average is the price.
        assert!(seen.admitted.len() as u64 >= requests * 12 * 3 / 4, "{}", seen.admitted.len());
    }
}

#[tokio::test(start_paused = true)]
async fn small_limits_are_reached() {
    for (requests, concurrent) in [(10, Some(2)), (2, None), (1, None)] {
        let service = Arc::new(Service::new(requests, Count::all(requests), 7));
        let seen = service.saturate(&gate(requests, concurrent), 20, 1..20, 60).await;
        assert_eq!(seen.refused, 0, "{requests}");
        let allowed = requests * 6;
        let made = seen.admitted.len() as u64;
        assert!((allowed..=allowed + requests).contains(&made), "{made} of {allowed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_quarter_goes_out_at_once_and_the_rest_evenly() {
    let service = Arc::new(Service::new(1_000, Count::all(1_000), 1));
    let seen = service.saturate(&gate(1_000, None), 500, 1..2, 40).await;
    let started = seen.admitted[0];
    let first = seen.between(started, 0, 1);
    assert!((345..=355).contains(&first), "{first} in the first second");
    // What goes out at once stops to count after ten seconds, and does not go out at once again.
    for second in 10..39 {
        let made = seen.between(started, second, second + 1);
        assert!((95..=110).contains(&made), "{made} in second {second}");
    }
}

#[tokio::test(start_paused = true)]
async fn first_in_first_out() {
    let gate = gate(4, None);
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut calls = Vec::new();
    for number in 0..20 {
        let (gate, order) = (Arc::clone(&gate), Arc::clone(&order));
        calls.push(tokio::spawn(async move {
            let pass = pass(&gate).await;
            order.lock().expect("no panic").push(number);
            drop(pass);
        }));
        tokio::task::yield_now().await;
    }
    for call in calls {
        call.await.expect("it ends");
    }
    assert_eq!(*order.lock().expect("no panic"), (0..20).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn who_comes_late_does_not_overtake_who_waits() {
    let gate = gate(1_000, Some(1));
    let first = pass(&gate).await;
    let mut waiting = Box::pin(pass(&gate));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut late = Box::pin(pass(&gate));
    first.finished();
    assert!(late.as_mut().now_or_never().is_none(), "the slot is free, and not for this one");
    let second = waiting.now_or_never().expect("its turn");
    second.finished();
    assert!(late.now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn urgent_calls_go_first_and_leave_every_eighth_turn_to_others() {
    let gate = gate(1_000, Some(200));
    let turns = Arc::new(Mutex::new([0_u64; 2]));
    for number in 0..2_000 {
        let (gate, turns) = (Arc::clone(&gate), Arc::clone(&turns));
        let is_urgent = number % 2 == 0;
        tokio::spawn(async move {
            loop {
                let urgent_from = is_urgent.then(Instant::now);
                let mut pass = Arc::clone(&gate).pass(TIME, urgent_from).await;
                turns.lock().expect("no panic")[usize::from(is_urgent)] += 1;
                pass.sent();
                pass.answered();
                pass.finished();
            }
        });
    }
    // The burst goes to whoever comes.
    sleep(Duration::from_secs(1)).await;
    let before = *turns.lock().expect("no panic");
    sleep(Duration::from_secs(100)).await;
    let [others, urgent] = *turns.lock().expect("no panic");
    let (others, urgent) = (others - before[0], urgent - before[1]);
    assert!(others + urgent >= 9_700, "{others} and {urgent}");
    assert!(urgent.abs_diff(7 * others) < 20, "{others} and {urgent}");
}

#[tokio::test(start_paused = true)]
async fn a_call_becomes_urgent_while_it_waits() {
    let gate = gate(100, Some(20));
    let mut others = Vec::new();
    for _ in 0..1_000 {
        let gate = Arc::clone(&gate);
        others.push(tokio::spawn(async move { request(&gate).await }));
    }
    sleep(Duration::from_millis(1)).await;
    let started = Instant::now();
    let urgent_from = started + Duration::from_secs(20);
    Arc::clone(&gate).pass(TIME, Some(urgent_from)).await.finished();
    let waited = started.elapsed().as_millis();
    assert!((20_000..20_500).contains(&waited), "{waited} ms");
    for other in others {
        other.await.expect("nobody is forgotten");
    }
}

#[tokio::test(start_paused = true)]
async fn a_row_of_calls_that_are_not_polled_costs_a_moment() {
    let gate = gate(100, Some(20));
    for _ in 0..25 {
        request(&gate).now_or_never().expect("the burst");
    }
    let mut unpolled: Vec<_> = (0..175).map(|_| Box::pin(pass(&gate))).collect();
    for call in &mut unpolled {
        assert!(call.as_mut().now_or_never().is_none());
    }
    let started = Instant::now();
    request(&gate).await;
    assert!(started.elapsed() < Duration::from_millis(400), "{:?}", started.elapsed());
    // They are back at their old places as soon as they are polled.
    let late = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { request(&gate).await }
    });
    for call in unpolled {
        call.await.finished();
        assert!(!late.is_finished());
    }
    late.await.expect("its turn comes, too");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_not_taken_is_passed_on_whenever_it_comes() {
    let gate = gate(1_000, Some(1));
    let mut held = pass(&gate).await;
    held.sent();
    held.answered();
    let mut unpolled = Box::pin(pass(&gate));
    assert!(unpolled.as_mut().now_or_never().is_none());
    let polled = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move {
            request(&gate).await;
            Instant::now()
        }
    });
    sleep(Duration::from_secs(7)).await;
    let freed = Instant::now();
    held.finished();
    let waited = polled.await.expect("its turn comes") - freed;
    assert!(waited <= Duration::from_millis(21), "{waited:?}");
    drop(unpolled);
}

#[tokio::test(start_paused = true)]
async fn the_next_turn_comes_in_time_whoever_keeps_the_time_leaves() {
    let gate = gate(1_000, Some(200));
    for _ in 0..250 {
        request(&gate).now_or_never().expect("the burst");
    }
    let turns = Arc::new(Mutex::new(vec![Instant::now()]));
    let spawn = |urgent_from: Option<Instant>| {
        let (gate, turns) = (Arc::clone(&gate), Arc::clone(&turns));
        tokio::spawn(async move {
            let mut pass = gate.pass(TIME, urgent_from).await;
            pass.sent();
            pass.answered();
            pass.finished();
            turns.lock().expect("no panic").push(Instant::now());
        })
    };
    let others: Vec<_> = (0..300).map(|_| spawn(None)).collect();
    for _ in 0..60 {
        // The newest keeps the time. One goes at once, and one is dropped.
        let urgent = spawn(Some(Instant::now()));
        let dropped = spawn(None);
        sleep(Duration::from_millis(33)).await;
        dropped.abort();
        assert!(urgent.is_finished());
    }
    for other in others {
        other.await.expect("its turn comes");
    }
    let turns = turns.lock().expect("no panic");
    let longest = turns.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest <= Some(Duration::from_millis(12)), "{longest:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_that_nobody_looks_after_give_their_places_back_when_their_time_is_over() {
    let gate = gate(4, Some(2));
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut pass = Arc::clone(&gate).pass(TIME, None).await;
        pass.sent();
        held.push(pass);
    }
    let started = Instant::now();
    let mut next = pass(&gate).await;
    next.sent();
    assert_eq!(started.elapsed(), TIME + 2 * GRACE);
    // They fare as they like now; nothing counts twice.
    for mut pass in held {
        pass.answered();
        pass.finished();
    }
    next.answered();
    next.finished();
    sleep(Duration::from_secs(11)).await;
    assert!(gate.is_idle());
}

#[test]
fn a_runtime_that_stands_still_or_ends_takes_nobody_along() {
    let runtime = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().expect("a runtime")
    };
    let gate = gate(200, Some(100));
    let (still, ends, runs) = (runtime(), runtime(), runtime());
    for other in [&still, &ends] {
        for _ in 0..200 {
            let gate = Arc::clone(&gate);
            other.spawn(async move { request(&gate).await });
        }
        other.block_on(tokio::task::yield_now());
    }
    let next = |gate: &Arc<Gate>| {
        let gate = Arc::clone(gate);
        async move { tokio::time::timeout(Duration::from_secs(20), request(&gate)).await }
    };
    assert!(runs.block_on(next(&gate)).is_ok(), "two runtimes stand still");
    ends.shutdown_background();
    assert!(runs.block_on(next(&gate)).is_ok(), "one of them is shut down");
    drop(still);
}

#[tokio::test(start_paused = true)]
async fn dropping_those_who_wait_leaves_the_queue_as_it_was() {
    let gate = gate(2, None);
    let started = Instant::now();
    request(&gate).await;
    request(&gate).await;
    let mut queue: Vec<_> = (0..4).map(|_| Box::pin(pass(&gate))).collect();
    for call in &mut queue {
        assert!(call.as_mut().now_or_never().is_none());
    }
    // The first of them, which holds the timer, and one in the middle.
    drop(queue.remove(2));
    drop(queue.remove(0));
    let mut passed = Vec::new();
    for call in queue {
        passed.push((call.await, started.elapsed().as_millis()));
    }
    let times: Vec<_> = passed.iter().map(|(_, at)| *at).collect();
    assert!((10_005..10_010).contains(&times[0]), "{times:?}");
    assert!((14_500..15_010).contains(&times[1]), "one leave each, none was lost: {times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_before_it_was_sent_costs_nothing() {
    let gate = gate(2, Some(1));
    for _ in 0..1_000 {
        drop(pass(&gate).now_or_never().expect("room"));
        let mut pass = pass(&gate).now_or_never().expect("room");
        pass.sent();
        pass.not_sent();
        drop(pass);
    }
    assert!(gate.is_idle());
}

#[tokio::test(start_paused = true)]
async fn requests_that_never_left_do_not_add_up_to_a_larger_burst() {
    let gate = gate(1_000, None);
    for _ in 0..3 {
        let mut unsent = Vec::new();
        for _ in 0..250 {
            unsent.push(pass(&gate).await);
        }
        // Time earns a new burst, and then all of the last one comes back.
        advance(Duration::from_secs(5)).await;
        drop(pass(&gate).await);
        drop(unsent);
    }
    let mut at_once = Vec::new();
    while let Some(pass) = pass(&gate).now_or_never() {
        at_once.push(pass);
    }
    assert_eq!(at_once.len(), 250);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_keeps_its_slot_for_a_moment_and_counts_as_long_as_others() {
    let gate = gate(4, Some(1));
    let started = Instant::now();
    let mut first = pass(&gate).await;
    first.sent();
    drop(first);
    let mut second = pass(&gate).await;
    assert_eq!(started.elapsed(), GRACE);
    second.sent();
    second.answered();
    drop(second);
    sleep(GRACE).await;
    sleep(Duration::from_millis(9_600)).await;
    assert!(!gate.is_idle());
    sleep(Duration::from_millis(100)).await;
    assert!(!gate.is_idle(), "both still count");
    sleep(Duration::from_millis(100)).await;
    assert!(gate.is_idle());
}

#[tokio::test(start_paused = true)]
async fn unanswered_requests_count_however_long_they_take() {
    let gate = gate(2, None);
    let (mut first, mut second) = (pass(&gate).await, pass(&gate).await);
    first.sent();
    second.sent();
    let mut third = Box::pin(pass(&gate));
    assert!(tokio::time::timeout(Duration::from_secs(300), third.as_mut()).await.is_err());
    let answered = Instant::now();
    first.answered();
    third.await.sent();
    assert!(answered.elapsed() >= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_grows_lets_those_who_wait_pass_and_one_that_shrinks_holds() {
    let gate = gate(4, None);
    for _ in 0..4 {
        request(&gate).await;
    }
    let mut waiting = Box::pin(request(&gate));
    assert!(waiting.as_mut().now_or_never().is_none());
    let before = Instant::now();
    gate.resize(Limit { requests: 1_000, concurrent: None });
    waiting.await;
    for _ in 0..20 {
        request(&gate).await;
    }
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    gate.resize(Limit { requests: 4, concurrent: None });
    request(&gate).await;
    assert!(before.elapsed() > Duration::from_secs(10), "25 count, 4 may");
}

#[tokio::test(start_paused = true)]
async fn one_429_lowers_the_rate_by_a_third_and_it_comes_back_in_steps() {
    let service = Arc::new(Service::new(1_000, vec![Count::sliding()], 1));
    let gate = gate(1_000, Some(200));
    let started = Instant::now();
    let refused = Arc::clone(&gate);
    tokio::spawn(async move {
        sleep(Duration::from_secs(20)).await;
        let mut pass = pass(&refused).await;
        pass.sent();
        pass.answered();
        pass.refused(None);
        pass.finished();
    });
    let seen = service.saturate(&gate, 500, 1..5, 80).await;
    let made = |from, to| seen.between(started, from, to);
    assert!(made(10, 20) >= 985, "{}", made(10, 20));
    assert!((600..=710).contains(&made(21, 31)), "{}", made(21, 31));
    assert!((700..=910).contains(&made(31, 41)), "{}", made(31, 41));
    assert!(made(60, 70) >= 985, "{}", made(60, 70));
    assert_eq!(seen.refused, 0);
}

#[tokio::test(start_paused = true)]
async fn a_429_to_a_request_from_before_the_last_one_tells_nothing_new() {
    let gate = gate(1_000, None);
    let mut passes = Vec::new();
    for _ in 0..100 {
        passes.push(pass(&gate).await);
    }
    for mut pass in passes {
        pass.sent();
        pass.answered();
        pass.refused(None);
        pass.finished();
    }
    let before = Instant::now();
    for _ in 0..600 {
        request(&gate).await;
    }
    let took = before.elapsed().as_secs();
    assert!((8..=9).contains(&took), "600 at 700 in ten seconds: {took} s");
}

#[tokio::test(start_paused = true)]
async fn retry_after_halts_the_operation_for_as_long_but_not_for_ever() {
    for (asked, expected) in [(2, 2), (3_600, 10)] {
        let gate = gate(1_000, None);
        let mut first = pass(&gate).await;
        first.sent();
        first.answered();
        first.refused(Some(Duration::from_secs(asked)));
        first.finished();
        let before = Instant::now();
        request(&gate).await;
        assert_eq!(before.elapsed().as_secs(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn beside_another_client_of_the_account_the_rate_settles() {
    for count in
        [Count::sliding(), Count::fixed(Duration::from_millis(3_300)), Count::bucket(1_000)]
    {
        let service = Arc::new(Service::new(1_000, vec![count], 5));
        let other = Arc::clone(&service);
        let taken = Arc::new(Mutex::new(0_usize));
        let counted = Arc::clone(&taken);
        tokio::spawn(async move {
            loop {
                sleep(Duration::from_millis(25)).await;
                *counted.lock().expect("no panic") += usize::from(other.arrives());
            }
        });
        let seen = service.saturate(&gate(1_000, None), 500, 1..20, 200).await;
        // 400 in ten seconds are the other client's.
        let ours = seen.admitted.len() - *taken.lock().expect("no panic");
        let allowed = 600 * 20;
        assert!(ours * 100 >= allowed * 75, "{ours} of {allowed}");
        assert!(seen.refused * 50 <= seen.admitted.len() as u64, "{} refused", seen.refused);
    }
}

#[test]
fn a_call_that_need_not_wait_takes_no_timer_and_no_runtime() {
    let limiter = Limiter::new(RateLimits::new());
    let (endpoint, limit) = (Arc::from("ep"), Limit { requests: 2_000, concurrent: Some(400) });
    for _ in 0..400 {
        let pass = limiter.pass(&endpoint, "status", limit, TIME, None).now_or_never();
        pass.expect("ready at once").finished();
    }
}

/// Room for any number of requests.
const WIDE: Limit = Limit { requests: 1_000_000_000, concurrent: Some(400) };

#[test]
fn a_call_that_need_not_wait_costs_little() {
    let limiter = Limiter::new(RateLimits::new());
    let endpoint = Arc::from("an-endpoint-id");
    let round = || {
        let started = std::time::Instant::now();
        for _ in 0..1_000 {
            let pass = limiter.pass(&endpoint, "status", WIDE, TIME, None).now_or_never();
            let mut pass = pass.expect("ready at once");
            pass.sent();
            pass.answered();
            pass.finished();
        }
        started.elapsed() / 1_000
    };
    let best = (0..50).map(|_| round()).min().expect("rounds");
    let most = if cfg!(debug_assertions) { 20 } else { 1 };
    assert!(best < Duration::from_micros(most), "{best:?} a call");
}

const CANCEL: Limit = Limit { requests: 100, concurrent: Some(20) };

#[tokio::test(start_paused = true)]
async fn endpoints_and_operations_do_not_wait_for_each_other() {
    let limiter = Limiter::new(RateLimits::new());
    let endpoints: Vec<Arc<str>> = (0..100).map(|n| format!("ep-{n}").into()).collect();
    let mut held = Vec::new();
    for endpoint in &endpoints {
        for operation in ["cancel", "status"] {
            for _ in 0..20 {
                let pass = limiter.pass(endpoint, operation, CANCEL, TIME, None).now_or_never();
                held.push(pass.expect("a gate of its own"));
            }
            assert!(limiter.pass(endpoint, operation, CANCEL, TIME, None).now_or_never().is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn idle_endpoints_are_let_go() {
    let limiter = Limiter::new(RateLimits::new().requests_per_worker(1));
    let busy = Arc::from("busy");
    let held = limiter.pass(&busy, "cancel", CANCEL, TIME, None).await;
    let mut most = 0;
    for number in 0..50_000 {
        let endpoint = Arc::from(format!("ep-{number}"));
        limiter.workers_run(&endpoint, 1);
        let mut pass = limiter.pass(&endpoint, "cancel", CANCEL, TIME, None).await;
        pass.sent();
        pass.answered();
        pass.finished();
        advance(Duration::from_millis(10)).await;
        most = most.max(limiter.endpoints());
    }
    // A thousand endpoints are in use in any ten seconds.
    assert!(most <= 2_100, "{most}");
    drop(held);
    advance(Duration::from_secs(20)).await;
    for number in 0..3_000 {
        limiter.workers_run(&Arc::from(format!("late-{number}")), 1);
    }
    assert!(limiter.endpoints() <= 64 + 1, "{}", limiter.endpoints());
}

#[tokio::test(start_paused = true)]
async fn the_limits_follow_the_running_workers() {
    let limiter = Limiter::new(RateLimits::new().share(0.5).requests_per_worker(80));
    let endpoint = Arc::from("ep");
    // How many may be sent in the next moment, once the burst of a quarter is used up.
    let room = |limiter: &Limiter, operation| {
        let limit = Limit { requests: 100, concurrent: None };
        let take = || limiter.pass(&endpoint, operation, limit, TIME, None).now_or_never();
        std::iter::from_fn(take).map(Pass::finished).count()
    };
    assert_eq!(room(&limiter, "a"), 12, "a quarter of half of the documented limit");
    limiter.workers_run(&endpoint, 1);
    assert_eq!(room(&limiter, "b"), 12, "80 are less than the documented 100");
    limiter.workers_run(&endpoint, 10);
    assert_eq!(room(&limiter, "c"), 100, "a quarter of half of 800");
    limiter.workers_run(&endpoint, 0);
    assert_eq!(room(&limiter, "d"), 12);
    limiter.workers_run(&endpoint, 10);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(room(&limiter, "a"), 20, "a gate that was there follows, too: 40 in a second");
}

#[test]
fn a_share_is_rounded_down_and_never_to_nothing() {
    let documented = Limit { requests: 100, concurrent: Some(20) };
    let of = |share| RateLimits::new().share(share).effective(documented, 0);
    assert_eq!(of(1.0), documented);
    assert_eq!(of(0.29), Limit { requests: 29, concurrent: Some(5) });
    assert_eq!(of(0.001), Limit { requests: 1, concurrent: Some(1) });
    for unusable in [0.0, -1.0, 1.01, f64::NAN, f64::INFINITY] {
        assert!(!RateLimits::new().share(unusable).share_is_usable(), "{unusable}");
    }
}
