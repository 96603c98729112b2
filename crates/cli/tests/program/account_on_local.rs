//! Tests of the commands of the account interface against the local service: what one of them
//! changes, the others find.

use std::fs;

use serde_json::Value;
use tokio::process::Command;

use crate::support::{Fixture, Ran, ran};

/// A local service, whose account interface the program uses.
struct Account(Fixture);

impl Account {
    async fn start() -> Self {
        Self(Fixture::start().await)
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = self.0.program(arguments);
        program.env("PODQUEUE_ACCOUNT_URL", self.0.local.account_url());
        program
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.program(arguments)).await
    }

    /// Runs a command, and returns the lines of its JSON.
    async fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn created(&self, arguments: &[&str]) -> String {
        let created = self.json(&[arguments, &["--yes"]].concat()).await;
        created[0]["id"].as_str().unwrap().to_owned()
    }

    async fn endpoint(&self) -> String {
        let create = ["endpoint", "create", "e", "--image", "registry.example/echo:1"];
        self.created(&[&create[..], &["--gpu", "ADA_24"]].concat()).await
    }
}

#[tokio::test]
async fn an_endpoint_is_created_scaled_used_and_deleted() {
    let account = Account::start().await;
    let id = account.endpoint().await;
    let scale = ["endpoint", "scale", &id, "--min", "1", "--max", "2"];
    account.run(&scale).await.fails(2, "Pass --yes to confirm");
    let scaled = account.json(&[&scale[..], &["--yes"]].concat()).await;
    assert_eq!((&scaled[0]["former_max"], &scaled[0]["min"]), (&3.into(), &1.into()));

    account.run(&["run", &id, r#"{"a":1}"#]).await.assert(0, "{\"a\":1}\n");
    let workers = account.json(&["endpoint", "workers", &id]).await;
    let worker = workers[0]["id"].as_str().unwrap();
    let logs = account.run(&["endpoint", "logs", &id, "--source", "system"]).await;
    assert!(logs.code == 0 && logs.stdout.contains(&format!("{worker} job ")), "{logs:?}");

    let update = ["endpoint", "update", &id, "--image", "registry.example/echo:2"];
    account.run(&[&update[..], &["--env", "A=secret-value"]].concat()).await.assert_code(0);
    let releases = account.run(&["endpoint", "releases", &id]).await;
    assert!(releases.stdout.contains("env, image"), "{}", releases.stdout);
    assert!(!releases.stdout.contains("secret-value"), "{}", releases.stdout);
    let healthy = account.run(&["doctor", &id]).await;
    assert!(healthy.code == 0 && !healthy.stdout.contains("warning"), "{}", healthy.stdout);

    account.run(&["endpoint", "delete", &id, "--yes"]).await.assert_code(0);
    for command in ["get", "workers", "logs"] {
        account.run(&["endpoint", command, &id]).await.assert_code(6);
    }
    account.run(&["run", &id, "{}"]).await.assert_code(6);
}

#[tokio::test]
async fn a_job_of_an_endpoint_without_gpus_is_explained() {
    let account = Account::start().await;
    let create = ["endpoint", "create", "e", "--image", "echo:1", "--gpu", "CDNA_192"];
    let id = account.created(&create).await;
    let job = account.run(&["run", &id, "{}", "--detach"]).await;
    let doctor = account.run(&["doctor", &id, "--job", job.stdout.trim_end()]).await;
    assert!(doctor.stdout.contains("1 of 1 worker is throttled"), "{}", doctor.stdout);
    assert!(!doctor.stdout.contains("there are none"), "{}", doctor.stdout);

    let create = ["endpoint", "create", "l", "--image", "a:1", "--gpu", "ADA_24"];
    let balancer = account.created(&[&create[..], &["--load-balancer"]].concat()).await;
    let doctor = account.run(&["doctor", &balancer]).await;
    assert!(doctor.code == 0 && doctor.stdout.contains("it has no queue"), "{}", doctor.stdout);
    account.run(&["run", &balancer, "{}"]).await.fails(6, "is a load balancer");
}

#[tokio::test]
async fn a_batch_keeps_workers_warm_and_restores_the_numbers() {
    let account = Account::start().await;
    let id = account.endpoint().await;
    fs::write(account.0.home.path().join("in.jsonl"), "{\"n\":1}\n{\"n\":2}\n").unwrap();
    let batch = ["batch", "run", "in.jsonl", "-e", &id, "-o", "out.jsonl", "--no-rate-limits"];
    let ran = account.run(&[&batch[..], &["--keep-warm", "2", "--yes"]].concat()).await;
    ran.fails(0, &format!("{id} has 0 to 3 workers again"));
    let results = fs::read_to_string(account.0.home.path().join("out.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 2);
    let workers = &account.json(&["endpoint", "get", &id]).await[0]["workers"];
    assert_eq!((&workers["min"], &workers["max"]), (&0.into(), &3.into()));
}

#[tokio::test]
async fn a_pod_is_created_stopped_started_and_deleted() {
    let account = Account::start().await;
    let create = ["pod", "create", "p", "--image", "a:1", "--gpu", "gpu-24gb"];
    let id = account.created(&create).await;
    let logs = account.run(&["pod", "logs", &id]).await;
    assert!(logs.stdout.contains("looking for a machine"), "{logs:?}");
    for (action, status) in [("stop", "EXITED"), ("start", "STARTING")] {
        let yes: &[&str] = if action == "start" { &["--yes"] } else { &[] };
        let acted = account.json(&[&["pod", action, &id], yes].concat()).await;
        assert_eq!(acted[0]["status"], status);
    }
    account.run(&["pod", "get", &id]).await.assert_code(0);
    let listed = account.run(&["pod", "list"]).await;
    assert!(listed.stdout.contains(&id), "{}", listed.stdout);
    account.run(&["pod", "delete", &id, "--yes"]).await.assert_code(0);
    account.run(&["pod", "get", &id]).await.assert_code(6);
    let bill = account.json(&["billing", "pods", "--id", &id]).await;
    assert!(bill.iter().all(|it| it["podId"] == *id), "{bill:?}");
}

#[tokio::test]
async fn volumes_and_templates_are_changed_and_refused_as_the_interface_says() {
    let account = Account::start().await;
    let create = ["volume", "create", "v", "--size-gb", "10", "--data-center", "EU-1"];
    let volume = account.created(&create).await;
    let enlarge = ["volume", "update", &volume, "--size-gb", "20", "--yes"];
    assert_eq!(account.json(&enlarge).await[0]["size"], 20);
    let shrink = ["volume", "update", &volume, "--size-gb", "10", "--yes"];
    account.run(&shrink).await.fails(1, "size");
    account.run(&["volume", "delete", &volume, "--yes"]).await.assert_code(0);
    account.run(&["volume", "get", &volume]).await.assert_code(6);

    let create = ["template", "create", "t", "--image", "a:1", "--serverless"];
    let template = account.json(&create).await[0]["id"].as_str().unwrap().to_owned();
    account.run(&create).await.fails(1, "another template has the name");
    let create = ["endpoint", "create", "e", "--template", &template, "--gpu", "ADA_24"];
    let endpoint = account.created(&create).await;
    account.run(&["template", "delete", &template, "--yes"]).await.fails(1, "in use");
    let shown = account.json(&["endpoint", "get", &endpoint]).await;
    assert_eq!(shown[0]["image"], "a:1");
}
