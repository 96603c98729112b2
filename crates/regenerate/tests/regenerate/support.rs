//! Fixtures: a temporary checkout, the program, and a service with canned responses.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A folder with `openapi/`, `schema/` and `queries/`, removed on drop.
pub struct Checkout(PathBuf);

/// The outcome of a run of the program.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Checkout {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("podqueue-regenerate-{}-{name}", std::process::id()));
        for folder in ["openapi", "schema", "queries"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        Self(path)
    }

    pub fn write(self, name: &str, text: &str) -> Self {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs the program in this folder, without a key.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_podqueue-regenerate"))
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("PODQUEUE_API_KEY")
            .env_remove("PODQUEUE_GRAPHQL_URL")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// The report on two REST descriptions.
pub fn report(name: &str, before: &str, now: &str) -> String {
    let checkout = Checkout::new(name).write("openapi/shop.yaml", before).write("now.yaml", now);
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    run.out
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    pub line: String,
    pub body: String,
}

/// A service that sends the responses in order, and then repeats the last one.
pub struct Service {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Service {
    pub fn answering(responses: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = received.clone();
        let responses: Vec<(u16, String)> =
            responses.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        // Ends with the process of the test.
        thread::spawn(move || {
            for (index, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let request = receive(&mut BufReader::new(&stream));
                log.lock().unwrap().push(request);
                let (status, body) = &responses[index.min(responses.len() - 1)];
                let location =
                    if *status == 307 { "location: http://127.0.0.1:9/\r\n" } else { "" };
                let head = format!(
                    "HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n{location}connection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + body).as_bytes()).unwrap();
            }
        });
        Self { url, received }
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn receive(stream: &mut impl BufRead) -> Received {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let mut length = 0;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).unwrap();
        match header.trim().to_ascii_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    Received { line: line.trim().to_owned(), body: String::from_utf8(body).unwrap() }
}

/// A type such as `[Pet!]!`, as a type reference of an introspection result.
pub fn of(text: &str) -> Value {
    if let Some(inner) = text.strip_suffix('!') {
        return json!({ "kind": "NON_NULL", "name": null, "ofType": of(inner) });
    }
    match text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => json!({ "kind": "LIST", "name": null, "ofType": of(inner) }),
        None => json!({ "kind": "OBJECT", "name": text, "ofType": null }),
    }
}

/// A field of an introspection result.
pub fn field(name: &str, of_type: &str, args: Value) -> Value {
    json!({
        "name": name, "description": null, "args": args, "type": of(of_type),
        "isDeprecated": false, "deprecationReason": null,
    })
}

/// An argument or a field of an input.
pub fn input(name: &str, of_type: &str) -> Value {
    json!({ "name": name, "description": null, "type": of(of_type), "defaultValue": null })
}

/// A value of an enum.
pub fn value(name: &str) -> Value {
    json!({ "name": name, "description": null, "isDeprecated": false, "deprecationReason": null })
}
