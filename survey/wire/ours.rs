//! The calls of `calls.yaml`, made by generated code on the runtime. Prints a line of JSON for each: what
//! was decoded, or the error.
#![allow(warnings)]

use ::podqueue as __runtime;
include!("generated.rs");

use ::podqueue::{Authorization, Error, Service};
use ::serde_json::{Value, json};

struct Calls {
    port: String,
    count: usize,
}

impl Calls {
    fn next(&mut self) -> Api {
        let url = format!("http://127.0.0.1:{}/{}", self.port, self.count);
        self.count += 1;
        let service = Service::builder(url).authorization(Authorization::none()).build().unwrap();
        Api::new(&service)
    }
}

fn said(result: Result<types::Thing, Error>) {
    let value = result.map_or_else(failed, |it| serde_json::to_value(it).unwrap());
    println!("{value}");
}

fn failed(error: Error) -> Value {
    match error.status() {
        Some(status) => {
            let body = error.decode::<types::GetFileError>();
            json!({ "status": status, "body": body.map(|it| serde_json::to_value(it).unwrap()).ok() })
        }
        None => json!({ "error": error.to_string() }),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut calls = Calls { port: std::env::args().nth(1).unwrap(), count: 0 };
    for name in ["a-b_c.txt", "a/b?c#d%e f+g&h;i[j]", "ü€🦀"] {
        said(calls.next().get_file(name).await);
    }
    said(calls.next().search("a+b&c=d #%ü").await);
    said(calls.next().search("x").tag(["a&b", "c,d"]).await);
    said(calls.next().search("x").ids([1, -2, 9_007_199_254_740_993]).await);
    said(calls.next().search("x").names(["a", "b c"]).await);
    said(calls.next().search("x").exact(false).await);
    said(calls.next().search("x").order(types::SearchOrder::NewestFirst).await);
    let filter = types::Filter { color: Some("red&blue".to_owned()), size: Some(3) };
    said(calls.next().filter().filter(filter).await);
    said(calls.next().traced("a b;c=\"d\"").x_depth(-3).await);
    said(calls.next().add_thing(types::NewThing::new("a\"\0ü", [])).await);
    let change = types::Change { note: Some(None), ..Default::default() };
    said(calls.next().change_thing(1, change).await);
    let form = types::Form { count: Some(2), ..types::Form::new("a+b&c ü") };
    said(calls.next().send_form(form).await);
    said(calls.next().get_thing(9_007_199_254_740_993).await);
    for _ in 0..3 {
        said(calls.next().get_thing(1).await);
    }
    let removed: Result<(), Error> = calls.next().remove_thing(1).await;
    println!("{}", removed.map_or_else(failed, |()| Value::Null));
    for _ in 0..2 {
        said(calls.next().get_file("none").await);
    }
}
