//! Styles of queries, headers and forms, as in the table of the OpenAPI specification. Those of paths
//! are in `expansions.rs`, parts in `wire.rs`.

use podqueue::Part;

use crate::checks::{said, Checks};
use crate::server::Server;
use crate::styles::types::{Color, Lock, RequiredFormBody, ReservedFormBody, Rgb, SendFormBody};
use crate::styles::Api;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    let server = Server::start("");
    let api = Api::new(&server.client());
    for (expected, done) in [
        ("form/text?color=", api.form_text().color("").await),
        ("form/text?color=blue", api.form_text().color("blue").await),
        ("form/list?color=blue&color=black&color=brown", api.form_list().color(colors()).await),
        ("form/object?B=150&G=200&R=100", api.form_object().color(rgb()).await),
        ("joined/list?color=blue,black,brown", api.joined_list().color(colors()).await),
        ("joined/object?color=B,150,G,200,R,100", api.joined_object().color(rgb()).await),
        ("space/list?color=blue%20black%20brown", api.space_list().color(colors()).await),
        ("space/object?color=B%20150%20G%20200%20R%20100", api.space_object().color(rgb()).await),
        ("pipe/list?color=blue%7Cblack%7Cbrown", api.pipe_list().color(colors()).await),
        ("pipe/object?color=B%7C150%7CG%7C200%7CR%7C100", api.pipe_object().color(rgb()).await),
        (
            "deep/object?color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100",
            api.deep_object().color(rgb()).await,
        ),
        ("several/list?color=blue&color=black&color=brown", api.several_pipes().color(colors()).await),
        // Escaped are only characters that would be read as something else.
        ("reserved?color=a/b?c=:d%26%23%2B%2520", api.reserved().color("a/b?c=:d&#+%20").await),
        (
            "reserved?each=a/b&each=c&joined=d@e,f",
            api.reserved().each(["a/b", "c"]).joined(["d@e", "f"]).await,
        ),
        ("reserved/path?color=a/b%26", api.reserved_in_path("a/b&").await),
        // An optional empty list is no parameter.
        ("form/list", api.form_list().color([""; 0]).await),
        ("joined/list", api.joined_list().color([""; 0]).await),
        (
            "required/c?each=x&joined=1,2&encoded=%5B%5D",
            api.required_lists("c", ["x"], [1, 2], []).await,
        ),
    ] {
        checks.same(expected, said(done), "Ok(())");
        checks.same(expected, server.request().0, &format!("\"GET /v1/{expected}\""));
    }
    for (field, call) in [
        ("each", api.required_lists("c", [""; 0], [1], [1])),
        ("joined", api.required_lists("c", ["x"], [0; 0], [1])),
    ] {
        let refused = call.await.map_err(|error| error.field().map(str::to_owned));
        checks.same("an empty list", refused, &format!("Err(Some({field:?}))"));
    }

    let refused = api.reserved().joined(["a,b"]).await.map_err(|error| error.field().map(str::to_owned));
    checks.same("a comma between commas", refused, "Err(Some(\"joined\"))");
    let form = ReservedFormBody { a: Some("a/b&".into()), b: Some("a/b&".into()) };
    checks.same("a form", said(api.reserved_form(form).await), "Ok(())");
    checks.same("a form", server.request().1, "\"a=a/b%26&b=a%2Fb%26\"");

    headers(&mut checks, &api, &server).await;
    required_fields(&mut checks, &api, &server).await;
    secrets(&mut checks).await;

    let list = || colors().map(str::to_owned).to_vec();
    let body = SendFormBody {
        text: Some("a b".into()),
        list: list(),
        object: Some(rgb()),
        joined_list: list(),
        joined_object: Some(rgb()),
        exploded_object: Some(rgb()),
        space: list(),
        pipe: list(),
        deep: Some(rgb()),
        json: list(),
    };
    checks.same("a form", said(api.send_form(body).await), "Ok(())");
    let pairs = server.request().1;
    checks.same(
        "a form",
        pairs.split('&').collect::<Vec<_>>().join(" "),
        concat!(
            "\"deep%5BB%5D=150 deep%5BG%5D=200 deep%5BR%5D=100 B=150 G=200 R=100 ",
            "joined_list=blue%2Cblack%2Cbrown joined_object=B%2C150%2CG%2C200%2CR%2C100 ",
            "json=%5B%22blue%22%2C%22black%22%2C%22brown%22%5D list=blue list=black list=brown ",
            "object=%7B%22B%22%3A150%2C%22G%22%3A200%2C%22R%22%3A100%7D ",
            "pipe=blue%7Cblack%7Cbrown space=blue%20black%20brown text=a%20b\"",
        ),
    );
    checks.0
}

fn colors() -> [&'static str; 3] {
    ["blue", "black", "brown"]
}

