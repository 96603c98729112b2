//! Submission window. The tests control the clock of the batch, and the number of jobs that end in
//! each step.

use std::sync::atomic::Ordering::SeqCst;

use crate::paced::{Paced, begin};

#[tokio::test]
async fn the_window_is_three_minutes_of_the_rate_at_which_jobs_end() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 4_000).await;
    assert_eq!(run.window(), 200);
    // Two jobs per second, then six, each for twice as long as the rate is measured.
    for (ended, expected) in [(1, 360), (3, 1_080)] {
        for step in 0..1_000 {
            run.step(&service, step % 2 * ended).await;
        }
        let window = run.window() as f64;
        assert!((window / f64::from(expected) - 1.0).abs() < 0.3, "{window}, not {expected}");
    }
}

#[tokio::test]
async fn the_window_is_bounded_at_any_rate() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 4_000).await;
    let mut largest = 0;
    for _ in 0..60 {
        // 160 per second, of which three minutes would be 28,800.
        largest = largest.max(run.step(&service, 40).await);
    }
    assert_eq!(largest, 10_000);
}

#[tokio::test]
async fn a_full_queue_halves_the_window_which_grows_and_settles() {
    // 50 jobs are with workers.
    let service = Paced::start(|builder| builder.max_queued(70));
    let (folder, mut run) = begin(&service, 1_500).await;
    let mut windows = Vec::new();
    for _ in 0..1_200 {
        windows.push(run.step(&service, 1).await);
    }
    let first = windows.iter().position(|window| *window < 200).unwrap();
    let late = &windows[first..];
    let (less, more): (Vec<_>, Vec<_>) = late
        .windows(2)
        .map(|pair| pair[1] as f64 / pair[0] as f64)
        .filter(|change| *change != 1.0)
        .partition(|change| *change < 1.0);
    // On a busy machine, two reports may be two halvings apart.
    assert!(less.len() > 3 && less.iter().all(|change| *change > 0.2), "it is halved: {less:?}");
    assert!(more.len() > less.len() && more.iter().all(|change| *change < 1.3), "it grows slowly");
    // The queue and the workers take 120: it settles around that.
    let usual = late.iter().sum::<usize>() as f64 / late.len() as f64;
    assert!((50.0..150.0).contains(&usual), "{usual}");
    service.permits.add_permits(1_500);
    for _ in 0..4_000 {
        run.step(&service, 0).await;
        if folder.results().len() == 1_500 {
            break;
        }
    }
    assert_eq!(folder.results().len(), 1_500);
    assert_eq!(service.started.load(SeqCst), 1_500, "nothing is submitted twice");
}
