//! Announced limits: requests wait for the windows that the service announces in its responses.
//!
//! `RateLimit` and `RateLimit-Policy` are [structured fields][draft] that describe one or more
//! windows, which all requests of a caller share: of each, how many requests remain (`r`) and in how
//! many seconds it starts anew (`t`), and how many seconds it lasts (`w`). A window that counts another
//! unit (`qu`), such as bytes, says nothing about requests, and is ignored.
//!
//! # Invariant
//!
//! No request is sent that the service would refuse, as long as no other client uses the same
//! limits and the service counts in fixed windows.
//!
//! Of what remains in a window, as many requests may be sent as are announced, less those that are
//! unanswered. The service may have counted some of these already; then fewer are sent than would
//! be admitted, until their responses arrive, and never more. Responses can arrive in another order
//! than the service counted them, so the lowest number of a window holds. A request that ends
//! without such a response may have been counted, too, and lowers it.
//!
//! Once a window has started anew, nothing is known about it: other clients may have used it. One
//! request is sent as a probe, and the others wait for its response. So it is with the first request
//! to a service that is known to announce limits; other services are not limited before they do.
//!
//! [draft]: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use sfv::{BareItem, Item, List, ListEntry, Parser};
use tokio::time::Instant;

use super::ABANDONED_GRACE;
use crate::fair_queue::{Admission, Blocked, FairQueue};
use crate::in_flight::{InFlight, Ticket};

/// The most that a window can last longer than its announced seconds, which are rounded.
const ROUNDING: Duration = Duration::from_secs(1);

/// The largest number of windows of a service.
const MAX_WINDOWS: usize = 16;

/// The limits that a service announces to one caller.
pub(crate) struct AnnouncedLimits(FairQueue<Windows>);

#[derive(Default)]
struct Windows {
    /// By the names of their policies.
    known: BTreeMap<String, Window>,
    /// True if nothing is known yet of a service that announces limits.
    is_unknown_yet: bool,
    /// The requests without a response.
    unanswered: InFlight,
    /// The time at which the probe in flight is given up; `None` if there is none.
    probed_until: Option<Instant>,
}

/// A window of the service, of which one period is known.
struct Window {
    /// The lowest number of requests that was announced to remain in the period.
    remaining: u64,
    /// The end of the period, at the latest.
    ends: Instant,
}

/// State of a window, as announced by a response.
#[derive(Debug, PartialEq, Eq)]
struct Announced {
    name: String,
    remaining: u64,
    reset: Duration,
    length: Option<Duration>,
}

impl AnnouncedLimits {
    /// Limits that are not known yet. If the service is known to `announce` some, the first request
    /// is a probe.
    pub(crate) fn new(announces: bool) -> Self {
        Self(FairQueue::new(Windows { is_unknown_yet: announces, ..Windows::default() }))
    }

    /// Waits until the windows admit a request that takes `time` at most; from `urgent_from` on,
    /// before requests that are not urgent.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> AnnouncedPermit {
        let admitted = self.0.acquire(time, urgent_from).await;
        self.permit(admitted)
    }

    /// A permit for a request that takes `time` at most, if no request waits and the windows admit
    /// it.
    pub(crate) fn try_acquire(self: &Arc<Self>, time: Duration) -> Option<AnnouncedPermit> {
        self.0.try_acquire(time).map(|admitted| self.permit(admitted))
    }

    /// The time until every window that is used up starts anew; `None` if none is.
    pub(crate) fn time_to_reset(&self) -> Option<Duration> {
        self.0.update(|windows| windows.time_to_reset(Instant::now()))
    }

    fn permit(self: &Arc<Self>, admitted: Admitted) -> AnnouncedPermit {
        AnnouncedPermit { limits: Arc::clone(self), admitted, is_sent: false, is_answered: false }
    }
}

/// Permit of one request. Dropped before its response, the request may have been counted.
pub(crate) struct AnnouncedPermit {
    limits: Arc<AnnouncedLimits>,
    admitted: Admitted,
    is_sent: bool,
    is_answered: bool,
}

struct Admitted {
    ticket: Ticket,
    is_probe: bool,
    is_limited: bool,
}

impl AnnouncedPermit {
    /// Returns true if other requests may wait for the response to this request.
    pub(super) fn is_limited(&self) -> bool {
        self.admitted.is_limited
    }

    /// The request is sent, or was not sent after all.
    pub(super) fn set_sent(&mut self, is_sent: bool) {
        self.is_sent = is_sent;
    }

