//! Position in a log: the lines that a resumed stream need not yield again.
//!
//! The id of an event is the timestamp of its line, and several lines may have the same one. If the
//! stream resumed after the last id, further lines with that id would be lost. So it resumes after
//! the id before, of which all lines have arrived, and skips those that come again: each line that
//! was yielded once is skipped once. Which these are is decided by their id, source and text.
//!
//! The clock of a worker may be set back. Whether a service then sends what follows the event with
//! an id, or all lines with a later timestamp, cannot be known, so the stream resumes at the
//! earlier time, and may get any line again that it has yielded. Until all lines of the last id have
//! come again, older ones are taken for such; after them, every line that was not yielded is new.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::LogSource;

/// The most lines of the past that the interface sends.
pub(super) const MAX_TAIL: u32 = 5_000;

/// The ids and lines at which a log was left.
#[derive(Default)]
pub(super) struct Position {
    /// The id before the last: all lines with it have been yielded.
    before: Option<String>,
    last: Option<String>,
    /// The latest of all ids.
    latest: Option<String>,
    /// The hashes of the lines that were yielded, as many as a service sends when the stream resumes.
    yielded: VecDeque<u64>,
    /// The number of these, at the end, that have the last id.
    with_last: usize,
    /// `None` unless the stream was resumed and may still get lines again.
    replay: Option<Replay>,
    was_resumed: bool,
}

/// The lines that may arrive again after a resumption.
struct Replay {
    /// The number of times that each may, by its hash.
    awaited: HashMap<u64, usize>,
    /// The id of the line that was yielded last, and how many lines of it have not arrived again.
    last: String,
    missing: usize,
}

/// The point from which a stream resumes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resumption {
    /// The stream begins.
    Beginning,
    /// It begins anew: no line has arrived yet.
    Unread,
    /// From this time on.
    Since(String),
    /// After the event with this id.
    After(String),
}

impl Position {
    pub(super) fn resumption(&self) -> Resumption {
        match (&self.before, &self.last) {
            (Some(before), Some(last)) if is_earlier(last, before) => {
                Resumption::Since(last.clone())
            }
            (Some(before), _) => Resumption::After(before.clone()),
            (None, Some(last)) => Resumption::Since(last.clone()),
            (None, None) if self.was_resumed => Resumption::Unread,
            (None, None) => Resumption::Beginning,
        }
    }

    /// Notes that the stream was resumed: lines come again.
    pub(super) fn mark_resumed(&mut self) {
        self.was_resumed = true;
        let Some(last) = self.last.clone() else { return };
        let mut awaited = HashMap::new();
        for line in &self.yielded {
            *awaited.entry(*line).or_default() += 1;
        }
        self.replay = Some(Replay { awaited, last, missing: self.with_last });
    }

    /// Advances by a line. Returns `None` if it was yielded before, and otherwise whether lines may
    /// be missing before it.
    pub(super) fn advance(&mut self, id: &str, source: &LogSource, line: &str) -> Option<bool> {
        let hash = hash_of(id, source, line);
        let mut is_after_gap = false;
        if let Some(replay) = &mut self.replay {
            let is_last = replay.last == id;
            if let Some(times) = replay.awaited.get_mut(&hash).filter(|times| **times > 0) {
                *times -= 1;
                replay.missing = replay.missing.saturating_sub(is_last.into());
                return None;
            }
            let before = self.before.as_deref();
            let is_old = before == Some(id) || is_earlier(id, before.unwrap_or(&replay.last));
            if replay.missing > 0 && !is_last {
                if is_old {
                    return None;
                }
                is_after_gap = true;
                replay.missing = 0;
            }
            let latest = self.latest.as_deref();
            if !is_last && latest.is_none_or(|it| !is_earlier(id, it)) {
                self.replay = None;
            }
        }
        if self.last.as_deref() != Some(id) {
            self.before = self.last.replace(id.to_owned());
            self.with_last = 0;
        }
        if self.latest.as_deref().is_none_or(|it| !is_earlier(id, it)) {
            self.latest = Some(id.to_owned());
        }
        self.with_last += 1;
        self.yielded.push_back(hash);
        if self.yielded.len() > MAX_TAIL as usize {
            self.yielded.pop_front();
            self.with_last = self.with_last.min(self.yielded.len());
        }
        Some(is_after_gap)
    }
}

fn hash_of(id: &str, source: &LogSource, line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, source.as_str(), line).hash(&mut hasher);
    hasher.finish()
}

