//! Recorded session of the guide to assistants: it is what the program answers. Ids, the port and
//! the folder, which differ from run to run, are replaced, and times are left out.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp::Server;
use crate::support::bare;

const GUIDE: &str = "../../docs/guide/assistants.md";

/// The lines around the session.
const BEGIN: &str = "<!-- session -->\n```text\n";
const END: &str = "```\n<!-- end of the session -->";

/// The session as it is shown.
struct Transcript {
    text: String,
    folder: String,
    job_ids: Vec<String>,
}

impl Transcript {
    async fn call(&mut self, server: &mut Server, tool: &str, arguments: Value) -> Value {
        let reply = server.call(tool, arguments.clone()).await.unwrap();
        if let Some(id) = reply["job_id"].as_str()
            && !self.job_ids.iter().any(|known| known == id)
        {
            self.job_ids.push(id.to_owned());
        }
        let (arguments, shown) = (self.shown(&arguments), self.shown(&reply));
        self.text.push_str(&format!("> {tool} {arguments}\n{shown}\n\n"));
        reply
    }

    fn shown(&self, value: &Value) -> String {
        let mut text = sorted(value);
        for (number, id) in self.job_ids.iter().enumerate() {
            text = text.replace(id, &format!("job-{}", number + 1));
        }
        text.replace(&self.folder, "/home/me/batches")
    }
}

/// The JSON text with sorted members, and without what differs from run to run.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.retain(|(name, _)| !["delay_ms", "execution_ms"].contains(&name.as_str()));
            members.sort_by_key(|(name, _)| *name);
            let member = |(name, value): (&String, &Value)| {
                let shown = match (name.as_str(), value.as_str()) {
                    ("url", Some(_)) => "\"http://127.0.0.1:40123\"".to_owned(),
                    ("batch", Some(_)) => "\"captions-1f0c5e2a\"".to_owned(),
                    // On a slow machine.
                    ("status", Some("IN_QUEUE")) => "\"IN_PROGRESS\"".to_owned(),
                    ("message", Some(text)) => {
                        json!(text.replace("IN_QUEUE", "IN_PROGRESS")).to_string()
                    }
                    _ => sorted(value),
                };
                format!("\"{name}\": {shown}")
            };
            let members: Vec<String> = members.into_iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(sorted).collect();
            format!("[{}]", items.join(", "))
        }
        _ => value.to_string(),
    }
}

#[tokio::test]
async fn the_session_in_the_guide_is_what_the_program_answers() {
    let home = tempfile::tempdir().unwrap();
    let files = tempfile::tempdir().unwrap();
    let folder = files.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let inputs: String = (0..3).map(|n| format!("{{\"image\": \"{n}.png\"}}\n")).collect();
    std::fs::write(files.path().join("images.jsonl"), inputs).unwrap();
    let options = ["mcp", "--allow", "local", "--files", folder.as_str()];
    let mut server = Server::start(&mut bare(home.path(), &options)).await;
    let mut session = Transcript { text: String::new(), folder: folder.clone(), job_ids: vec![] };
    let run =
        json!({ "service": "local", "endpoint": "echo", "input": { "prompt": "a lighthouse" } });
    session.call(&mut server, "run", run.clone()).await;
    session.call(&mut server, "local_start", json!({})).await;
    session.call(&mut server, "run", run.clone()).await;
    session.call(&mut server, "run", run).await;
    let slow = json!({
        "service": "local", "endpoint": "sleep", "input": { "ms": 600_000 }, "wait_s": 1,
    });
    let job = session.call(&mut server, "run", slow).await;
    session.call(&mut server, "cancel", job["next"]["arguments"].clone()).await;
    let batch = json!({
        "service": "local", "endpoint": "echo", "inputs": "images.jsonl", "out": "captions.jsonl",
        "wait_s": 25,
    });
    session.call(&mut server, "batch_run", batch).await;
    assert_eq!(server.close().await, Some(0));

    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join(GUIDE);
    let text = std::fs::read_to_string(guide).unwrap();
    let recorded = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let (recorded, _) = recorded.expect("a session in the guide");
    let played = format!("{}\n", session.text.trim_end());
    assert!(recorded == played, "the guide should have this session:\n\n{played}");
}
