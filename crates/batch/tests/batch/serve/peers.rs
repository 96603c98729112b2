//! Hostile peers: slow, endless and many connections, which do not affect others.

use std::time::Duration;

use podqueue_batch::serve::Keys;
use podqueue_batch::serve::api::types::BatchStatus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::serve::support::{Served, World, keys, request};

#[tokio::test]
async fn many_idle_connections_do_not_affect_others() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), "key-of-alice").await;
    let mut peers = Vec::new();
    for n in 0..1_000 {
        let mut peer = TcpStream::connect(served.server.address()).await.unwrap();
        if n % 2 == 0 {
            // Begins a head, and never ends it.
            let _ = peer.write_all(b"GET /v1/files HTTP/1.1\r\nhost: x\r\nx-slow: ").await;
        }
        peers.push(peer);
    }
    let work = async {
        let batch = served.submit(request("a")).await;
        served.until_ended(&batch.id.unwrap()).await
    };
    let batch = timeout(Duration::from_secs(20), work).await.unwrap();
    assert_eq!(batch.status, Some(BatchStatus::Completed));
    drop(peers);
}

#[tokio::test]
async fn a_refused_upload_gets_its_response_while_it_is_sent() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), "key-of-alice").await;
    let mut peer = TcpStream::connect(served.server.address()).await.unwrap();
    let head = "POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wrong\r\n\
                content-type: multipart/form-data; boundary=b\r\ncontent-length: 4000000\r\n\r\n";
    peer.write_all(head.as_bytes()).await.unwrap();
    peer.write_all(&vec![b'x'; 4_000_000]).await.unwrap();
    let mut response = [0; 12];
    peer.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 401");
}

#[tokio::test]
async fn an_upload_that_breaks_leaves_nothing() {
    let world = World::new().await;
    let served = world.serve().await;
    let address = served.server.address();
    let mut peer = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/files HTTP/1.1\r\nhost: {address}\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: 9000\r\n\r\n\
         --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"r\"\r\n\r\n{}",
        "x".repeat(5_000)
    );
    peer.write_all(head.as_bytes()).await.unwrap();
    let files = world.path().join("local/files");
    let count = || std::fs::read_dir(&files).map_or(0, Iterator::count);
    while count() == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    drop(peer);
    while count() > 0 {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(served.api.list_files().await.unwrap().data.len(), 0);
}

#[tokio::test]
async fn a_large_head_and_a_large_body_of_json_are_refused() {
    let world = World::new().await;
    let served = world.serve().await;
    let http = reqwest::Client::new();
    let long = http.get(served.url("/v1/files")).header("x-long", "x".repeat(100_000));
    assert_eq!(long.send().await.unwrap().status(), 431);
    let large = http.post(served.url("/v1/batches")).body("x".repeat(300_000));
    assert_eq!(large.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn a_form_without_an_end_of_a_head_is_refused_early() {
    let world = World::new().await;
    let served = world.serve().await;
    let address = served.server.address();
    for begin in ["no boundary", "--b\r\nx-long: "] {
        let mut peer = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /v1/files HTTP/1.1\r\nhost: {address}\r\n\
             content-type: multipart/form-data; boundary=b\r\ncontent-length: 90000000\r\n\r\n\
             {begin}{}",
            "x".repeat(1_000_000)
        );
        peer.write_all(head.as_bytes()).await.unwrap();
        let mut response = [0; 12];
        let read = timeout(Duration::from_secs(10), peer.read_exact(&mut response));
        read.await.unwrap().unwrap();
        assert_eq!(&response, b"HTTP/1.1 400", "{begin}");
    }
}

/// The beginning of an upload.
fn upload_head(key: &str) -> String {
    format!(
        "POST /v1/files HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: 9000000\r\n\r\n\
         --b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\nx"
    )
}

/// They take the connections as one key, or as several.
#[tokio::test]
async fn many_uploads_of_other_keys_do_not_affect_a_key() {
    for others in [1, 8] {
        let world = World::new().await;
        let mut keys = "alice key-of-alice\n".to_owned();
        for n in 0..others {
            keys.push_str(&format!("other{n} key-of-{n}\n"));
        }
        let keys = Keys::parse(&keys).unwrap();
        let served = Served::start(world.builder().keys(keys), "key-of-alice").await;
        let address = served.server.address();
        let mut peers = Vec::new();
        let rest = (0..700).map(|n| format!("key-of-{}", n % others));
        for key in ["key-of-alice".to_owned()].into_iter().chain(rest) {
            let mut peer = TcpStream::connect(address).await.unwrap();
            peer.write_all(upload_head(&key).as_bytes()).await.unwrap();
            peers.push(peer);
        }
        let work = async {
            let batch = served.submit(request("a")).await;
            served.until_ended(&batch.id.unwrap()).await
        };
        let batch = timeout(Duration::from_secs(20), work).await.unwrap();
        assert_eq!(batch.status, Some(BatchStatus::Completed));
        let waiting = timeout(Duration::from_millis(100), peers[0].read_u8()).await;
        assert!(waiting.is_err(), "the upload of the key continues");
    }
}

#[tokio::test]
async fn an_upload_that_is_too_slow_is_refused() {
    let world = World::new().await;
    let served = world.serve().await;
    let mut peer = TcpStream::connect(served.server.address()).await.unwrap();
    peer.write_all(upload_head("any").as_bytes()).await.unwrap();
    while std::fs::read_dir(world.path().join("local/files")).map_or(0, Iterator::count) == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    tokio::time::pause();
    // At 1 KiB per second, it continues.
    for _ in 0..12 {
        sleep(Duration::from_secs(10)).await;
        peer.write_all(&[b'x'; 10 * 1024]).await.unwrap();
    }
    let mut response = [0; 12];
    let none = timeout(Duration::from_secs(1), peer.read_exact(&mut response)).await;
    assert!(none.is_err());
    // A byte now and then is too little.
    for _ in 0..5 {
        peer.write_all(b"x").await.unwrap();
        sleep(Duration::from_secs(10)).await;
    }
    peer.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 400");
}

#[tokio::test]
async fn a_response_that_is_read_too_slowly_is_cut_off() {
    const LENGTH: usize = 32 * 1024 * 1024;
    let world = World::new().await;
    let served = world.serve().await;
    let id = served.upload("x".repeat(LENGTH)).await.id.unwrap();
    let request = format!(
        "GET /v1/files/{id}/content HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    );
    let mut peers = Vec::new();
    for _ in 0..2 {
        let mut peer = TcpStream::connect(served.server.address()).await.unwrap();
        peer.write_all(request.as_bytes()).await.unwrap();
        peer.read_exact(&mut [0; 12]).await.unwrap();
        peers.push(peer);
    }
    let [mut slow, mut stopped] = <[TcpStream; 2]>::try_from(peers).unwrap();
    tokio::time::pause();
    let (mut part, mut length) = (vec![0; 2 * 1024 * 1024], 0);
    loop {
        sleep(Duration::from_secs(40)).await;
        let mut read = 0;
        while read < part.len() {
            match slow.read(&mut part[read..]).await.unwrap() {
                0 => break,
                bytes => read += bytes,
            }
        }
        length += read;
        if read < part.len() {
            break;
        }
    }
    assert!(length > LENGTH, "a peer that reads on gets all of it");
    let mut rest = Vec::new();
    let _ = stopped.read_to_end(&mut rest).await;
    assert!(rest.len() < LENGTH, "{}", rest.len());
}