    /// The head of the response has arrived.
    pub(super) fn answered(&mut self, is_success: bool, headers: &HeaderMap) {
        if std::mem::replace(&mut self.is_answered, true) {
            return;
        }
        let announced = announced(headers);
        self.limits.0.update(|windows| {
            windows.end(&self.admitted);
            windows.apply(announced, is_success, Instant::now());
        });
    }
}

impl Drop for AnnouncedPermit {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        self.limits.0.update(|windows| {
            // A request whose deadline has passed was ended, and counted, at the deadline.
            if windows.end(&self.admitted) && self.is_sent {
                windows.count_one();
            }
        });
    }
}

impl Admission for Windows {
    type Request = Duration;
    type Permit = Admitted;

    fn admits(&mut self, callers: u64, now: Instant, _: bool) -> Result<(), Blocked> {
        for _ in self.unanswered.end_overdue(now) {
            self.count_one();
        }
        if self.is_unknown(now) {
            let probe = self.probed_until.filter(|until| *until > now);
            if callers > 1 || probe.is_some() {
                return Err(Blocked { until: probe });
            }
        }
        let unanswered = self.unanswered.len() as u64;
        for window in self.known.values().filter(|window| window.ends > now) {
            if callers > window.remaining.saturating_sub(unanswered) {
                let ends = [Some(window.ends), self.unanswered.next_overdue()];
                return Err(Blocked { until: ends.into_iter().flatten().min() });
            }
        }
        Ok(())
    }

    fn take(&mut self, time: Duration, now: Instant) -> Admitted {
        let deadline = now.checked_add(time.saturating_add(ABANDONED_GRACE));
        let is_probe = self.is_unknown(now);
        if is_probe {
            self.probed_until = deadline;
        }
        let is_limited = is_probe || !self.known.is_empty();
        Admitted { ticket: self.unanswered.add(deadline), is_probe, is_limited }
    }
}

impl Windows {
    /// Returns true if a window may have started anew since it was announced.
    fn is_unknown(&self, now: Instant) -> bool {
        self.is_unknown_yet || self.known.values().any(|window| window.ends <= now)
    }

    /// The time until every window of which nothing remains starts anew.
    fn time_to_reset(&self, now: Instant) -> Option<Duration> {
        let unanswered = self.unanswered.len() as u64;
        let used_up = self.known.values().filter(|window| window.remaining <= unanswered);
        used_up.filter_map(|window| window.ends.checked_duration_since(now)).max()
    }

    /// Ends a request. Returns false if its deadline had passed.
    fn end(&mut self, admitted: &Admitted) -> bool {
        if admitted.is_probe {
            self.probed_until = None;
        }
        self.unanswered.end(&admitted.ticket).is_some()
    }

    /// Counts a request that the service may have counted.
    fn count_one(&mut self) {
        for window in self.known.values_mut() {
            window.remaining = window.remaining.saturating_sub(1);
        }
    }

    /// Updates the windows with the announcements of a response.
    fn apply(&mut self, announced: Vec<Announced>, is_success: bool, now: Instant) {
        if announced.is_empty() {
            self.count_one();
            // A refusal may come from a gateway, which knows no limits.
            if is_success {
                self.is_unknown_yet = false;
                self.known.retain(|_, window| window.ends > now);
            }
            return;
        }
        self.is_unknown_yet = false;
        self.known.retain(|name, window| {
            window.ends > now || announced.iter().any(|it| it.name == *name)
        });
        for Announced { name, remaining, reset, length } in announced {
            let Some(ends) = now.checked_add(reset.saturating_add(ROUNDING)) else { continue };
            // Two periods of a window end its length apart, and announcements of one period
            // hardly at all.
            let apart = length.map_or(ROUNDING * 2, |length| length / 2);
            match self.known.get_mut(&name) {
                Some(window) if ends + apart <= window.ends => {}
                Some(window) if ends < window.ends + apart => {
                    window.remaining = window.remaining.min(remaining);
                }
                _ => {
                    self.known.insert(name, Window { remaining, ends });
                }
            }
        }
    }
}

