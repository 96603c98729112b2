//! Journal task: the journal thread's loop as a task, for a simulation in virtual time.
//!
//! A thread would wait in real time, and a paused clock would run ahead of it. The task waits on
//! tokio's clock: for the next command, for the commits that join a group, and for the response of
//! the store. Everything else is the thread's.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::{Command, JournalState, LINGER, commit, gather};

/// Starts the task. The notification wakes it after a command, and once the commands have ended.
pub(super) fn start(state: JournalState, commands: Receiver<Command>) -> Arc<Notify> {
    let woken = Arc::new(Notify::new());
    tokio::spawn(work(state, commands, Arc::clone(&woken)));
    woken
}

async fn work(mut state: JournalState, commands: Receiver<Command>, woken: Arc<Notify>) {
    let idle = Duration::from_secs(60);
    let every = state.store().sharing().map_or(idle, |sharing| sharing.renew_every());
    let mut next = None;
    loop {
        let command = match next.take() {
            Some(command) => command,
            None => match commands.try_recv() {
                Ok(command) => command,
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {
                    if timeout(every, woken.notified()).await.is_err() {
                        respond(&mut state).await;
                        state.renew();
                    }
                    continue;
                }
            },
        };
        match command {
            Command::With(work) => {
                respond(&mut state).await;
                work(&mut state);
            }
            Command::Commit(first) => {
                if first.claim.is_none() {
                    sleep(LINGER).await;
                }
                let (group, other) = gather(first, &commands, Duration::ZERO);
                next = other;
                respond(&mut state).await;
                commit(&mut state, group);
            }
        }
    }
}

/// Waits until the store responds.
async fn respond(state: &mut JournalState) {
    if let Some(response) = state.store().response() {
        response.await;
    }
}
