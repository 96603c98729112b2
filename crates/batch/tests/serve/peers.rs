//! Hostile peers: slow, endless and many connections, which do not affect others.

use std::time::Duration;

use podqueue_batch::serve::api::types::BatchStatus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{Served, World, keys, request};

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
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(peer);
    while count() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
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

#[tokio::test]
async fn many_uploads_of_one_key_do_not_affect_another_key() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), "key-of-alice").await;
    let address = served.server.address();
    let head = |key: &str| {
        format!(
            "POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\
             content-type: multipart/form-data; boundary=b\r\ncontent-length: 9000\r\n\r\n\
             --b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\nx"
        )
    };
    let mut peers = Vec::new();
    for key in ["key-of-alice"].into_iter().chain(std::iter::repeat_n("key-of-bob", 600)) {
        let mut peer = TcpStream::connect(address).await.unwrap();
        peer.write_all(head(key).as_bytes()).await.unwrap();
        peers.push(peer);
    }
    let work = async {
        let batch = served.submit(request("a")).await;
        served.until_ended(&batch.id.unwrap()).await
    };
    let batch = timeout(Duration::from_secs(20), work).await.unwrap();
    assert_eq!(batch.status, Some(BatchStatus::Completed));
    let waiting = timeout(Duration::from_millis(100), peers[0].read_u8()).await;
    assert!(waiting.is_err(), "the upload of the other key continues");
}