fn rgb() -> Rgb {
    Rgb { r: Some(100), g: Some(200), b: Some(150) }
}

async fn headers(checks: &mut Checks, api: &Api, server: &Server) {
    let call = || {
        api.header("blue")
            .x_level(7)
            .x_colors(colors())
            .x_exploded_colors([Color::Blue, Color::Black])
            .x_rgb(rgb())
            .x_exploded_rgb(rgb())
            .x_map([("a".to_owned(), 1)].into())
            .x_one_or_more(["a b/c", "d"])
            .x_json(["ü", "a,b"])
            .x_secret_token(["s3cret", "key"])
    };
    for (name, expected) in [
        ("x-color", "blue"),
        ("x-level", "7"),
        ("x-colors", "blue,black,brown"),
        ("x-exploded-colors", "blue,black"),
        ("x-rgb", "B,150,G,200,R,100"),
        ("x-exploded-rgb", "B=150,G=200,R=100"),
        ("x-map", "a=1"),
        ("x-one-or-more", "a b/c,d"),
        ("x-json", "[\"\\u00fc\",\"a,b\"]"),
        ("x-secret-token", "s3cret,key"),
    ] {
        checks.same(name, said(call().await), "Ok(())");
        checks.same(name, server.header_and_body(name).0, &format!("{expected:?}"));
    }
    // An optional empty list is no header.
    let call = api.header("blue").x_colors([""; 0]).x_rgb(Rgb::default());
    checks.same("no header", said(call.await), "Ok(())");
    let head = server.whole_request().0.to_ascii_lowercase();
    checks.same("no header", head.contains("x-colors") || head.contains("x-rgb"), "false");
    for (field, call) in [
        ("X-Colors", api.required_headers([""; 0], rgb())),
        ("X-Rgb", api.required_headers(colors(), Rgb::default())),
        ("X-Colors", api.required_headers(["blue", "black,brown"], rgb())),
    ] {
        let refused = call.await.map_err(|error| error.field().map(str::to_owned));
        checks.same("a header", refused, &format!("Err(Some({field:?}))"));
    }
}

/// What is secret by its format alone is in no error, though the service repeats it.
async fn secrets(checks: &mut Checks) {
    let lock = |pin: &str, old: &str| Lock {
        place: Some("door".into()),
        pin: Some(pin.into()),
        old: vec![old.into()],
    };
    let echo = r#"{"message": "door: hidden-1 hidden-2 hidden-3 hidden-4 hidden-5 hidden-6 hidden-7 hidden-8"}"#;
    let server = Server::responding("400 Bad Request", "application/json", echo);
    let api = Api::new(&server.client());
    let call = api
        .send_secrets("hidden-1", lock("hidden-2", "hidden-3"))
        .code("hidden-4")
        .x_codes(["hidden-5", "hidden-6"])
        .x_lock(lock("hidden-7", "hidden-8"));
    let error = call.await.map_err(|error| error.to_string()).expect_err("a refusal");
    let hidden = ["[redacted]"; 8].join(" ");
    checks.same("secrets", error.contains(&format!("door: {hidden}")), "true");
}

/// Lists that would not be sent, in bodies that require them.
async fn required_fields(checks: &mut Checks, api: &Api, server: &Server) {
    let form = |each: &[&str], joined: &[i64]| RequiredFormBody {
        each: each.iter().map(|it| (*it).to_owned()).collect(),
        joined: joined.to_vec(),
        json: Vec::new(),
        optional: Vec::new(),
    };
    checks.same("a form", said(api.required_form(form(&["x"], &[1, 2])).await), "Ok(())");
    checks.same("a form", server.request().1, "\"each=x&joined=1%2C2&json=%5B%5D\"");
    for (field, body) in [("each", form(&[], &[1])), ("joined", form(&["x"], &[]))] {
        let refused = api.required_form(body).await.map_err(|error| error.field().map(str::to_owned));
        checks.same("an empty list of a form", refused, &format!("Err(Some({field:?}))"));
    }
    let file = || Part::text("file");
    let sent = api.required_parts(["x"], [file()]).await;
    checks.same("parts", said(sent), "Ok(())");
    let body = server.request().1;
    checks.same("parts", body.contains("name=\"each\"") && body.contains("name=\"files\""), "true");
    for (field, call) in [
        ("each", api.required_parts([""; 0], [file()])),
        ("files", api.required_parts(["x"], [])),
    ] {
        let refused = call.await.map_err(|error| error.field().map(str::to_owned));
        checks.same("an empty list of parts", refused, &format!("Err(Some({field:?}))"));
    }
    // Given by the name of the part.
    let named = api.required_parts([""; 0], [file()]).part("each", Part::text("x"));
    checks.same("parts", said(named.await), "Ok(())");
    server.request();
}