/// Returns true if one timestamp in UTC is earlier than another. Ids of another form are not
/// compared.
fn is_earlier(one: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let text = text.strip_suffix('Z')?;
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_form = seconds.len() == "2026-11-15T00:00:00".len()
            && fraction.bytes().all(|it| it.is_ascii_digit());
        is_form.then(|| (seconds.to_owned(), fraction.trim_end_matches('0').to_owned()))
    };
    parts(one).zip(parts(other)).is_some_and(|(one, other)| one < other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that a service may send after an event with an id.
    #[derive(Clone, Copy, Debug)]
    enum Sent {
        /// All lines that follow the last of that id.
        Following,
        /// The lines with a later timestamp.
        Later,
        /// The lines with that timestamp, or a later one.
        FromThen,
    }

    /// A log of `(id, line)`, as a service sends it.
    fn sent_after<'a>(
        log: &[(&'a str, &'a str)],
        resumption: &Resumption,
        sent: Sent,
    ) -> Vec<(&'a str, &'a str)> {
        let after = |id: &str| log.iter().rposition(|it| it.0 == id).map_or(0, |at| at + 1);
        let is_sent = |at: usize, id: &str| match (resumption, sent) {
            (Resumption::Beginning | Resumption::Unread, _) => true,
            (Resumption::Since(time), _) => id >= time.as_str(),
            (Resumption::After(last), Sent::Following) => at >= after(last),
            (Resumption::After(last), Sent::Later) => id > last.as_str(),
            (Resumption::After(last), Sent::FromThen) => id >= last.as_str(),
        };
        let sent = log.iter().enumerate().filter(|(at, (id, _))| is_sent(*at, id));
        sent.map(|(_, line)| *line).collect()
    }

    /// Wherever the connection is lost, twice, each line is yielded once, in order, without a gap.
    fn check_all_breaks(log: &[(&str, &str)]) {
        let expected: Vec<_> = log.iter().map(|(_, line)| *line).collect();
        let breaks = (0..=log.len()).flat_map(|a| (0..=log.len()).map(move |b| (a, b)));
        for sent in [Sent::Following, Sent::Later, Sent::FromThen] {
            for (first, second) in breaks.clone() {
                let mut position = Position::default();
                let mut yielded = Vec::new();
                for arrived in [first, second, usize::MAX] {
                    let lines = sent_after(log, &position.resumption(), sent);
                    for (id, line) in lines.into_iter().take(arrived) {
                        let advanced = position.advance(id, &LogSource::Container, line);
                        if let Some(after_gap) = advanced {
                            assert!(!after_gap, "{sent:?} {first} {second}");
                            yielded.push(line);
                        }
                    }
                    position.mark_resumed();
                }
                assert_eq!(yielded, expected, "{sent:?}, after {first} and {second} events");
            }
        }
    }

    #[test]
    fn lines_are_neither_lost_nor_repeated_wherever_the_connection_breaks() {
        check_all_breaks(&[
            ("2026-11-15T00:00:01Z", "a"),
            ("2026-11-15T00:00:01Z", "a"),
            ("2026-11-15T00:00:01Z", "b"),
            ("2026-11-15T00:00:02Z", "c"),
            ("2026-11-15T00:00:02Z", "a"),
            ("2026-11-15T00:00:02Z", "a"),
            ("2026-11-15T00:00:03Z", "d"),
            ("2026-11-15T00:00:04Z", "d"),
            ("2026-11-15T00:00:04Z", "d"),
        ]);
    }

    #[test]
    fn a_clock_that_is_set_back_loses_and_repeats_nothing() {
        check_all_breaks(&[
            ("2026-11-15T00:00:01Z", "a"),
            ("2026-11-15T00:00:05Z", "b"),
            ("2026-11-15T00:00:05Z", "b"),
            ("2026-11-15T00:00:02Z", "c"),
            ("2026-11-15T00:00:02Z", "c"),
            ("2026-11-15T00:00:03Z", "d"),
            ("2026-11-15T00:00:04Z", "e"),
            ("2026-11-15T00:00:06Z", "f"),
            ("2026-11-15T00:00:07Z", "g"),
        ]);
    }

    #[test]
    fn a_line_that_the_service_no_longer_has_marks_a_gap() {
        let mut position = Position::default();
        let mut advance = |id: &str, line: &str, resumed: bool| {
            if resumed {
                position.mark_resumed();
            }
            position.advance(id, &LogSource::System, line)
        };
        assert_eq!(advance("2026-11-15T00:00:01.5Z", "a", false), Some(false));
        assert_eq!(advance("2026-11-15T00:00:01.75Z", "b", false), Some(false));
        // A service that sends more than it was asked for.
        assert_eq!(advance("2026-11-15T00:00:01.25Z", "older", true), None);
        assert_eq!(advance("2026-11-15T00:00:01.5Z", "a", false), None);
        assert_eq!(advance("2026-11-15T00:00:02Z", "d", false), Some(true));
        assert_eq!(advance("2026-11-15T00:00:03Z", "e", false), Some(false));
    }

    #[test]
    fn timestamps_are_compared_whatever_their_precision() {
        for (one, other, expected) in [
            ("2026-11-15T00:00:01Z", "2026-11-15T00:00:01.001Z", true),
            ("2026-11-15T00:00:01.10Z", "2026-11-15T00:00:01.1Z", false),
            ("2026-11-15T00:00:01.09Z", "2026-11-15T00:00:01.1Z", true),
            ("2026-11-15T00:00:02Z", "2026-11-15T00:00:01.9Z", false),
            ("41", "7", false),
            ("7", "41", false),
            ("2026-11-15T00:00:01+01:00", "2026-11-15T00:00:01Z", false),
        ] {
            assert_eq!(is_earlier(one, other), expected, "{one} {other}");
        }
    }
}
