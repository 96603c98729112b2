//! Lists and objects in paths, expanded as by RFC 6570.

use crate::checks::{said, Checks};
use crate::path_styles::types::{Level, Size};
use crate::path_styles::Api;
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    let server = Server::start("");
    let api = Api::new(&server.client());
    let size = Size { width: Some(3), unit: Some("m/s".into()) };
    let range = [("from".to_owned(), 5)];
    checks.same("simple", said(api.simple([1, 2], size.clone(), range.into()).await), "Ok(())");
    let line = server.request().0;
    checks.same("simple", line, r#""GET /v1/simple/1,2/unit,m%2Fs,width,3/from=5""#);
    checks.same("label", said(api.label([1, 2], size.clone(), ["a.b", "c"]).await), "Ok(())");
    let line = server.request().0;
    checks.same("label", line, r#""GET /v1/label/.1,2/.unit=m%2Fs.width=3/.a.b.c""#);
    checks.same("matrix", said(api.matrix([1, 2], size.clone(), [Level::Low]).await), "Ok(())");
    let line = server.request().0;
    checks.same("matrix", line, r#""GET /v1/matrix;ids=1;ids=2;size=unit,m%2Fs,width,3;levels=low""#);
    let call = api.other(size.clone(), ["x", "y z"], ["k"], "1|2");
    checks.same("other", said(call.await), "Ok(())");
    let line = server.request().0.replace("%22", "'").replace("%2C", ",").replace("%3A", ":");
    checks.same(
        "other",
        line,
        r#""GET /v1/other/%7B'unit':'m%2Fs','width':3%7D/x,y%20z/.k?copy=1%7C2""#,
    );

    let none: [i64; 0] = [];
    let refused = api.label(none, size.clone(), ["a"]).await;
    let field = refused.map_err(|error| error.field().map(str::to_owned));
    checks.same("an empty list", field, r#"Err(Some("ids"))"#);
    let refused = api.label([1], size.clone(), ["."]).await;
    let field = refused.map_err(|error| error.field().map(str::to_owned));
    checks.same("the folder above", field, r#"Err(Some("names"))"#);

    let refusal = r#"{"message": "no s3cret here"}"#;
    let server = Server::responding("400 No", "application/json", refusal);
    let call = Api::new(&server.client()).other(size, ["x"], ["s3cret"], "1");
    let error = said(call.await).err().unwrap_or_default();
    checks.same("a secret", error.contains("no [redacted] here"), "true");
    checks.0
}
