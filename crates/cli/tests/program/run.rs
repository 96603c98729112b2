//! Tests of `podqueue run`.

use std::fs;
use std::time::{Duration, Instant};

use podqueue_local::{Fault, LocalJob, LocalService, Operation};
use serde_json::{Value, json};

use crate::support::{Fixture, ran_with_stdin};

#[tokio::test]
async fn only_the_output_is_printed() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["run", "echo", r#"{"hello": "world"}"#]).await;
    ran.assert(0, "{\"hello\":\"world\"}\n");
    assert_eq!(ran.stderr, "");
}

#[tokio::test]
async fn numbers_and_strings_of_a_handler_are_printed_verbatim() {
    let fixture = Fixture::start().await;
    let job = fixture.submit("echo", "{}").await;
    let output = r#"{ "b": 1.50, "a": [12345678901234567890123, "\u00e9"] }"#;
    let body = format!(r#"{{"id": "{job}", "status": "COMPLETED", "output": {output}}}"#);
    fixture.local.add_fault(Fault::response(200, body).on(Operation::Status));
    let expected = r#"{"b":1.50,"a":[12345678901234567890123,"\u00e9"]}"#;
    fixture.run(&["wait", "echo", &job]).await.assert(0, &format!("{expected}\n"));
    let record = fixture.run(&["wait", "echo", &job, "--json"]).await;
    assert!(record.stdout.contains(expected), "{}", record.stdout);
    fixture.local.clear_faults();
    fixture.local.add_fault(Fault::nan().on(Operation::Status));
    let job = fixture.submit("echo", "{\"a\": 1}").await;
    fixture.run(&["wait", "echo", &job]).await.assert(0, "{\"a\":null}\n");
}

#[tokio::test]
async fn the_input_is_an_argument_a_file_standard_input_or_fields() {
    let fixture = Fixture::start().await;
    let file = fixture.home.path().join("input.json");
    fs::write(&file, "\u{feff}{\"from\": \"file\"}").unwrap();
    let at_file = format!("@{}", file.display());
    fixture.run(&["run", "echo", &at_file]).await.assert(0, "{\"from\":\"file\"}\n");
    let ran =
        ran_with_stdin(&mut fixture.program(&["run", "echo", "-"]), "{\"from\": \"stdin\"}").await;
    ran.assert(0, "{\"from\":\"stdin\"}\n");
    let fields = ["run", "echo", "-f", "n=5", "-f", "s=five", "-f", "t=\"5\"", "-f", "l=[1]"];
    fixture.run(&fields).await.assert(0, "{\"l\":[1],\"n\":5,\"s\":\"five\",\"t\":\"5\"}\n");
    let both = ["run", "echo", r#"{"a": 1, "b": 2}"#, "--field", "b=3"];
    fixture.run(&both).await.assert(0, "{\"a\":1,\"b\":3}\n");
    let text = format!("text=@{}", file.display());
    let ran = fixture.run(&["run", "echo", "-f", &text]).await;
    assert!(ran.stdout.contains(r#"{\"from\": \"file\"}"#), "{}", ran.stdout);
}

#[tokio::test]
async fn an_invalid_input_is_a_usage_error_and_nothing_is_sent() {
    let fixture = Fixture::start().await;
    fixture.run(&["run", "echo"]).await.fails(2, "INPUT");
    let invalid = fixture.run(&["run", "echo", "{hello: world}"]).await;
    invalid.fails(2, "not valid JSON: key must be");
    assert!(invalid.stderr.contains("hint: quote JSON"), "{}", invalid.stderr);
    // The hint names no command: it may be another one.
    let invalid = fixture.run(&["openai", "echo", "v1/x", "{a: 1}"]).await;
    invalid.fails(2, "not valid JSON: key must be");
    assert!(!invalid.stderr.contains("podqueue run"), "{}", invalid.stderr);
    // Shell quoting does not apply to a file.
    let invalid =
        ran_with_stdin(&mut fixture.program(&["run", "echo", "-"]), "{hello: world}").await;
    invalid.fails(2, "standard input is not valid JSON");
    assert!(!invalid.stderr.contains("hint:"), "{}", invalid.stderr);
    fixture.run(&["run", "echo", "[1]"]).await.fails(2, "must be a JSON object");
    fixture.run(&["run", "echo", "{}", "-f", "x"]).await.fails(2, "NAME=VALUE");
    fixture.run(&["run", "echo", "{}", "--ttl", "1s"]).await.fails(2, "policy.ttl");
    fixture.run(&["run", "echo", "{}", "--timeout", "ten"]).await.fails(2, "such as 90s, 10m");
    fixture
        .run(&["run", "echo", "{}", "--detach", "--stream"])
        .await
        .fails(2, "cannot be used with");
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn an_unreadable_file_is_a_usage_error_of_every_command() {
    let fixture = Fixture::start().await;
    let home = fixture.home.path();
    fs::write(home.join("text"), b"\xff").unwrap();
    fs::write(home.join("query"), "{ a }").unwrap();
    #[cfg(unix)]
    for private in [home, &home.join("text")] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(private, fs::Permissions::from_mode(0o700)).unwrap();
    }
    for (file, reason) in [("no-such", "No such file"), (".", "directory"), ("text", "UTF-8")] {
        let (at, of_field) = (format!("@{file}"), format!("a=@{file}"));
        for arguments in [
            &["run", "echo", &at][..],
            &["run", "echo", "-f", &of_field],
            &["run", "echo", "{}", "--s3-config", file],
            &["openai", "echo", "v1/x", &at],
            &["graphql", file],
            &["graphql", "query", "--var", &of_field],
            &["template", "create", "t", "--image", "i", "--readme", file],
            &["trigger", "completed", "--to", "http://127.0.0.1:9/h", "--output", &at],
        ] {
            let ran = fixture.run(arguments).await;
            ran.fails(2, "failed to read ");
            assert!(ran.stderr.contains(reason), "{arguments:?}: {}", ran.stderr);
        }
    }
    #[cfg(target_os = "linux")]
    for arguments in [&["run", "echo", "@/dev/zero"][..], &["graphql", "/dev/zero"]] {
        fixture.run(arguments).await.fails(2, "/dev/zero: it has more than 128 MiB");
    }
    let mut program = fixture.program(&["run", "echo", "-"]);
    let folder = fs::File::open(home).unwrap();
    crate::support::ran(program.stdin(folder)).await.fails(2, "failed to read standard input");
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn policies_and_the_webhook_are_sent() {
    let seen = |job: LocalJob| async move {
        let policy = job.policy;
        Ok(json!(format!("{policy:?}")))
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("policy", seen)).await;
    let ran = fixture
        .run(&[
            "run",
            "policy",
            "{}",
            "--execution-timeout",
            "15m",
            "--ttl",
            "2h",
            "--low-priority",
            "--webhook",
            "http://127.0.0.1:9/hook",
            "--raw",
        ])
        .await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in ["900", "7200", "true"] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
}

#[tokio::test]
async fn storage_settings_come_from_a_private_file_or_standard_input() {
    let store = |job: LocalJob| async move {
        let s3 = job.s3_config.unwrap();
        let sent = [s3.access_id, s3.access_secret, s3.bucket_name, s3.endpoint_url];
        Ok(json!(sent.map(Option::unwrap).concat().len()))
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("store", store)).await;
    let settings = r#"{"accessId": "canary-id", "accessSecret": "canary-secret", "bucketName": "b", "endpointUrl": "https://storage.example"}"#;
    let run = ["run", "store", "{}", "--s3-config"];
    ran_with_stdin(fixture.program(&run).arg("-"), settings).await.assert(0, "46\n");
    let sync = ran_with_stdin(fixture.program(&run).args(["-", "--sync"]), settings).await;
    sync.assert(0, "46\n");
    let twice = ["run", "store", "-", "--s3-config", "-"];
    ran_with_stdin(&mut fixture.program(&twice), "{}")
        .await
        .fails(2, "cannot both be read from stan");
    for (text, reason) in [
        (settings.replace("https://", ""), "s3Config.endpointUrl"),
        (settings.replace("bucketName", "bucket"), "unknown member `bucket`"),
        (settings.replace("\"canary-secret\"", "1234567890"), "strings accessId, accessSecret"),
        (format!("{settings} canary-secret"), "strings accessId, accessSecret"),
    ] {
        let ran = ran_with_stdin(fixture.program(&run).arg("-"), &text).await;
        ran.fails(2, reason);
        assert!(!ran.stderr.contains("canary") && !ran.stderr.contains("1234"), "{}", ran.stderr);
    }
    let file = fixture.home.path().join("s3.json");
    fs::write(&file, settings).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let with_file = ["run", "store", "{}", "--s3-config", "s3.json"];
        fixture.run(&with_file).await.fails(2, "other users can read the storage settings s3.json");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fixture.run(&with_file).await.assert(0, "46\n");
    }
}

#[tokio::test]
async fn a_deadline_bounds_the_submission() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::stall());
    let started = Instant::now();
    for more in [&["--stream"][..], &["--sync"]] {
        let arguments = [&["run", "echo", "{}", "--timeout", "1s"], more].concat();
        fixture.run(&arguments).await.fails(5, "--timeout has passed while submitting");
    }
    // Each would otherwise take a minute.
    assert!(started.elapsed() < Duration::from_secs(55), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_synchronous_job_prints_its_output() {
    let fixture = Fixture::start().await;
    fixture.run(&["run", "echo", "{\"a\": 1}", "--sync"]).await.assert(0, "{\"a\":1}\n");
    fixture.run(&["run", "fail", "-f", "message=boo", "--sync"]).await.fails(3, "failed: boo");
    assert!(fixture.local.requests().iter().all(|request| request.path.ends_with("/runsync")));
}

#[tokio::test]
async fn chunks_are_printed_as_lines() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["run", "count", "-f", "n=2", "--stream"]).await;
    ran.assert(0, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n");
}

#[tokio::test]
async fn strings_are_printed_verbatim_on_request() {
    let say = |_: LocalJob| async { Ok(json!("two\nlines, \u{1b}[31mred")) };
    let fixture = Fixture::with(LocalService::builder().endpoint("say", say)).await;
    fixture.run(&["run", "say", "{}"]).await.assert(0, "\"two\\nlines, \\u001b[31mred\"\n");
    fixture.run(&["run", "say", "{}", "--raw"]).await.assert(0, "two\nlines, \u{1b}[31mred\n");
}

#[tokio::test]
async fn a_failed_job_exits_with_3_and_names_the_next_command() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["run", "fail", "-f", "message=out of \u{1b}[31mmemory"]).await;
    ran.fails(3, "failed: out of \\u{1b}[31mmemory");
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("podqueue retry fail "), "{}", ran.stderr);
    let ran = fixture.run(&["run", "fail", "-f", "message=boo", "--json", "--quiet"]).await;
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&record["status"], &record["error"]["message"]), (&json!("FAILED"), &json!("boo")));
    assert!(!ran.stderr.contains("hint"), "{}", ran.stderr);
}

