//! Bodies of error responses, read as the type of their status.

use podqueue::ErrorKind;

use crate::checks::Checks;
use crate::errors::types::{OneTypeError, Problem, SameTypesError, SeveralTypesError, TextInARangeError};
use crate::errors::Api;
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    let problem = r#"{"title": "Gone", "detail": "no such thing", "token": "t0ken"}"#;
    let server = Server::responding("404 Not Found", "application/problem+json", problem);
    let error = Api::new(&server.client()).one_type().await.expect_err("an error");
    let read: OneTypeError = error.decode().expect("a problem");
    checks.same("one type", (&read.title, &read.token), r#"(Some("Gone"), Some("t0ken"))"#);
    checks.same("the same by name", error.decode::<Problem>().is_ok_and(|it| it == read), "true");
    checks.same("redacted", format!("{read:?}").contains("t0ken"), "false");
    checks.same("shown as meant", error.to_string().contains("the service says: Gone: no such thing"), "true");
    let json: serde_json::Value = error.decode().expect("JSON");
    checks.same("untyped", &json["title"], "String(\"Gone\")");
    let other = error.decode::<Vec<String>>().map_err(|error| (error.kind(), error.status()));
    checks.same("another type", other, "Err((Decode, Some(404)))");

    for (status, body, expected) in [
        ("400 No", r#"{"field": "a"}"#, r#"Status400(Invalid { field: Some("a") })"#),
        ("409 No", r#"{"id": 7}"#, "Status409(Conflict { id: Some(7) })"),
        ("422 No", r#"{"title": "x"}"#, r#"ClientError(Problem { detail: None, title: Some("x"), token: [redacted] })"#),
        ("501 No", r#"{"a": 1}"#, "Other(501, "),
        ("501 No", "plain", "Other(501, "),
    ] {
        let server = Server::responding(status, "application/json", body);
        let error = Api::new(&server.client()).several_types().await.expect_err("an error");
        let read: SeveralTypesError = error.decode().expect("a body");
        let shown = format!("{read:?}");
        if !shown.starts_with(expected) {
            checks.0.push(format!("{status}: is {shown}, should be {expected}"));
        }
        let same: SameTypesError = error.decode().expect("a body");
        checks.same("equal types", same == read, "true");
    }
    for (status, body, expected) in [
        ("404 No", "<p>", r#"Ok(Status404("<p>"))"#),
        ("503 No", "down", r#"Ok(ServerError("down"))"#),
        // A gateway may answer with JSON that it does not describe.
        ("503 No", r#"{"title": "x"}"#, r#"Ok(ServerError("{\"title\": \"x\"}"))"#),
        ("400 No", r#"{"title": "x"}"#, r#"Ok(Default(Problem { detail: None, title: Some("x"), token: [redacted] }))"#),
    ] {
        let server = Server::responding(status, "application/json", body);
        let error = Api::new(&server.client()).text_in_a_range().await.expect_err("an error");
        let read = error.decode::<TextInARangeError>().map_err(|error| error.kind());
        checks.same(status, read, expected);
    }
    let server = Server::responding("400 No", "application/json", r#"{"field": {}}"#);
    let error = Api::new(&server.client()).several_types().await.expect_err("an error");
    let wrong = error.decode::<SeveralTypesError>().expect_err("a mismatch");
    checks.same("a wrong field", (wrong.kind(), wrong.field()), "(Decode, Some(\"field\"))");

    let unsent = Api::new(&server.client()).one_type().timeout(std::time::Duration::ZERO).await;
    let unsent = unsent.expect_err("a refusal");
    let none = unsent.decode::<Problem>().expect_err("no response");
    checks.same("no response", none.kind() == ErrorKind::Decode && none.status().is_none(), "true");
    checks.0
}
