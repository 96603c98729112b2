//! Support code of the driving program: arguments from samples, and a line of output for each call.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One call of one operation.
pub struct Case<'a> {
    pub client: &'a podqueue::Client,
    pub port: &'a str,
    pub index: usize,
    pub example: Option<usize>,
    pub sample: &'a Value,
    /// The location, the name and the value of each argument so far.
    given: RefCell<Vec<Value>>,
}

/// The reason why a call was not made.
pub type Stop = String;

impl Case<'_> {
    pub fn url(&self) -> String {
        let (port, index) = (self.port, self.index);
        match self.example {
            Some(example) => format!("http://127.0.0.1:{port}/{index}.{example}"),
            None => format!("http://127.0.0.1:{port}/{index}"),
        }
    }

    fn sampled(&self, place: &str, name: &str) -> Result<Option<Value>, Stop> {
        let from = &self.sample[place];
        let found = match place {
            // The media type may have parameters.
            "body" => from.as_object().and_then(|all| {
                let bare = |it: &str| it.split(';').next().unwrap_or_default().trim().to_owned();
                let same = all.iter().find(|(media, _)| bare(media) == bare(name));
                same.or(all.iter().next()).map(|(_, it)| it)
            }),
            "part" => {
                let parts = from_multipart(&self.sample["body"]);
                return Ok(parts.and_then(|it| it.get(name).cloned()).inspect(|it| self.note(place, name, it)));
            }
            _ => from.get(name),
        };
        let Some(found) = found else { return Ok(None) };
        if let Some(error) = found["error"].as_str() {
            return Err(format!("no sample: {error}"));
        }
        let value = found.get("value").cloned().filter(|it| !it.is_null());
        Ok(value.inspect(|it| self.note(place, name, it)))
    }

    fn note(&self, place: &str, name: &str, value: &Value) {
        self.given.borrow_mut().push(json!([place, name, value]));
    }

    pub fn optional<T: DeserializeOwned>(&self, place: &str, name: &str) -> Result<Option<T>, Stop> {
        let Some(value) = self.sampled(place, name)? else { return Ok(None) };
        // A string in Rust may be a number in the sample, or a list in a path or a header; and
        // samples of parameters may be strings.
        let other = match &value {
            Value::Number(_) | Value::Bool(_) => Some(Value::String(value.to_string())),
            Value::Array(items) if place != "body" => {
                let texts = items.iter().map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
                Some(Value::String(texts.collect::<Vec<_>>().join(",")))
            }
            Value::String(text) if place != "body" => {
                let list = || Value::Array(text.split(',').map(Value::from).collect());
                Some(serde_json::from_str(text).unwrap_or_else(|_| list()))
            }
            _ => None,
        };
        let read = serde_json::from_value(value.clone());
        let read = read.or_else(|error| other.map_or(Err(error), serde_json::from_value));
        read.map(Some).map_err(|error| {
            format!("sample refused: {place} {name} as {}: {error}: {value}", std::any::type_name::<T>())
        })
    }

    pub fn required<T: DeserializeOwned>(&self, place: &str, name: &str) -> Result<T, Stop> {
        self.optional(place, name)?.ok_or_else(|| format!("no sample: {place} {name}"))
    }

    pub fn optional_bytes(&self, place: &str, name: &str) -> Result<Option<podqueue::Upload>, Stop> {
        let value = self.sampled(place, name)?;
        Ok(value.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned).into()))
    }

    pub fn required_bytes(&self, place: &str, name: &str) -> Result<podqueue::Upload, Stop> {
        Ok(self.optional_bytes(place, name)?.unwrap_or_else(|| "bytes".into()))
    }

    pub fn optional_file(&self, place: &str, name: &str) -> Result<Option<podqueue::rest::Part>, Stop> {
        let value = self.sampled(place, name)?;
        Ok(value.map(|_| podqueue::rest::Part::file("file.txt", "text")))
    }

    pub fn required_file(&self, place: &str, name: &str) -> Result<podqueue::rest::Part, Stop> {
        Ok(self.optional_file(place, name)?.unwrap_or_else(|| podqueue::rest::Part::text("text")))
    }
}

fn from_multipart(body: &Value) -> Option<Value> {
    let mut all = body.as_object()?.iter();
    all.find(|(media, _)| media.starts_with("multipart/")).and_then(|(_, it)| it.get("value").cloned())
}

/// A call that is being made.
pub type Coming = Pin<Box<dyn Future<Output = Result<podqueue::Result<Value>, Stop>>>>;

/// Makes all calls, one after the other, and prints a line for each.
pub async fn drive(calls: &[(usize, fn(Rc<Case<'static>>) -> Coming)]) {
    let mut arguments = std::env::args().skip(1);
    let port: &'static str = Box::leak(arguments.next().expect("a port").into_boxed_str());
    let samples = std::fs::read_to_string(arguments.next().expect("a file")).expect("samples");
    let samples: &'static Vec<Value> = Box::leak(Box::new(serde_json::from_str(&samples).expect("JSON")));
    let client = podqueue::Client::builder()
        .api_key("survey")
        .retry(podqueue::RetryPolicy::never())
        .timeout(std::time::Duration::from_secs(60))
        .build()
        .expect("a client");
    let client: &'static podqueue::Client = Box::leak(Box::new(client));
    for (index, call) in calls {
        let sample = &samples[*index];
        let examples = sample["examples"].as_array().map_or(0, Vec::len);
        for example in std::iter::once(None).chain((0..examples).map(Some)) {
            let given = RefCell::default();
            let case = Case { client, port, index: *index, example, sample, given };
            let case = Rc::new(case);
            let mut line = match call(case.clone()).await {
                Ok(Ok(response)) => json!({ "response": response }),
                Ok(Err(error)) => json!({ "error": format!("{error}"), "kind": format!("{:?}", error.kind()) }),
                Err(stop) => json!({ "stop": stop }),
            };
            line["index"] = json!(index);
            line["example"] = json!(example);
            line["given"] = json!(*case.given.borrow());
            println!("{line}");
        }
    }
}
