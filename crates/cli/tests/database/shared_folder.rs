//! Servers of the Batch API that share a folder and a database, one of which is killed again and
//! again.

use std::collections::BTreeMap;
use std::env;
use std::io::{Write, stderr};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use podqueue_pgserver::Server;
use tokio::io::copy_bidirectional;
use tokio::net::{self, TcpStream};
use tokio::time::sleep;

use crate::serving::{api, check_all, fixture, use_servers};

/// Forwards connections to one of these servers, as a balancer does: to the other if one is not there.
async fn balance(listener: net::TcpListener, servers: [String; 2]) {
    for number in 0.. {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut servers = servers.clone();
        servers.rotate_left(number % 2);
        tokio::spawn(async move {
            for server in servers {
                if let Ok(mut server) = TcpStream::connect(server).await {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                    return;
                }
            }
        });
    }
}

/// `SERVE_SECONDS` and `SERVE_SEED` are the time and the seed of `scripts/serve.sh`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_killed_in_turn_lose_nothing() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (time, seed) = (number("SERVE_SECONDS").unwrap_or(8), number("SERVE_SEED").unwrap_or(7));
    let mut random = fastrand::Rng::with_seed(seed);
    let (fixture, calls) = fixture().await;
    let database = Server::start();
    let url = database.create("jobs");
    let addresses = [(); 2]
        .map(|()| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string());
    let start = |number: usize| {
        let arguments = [
            "batch",
            "serve",
            "poet",
            "--dir",
            "b",
            "--quiet",
            "--listen",
            &addresses[number],
            "--journal",
            &url,
        ];
        fixture.program(&arguments).spawn().unwrap()
    };
    let listener = net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let apis = [api(&listener.local_addr().unwrap().to_string())];
    tokio::spawn(balance(listener, addresses.clone()));
    let mut servers = [start(0), start(1)];
    let (began, mut kills) = (Instant::now(), 0);
    let mut confirmed = BTreeMap::new();
    while began.elapsed() < Duration::from_secs(time) {
        let end = Instant::now() + Duration::from_secs(2);
        use_servers(&apis, &mut random, &mut confirmed, end).await;
        let number = kills % 2;
        servers[number].kill().await.unwrap();
        servers[number] = start(number);
        kills += 1;
    }
    let (lines, unknown) = check_all(&apis[0], &calls, &confirmed, true).await;
    while database.sql("jobs", "SELECT count(*) FROM podqueue.batch").trim() != "0" {
        sleep(Duration::from_millis(100)).await;
    }
    let batches = confirmed.len();
    let done = format!("{kills} kills, {batches} batches, {lines} lines, {unknown} unknown");
    writeln!(stderr(), "seed {seed}: {done}").unwrap();
}
