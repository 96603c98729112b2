//! The key is in no output, whatever the service says. `support::ended` looks for it in the output of
//! every test; here it is called forth.

use podqueue_local::Fault;

use crate::support::{KEY, Site, bare, ran, ran_with_stdin};

/// Each command, with arguments.
const COMMANDS: &[(&str, &[&str])] = &[
    ("run", &["run", "echo", "{}"]),
    ("run", &["run", "echo", "{}", "--sync"]),
    ("run", &["run", "echo", "{}", "--stream"]),
    ("status", &["status", "echo", "j"]),
    ("wait", &["wait", "echo", "j", "--timeout", "1s"]),
    ("stream", &["stream", "echo", "j", "--timeout", "1s"]),
    ("cancel", &["cancel", "echo", "j"]),
    ("retry", &["retry", "echo", "j"]),
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
    ("graphql", &["graphql", "-"]),
    ("listen", &["listen", "echo", "j", "--forward-to", "http://127.0.0.1:9/h"]),
    ("trigger", &["trigger", "failed", "--to", "http://127.0.0.1:9/h", "--pause", "0s"]),
    ("local", &["local", "--listen", "192.0.2.1:1"]),
    ("doctor", &["doctor", "echo"]),
    ("config", &["config"]),
    ("completions", &["completions", "bash"]),
    ("man", &["man"]),
];

#[tokio::test]
async fn no_command_shows_the_key_that_the_service_echoes() {
    let site = Site::start().await;
    for status in [400, 401, 404] {
        site.local.clear_faults();
        let body = format!("{{\"error\": \"not with the key {KEY}\", \"message\": \"{KEY}\"}}");
        site.local.add_fault(Fault::response(status, body));
        for (_, arguments) in COMMANDS {
            ran_with_stdin(&mut site.program(arguments), "{ a }").await;
        }
    }
}

#[tokio::test]
async fn every_command_is_covered() {
    let site = Site::start().await;
    let help = ran(&mut bare(site.home.path(), &["--help"])).await.stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(commands.contains("  run "), "{help}");
    for line in commands.lines() {
        let name = line.split_whitespace().next().unwrap();
        let is_covered = name == "help" || COMMANDS.iter().any(|(command, _)| *command == name);
        assert!(is_covered, "{name} is not among COMMANDS");
    }
}

#[tokio::test]
async fn the_local_service_does_not_print_a_key_that_it_was_given() {
    let site = Site::start().await;
    let mut local = site.program(&["local", "--listen", "127.0.0.1:0"]);
    let mut child = local.spawn().unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
    let line = lines.next_line().await.unwrap().unwrap();
    assert!(line.starts_with("export PODQUEUE_BASE_URL=http://127.0.0.1:"), "{line}");
    child.kill().await.unwrap();
    crate::support::ended(child).await;
}