/// The windows that a response announces. Fields of another form say nothing.
fn announced(headers: &HeaderMap) -> Vec<Announced> {
    let policies = items(headers, "ratelimit-policy");
    let policy = |name: &str| policies.iter().find(|policy| name_of(policy) == Some(name));
    let announced = items(headers, "ratelimit").into_iter().filter_map(|item| {
        let name = name_of(&item)?;
        let policy = policy(name);
        policy.is_none_or(counts_requests).then_some(())?;
        Some(Announced {
            remaining: number(&item, "r")?,
            reset: Duration::from_secs(number(&item, "t").unwrap_or(0)),
            length: policy.and_then(|it| number(it, "w")).map(Duration::from_secs),
            name: name.to_owned(),
        })
    });
    announced.take(MAX_WINDOWS).collect()
}

/// The items of a list.
fn items(headers: &HeaderMap, field: &str) -> Vec<Item> {
    let lines: Vec<_> = headers.get_all(field).iter().filter_map(|it| it.to_str().ok()).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let list = Parser::new(&lines.join(", ")).parse::<List>().unwrap_or_default();
    let items = list.into_iter().filter_map(|entry| match entry {
        ListEntry::Item(item) => Some(item),
        ListEntry::InnerList(_) => None,
    });
    items.collect()
}

fn name_of(item: &Item) -> Option<&str> {
    text(&item.bare_item)
}

/// Returns true if the unit of a policy's quota is a request, as it is by default.
fn counts_requests(policy: &Item) -> bool {
    policy.params.get("qu").and_then(text).is_none_or(|unit| unit == "requests")
}

fn text(item: &BareItem) -> Option<&str> {
    match item {
        BareItem::String(name) => Some(name.as_str()),
        BareItem::Token(name) => Some(name.as_str()),
        _ => None,
    }
}