#[tokio::test]
async fn an_unknown_outcome_exits_with_5() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    fixture.run(&["run", "echo", "{}"]).await.fails(5, "podqueue health echo");
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    fixture.run(&["run", "echo", "{}", "--at-least-once"]).await.assert(0, "{}\n");
}

#[tokio::test]
async fn an_unknown_endpoint_exits_with_6_and_a_wrong_key_with_4() {
    let fixture = Fixture::start().await;
    fixture.run(&["run", "no-such", "{}"]).await.fails(6, "podqueue doctor no-such");
    let mut program = fixture.program(&["run", "echo", "{}"]);
    program.env("PODQUEUE_API_KEY", "wrong");
    crate::support::ran(&mut program).await.fails(4, "podqueue doctor echo");
}

#[tokio::test]
async fn a_deadline_exits_with_124_and_cancels_on_request() {
    let fixture = Fixture::with(LocalService::builder().endpoint("never", never)).await;
    let ran = fixture.run(&["run", "never", "{}", "--timeout", "1s"]).await;
    ran.fails(124, "the job continues: podqueue wait never ");
    let ran = fixture.run(&["run", "never", "{}", "--timeout", "1s", "--sync"]).await;
    ran.fails(124, "the job continues: podqueue wait never sync-");
    let arguments = ["run", "never", "{}", "--timeout", "1s", "--cancel-on-timeout"];
    fixture.run(&arguments).await.fails(124, "it was cancelled on the service");
    let arguments = ["run", "never", "{}", "--timeout", "1s", "--stream"];
    fixture.run(&arguments).await.fails(124, "podqueue stream never ");
    let arguments = ["run", "never", "{}", "--timeout", "1s", "--stream", "--cancel-on-timeout"];
    fixture.run(&arguments).await.fails(124, "it was cancelled on the service");
}

