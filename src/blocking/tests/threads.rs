//! Blocking calls that other threads wake, under all kinds of schedules.

use std::task::Poll;

use futures_util::StreamExt;
use shuttle::thread::spawn;
use tokio::sync::mpsc::unbounded_channel;

use crate::blocking::{Block, BlockIter};
use crate::sync::schedules::check;

#[test]
fn no_wakeup_of_a_blocking_call_is_lost() {
    check(|| {
        let (send, mut received) = unbounded_channel();
        let threads = [1, 2].map(|number| {
            let send = send.clone();
            spawn(move || (0..2).for_each(|_| send.send(number).expect("a receiver")))
        });
        drop(send);
        let first = async { received.recv().await }.block();
        let items = futures_util::stream::poll_fn(|context| match received.poll_recv(context) {
            // A call nested in a call does not take its wake-up.
            Poll::Pending => {
                async { tokio::task::yield_now().await }.block();
                Poll::Pending
            }
            item => item,
        });
        let sum = items.boxed_local().block_iter().sum::<u32>();
        assert_eq!(first.unwrap_or(0) + sum, 6);
        for thread in threads {
            thread.join().expect("it does not panic");
        }
    });
}
