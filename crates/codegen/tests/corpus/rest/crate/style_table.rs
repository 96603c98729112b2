//! Styles of queries, headers and forms, as in the table of the OpenAPI specification. Those of paths
//! are in `expansions.rs`, parts in `wire.rs`.

use crate::checks::{said, Checks};
use crate::server::Server;
use crate::styles::types::{Rgb, SendFormBody};
use crate::styles::Api;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    let server = Server::start("");
    let api = Api::new(&server.client());
    let colors = || ["blue", "black", "brown"];
    let rgb = || Rgb { r: Some(100), g: Some(200), b: Some(150) };
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
        // Reserved characters are escaped, which every service decodes to the same.
        ("reserved?color=a%2Fb%3F", api.reserved().color("a/b?").await),
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

    let call = || api.header("blue").x_level(7).x_colors("blue,black,brown");
    for (name, expected) in [("x-color", "blue"), ("x-level", "7"), ("x-colors", "blue,black,brown")] {
        checks.same(name, said(call().await), "Ok(())");
        checks.same(name, server.header_and_body(name).0, &format!("{expected:?}"));
    }

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