pub async fn never(_: LocalJob) -> Result<Value, podqueue_local::HandlerError> {
    std::future::pending().await
}

#[tokio::test]
async fn a_closed_pipe_ends_the_program_silently() {
    let fixture = Fixture::start().await;
    for arguments in [
        &["run", "count", "-f", "n=9000", "--stream"][..],
        &["local", "--listen", "127.0.0.1:0", "--api-key", "given"],
    ] {
        // Closed before the program writes, however late this test is run.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = crate::support::ran(fixture.program(arguments).stdout(writer)).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = fixture.program(&["run", "echo", "{}", "--detach"]);
    let ran = crate::support::ran(program.stdout(writer)).await;
    // Nothing else tells the id.
    ran.fails(1, "the output is closed; the job was submitted: ");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_reported() {
    let fixture = Fixture::start().await;
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut program = fixture.program(&["run", "echo", "{}"]);
    let ran = crate::support::ran(program.stdout(full)).await;
    ran.fails(1, "failed to write the output: No space left");
    // The job is billed, so its id must not be lost.
    for arguments in [
        &["run", "echo", "{}"][..],
        &["run", "echo", "{}", "--json"],
        &["run", "echo", "{}", "--sync"],
        &["run", "echo", "{}", "--detach"],
        &["run", "count", "{\"n\": 1}", "--stream"],
        &["run", "count", "{\"n\": 1}", "--stream", "--json"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = crate::support::ran(fixture.program(arguments).stdout(full)).await;
        let hint = "hint: the service keeps the output for a while: podqueue wait ";
        ran.fails(1, &format!("{hint}{} ", arguments[1]));
        let id = ran.stderr.trim_end().rsplit(' ').next().unwrap();
        fixture.run(&["wait", arguments[1], id]).await.assert_code(0);
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut create = fixture.program(&["secret", "create", "s"]);
    let ran = ran_with_stdin(create.stdout(full), "v").await;
    ran.fails(1, &format!("its id is {}", fixture.local.secret_ids()[0]));
    for arguments in [&["--help"][..], &["--version"], &["local", "--listen", "127.0.0.1:0"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = crate::support::ran(fixture.program(arguments).stdout(full)).await;
        ran.fails(1, "failed to write the output: No space left");
    }
}
