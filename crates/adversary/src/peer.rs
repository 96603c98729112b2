//! The peer: a server over real sockets that does to each request what the plan says, and keeps what
//! really happened.

mod content;
mod delivery;
mod http1;
mod http2;
mod transcript;
mod world;

pub use transcript::{Arrival, Fate, Transcript};

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use self::world::{Inner, World, reset};
use crate::plan::Plan;
use crate::service::Service;

pub struct Peer {
    pub address: SocketAddr,
    world: Arc<World>,
    accepting: JoinHandle<()>,
}

impl Peer {
    /// Listens on a loopback address of its own: a port that is free again is then nobody else's.
    pub async fn start(plan: &Plan, service: Service) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % 0x00fe_fefe;
        let host = if cfg!(target_os = "linux") {
            Ipv4Addr::from(0x7f01_0101 + number)
        } else {
            Ipv4Addr::LOCALHOST
        };
        let listener = TcpListener::bind((host, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let faults =
            plan.faults.iter().map(|(&operation, list)| (operation, list.clone().into())).collect();
        let transcript = Transcript::new(Instant::now());
        let world = Arc::new(World::new(service, transcript, faults));
        let accepting = tokio::spawn(accept(listener, plan.clone(), Arc::clone(&world)));
        Self { address, world, accepting }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.world.lock()
    }

    /// Waits until more requests have come than any plan has reason for: the time might stand still.
    pub async fn is_flooded(&self) {
        self.world.is_flooded().await;
    }

    /// How many tasks it has of its own.
    pub fn tasks(&self) -> usize {
        let inner = self.world.lock();
        let accepting = usize::from(!self.accepting.is_finished());
        accepting + inner.connections.iter().filter(|task| !task.is_finished()).count()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.accepting.abort();
        for connection in &self.world.lock().connections {
            connection.abort();
        }
    }
}

async fn accept(mut listener: TcpListener, plan: Plan, world: Arc<World>) {
    let began = Instant::now();
    let address = listener.local_addr().expect("an address");
    let mut number = 0;
    let mut away = plan.away;
    loop {
        let accepted = match away {
            Some((from, until)) => tokio::select! {
                biased;
                accepted = listener.accept() => accepted,
                () = sleep_until(began + from) => {
                    away = None;
                    drop(listener);
                    sleep_until(began + until).await;
                    listener = listen_again(address).await;
                    continue;
                }
            },
            None => listener.accept().await,
        };
        let Ok((stream, _)) = accepted else { continue };
        let _ = stream.set_nodelay(true);
        number += 1;
        if number <= usize::from(plan.dead_connections) {
            if number % 2 == 0 {
                reset(&stream);
            }
            continue;
        }
        let streams = plan.settings.http2.then_some(plan.settings.streams);
        let shared = Arc::clone(&world);
        world.lock().transcript.open.insert(number);
        let task = tokio::spawn(async move {
            match streams {
                Some(streams) => http2::serve(&shared, stream, number, streams).await,
                None => http1::serve(&shared, stream, number).await,
            }
            shared.lock().transcript.open.remove(&number);
        });
        world.lock().connections.push(task.abort_handle());
    }
}

async fn listen_again(address: SocketAddr) -> TcpListener {
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(_) => sleep(Duration::from_millis(1)).await,
        }
    }
}
