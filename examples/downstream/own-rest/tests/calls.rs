//! The calls of `openapi/`, sent over HTTP by podqueue's transport.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod server;

use own_rest::gallery::types::{Change, NewPicture, OpenSessionBody, State};
use own_rest::{gallery, meter};
use podqueue::{Authorization, Client, ErrorKind};

use server::Server;

const JSON: &str = "application/json";

fn client(url: &str) -> Client {
    Client::builder().api_key("key-of-podqueue").rest_url(url).build().unwrap()
}

fn told(calls: &[(&str, &str)]) -> Vec<(String, String)> {
    calls.iter().map(|(line, body)| ((*line).to_owned(), (*body).to_owned())).collect()
}

#[tokio::test]
async fn json_goes_out_and_comes_in() {
    let server = Server::start(&[
        (
            200,
            JSON,
            r#"[{"id": "a", "state": "shown", "size": {"width": 3}, "labels": {"k": "v"}}]"#,
        ),
        (201, JSON, r#"{"id": "b", "state": "burnt", "title": null}"#),
        (200, JSON, r#"{"id": "b"}"#),
    ])
    .await;
    let api = gallery::Api::new(&client(&server.url));

    let pictures =
        api.list_pictures().tags(["sea", "a b"]).state(State::Shown).limit(2).await.unwrap();
    assert_eq!(pictures[0].state, Some(State::Shown));
    assert_eq!(pictures[0].size.as_ref().unwrap().width, Some(3));
    assert_eq!(pictures[0].labels["k"], "v");

    let new = NewPicture { state: Some(State::Draft), ..NewPicture::new("Dawn") };
    let added = api.add_picture(new).await.unwrap();
    assert_eq!(added.state, Some(State::Other("burnt".to_owned())));

    let change = Change { tags: vec!["sea".to_owned()], ..Change::default() };
    api.change_picture("b/c", change).null("title").await.unwrap();

    assert_eq!(
        server.told(),
        told(&[
            ("GET /v2/pictures?tags=sea&tags=a%20b&state=shown&limit=2", ""),
            ("POST /v2/pictures", r#"{"state":"draft","title":"Dawn"}"#),
            ("PATCH /v2/pictures/b%2Fc", r#"{"tags":["sea"],"title":null}"#),
        ])
    );
    let [list, _, change] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    assert!(list.headers.contains("authorization: Bearer key-of-podqueue\n"));
    assert!(change.headers.contains("content-type: application/merge-patch+json\n"));
}

#[tokio::test]
async fn forms_bytes_text_and_empty_bodies_are_sent_and_read() {
    let server = Server::start(&[
        (200, JSON, r#"{"token": "t"}"#),
        (200, "image/png", "pixels"),
        (204, "", ""),
        (200, "text/plain", "A caption."),
        (204, "", ""),
        (204, "", ""),
        (200, JSON, r#"{"id": "n"}"#),
    ])
    .await;
    let api = gallery::Api::new(&client(&server.url));
    let body = OpenSessionBody {
        scopes: vec!["r".to_owned(), "w".to_owned()],
        ..OpenSessionBody::new("p&w", "me")
    };
    assert_eq!(api.open_session(body).await.unwrap().token.as_deref(), Some("t"));
    assert_eq!(&api.download_picture("a").await.unwrap()[..], b"pixels");
    api.upload_picture("a", "new pixels").await.unwrap();
    assert_eq!(api.read_caption("a").await.unwrap(), "A caption.");
    api.delete_picture("a").await.unwrap();
    assert_eq!(api.next_picture().await.unwrap(), None);
    let next = api.next_picture().x_viewer("me").await.unwrap();
    assert_eq!(next.unwrap().id.as_deref(), Some("n"));
    assert_eq!(
        server.told(),
        told(&[
            ("POST /v2/sessions", "password=p%26w&scopes=r&scopes=w&user=me"),
            ("GET /v2/pictures/a/file", ""),
            ("PUT /v2/pictures/a/file", "new pixels"),
            ("GET /v2/pictures/a/caption", ""),
            ("DELETE /v2/pictures/a", ""),
            ("GET /v2/next", ""),
            ("GET /v2/next", ""),
        ])
    );
    assert!(server.requests()[6].headers.contains("x-viewer: me\n"));
}

#[tokio::test]
async fn retries_and_errors_are_podqueues() {
    let server = Server::start(&[
        (503, JSON, "{}"),
        (200, JSON, r#"{"id": "a"}"#),
        (404, JSON, r#"{"error": "no picture for key-of-podqueue"}"#),
        (503, JSON, "{}"),
    ])
    .await;
    let api = gallery::Api::new(&client(&server.url));
    assert_eq!(api.get_picture("a").await.unwrap().id.as_deref(), Some("a"));
    let error = api.get_picture("b").await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::NotFound, Some(404)));
    assert!(error.to_string().contains("no picture for [redacted]"), "{error}");
    let error = api.add_picture(NewPicture::new("Dawn")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "a POST is not retried");
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn another_service_never_gets_the_clients_key() {
    let own = "s3cret-of-the-gallery";
    for (authorization, expected) in [
        (Authorization::bearer(own), "authorization: Bearer s3cret-of-the-gallery\n"),
        (Authorization::header("X-Api-Key", own), "x-api-key: s3cret-of-the-gallery\n"),
        (Authorization::query("k y", own), ""),
        (Authorization::none(), ""),
    ] {
        let server =
            Server::start(&[(401, JSON, r#"{"error": "who is s3cret-of-the-gallery?"}"#)]).await;
        let client = client("https://rest.example/v1");
        let url = format!("{}/root/", server.url);
        assert!(!format!("{authorization:?}").contains(own));
        let in_query = format!("{authorization:?}").contains("Query");
        let named = in_query || !expected.is_empty();
        let api = gallery::Api::at(&client, url, authorization).unwrap();
        let error = api.get_picture("a").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized);
        assert!(!error.to_string().contains("API key"), "{error}");
        let shown = format!("{error} {error:?} {api:?}");
        assert_eq!(shown.contains(own), !named, "{shown}");

        let request = &server.requests()[0];
        let query = if in_query { "?k+y=s3cret-of-the-gallery" } else { "" };
        let line = format!("GET /root/v2/pictures/a{query}");
        assert_eq!(request.line, line, "the URL is taken literally");
        assert!(request.headers.contains(expected), "{}", request.headers);
        assert_eq!(request.headers.contains("authorization"), expected.starts_with("auth"));
        assert!(!request.headers.contains("key-of-podqueue"), "{}", request.headers);
    }
}

#[test]
fn an_invalid_url_or_authorization_is_refused() {
    let client = client("https://rest.example/v1");
    for url in ["gallery", "http://gallery.example", "https://gallery.example/?a=b"] {
        let error = gallery::Api::at(&client, url, Authorization::none()).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("url")));
    }
    for authorization in [Authorization::header("a b", "c"), Authorization::bearer("line\nend")] {
        let error =
            gallery::Api::at(&client, "https://gallery.example", authorization).unwrap_err();
        assert_eq!(error.field(), Some("authorization"));
        assert!(!error.to_string().contains("line"), "{error}");
    }
}

#[tokio::test]
async fn the_description_says_what_a_url_without_a_path_lacks() {
    for (path, expected) in [("", "GET /usage/api/total"), ("/at/v1", "GET /at/v1/total")] {
        let server = Server::start(&[(200, JSON, r#"{"seconds": 7}"#)]).await;
        let total = meter::Api::new(&client(&format!("{}{path}", server.url))).read_total().await;
        assert_eq!(total.unwrap().seconds, Some(7));
        assert_eq!(server.requests()[0].line, expected);
    }
}
