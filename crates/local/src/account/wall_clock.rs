//! Wall clock: the times of the service's clock as dates.
//!
//! The clock begins at the time at which the service starts, also one that stands still.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::clock::{Clock, Moment};

#[derive(Clone, Debug)]
pub(crate) struct WallClock {
    clock: Clock,
    /// The date at which the clock began, without fractions of a second.
    origin: Timestamp,
}

impl WallClock {
    pub(crate) fn new(clock: Clock) -> Self {
        let began = Timestamp::now() - SignedDuration::try_from(clock.now()).unwrap_or_default();
        let origin = Timestamp::from_second(began.as_second()).unwrap_or(began);
        Self { clock, origin }
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The date of a moment.
    pub(crate) fn date(&self, moment: Moment) -> Timestamp {
        let since = SignedDuration::try_from(moment).unwrap_or(SignedDuration::MAX);
        self.origin.saturating_add(since).unwrap_or(Timestamp::MAX)
    }

    /// The date of a moment, in whole seconds, as the interface writes it.
    pub(crate) fn text(&self, moment: Moment) -> String {
        self.date(Duration::from_secs(moment.as_secs())).to_string()
    }

    /// The date of a moment to the microsecond, which identifies a line of a log.
    pub(crate) fn precise(&self, moment: Moment) -> String {
        format!("{:.6}", self.date(moment))
    }

    /// The moment of a date, if it is not before the beginning of the clock.
    pub(crate) fn moment(&self, date: Timestamp) -> Option<Moment> {
        date.duration_since(self.origin).try_into().ok()
    }
}
