//! The calls of `calls.yaml`, made by the code of openapi-to-rust. Prints a line of JSON for each: what was
//! decoded, or the error.
#![allow(warnings)]

mod generated;

use generated::client::*;
use generated::types::*;
use serde_json::{Value, json};

struct Calls {
    port: String,
    count: usize,
}

impl Calls {
    fn next(&mut self) -> HttpClient {
        let url = format!("http://127.0.0.1:{}/{}", self.port, self.count);
        self.count += 1;
        HttpClient::new().with_base_url(url)
    }
}

fn said<T: serde::Serialize, E: serde::Serialize + std::fmt::Debug>(
    result: Result<T, ApiOpError<E>>,
) {
    let value = match result {
        Ok(value) => serde_json::to_value(value).unwrap(),
        Err(ApiOpError::Api(error)) if (200..300).contains(&error.status) => {
            json!({ "error": error.to_string() })
        }
        Err(ApiOpError::Api(error)) => json!({ "status": error.status, "body": error.typed }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    println!("{value}");
}

/// The body of the error that `GetFileApiError` has.
fn said_file(result: Result<Thing, ApiOpError<GetFileApiError>>) {
    let result = result.map_err(|error| match error {
        ApiOpError::Api(error) => ApiOpError::Api(ApiError {
            status: error.status,
            headers: error.headers,
            body: error.body,
            raw_body: error.raw_body,
            typed: error.typed.map(|it| match it {
                GetFileApiError::Status404(problem) => problem,
            }),
            parse_error: error.parse_error,
        }),
        ApiOpError::Transport(error) => ApiOpError::Transport(error),
    });
    said(result);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let none = || None::<&str>;
    let mut calls = Calls { port: std::env::args().nth(1).unwrap(), count: 0 };
    for name in ["a-b_c.txt", "a/b?c#d%e f+g&h;i[j]", "ü€🦀"] {
        said_file(calls.next().get_file(name).await);
    }
    said(calls.next().search("a+b&c=d #%ü", None, None, none(), None, None).await);
    let tags = vec!["a&b".to_owned(), "c,d".to_owned()];
    said(calls.next().search("x", Some(tags), None, none(), None, None).await);
    let ids = vec![1, -2, 9_007_199_254_740_993];
    said(calls.next().search("x", None, Some(ids), none(), None, None).await);
    // A list by pipes is a text here.
    said(calls.next().search("x", None, None, Some("a|b c"), None, None).await);
    said(calls.next().search("x", None, None, none(), Some(false), None).await);
    said(calls.next().search("x", None, None, none(), None, Some(SearchOrder::NewestFirst)).await);
    let filter = Filter { color: Some("red&blue".to_owned()), size: Some(3) };
    said(calls.next().filter(Some(filter)).await);
    said(calls.next().traced("a b;c=\"d\"", Some(-3)).await);
    said(calls.next().add_thing(NewThing::new("a\"\0ü".to_owned(), Vec::new())).await);
    let change = Change { note: Some(None), ..Default::default() };
    said(calls.next().change_thing(1, change).await);
    said(calls.next().send_form(Form::builder("a+b&c ü".to_owned()).count(2).build()).await);
    said(calls.next().get_thing(9_007_199_254_740_993).await);
    for _ in 0..3 {
        said(calls.next().get_thing(1).await);
    }
    said(calls.next().remove_thing(1).await);
    for _ in 0..2 {
        said_file(calls.next().get_file("none").await);
    }
}