fn number(item: &Item, parameter: &str) -> Option<u64> {
    match item.params.get(parameter)? {
        BareItem::Integer(number) => u64::try_from(i64::from(*number)).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use reqwest::header::HeaderValue;
    use tokio::time::sleep;

    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    #[test]
    fn fields_are_read_and_other_forms_say_nothing() {
        let policy = r#""minute";q=60;w=60, "hour";q=3000;w=3600"#;
        let read = announced(&headers(&[
            ("ratelimit", r#""minute";r=59;t=7"#),
            ("ratelimit", r#""hour";r=2999;t=3600, day;r=1"#),
            ("ratelimit-policy", policy),
        ]));
        let window = |name: &str, remaining, reset, length: Option<u64>| Announced {
            name: name.to_owned(),
            remaining,
            reset: Duration::from_secs(reset),
            length: length.map(Duration::from_secs),
        };
        let expected = [
            window("minute", 59, 7, Some(60)),
            window("hour", 2999, 3600, Some(3600)),
            window("day", 1, 0, None),
        ];
        assert_eq!(read, expected);
        for other in ["limit=60, remaining=59", r#""minute";r=-1;t=7"#, r#""minute""#, "\"", ""] {
            assert_eq!(announced(&headers(&[("ratelimit", other)])), [], "{other}");
        }
        assert_eq!(announced(&headers(&[])), []);
    }

    #[test]
    fn a_window_of_another_unit_is_ignored() {
        let policies = [
            r#""minute";q=60;w=60;qu="requests""#,
            r#""size";q=9;w=600;qu="content-bytes""#,
            r#""open";q=2;qu=concurrent-requests"#,
        ];
        let read = announced(&headers(&[
            ("ratelimit", r#""minute";r=5;t=7, "size";r=0;t=600, "open";r=0"#),
            ("ratelimit-policy", &policies.join(", ")),
        ]));
        assert_eq!(read.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["minute"]);
    }

    /// A service that counts in fixed windows: their names, quotas and seconds.
    struct Counting {
        windows: Vec<(&'static str, u64, u64)>,
        started: Instant,
        /// The requests of each period of each window.
        counted: Mutex<BTreeMap<(usize, u64), u64>>,
        refused: Mutex<u64>,
        latency: Duration,
    }

    impl Counting {
        fn new(windows: &[(&'static str, u64, u64)], latency: Duration) -> Arc<Self> {
            Arc::new(Self {
                windows: windows.to_vec(),
                started: Instant::now(),
                counted: Mutex::default(),
                refused: Mutex::default(),
                latency,
            })
        }

        /// A request and its response.
        async fn serve(&self) -> HeaderMap {
            sleep(self.latency.mul_f64(fastrand::f64())).await;
            let headers = self.count();
            sleep(self.latency.mul_f64(fastrand::f64())).await;
            headers
        }

        fn count(&self) -> HeaderMap {
            let now = self.started.elapsed();
            let mut counted = self.counted.lock().expect("no panic");
            let period = |seconds: u64| now.as_secs() / seconds;
            let windows = self.windows.iter().enumerate();
            let is_full = windows.clone().any(|(index, (_, quota, seconds))| {
                counted.get(&(index, period(*seconds))).is_some_and(|it| it >= quota)
            });
            *self.refused.lock().expect("no panic") += u64::from(is_full);
            let (mut limits, mut policies) = (Vec::new(), Vec::new());
            for (index, (name, quota, seconds)) in windows {
                let count = counted.entry((index, period(*seconds))).or_default();
                *count += u64::from(!is_full);
                let left = Duration::from_secs((period(*seconds) + 1) * seconds) - now;
                limits.push(format!("{name:?};r={};t={}", quota - *count, left.as_secs()));
                policies.push(format!("{name:?};q={quota};w={seconds}"));
            }
            headers(&[
                ("ratelimit", &limits.join(", ")),
                ("ratelimit-policy", &policies.join(", ")),
            ])
        }

        fn counted(&self, window: usize) -> u64 {
            let counted = self.counted.lock().expect("no panic");
            counted.iter().filter(|((index, _), _)| *index == window).map(|(_, count)| count).sum()
        }
    }

    /// This many callers, each of which asks as fast as it can.
    async fn ask(service: &Arc<Counting>, callers: usize, time: Duration) {
        let limits = Arc::new(AnnouncedLimits::new(true));
        for _ in 0..callers {
            let (service, limits) = (Arc::clone(service), Arc::clone(&limits));
            tokio::spawn(async move {
                loop {
                    let mut permit = limits.acquire(Duration::from_secs(60), None).await;
                    permit.set_sent(true);
                    let headers = service.serve().await;
                    permit.answered(true, &headers);
                }
            });
        }
        sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn no_request_is_refused_and_the_quotas_are_used() {
        let windows = [("minute", 60, 60), ("hour", 3_000, 3_600), ("day", 50_000, 86_400)];
        for latency in [0, 50, 900] {
            let service = Counting::new(&windows, Duration::from_millis(latency));
            ask(&service, 10, Duration::from_secs(2 * 3_600 - 1)).await;
            assert_eq!(*service.refused.lock().expect("no panic"), 0, "{latency} ms");
            let used = service.counted(1);
            assert!(used as f64 >= 0.99 * 6_000.0, "{used} of 6,000 with {latency} ms");
        }
        let service = Counting::new(&windows[..1], Duration::from_millis(100));
        ask(&service, 100, Duration::from_secs(600 - 1)).await;
        assert_eq!(*service.refused.lock().expect("no panic"), 0);
        assert!(service.counted(0) >= 594, "{}", service.counted(0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_without_the_fields_is_not_limited() {
        let limits = Arc::new(AnnouncedLimits::new(false));
        let mut permits = Vec::new();
        for _ in 0..1_000 {
            permits.push(limits.acquire(Duration::from_secs(60), None).await);
        }
        let limits = Arc::new(AnnouncedLimits::new(true));
        let mut probe = limits.acquire(Duration::from_secs(60), None).await;
        assert!(limits.try_acquire(Duration::ZERO).is_none(), "it waits for the probe");
        probe.set_sent(true);
        probe.answered(true, &HeaderMap::new());
        for _ in 0..1_000 {
            permits.push(limits.acquire(Duration::from_secs(60), None).await);
        }
    }

    /// A probe that ends without a response is followed by another.
    #[tokio::test(start_paused = true)]
    async fn a_lost_request_counts_and_does_not_block_others() {
        let limits = Arc::new(AnnouncedLimits::new(true));
        for is_sent in [false, true] {
            let mut probe = limits.acquire(Duration::from_secs(60), None).await;
            probe.set_sent(is_sent);
        }
        let mut probe = limits.acquire(Duration::from_secs(60), None).await;
        let fields = [("ratelimit", r#""minute";r=2;t=60"#)];
        probe.answered(true, &headers(&fields));
        let mut lost = limits.acquire(Duration::from_secs(60), None).await;
        lost.set_sent(true);
        drop(lost);
        let last = limits.acquire(Duration::from_secs(60), None).await;
        assert!(limits.try_acquire(Duration::ZERO).is_none(), "both may have been counted");
        drop(last);
        assert!(limits.try_acquire(Duration::ZERO).is_some(), "it was never sent");
    }
}
