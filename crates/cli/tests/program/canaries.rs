//! Canary tests: no output contains the key, even if the service echoes it. `support::ended` checks
//! the output of every test.

use podqueue_local::Fault;
use serde_json::json;

use crate::account_server::AccountServer;
use crate::support::{Fixture, KEY, bare, ran, ran_with_stdin};

/// Each command, with arguments.
pub const COMMANDS: &[(&str, &[&str])] = &[
    ("run", &["run", "echo", "{}"]),
    ("run", &["run", "echo", "{}", "--sync"]),
    ("run", &["run", "echo", "{}", "--stream"]),
    ("run", &["run", "echo", "{}", "--detach"]),
    ("status", &["status", "echo", "j"]),
    ("wait", &["wait", "echo", "j", "--timeout", "1s"]),
    ("stream", &["stream", "echo", "j", "--timeout", "1s"]),
    ("cancel", &["cancel", "echo", "j"]),
    ("retry", &["retry", "echo", "j"]),
    ("batch", &["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"]),
    ("batch", &["batch", "status", "out.jsonl"]),
    ("batch", &["batch", "unknown", "out.jsonl"]),
    ("batch", &["batch", "export", "out.jsonl"]),
    ("batch", &["batch", "cancel", "out.jsonl"]),
    ("batch", &["batch", "retry", "out.jsonl"]),
    ("batch", &["batch", "retry", "out.jsonl", "--same-jobs"]),
    ("health", &["health", "echo"]),
    ("purge", &["purge", "echo", "--yes"]),
    ("openai", &["openai", "echo", "v1/models"]),
    ("pod", &["pod", "get", "p"]),
    ("template", &["template", "get", "t"]),
    ("template", &["template", "create", "t", "--image", "i"]),
    ("template", &["template", "update", "t", "--name", "t", "--image", "i"]),
    ("template", &["template", "delete", "t", "--yes"]),
    ("secret", &["secret", "create", "s"]),
    ("secret", &["secret", "delete", "s", "--yes"]),
    ("batch", &["batch", "watch", "no-such.jsonl"]),
    ("batch", &["batch", "serve", "echo", "--listen", "192.0.2.1:1", "--dir", "served"]),
    ("graphql", &["graphql", "-"]),
    ("listen", &["listen", "echo", "j", "--forward-to", "http://127.0.0.1:9/h"]),
    ("trigger", &["trigger", "failed", "--to", "http://127.0.0.1:9/h", "--pause", "0s"]),
    ("local", &["local", "--listen", "192.0.2.1:1"]),
    ("mcp", &["mcp"]),
    ("jobs", &["jobs", "echo"]),
    ("logs", &["logs"]),
    ("doctor", &["doctor", "echo"]),
    ("doctor", &["doctor", "echo", "--job", "j"]),
    ("config", &["config"]),
    ("completions", &["completions", "bash"]),
    ("man", &["man"]),
];

/// The commands that use the account interface.
pub const ACCOUNT_COMMANDS: &[&[&str]] = &[
    &["endpoint", "list"],
    &["endpoint", "get", "e"],
    &["endpoint", "create", "e", "--image", "i", "--gpu", "p", "--yes"],
    &["endpoint", "update", "e", "--image", "i"],
    &["endpoint", "delete", "e", "--yes"],
    &["endpoint", "scale", "e", "--min", "1", "--max", "2", "--yes"],
    &["endpoint", "workers", "e"],
    &["endpoint", "releases", "e"],
    &["endpoint", "logs", "e"],
    &["endpoint", "logs", "e", "--worker", "w"],
    &["pod", "list"],
    &["pod", "get", "p"],
    &["pod", "create", "p", "--image", "i", "--gpu", "g", "--yes"],
    &["pod", "start", "p", "--yes"],
    &["pod", "stop", "p"],
    &["pod", "restart", "p", "--yes"],
    &["pod", "delete", "p", "--yes"],
    &["pod", "logs", "p"],
    &["template", "list"],
    &["template", "get", "t"],
    &["template", "create", "t", "--image", "i"],
    &["template", "update", "t", "--image", "i"],
    &["template", "delete", "t", "--yes"],
    &["volume", "list"],
    &["volume", "get", "v"],
    &["volume", "create", "v", "--size-gb", "10", "--data-center", "d", "--yes"],
    &["volume", "update", "v", "--name", "n"],
    &["volume", "delete", "v", "--yes"],
    &["gpu", "list"],
    &["billing"],
    &["billing", "endpoints"],
    &["billing", "pods"],
    &["billing", "volumes"],
    &["billing", "clusters"],
];

