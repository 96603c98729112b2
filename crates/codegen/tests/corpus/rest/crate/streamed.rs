//! Responses that are read as they arrive: bytes, and values in lines.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use podqueue::Client;

use crate::checks::{said, Checks};
use crate::downloads::Api;
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    bytes(&mut checks).await;
    lines(&mut checks).await;
    checks.0
}

async fn bytes(checks: &mut Checks) {
    let text = "0123456789".repeat(100_000);
    let server = Server::responding("200 OK", "application/octet-stream", &text);
    let client = Client::builder().api_key("key").rest_url(server.url()).largest_response(1_000);
    let api = Api::new(&client.build().expect("a client"));
    let download = api.file().download().await.expect("a file");
    checks.same("its length", download.announced_length(), "Some(1000000)");
    checks.same("its type", download.headers().get("content-type"), r#"Some("application/octet-stream")"#);
    let chunks: Vec<_> = download.try_collect().await.expect("all of it");
    let same = chunks.concat() == text.as_bytes();
    checks.same("a file that is larger than the limit", same, "true");
    let whole = api.file().await.map_err(|error| error.kind());
    checks.same("read whole", whole.map(|it| it.len()), "Err(ResponseTooLarge)");

    let download = Api::new(&broken("content-length: 100", "half of it")).file().download().await;
    let chunks: Vec<_> = download.expect("a file").collect().await;
    let last = chunks.last().map(|it| it.as_ref().map(|it| it.len()).map_err(|error| error.kind()));
    checks.same("a file that breaks off", last, "Some(Err(Network))");

    let encoded = Server::replying(&[("200 OK", "content-encoding: gzip", "x")]);
    let refused = Api::new(&encoded.client()).file().download().await.map(drop);
    checks.same("a compressed file", refused.map_err(|error| error.kind()), "Err(Decode)");
    let refused = Api::new(&encoded.client()).file().await.map(drop);
    checks.same("a compressed file, read whole", refused.map_err(|error| error.kind()), "Err(Decode)");
    let missing = Server::responding("404 Not Found", "application/json", "{}");
    let refused = Api::new(&missing.client()).file().download().await.map(drop);
    checks.same("no file", refused.map_err(|error| error.kind()), "Err(NotFound)");
}

async fn lines(checks: &mut Checks) {
    let text = "{\"id\": 1}\n\r\n{\"id\": \"2\", \"token\": \"t0ken\"}\r\n{\"id\": {}}\n{\"id\": 4}";
    let server = Server::responding("200 OK", "application/x-ndjson", text);
    let api = Api::new(&server.client());
    let read = |it: Result<crate::downloads::types::Thing, podqueue::Error>| {
        it.map(|it| it.id).map_err(|error| error.field().map(str::to_owned))
    };
    let ids: Vec<_> = api.things().lines_2(7).lines().await.expect("lines").map(read).collect().await;
    checks.same("lines", ids, r#"[Ok(Some(1)), Ok(Some(2)), Err(Some("line.id")), Ok(Some(4))]"#);
    let first = api.list_of_things().lines().await.expect("lines").next().await;
    checks.same("lines of a list", first.map(read), "Some(Ok(Some(1)))");
    let whole = said(api.things().await.map(|it| it.len()));
    checks.same("all lines as text", whole, "Ok(63)");
    let text = "{\"id\": 1, \"error\": \"\"}\n{\"error\": {\"message\": \"no room\"}}\n{\"id\": 2}";
    let server = Server::responding("200 OK", "application/x-ndjson", text);
    let things = Api::new(&server.client()).things().lines().await.expect("lines");
    let read = |it: Result<crate::downloads::types::Thing, podqueue::Error>| {
        it.map(|it| it.id).map_err(|it| (it.kind(), it.to_string().contains("no room")))
    };
    let ids: Vec<_> = things.map(read).collect().await;
    let expected = "[Ok(Some(1)), Err((Server, true)), Ok(Some(2))]";
    checks.same("an error that the service reports in a line", ids, expected);
    let server = Server::responding("200 OK", "application/x-ndjson", "1\n[true]\n");
    let all: Vec<_> = Api::new(&server.client()).anything().lines().await.expect("lines").try_collect().await.expect("values");
    checks.same("any values", all, "[Number(1), Array [Bool(true)]]");

    let half = Api::new(&broken("content-length: 100", "{\"id\": 1}\n{\"id\": 2}")).things().lines().await;
    let ids: Vec<_> = half.expect("lines").map(|it| it.map(|it| it.id).map_err(|it| it.kind())).collect().await;
    checks.same("a line that breaks off", ids, "[Ok(Some(1)), Err(Network)]");

    let server = Server::responding("206 Partial", "application/octet-stream", "1\n");
    let api = Api::new(&server.client());
    let refused = api.lines_or_file().lines().await.map(drop).map_err(|error| (error.kind(), error.status()));
    checks.same("lines of a status of another type", refused, "Err((Decode, Some(206)))");
    let refused = api.lines_or_file().download().await.map(drop).map_err(|error| error.kind());
    checks.same("a download of such a status", refused, "Err(Decode)");

    let server = Server::responding("200 OK", "application/x-ndjson", &"1".repeat(100_000));
    let client = Client::builder().api_key("key").rest_url(server.url()).largest_response(1_000);
    let client = client.build().expect("a client");
    let large: Vec<_> = Api::new(&client).anything().lines().await.expect("lines").map(|it| it.map_err(|it| it.kind())).collect().await;
    checks.same("a line that is too large", large, "[Err(ResponseTooLarge)]");
}

/// A client of a server that closes the connection within its response.
fn broken(header: &str, body: &str) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it has an address"));
    let reply = format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\n{body}");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let read = stream.read(&mut [0; 4096]).expect("a request");
            assert!(read > 0, "a request");
            stream.write_all(reply.as_bytes()).expect("somebody listens");
        }
    });
    let client = Client::builder().api_key("key").rest_url(url).timeout(Duration::from_secs(30));
    client.build().expect("a client")
}
