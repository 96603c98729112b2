//! What is traced and what panics, thread by thread: each thread plays one run at a time.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::caller::FloorCharBoundary;
use crate::canary;

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Current {
    traced: bool,
    captured: Captured,
}

#[derive(Default)]
pub(crate) struct Captured {
    pub(crate) panics: Vec<String>,
    pub(crate) leaks: Vec<String>,
    pub(crate) bytes: usize,
}

/// Captures until it is stopped.
pub(crate) struct Capture(());

impl Capture {
    pub(crate) fn start(traced: bool) -> Self {
        install();
        let current = Current { traced, captured: Captured::default() };
        CURRENT.with(|slot| *slot.borrow_mut() = Some(current));
        Self(())
    }

    pub(crate) fn stop(self) -> Captured {
        let current = CURRENT.with(|slot| slot.borrow_mut().take());
        current.unwrap_or_default().captured
    }
}

impl Drop for Capture {
    /// A panic that ends the run itself is nobody's finding, and is told at once.
    fn drop(&mut self) {
        let current = CURRENT.with(|slot| slot.borrow_mut().take());
        for panic in current.into_iter().flat_map(|current| current.captured.panics) {
            let _ = writeln!(io::stderr(), "{panic}");
        }
    }
}

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .without_time()
            .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
            .with_writer(|| Lines)
            .with_filter(dynamic_filter_fn(wanted));
        let subscriber = tracing_subscriber::registry().with(LevelFilter::TRACE).with(layer);
        tracing::subscriber::set_global_default(subscriber).expect("nobody else subscribes");
        let _ = tracing_log::LogTracer::init();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // A panic in a run is a finding, which is told with its seed.
            if with(|current| current.captured.panics.push(info.to_string())).is_none() {
                before(info);
            }
        }));
    });
}

fn wanted<S>(_: &tracing::Metadata<'_>, _: &Context<'_, S>) -> bool {
    with(|current| current.traced).unwrap_or(false)
}

fn with<T>(work: impl FnOnce(&mut Current) -> T) -> Option<T> {
    CURRENT.try_with(|slot| slot.try_borrow_mut().ok()?.as_mut().map(work)).ok().flatten()
}

/// Each line that is traced is looked through, and forgotten.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let found = canary::found_in(&text).map(|at| {
            let end = text.floor_char_boundary_before((at + 80).min(text.len()));
            let start = text.floor_char_boundary_before(at.saturating_sub(200));
            format!("traced: …{}…", &text[start..end])
        });
        with(|current| {
            current.captured.bytes += line.len();
            current.captured.leaks.extend(found);
        });
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