#[tokio::test]
async fn no_account_command_shows_the_key_that_the_service_echoes() {
    for status in [400, 401, 404, 410, 422] {
        let server = AccountServer::start(move |_| {
            let body = json!({ "title": KEY, "detail": format!("by {KEY}"), "errors": [KEY] });
            (status, "application/problem+json", body.to_string())
        })
        .await;
        for arguments in ACCOUNT_COMMANDS {
            server.run(arguments).await;
        }
        assert!(server.requests().len() >= ACCOUNT_COMMANDS.len());
    }
}

#[tokio::test]
async fn no_command_shows_the_key_that_the_service_echoes() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(2);
    for status in [400, 401, 404] {
        fixture.local.clear_faults();
        let body = format!("{{\"error\": \"not with the key {KEY}\", \"message\": \"{KEY}\"}}");
        fixture.local.add_fault(Fault::response(status, body));
        for (_, arguments) in COMMANDS {
            ran_with_stdin(&mut fixture.program(arguments), "{ a }").await;
        }
    }
}

/// The manual has a page for each command.
#[tokio::test]
async fn every_command_is_covered_and_has_an_example() {
    let fixture = Fixture::start().await;
    let folder = fixture.home.path().join("man1");
    ran(&mut bare(fixture.home.path(), &["man", folder.to_str().unwrap()])).await.assert_code(0);
    let pages = std::fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name());
    let pages: Vec<String> = pages
        .map(|page| page.into_string().unwrap().strip_suffix(".1").unwrap().to_owned())
        .filter(|page| page != "podqueue")
        .collect();
    assert!(pages.len() > 30, "{pages:?}");
    for page in &pages {
        let words: Vec<&str> = page.split('-').skip(1).collect();
        let command = words.join(" ");
        let help = ran(&mut bare(fixture.home.path(), &[&words[..], &["--help"]].concat())).await;
        let example = format!("podqueue {command}");
        for text in
            [help.stdout, std::fs::read_to_string(folder.join(format!("{page}.1"))).unwrap()]
        {
            let text = text.replace("\\-", "-");
            let start = text.to_lowercase().find("examples").expect(page);
            assert!(text[start..].contains(&example), "{page}: {text}");
        }
        let is_group = pages.iter().any(|other| other.starts_with(&format!("{page}-")));
        let mut all = COMMANDS.iter().map(|(_, it)| it).chain(ACCOUNT_COMMANDS);
        let is_covered = all.any(|arguments| arguments.starts_with(&words));
        assert!(is_group || is_covered, "{command} is not among COMMANDS");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_command_does_not_inherit_standard_input() {
    let fixture = Fixture::start().await;
    let (base, graphql) = (fixture.local.base_url(), fixture.local.graphql_url());
    // As `ssh` does, which forwards its standard input.
    let settings = format!(
        "default_profile = \"here\"\n[profile.here]\nbase_url = \"{base}\"\n\
         graphql_url = \"{graphql}\"\nkey_command = \"cat > seen; echo {KEY}\"\n"
    );
    let home = fixture.home.path();
    std::fs::write(home.join("config.toml"), settings).unwrap();
    let seen = || std::fs::read_to_string(home.join("seen")).unwrap();
    ran_with_stdin(&mut bare(home, &["secret", "create", "s"]), "value").await.assert_code(0);
    let id = fixture.local.secret_ids().remove(0);
    assert_eq!(fixture.local.secret_value(&id).as_deref(), Some("value"));
    assert_eq!(seen(), "");
    // A script may read lines from its standard input.
    ran_with_stdin(&mut bare(home, &["health", "echo"]), "the next line").await.assert_code(0);
    assert_eq!(seen(), "");
}

/// Text that colors a terminal, sets its title, clears it, and reverses the rest of a line; and a
/// line that looks like a message of the program.
const CONTROLS: &str =
    "\u{1b}[31m \u{9b}2J \u{1b}]0;title\u{7} \u{7f}\u{8}\r \u{202e}dlot \u{2066} \nhint: purge all";

#[tokio::test]
async fn the_service_cannot_control_the_terminal() {
    let fixture = Fixture::start().await;
    let is_control = |char: char| {
        (char.is_control() && char != '\n') || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}')
    };
    let bodies = [
        (
            200,
            json!({ "id": "j", "status": "COMPLETED", "output": CONTROLS, "data": { CONTROLS: 1 } }),
        ),
        (200, json!({ "id": "j", "status": "FAILED", "error": CONTROLS, "env": { CONTROLS: "" } })),
        (200, json!({ "id": CONTROLS, "status": CONTROLS, "errors": [{ "message": CONTROLS }] })),
        (200, json!([{ "output": CONTROLS, "metrics": { "scenario": CONTROLS } }])),
        (400, json!({ "error": CONTROLS })),
    ];
    let commands = COMMANDS.iter().filter(|(name, _)| !["batch", "listen", "local"].contains(name));
    let commands: Vec<&[&str]> = commands.map(|(_, arguments)| *arguments).collect();
    for (status, body) in bodies {
        fixture.local.clear_faults();
        fixture.local.add_fault(Fault::response(status, body.to_string()));
        let ends = commands.iter().flat_map(|arguments| {
            [&["--quiet"][..], &["--json", "--quiet"]].map(|more| [arguments, more].concat())
        });
        for arguments in ends {
            let unbounded = ["run", "wait", "stream"].contains(&arguments[0])
                && !arguments.contains(&"--detach");
            let bound: &[&str] = if unbounded { &["--timeout", "10ms"] } else { &[] };
            let arguments = [&arguments[..], bound].concat();
            let ran = ran_with_stdin(&mut fixture.program(&arguments), "{ a }").await;
            for text in [&ran.stdout, &ran.stderr] {
                assert!(!text.contains(is_control), "{arguments:?}: {text:?}");
                assert!(!text.contains("\nhint: purge"), "{arguments:?}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn the_account_interface_cannot_control_the_terminal() {
    let is_control = |char: char| {
        (char.is_control() && char != '\n') || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}')
    };
    for status in [200, 422] {
        let server = AccountServer::start(move |_| {
            let item = json!({ "id": CONTROLS, "name": CONTROLS, "status": CONTROLS,
                "image": CONTROLS, "env": { CONTROLS: "" }, "startTime": CONTROLS });
            let body = json!({ "title": CONTROLS, "detail": CONTROLS, "errors": [CONTROLS],
                "id": CONTROLS, "name": CONTROLS, "env": { CONTROLS: "" },
                "workers": [item], "pods": [item], "endpoints": [item], "templates": [item],
                "networkVolumes": [item], "gpus": [item], "records": [item], "releases": [item] });
            (status, "application/json", body.to_string())
        })
        .await;
        let json = |arguments: &[&str]| server.program(&[arguments, &["--json"]].concat());
        for arguments in ACCOUNT_COMMANDS {
            for mut program in [server.program(arguments), json(arguments)] {
                let ran = ran(program.arg("--quiet")).await;
                for text in [&ran.stdout, &ran.stderr] {
                    assert!(!text.contains(is_control), "{arguments:?}: {text:?}");
                    assert!(!text.contains("\nhint: purge"), "{arguments:?}: {text}");
                }
            }
        }
    }
}

#[tokio::test]
async fn the_local_service_does_not_print_a_given_key() {
    let fixture = Fixture::start().await;
    let mut local = fixture.program(&["local", "--listen", "127.0.0.1:0"]);
    let mut child = local.spawn().unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
    let line = lines.next_line().await.unwrap().unwrap();
    assert!(line.starts_with("export PODQUEUE_BASE_URL=http://127.0.0.1:"), "{line}");
    child.kill().await.unwrap();
    crate::support::ended(child).await;
}
