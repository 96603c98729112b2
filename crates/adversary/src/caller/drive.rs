//! Drives a future in the manner that the plan asks for.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::time::{Instant, sleep, timeout};

use crate::plan::Manner;

pub type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How a future ended.
pub enum Driven<T> {
    Done(T),
    Dropped,
    Panicked,
}

/// What it came to, and until when it was left alone.
pub async fn drive<T: Send + 'static>(
    mut future: Boxed<T>,
    manner: Manner,
) -> (Driven<T>, Option<Instant>) {
    let driven = match manner {
        Manner::Await => Driven::Done(future.await),
        Manner::DropAfter(time) => match timeout(time, future).await {
            Ok(output) => Driven::Done(output),
            Err(_) => Driven::Dropped,
        },
        Manner::DropAtPoll(polls) => match poll_times(&mut future, polls).await {
            Some(output) => Driven::Done(output),
            None => Driven::Dropped,
        },
        Manner::Hold { polls, pause } => match poll_times(&mut future, polls).await {
            Some(output) => Driven::Done(output),
            None => {
                sleep(pause).await;
                let held_until = Instant::now();
                return (Driven::Done(future.await), Some(held_until));
            }
        },
        Manner::Elsewhere { polls } => match poll_times(&mut future, polls).await {
            Some(output) => Driven::Done(output),
            None => match tokio::spawn(future).await {
                Ok(output) => Driven::Done(output),
                Err(_) => Driven::Panicked,
            },
        },
    };
    (driven, None)
}

async fn poll_times<T>(future: &mut Boxed<T>, polls: u32) -> Option<T> {
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
