//! Position in a log: the lines that a resumed stream need not yield again.
//!
//! The id of an event is the timestamp of its line, and several lines may have the same one. If the
//! stream resumed after the last id, further lines with that id would be lost. So it resumes after
//! the id before, of which all lines have arrived, and skips those lines with the last id that were
//! yielded. Whether a line was yielded is decided by its source and text; of equal lines with the
//! same id, as many are skipped as were yielded.

use super::LogSource;

/// The ids and lines at which a log was left.
#[derive(Default)]
pub(super) struct Position {
    /// The id before the last: all lines with it have been yielded.
    before: Option<String>,
    last: Option<String>,
    /// The lines that were yielded with the last id.
    with_last: Vec<(LogSource, String)>,
    /// The lines of `with_last` that have not arrived again; `None` unless the stream was resumed
    /// and no later line has arrived yet.
    awaited: Option<Vec<(LogSource, String)>>,
}

/// The point from which a stream resumes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resumption {
    /// The stream begins anew: no line has arrived yet.
    Beginning,
    /// All lines that have arrived are of this time.
    Since(String),
    /// After the event with this id.
    After(String),
}

impl Position {
    pub(super) fn resumption(&self) -> Resumption {
        match (&self.before, &self.last) {
            (Some(id), _) => Resumption::After(id.clone()),
            (None, Some(id)) => Resumption::Since(id.clone()),
            (None, None) => Resumption::Beginning,
        }
    }

    /// Notes that the stream was resumed: lines come again.
    pub(super) fn mark_resumed(&mut self) {
        if self.last.is_some() {
            self.awaited = Some(self.with_last.clone());
        }
    }

    /// Advances by a line. Returns `None` if it was yielded before, and otherwise whether lines may
    /// be missing before it.
    pub(super) fn advance(&mut self, id: &str, source: &LogSource, line: &str) -> Option<bool> {
        let is_last = self.last.as_deref() == Some(id);
        let mut is_after_gap = false;
        if let Some(awaited) = &mut self.awaited {
            let is_same = |it: &(LogSource, String)| it.0 == *source && it.1 == line;
            if is_last {
                if let Some(at) = awaited.iter().position(is_same) {
                    awaited.swap_remove(at);
                    return None;
                }
            } else {
                let is_old = |last: &String| is_earlier(id, last);
                if self.before.as_deref() == Some(id) || self.last.as_ref().is_some_and(is_old) {
                    return None;
                }
                is_after_gap = !awaited.is_empty();
                self.awaited = None;
            }
        }
        if !is_last {
            self.before = self.last.replace(id.to_owned());
            self.with_last.clear();
        }
        self.with_last.push((source.clone(), line.to_owned()));
        Some(is_after_gap)
    }
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

    /// A log of `(id, line)`, as a service sends it after an id, in one of the possible ways.
    fn sent_after<'a>(
        log: &[(&'a str, &'a str)],
        resumption: &Resumption,
        is_inclusive: bool,
    ) -> Vec<(&'a str, &'a str)> {
        let is_sent = |id: &str| match resumption {
            Resumption::Beginning => true,
            Resumption::Since(time) => id >= time.as_str(),
            Resumption::After(last) => id > last.as_str() || (is_inclusive && id == last),
        };
        log.iter().filter(|(id, _)| is_sent(id)).copied().collect()
    }

    /// Wherever the connection is lost, twice, each line is yielded once, in order, without a gap.
    #[test]
    fn lines_are_neither_lost_nor_repeated_wherever_the_connection_breaks() {
        let log = [
            ("2026-11-15T00:00:01Z", "a"),
            ("2026-11-15T00:00:01Z", "a"),
            ("2026-11-15T00:00:01Z", "b"),
            ("2026-11-15T00:00:02Z", "c"),
            ("2026-11-15T00:00:02Z", "a"),
            ("2026-11-15T00:00:02Z", "a"),
            ("2026-11-15T00:00:03Z", "d"),
            ("2026-11-15T00:00:04Z", "d"),
            ("2026-11-15T00:00:04Z", "d"),
        ];
        let expected: Vec<_> = log.iter().map(|(_, line)| *line).collect();
        for is_inclusive in [true, false] {
            for (first, second) in
                (0..=log.len()).flat_map(|a| (0..=log.len()).map(move |b| (a, b)))
            {
                let mut position = Position::default();
                let mut yielded = Vec::new();
                for arrived in [first, second, usize::MAX] {
                    let sent = sent_after(&log, &position.resumption(), is_inclusive);
                    for (id, line) in sent.into_iter().take(arrived) {
                        let advanced = position.advance(id, &LogSource::Container, line);
                        if let Some(after_gap) = advanced {
                            assert!(!after_gap, "{first} {second}");
                            yielded.push(line);
                        }
                    }
                    position.mark_resumed();
                }
                assert_eq!(yielded, expected, "after {first} and {second} events");
            }
        }
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
