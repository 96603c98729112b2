//! Request bodies that may be null, and files that only their schema identifies.

use podqueue::Part;

use crate::checks::{said, Checks};
use crate::server::Server;
use crate::{media, multipart, null_bodies};

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    null(&mut checks).await;
    null_by_name(&mut checks).await;
    files(&mut checks).await;
    checks.0
}

async fn null(checks: &mut Checks) {
    let server = Server::start("");
    let rest = null_bodies::Api::new(&server.client());
    let owner = null_bodies::types::Owner { name: Some("o".into()) };
    let sent = [
        ("3", rest.size(3).await),
        ("0", rest.size(0).await),
        ("null", rest.size(None).await),
        ("false", rest.flag(false).await),
        ("null", rest.flag(None).await),
        ("", rest.name().await),
        ("null", rest.name().body(None).await),
        (r##"\"n\""##, rest.name().body("n".to_owned()).await),
        ("null", rest.owner(None).await),
        (r##"{\"name\":\"o\"}"##, rest.owner(owner.clone()).await),
        (r##"{\"name\":null}"##, rest.owner(owner.clone()).null("name").await),
        ("name=o", rest.form(owner).await),
    ];
    for (body, done) in sent {
        checks.same(body, said(done), "Ok(())");
        checks.same(body, server.request().1, &format!("\"{body}\""));
    }
}

async fn null_by_name(checks: &mut Checks) {
    let server = Server::start("null");
    let rest = null_bodies::Api::new(&server.client());
    let owner = null_bodies::types::MaybeOwner::new("o");
    checks.same("no owner", said(rest.named(None).await.map(|it| it.is_none())), "Ok(true)");
    checks.same("no owner", server.request().1, r#""null""#);
    checks.same("an owner", said(rest.named(owner).await.map(|it| it.is_none())), "Ok(true)");
    checks.same("an owner", server.request().1, r#""{\"name\":\"o\"}""#);
    checks.same("no word", said(rest.word(None).await), "Ok(None)");
    checks.same("no word", server.request().1, r#""null""#);
    checks.same("a word", said(rest.word("w".to_owned()).await), "Ok(None)");
    checks.same("a word", server.request().1, r#""\"w\"""#);
    checks.same("no kind", said(rest.kind(None).await), "Ok(None)");
    checks.same("no kind", server.request().1, r#""null""#);
    let server = Server::start(r#""w""#);
    let word = null_bodies::Api::new(&server.client()).word(None).await;
    checks.same("a word", said(word), r#"Ok(Some("w"))"#);
}

async fn files(checks: &mut Checks) {
    let server = Server::responding("200 OK", "image/png", "pixels");
    let rest = media::Api::new(&server.client());
    let file = rest.any_file(vec![255]).await.map(|it| it.len());
    checks.same("a file of any type", said(file), "Ok(6)");
    let sent = server.header_and_body("content-type").0;
    checks.same("a file of any type", sent, r#""application/octet-stream""#);
    checks.same("a file of any type", said(rest.any_file("a").await.map(|it| it.len())), "Ok(6)");
    checks.same("a file of any type", server.header_and_body("accept").0, r#""*/*""#);
    // That it is given as a part is all that is to be seen here.
    let rest = multipart::Api::new(&server.client());
    drop(rest.upload("a", 1, Part::text(""), [], multipart::types::Owner::new("o")).plain(Part::text("")));
}
