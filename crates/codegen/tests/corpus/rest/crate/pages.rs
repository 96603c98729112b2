//! Pages of lists: what leads from one to the next, and how they end.

use std::fmt::Debug;

use futures_util::{Stream, StreamExt, TryStreamExt};
use podqueue::{Authorization, Result};

use crate::checks::{said, Checks};
use crate::lists::types::Thing;
use crate::lists::Api;
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    every_style(&mut checks).await;
    ends(&mut checks).await;
    links(&mut checks).await;
    headers(&mut checks).await;
    checks.0
}

async fn ids(items: impl Stream<Item = Result<Thing>>) -> std::result::Result<String, String> {
    let ids = items.map_ok(|it| it.id.unwrap_or_default()).try_collect::<Vec<_>>().await;
    said(ids.map(|it| it.join(" ")))
}

/// The request lines of as many requests.
fn lines(server: &Server, count: usize) -> String {
    let lines = (0..count).map(|_| server.request().0.replace("GET /v1", ""));
    lines.collect::<Vec<_>>().join(" ")
}

fn json(bodies: &[&'static str]) -> Server {
    let replies: Vec<_> =
        bodies.iter().map(|it| ("200 OK", "content-type: application/json", *it)).collect();
    Server::replying(&replies)
}

/// Compares the outcome of a stream and its requests.
fn same(
    checks: &mut Checks,
    what: &str,
    (is, should): (impl Debug, &str),
    (server, requests): (&Server, &str),
) {
    checks.same(what, is, should);
    let count = requests.split(' ').count();
    checks.same(&format!("the requests of {what}"), lines(server, count), &format!("{requests:?}"));
}

async fn every_style(checks: &mut Checks) {
    let server = json(&[
        r#"{"items": [{"id": "a"}, {"id": "b"}], "next_cursor": "x y"}"#,
        r#"{"items": [], "next_cursor": "z"}"#,
        r#"{"items": [{"id": "c"}]}"#,
    ]);
    let call = Api::new(&server.client()).by_cursor().limit(2).items();
    let requests = "/cursor?limit=2 /cursor?limit=2&cursor=x%20y /cursor?limit=2&cursor=z";
    same(checks, "a cursor", (ids(call).await, r#"Ok("a b c")"#), (&server, requests));

    let server = json(&[
        r#"{"tags": ["t"], "results": [{"id": "a", "size": 1}], "meta": {"next_page_token": "n"}}"#,
        r#"{"tags": [], "results": null, "meta": {"next_page_token": null}}"#,
    ]);
    let items = Api::new(&server.client()).by_wrapped_cursor().page_token("m").items();
    let sizes = said(items.map_ok(|it| it.size).try_collect::<Vec<_>>().await);
    let requests = "/wrapped?page_token=m /wrapped?page_token=n";
    same(checks, "a wrapped cursor", (sizes, "Ok([Some(1)])"), (&server, requests));

    let server = json(&[
        r#"{"data": [{"id": "a"}], "last_id": "a", "has_more": true}"#,
        r#"{"data": [{"id": "b"}], "last_id": "b", "has_more": false}"#,
    ]);
    let items = Api::new(&server.client()).by_last_id().items();
    let requests = "/last-id /last-id?after=a";
    same(checks, "the last id", (ids(items).await, r#"Ok("a b")"#), (&server, requests));

    let server = json(&[
        r#"{"data": [{"id": "a"}, {"id": "b"}], "has_more": true}"#,
        r#"{"data": [{"id": "c"}], "has_more": false}"#,
    ]);
    let items = Api::new(&server.client()).by_last_item().items();
    let requests = "/last-item /last-item?starting_after=b";
    same(checks, "the last item", (ids(items).await, r#"Ok("a b c")"#), (&server, requests));

    let server = json(&["[1, 2, 3]", "[4]", "[]"]);
    let items = Api::new(&server.client()).by_offset().limit(3).offset(10).items();
    let items = said(items.try_collect::<Vec<_>>().await);
    let requests = "/offset?offset=10&limit=3 /offset?limit=3&offset=13 /offset?limit=3&offset=14";
    same(checks, "an offset", (items, "Ok([1, 2, 3, 4])"), (&server, requests));

    let server = json(&[r#"{"things": [1]}"#, r#"{"things": [2]}"#, r#"{}"#]);
    let pages = Api::new(&server.client()).by_number().pages();
    let pages = said(pages.map_ok(|it| it.things).try_collect::<Vec<_>>().await);
    let requests = "/number /number?page=2 /number?page=3";
    same(checks, "a number", (pages, "Ok([[1], [2], []])"), (&server, requests));
}

async fn ends(checks: &mut Checks) {
    let server = json(&[r#"{"items": [{"id": "a"}], "next_cursor": "x"}"#]);
    let items = Api::new(&server.client()).by_cursor().items();
    let all: Vec<_> = items.map(|it| it.map(|it| it.id.unwrap_or_default()).map_err(|it| it.kind())).collect().await;
    checks.same("a page again", all, r#"[Ok("a"), Ok("a"), Err(Decode)]"#);

    let server = json(&[r#"{"items": [{"id": "a"}], "next_cursor": "x"}"#]);
    let error = ids(Api::new(&server.client()).by_cursor().cursor("x").items()).await;
    let what = "by_cursor on the REST interface: the page leads to one that was requested before";
    checks.same("the first page again", error, &format!("{:?}", Err::<(), _>(what)));
    checks.same("its requests", lines(&server, 1), r#""/cursor?cursor=x""#);

    let server = json(&["[1, 2]"]);
    let items = Api::new(&server.client()).by_offset().limit(2).items();
    let all: Vec<_> = items.map(|it| it.map_err(|it| it.to_string())).collect().await;
    let what = "by_offset on the REST interface: the same page came again: the service seems to ignore `offset`";
    checks.same("an offset that is ignored", all, &format!("[Ok(1), Ok(2), Err({what:?})]"));
    let server = json(&[r#"{"things": [1, 2]}"#]);
    let pages = Api::new(&server.client()).by_number().pages();
    let all: Vec<_> = pages.map(|it| it.map(|it| it.things).map_err(|it| it.kind())).collect().await;
    checks.same("a number that is ignored", all, "[Ok([1, 2]), Err(Decode)]");

    let digits = "123456789012345678901234567890";
    let page = format!(r#"{{"items": [{{"id": "a"}}], "next_cursor": {digits}}}"#);
    let page = page.leak();
    let server = json(&[page, r#"{"items": []}"#]);
    let items = ids(Api::new(&server.client()).by_cursor().items()).await;
    let requests = format!("/cursor /cursor?cursor={digits}");
    same(checks, "a cursor of many digits", (items, r#"Ok("a")"#), (&server, &requests));

    let server = json(&[r#"{"items": [{"id": "a"}, {"id": []}, {"id": "c"}]}"#]);
    let items = Api::new(&server.client()).by_cursor().items();
    let all: Vec<_> = items.map(|it| it.map(|it| it.id.unwrap_or_default()).map_err(|it| it.kind())).collect().await;
    checks.same("the items before a wrong one", all, r#"[Ok("a"), Err(Decode)]"#);

    let server = json(&[r#"{"data": [], "last_id": null, "has_more": true}"#]);
    let error = ids(Api::new(&server.client()).by_last_id().items()).await;
    let what = "there are more pages, but `last_id` is not there";
    checks.same("no cursor", error, &format!("Err(\"by_last_id on the REST interface: {what}\")"));

    let server = json(&[r#"{"items": {"id": "a"}}"#]);
    let error = ids(Api::new(&server.client()).by_cursor().items()).await.unwrap_err();
    checks.same("no list", error.contains("no list at `items`"), "true");

    let server = json(&[r#"{"items": [{"id": "a"}, {"id": []}]}"#]);
    let items = Api::new(&server.client()).by_cursor().items();
    let error = items.try_collect::<Vec<_>>().await.unwrap_err();
    checks.same("the field of a wrong item", error.field(), "Some(\"items[1].id\")");

    let replies = [("200 OK", "", r#"[1]"#), ("403 Forbidden", "", "{}")];
    let server = Server::replying(&replies);
    let pages = Api::new(&server.client()).by_offset().pages();
    let all: Vec<_> = pages.map(|it| it.map_err(|it| it.status())).collect().await;
    checks.same("an error in the middle", all, "[Ok([1]), Err(Some(403))]");

    // There is no page of the next number or offset, but a cursor leads to one that there was.
    let (page, none) = (("200 OK", "", r#"[1]"#), ("404 Not Found", "", "{}"));
    let server = Server::replying(&[page, none]);
    let all: Vec<_> = Api::new(&server.client()).by_offset().items().map(|it| it.map_err(|it| it.status())).collect().await;
    checks.same("the end of offsets", all, "[Ok(1)]");
    let server = Server::replying(&[("200 OK", "", r#"{"things": [1]}"#), none]);
    let all: Vec<_> = Api::new(&server.client()).by_number().pages().map(|it| it.map(|it| it.things).map_err(|it| it.status())).collect().await;
    checks.same("the end of numbers", all, "[Ok([1])]");
    let server = Server::replying(&[none]);
    let all: Vec<_> = Api::new(&server.client()).by_offset().items().map(|it| it.map_err(|it| it.status())).collect().await;
    checks.same("no first page", all, "[Err(Some(404))]");
    let server = Server::replying(&[("200 OK", "", r#"{"items": [1], "next_cursor": "x"}"#), none]);
    let all: Vec<_> = Api::new(&server.client()).by_nullable().items().map(|it| it.map_err(|it| it.status())).collect().await;
    checks.same("no page of a cursor", all, "[Ok(Some(1)), Err(Some(404))]");

    let replies = [("200 OK", "", r#"{"items": [1, null, 2], "next_cursor": "x"}"#), ("204 No Content", "", "")];
    let server = Server::replying(&replies);
    let items = Api::new(&server.client()).by_nullable().items();
    let requests = "/nullable /nullable?cursor=x";
    let items = said(items.try_collect::<Vec<_>>().await);
    same(checks, "items that are null", (items, "Ok([Some(1), None, Some(2)])"), (&server, requests));
    let server = Server::replying(&replies);
    let pages = Api::new(&server.client()).by_nullable().pages();
    let pages = said(pages.map_ok(|it| it.map(|it| it.items)).try_collect::<Vec<_>>().await);
    checks.same("a page without content", pages, "Ok([Some([Some(1), None, Some(2)]), None])");
}

async fn links(checks: &mut Checks) {
    let server = json(&[
        r#"{"next": "/v1/link?page=2&q=a", "results": [{"id": "a"}]}"#,
        r#"{"next": null, "results": [{"id": "b"}]}"#,
    ]);
    let items = Api::new(&server.client()).by_link().q("a").items();
    let requests = "/link?q=a /link?page=2&q=a";
    same(checks, "a link", (ids(items).await, r#"Ok("a b")"#), (&server, requests));

    let elsewhere = json(&[r#"{"next": "http://127.0.0.2/v1/link", "results": []}"#]);
    let error = ids(Api::new(&elsewhere.client()).by_link().items()).await.unwrap_err();
    checks.same("another origin", error.contains("leads to another origin"), "true");
    let elsewhere = json(&[r#"{"next": "http://127.0.0.2/v1/link", "results": [{"id": "a"}]}"#]);
    let items = Api::new(&elsewhere.client()).by_link().items();
    let all: Vec<_> = items.map(|it| it.map(|it| it.id.unwrap_or_default()).map_err(|it| it.kind())).collect().await;
    checks.same("the items before a wrong link", all, r#"[Ok("a"), Err(Decode)]"#);

    let server = json(&[r#"{"next": "/v1/link?q=a", "results": [{"id": "a"}]}"#]);
    let error = ids(Api::new(&server.client()).by_link().q("a").items()).await.unwrap_err();
    checks.same("a link to the first page", error.contains("requested before"), "true");
    checks.same("its requests", lines(&server, 1), r#""/link?q=a""#);

    // A service that repeats the query of the request in the link, with the key.
    let server = json(&[
        r#"{"next": "/link?api_key=secret&page=2", "results": []}"#,
        r#"{"results": []}"#,
    ]);
    let key = Authorization::query("api_key", "secret");
    let api = Api::at(&server.client(), server.url(), key).expect("a URL");
    let requests = "GET /link?api_key=secret GET /link?page=2&api_key=secret";
    checks.same("an authorized link", ids(api.by_link().items()).await, "Ok(\"\")");
    checks.same("its requests", lines(&server, 2), &format!("{requests:?}"));

    let server = Server::replying(&[
        ("200 OK", "x-next: /v1/x-next?page=2", r#"[{"id": "a"}]"#),
        ("200 OK", "", r#"[{"id": "b"}]"#),
    ]);
    let items = Api::new(&server.client()).by_x_next().items();
    let requests = "/x-next /x-next?page=2";
    same(checks, "a header with a URL", (ids(items).await, r#"Ok("a b")"#), (&server, requests));

    let link = r#"link: </v1/header?page=2>; rel="next", </v1/header>; rel=first"#;
    let server = Server::replying(&[
        ("200 OK", link, r#"[{"id": "a"}]"#),
        ("200 OK", "link: </v1/header>; rel=first", r#"[{"id": "b"}]"#),
    ]);
    let items = Api::new(&server.client()).by_header().per_page(1).items();
    let requests = "/header?per_page=1 /header?page=2";
    same(checks, "a header", (ids(items).await, r#"Ok("a b")"#), (&server, requests));
}

async fn headers(checks: &mut Checks) {
    let described = "link: <x>\r\nx-total-count: 12\r\nx-bytes: 18446744073709551615\r\nx-fresh: true\r\nx-share: 0.5\r\nx-next-token: t0ken\r\nx-other: o";
    let twice = "link: <a>; rel=first\r\nLink: <b>; rel=next\r\nx-total-count: 1";
    let server = Server::replying(&[
        ("200 OK", described, "[]"),
        ("200 OK", "x-total-count: many", "[]"),
        ("200 OK", twice, "[]"),
    ]);
    let api = Api::new(&server.client());
    let response = api.by_header().with_headers().await.expect("a page");
    checks.same("the value", response.value, "[]");
    let headers = response.headers;
    checks.same("a secret in a header", format!("{headers:?}").contains("t0ken"), "false");
    checks.same("its value", &headers.x_next_token, r#"Some("t0ken")"#);
    let typed = (headers.link, headers.x_total_count, headers.x_fresh, headers.x_share);
    checks.same("headers", typed, r#"(Some("<x>"), Some(12), Some(true), Some(0.5))"#);
    checks.same("a large header", headers.x_bytes, "Some(18446744073709551615)");
    checks.same("another header", headers.all.get("X-Other"), r#"Some("o")"#);
    let shown = format!("{:?}", headers.all);
    checks.same("shown headers", shown.contains("x-other") && !shown.contains("0.5"), "true");
    let headers = api.by_header().with_headers().await.expect("a page").headers;
    checks.same("no headers", (headers.link, headers.x_total_count), "(None, None)");
    let headers = api.by_header().with_headers().await.expect("a page").headers;
    let both = r#"Some("<a>; rel=first, <b>; rel=next")"#;
    checks.same("a header that comes twice", headers.link, both);
    let server = json(&["[7]"]);
    let response = Api::new(&server.client()).by_offset().with_headers().await.expect("a page");
    checks.same("headers of no description", response.headers.get("content-length"), r#"Some("3")"#);
}
