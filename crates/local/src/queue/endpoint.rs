//! One endpoint: its jobs, its queue and its workers, changed under one lock.
//!
//! Time is dealt with in one way: whatever has a due time stands in a calendar, and every access
//! first brings about what has become due, as of the time at which it was due. A sweeper does the
//! same when nobody asks.

mod attachable;
mod attaching;
mod calls;
mod course;
mod results;
mod settings;
mod shown;
mod state;

pub(crate) use attachable::Attachable;
pub(crate) use settings::{EndpointSettings, Kind, Runner};
pub(crate) use shown::{Change, Overview, Shown};

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::state::{State, unknown_job};
use crate::clock::{Clock, Moment};
use crate::queue::event::Event;
use crate::queue::job::Job;
use crate::refusal::Refusal;
use crate::sync::{Tasks, locked};
use crate::webhook::Webhooks;
use crate::worker::Logs;

pub(crate) struct Endpoint {
    name: Arc<str>,
    settings: EndpointSettings,
    runner: Runner,
    clock: Clock,
    tasks: Tasks,
    webhooks: Webhooks,
    state: Mutex<State>,
    /// Tells the sweeper that something is due earlier than it thinks.
    earlier: Notify,
    /// How many requests got 429.
    throttled: AtomicU64,
}

impl Endpoint {
    pub(crate) fn start(
        name: &str,
        settings: EndpointSettings,
        runner: Runner,
        clock: Clock,
        tasks: Tasks,
        webhooks: Webhooks,
    ) -> Arc<Self> {
        let endpoint = Arc::new(Self {
            name: name.into(),
            settings,
            clock,
            tasks,
            webhooks,
            state: Mutex::new(State::new(
                settings.workers,
                runner.origin(),
                settings.keeps_history,
            )),
            earlier: Notify::new(),
            throttled: AtomicU64::new(0),
            runner,
        });
        endpoint.tasks.spawn(endpoint.clone().sweep());
        endpoint
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What its workers print, where they are processes.
    pub(crate) fn logs(&self) -> Option<&Logs> {
        self.runner.logs()
    }

    pub(crate) fn running_workers(self: &Arc<Self>) -> usize {
        self.access(|state, _| state.fleet.running())
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        self.tasks.stopping()
    }

    /// Notes that a request got 429.
    pub(crate) fn note_throttled(&self) {
        self.throttled.fetch_add(1, Ordering::Relaxed);
        self.clock.changes().note();
    }

    /// The one way to the state: first what time has brought, then `action`, then whatever
    /// workers can start on.
    fn access<R>(self: &Arc<Self>, action: impl FnOnce(&mut State, Moment) -> R) -> R {
        self.noting_changes(|state| {
            let now = self.clock.now();
            self.settle(state, now);
            let result = action(state, now);
            self.dispatch(state, now);
            let next = state.calendar.next();
            if let Some(next) = next
                && state.sweep_at.is_none_or(|planned| next < planned)
            {
                state.sweep_at = Some(next);
                self.earlier.notify_one();
            }
            result
        })
    }

    /// Works on the state, and tells who watches if that has changed what can be seen.
    fn noting_changes<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = locked(&self.state);
        let before = state.revision;
        let result = work(&mut state);
        let is_changed = state.revision != before;
        drop(state);
        if is_changed {
            self.clock.changes().note();
        }
        result
    }

    /// Changes one job that exists.
    fn change<R>(
        self: &Arc<Self>,
        id: &str,
        action: impl FnOnce(&mut State, &mut Job, Moment) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        self.access(|state, now| {
            let mut job = state.jobs.remove(id).ok_or_else(unknown_job)?;
            let result = action(state, &mut job, now);
            state.schedule(&job);
            state.jobs.insert(job);
            result
        })
    }

    /// Sends the webhook of a job that has just ended.
    fn announce(&self, job: &Job, now: Moment) {
        if let Some(url) = &job.submission.webhook {
            let event = Event::of(job, url.as_str(), now);
            self.webhooks.deliver(url.clone(), job.id.clone(), event, now);
        }
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).finish_non_exhaustive()
    }
}
