//! Handlers, as closures and as commands: what they get of a job, what they can report, and its
//! outcome.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use podqueue_local::{LocalJob, LocalService, LogSource, S3Config, Workers};
use serde_json::{Value, json};

use crate::support::{Service, eventually, seconds};

#[tokio::test]
async fn a_handler_sees_id_input_policy_and_s3_config() {
    let seen = Arc::new(Mutex::new(None));
    let service = Service::still(|builder| {
        let seen = seen.clone();
        builder.endpoint("look", move |job: LocalJob| {
            *seen.lock().unwrap() = Some((job.id, job.input, job.policy, job.s3_config));
            async { Ok(Value::Null) }
        })
    })
    .await;
    let body = json!({
        "input": { "a": 1 },
        "policy": { "executionTimeout": 5000, "ttl": 10_000, "lowPriority": true },
        "s3Config": {
            "accessId": "id",
            "accessSecret": "hush",
            "bucketName": "bucket",
            "endpointUrl": "https://storage.example",
        },
    });
    let submitted = service.run("look", body).await;
    let record = service.until("look", &submitted, "COMPLETED").await;
    assert_eq!(record["output"], Value::Null, "null is an output");
    let (id, input, policy, s3): (String, Value, _, Option<S3Config>) =
        seen.lock().unwrap().take().unwrap();
    assert_eq!((id, input), (submitted, json!({ "a": 1 })));
    assert_eq!(policy.execution_timeout, Some(seconds(5)));
    assert_eq!((policy.ttl, policy.low_priority), (Some(seconds(10)), true));
    let s3 = s3.unwrap();
    assert_eq!(s3.access_secret.as_deref(), Some("hush"));
    assert!(!format!("{s3:?}").contains("hush"));
}

#[tokio::test]
async fn progress_is_the_output_while_the_job_runs() {
    let service = Service::still(|builder| {
        builder.endpoint("slow", |job: LocalJob| async move {
            job.progress(json!({ "percent": 40 }));
            job.sleep(seconds(10)).await;
            Ok(json!("done"))
        })
    })
    .await;
    let id = service.run("slow", json!({ "input": {} })).await;
    let mut record = Value::Null;
    eventually("an output", async || {
        record = service.status("slow", &id).await.1;
        record.get("output").is_some()
    })
    .await;
    assert_eq!(record["status"], "IN_PROGRESS");
    assert_eq!(record["output"], json!({ "percent": 40 }));
    service.advance(seconds(10));
    assert_eq!(service.until("slow", &id, "COMPLETED").await["output"], "done");
}

#[tokio::test]
async fn progress_is_not_the_output_of_a_job_that_does_not_complete() {
    let service = Service::still(|builder| {
        builder.endpoint("half", |job: LocalJob| async move {
            job.progress(json!("half"));
            job.sleep(seconds(10)).await;
            Err("then it broke".into())
        })
    })
    .await;
    let begun = async |policy: Value| {
        let id = service.run("half", json!({ "input": {}, "policy": policy })).await;
        let shown = async || service.status("half", &id).await.1["output"] == "half";
        eventually("an output", shown).await;
        id
    };
    let failed = begun(json!({})).await;
    let timed_out = begun(json!({ "executionTimeout": 5000 })).await;
    let cancelled = begun(json!({})).await;
    service.post(&format!("/v2/half/cancel/{cancelled}")).await;
    service.advance(seconds(5));
    service.until("half", &timed_out, "TIMED_OUT").await;
    service.advance(seconds(5));
    service.until("half", &failed, "FAILED").await;
    for id in [failed, timed_out, cancelled] {
        let (_, record) = service.status("half", &id).await;
        assert_eq!(record.get("output"), None, "{record}");
    }
}

/// Independent of how soon after the submission, and in how large a step, the clock is advanced.
#[tokio::test]
async fn the_sleeps_of_a_handler_begin_when_the_job_starts_and_follow_one_another() {
    let service = Service::still(|builder| builder).await;
    for _ in 0..50 {
        let id = service.run("sleep", json!({ "input": { "ms": 5000 } })).await;
        service.advance(seconds(5));
        service.until("sleep", &id, "COMPLETED").await;
    }
    let id = service.run("count", json!({ "input": { "n": 9, "ms": 1000 } })).await;
    service.advance(seconds(10));
    service.until("count", &id, "COMPLETED").await;
}

#[tokio::test]
async fn a_handler_learns_of_a_cancel() {
    let told = Arc::new(AtomicBool::new(false));
    let service = Service::still(|builder| {
        let told = told.clone();
        builder.endpoint("polite", move |job: LocalJob| {
            let told = told.clone();
            async move {
                job.cancelled().await;
                told.store(job.is_cancelled(), Ordering::SeqCst);
                job.emit(json!("too late")).await;
                Ok(json!("too late"))
            }
        })
    })
    .await;
    let id = service.run("polite", json!({ "input": {} })).await;
    service.until("polite", &id, "IN_PROGRESS").await;
    service.post(&format!("/v2/polite/cancel/{id}")).await;
    eventually("a handler that knows", async || told.load(Ordering::SeqCst)).await;
    let (_, record) = service.status("polite", &id).await;
    assert_eq!((&record["status"], record.get("output")), (&json!("CANCELLED"), None));
    assert_eq!(service.get(&format!("/v2/polite/stream/{id}")).await.1, json!([]));
}

#[tokio::test]
async fn a_handler_that_ignores_a_cancel_is_dropped() {
    struct OnDrop(Arc<AtomicBool>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let service = Service::still(|builder| {
        let dropped = dropped.clone();
        builder.endpoint("deaf", move |_: LocalJob| {
            let guard = OnDrop(dropped.clone());
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        })
    })
    .await;
    let id = service.run("deaf", json!({ "input": {} })).await;
    service.until("deaf", &id, "IN_PROGRESS").await;
    service.post(&format!("/v2/deaf/cancel/{id}")).await;
    // The handler has a second of real time to clean up.
    eventually("an end of the handler", async || dropped.load(Ordering::SeqCst)).await;
}

#[tokio::test]
async fn a_panic_fails_the_job_and_the_worker_is_replaced() {
    let workers = Workers::between(1, 1).cold_start(seconds(8));
    let service = Service::still(|builder| {
        builder.workers_of("crash", workers).endpoint("crash", |job: LocalJob| async move {
            if job.input["crash"] == true {
                panic!("out of memory");
            }
            Ok(json!("fine"))
        })
    })
    .await;
    let id = service.run("crash", json!({ "input": { "crash": true } })).await;
    let record = service.until("crash", &id, "FAILED").await;
    assert_eq!(record["error"], "the worker crashed: out of memory");
    // The replacement starts cold.
    let id = service.run("crash", json!({ "input": {} })).await;
    let (_, health) = service.get("/v2/crash/health").await;
    assert_eq!(health["workers"], json!({ "idle": 0, "running": 0 }));
    assert_eq!(service.status("crash", &id).await.1["status"], "IN_QUEUE");
    service.advance(seconds(8));
    service.until("crash", &id, "COMPLETED").await;
    let (_, health) = service.get("/v2/crash/health").await;
    assert_eq!(health["workers"], json!({ "idle": 1, "running": 0 }));
}

#[cfg(unix)]
mod command {
    use super::*;
    use crate::support::Pipe;

    /// A worker in shell: responds as its input asks, with the number of jobs that it had.
    const WORKER: &str = r#"
        jobs=0
        while read -r line; do
            jobs=$((jobs + 1))
            case "$line" in
                *die*) exit 3 ;;
                *garbage*) echo 'not json' ;;
                *fail*) echo '{"error": "it would not"}' ;;
                *hang*) sleep 60 ;;
                *) echo '{"stream": {"part": 1}}'; echo; echo '{"stream": {"part": 2}}'
                   echo "{\"output\": {\"jobs\": $jobs}}" ;;
            esac
        done
    "#;

    async fn service() -> Service {
        Service::start(|builder| builder.workers(1, 1).command_endpoint("sh", WORKER)).await
    }

    #[tokio::test]
    async fn a_command_worker_responds_with_lines_of_json_and_stays_alive() {
        let service = service().await;
        for jobs in 1..=3 {
            let id = service.run("sh", json!({ "input": {} })).await;
            let record = service.until("sh", &id, "COMPLETED").await;
            assert_eq!(record["output"], json!({ "jobs": jobs }));
            let (_, chunks) = service.get(&format!("/v2/sh/stream/{id}")).await;
            assert_eq!(chunks[0]["output"], json!({ "part": 1 }));
            assert_eq!(chunks[1]["output"], json!({ "part": 2 }));
        }
        let id = service.run("sh", json!({ "input": { "please": "fail" } })).await;
        assert_eq!(service.until("sh", &id, "FAILED").await["error"], "it would not");
        let id = service.run("sh", json!({ "input": {} })).await;
        let record = service.until("sh", &id, "COMPLETED").await;
        assert_eq!(record["output"]["jobs"], 5, "a failed job is no reason to replace the worker");
    }

    #[tokio::test]
    async fn a_command_worker_gets_the_job_as_one_line() {
        let service = Service::start(|builder| {
            builder.command_endpoint(
                "cat",
                r#"while read -r line; do printf '{"output": %s}\n' "$line"; done"#,
            )
        })
        .await;
        let body = json!({
            "input": { "text": "a\nb" },
            "policy": { "ttl": 20_000 },
            "s3Config": { "bucketName": "b" },
        });
        let id = service.run("cat", body).await;
        let record = service.until("cat", &id, "COMPLETED").await;
        let expected = json!({
            "id": id,
            "input": { "text": "a\nb" },
            "policy": { "ttl": 20_000 },
            "s3Config": { "bucketName": "b" },
        });
        assert_eq!(record["output"], expected);
    }

    #[tokio::test]
    async fn a_command_worker_that_dies_fails_its_job_and_is_replaced() {
        let service = service().await;
        let id = service.run("sh", json!({ "input": { "please": "die" } })).await;
        let record = service.until("sh", &id, "FAILED").await;
        let error = record["error"].as_str().unwrap();
        assert!(error.starts_with("the worker died") && error.contains('3'), "{error}");
        let id = service.run("sh", json!({ "input": { "write": "garbage" } })).await;
        let record = service.until("sh", &id, "FAILED").await;
        assert!(record["error"].as_str().unwrap().contains("not json"));
        let id = service.run("sh", json!({ "input": {} })).await;
        let record = service.until("sh", &id, "COMPLETED").await;
        assert_eq!(record["output"], json!({ "jobs": 1 }));
    }

    #[tokio::test]
    async fn a_command_worker_that_ends_after_its_job_fails_no_other_job() {
        let large = "x".repeat(1 << 20);
        for worker in [
            r#"read -r line; echo '{"output": 1}'"#,
            r#"read -r line; echo '{"output": 1}'; sleep 0.1"#,
            r#"read -r line; echo '{"output": 1}'; exec >&-; sleep 0.1"#,
        ] {
            let service =
                Service::start(|builder| builder.workers(1, 1).command_endpoint("one", worker))
                    .await;
            for input in [json!({}), json!({ "large": large }), json!({}), json!({})] {
                let body = json!({ "input": input });
                let (_, record) = service.post_json("/v2/one/runsync", body).await;
                assert_eq!(
                    (&record["status"], &record["output"]),
                    (&json!("COMPLETED"), &json!(1))
                );
            }
        }
    }

    #[tokio::test]
    async fn standard_error_of_a_command_is_in_the_worker_log() {
        let worker = r#"read -r line; echo out of memory >&2; printf 'its last word' >&2; exit 3"#;
        let service = Service::start(|builder| {
            builder.api_key("canary-of-a-key").workers(1, 1).command_endpoint("dies", worker)
        })
        .await;
        let id = service.run("dies", json!({ "input": {} })).await;
        let record = service.until("dies", &id, "FAILED").await;
        assert!(record["error"].as_str().unwrap().contains("exit status: 3"), "{record}");
        let printed = || {
            let lines = service.local.worker_logs("dies");
            lines.into_iter().map(|line| (line.worker, line.source, line.text)).collect::<Vec<_>>()
        };
        eventually("the last word", async || printed().len() == 2).await;
        let of = |text: &str| ("worker-0".to_owned(), LogSource::Stderr, text.to_owned());
        assert_eq!(printed(), [of("out of memory"), of("its last word")]);
        assert!(service.local.worker_logs("echo").is_empty());
    }

    #[tokio::test]
    async fn a_surplus_line_is_no_response_to_another_job() {
        for worker in [
            // In one piece with the response, and while the next job is waiting in the pipe.
            r#"while read -r line; do
                printf '{"output": %s}\n{"output": "surplus"}\nsurplus\n' "$line"
            done"#,
            r#"while read -r line; do
                echo "{\"output\": $line}"; sleep 0.1; echo '{"output": "surplus"}'; sleep 0.1
            done"#,
        ] {
            let service =
                Service::start(|builder| builder.workers(1, 1).command_endpoint("sh", worker))
                    .await;
            for n in 0..5 {
                let body = json!({ "input": { "n": n } });
                let (_, record) = service.post_json("/v2/sh/runsync", body).await;
                assert_eq!(record["output"]["input"]["n"], n, "{record}");
            }
        }
    }

    #[tokio::test]
    async fn a_command_worker_that_never_stops_writing_is_replaced() {
        let service = Service::start(|builder| {
            builder.workers(1, 1).command_endpoint("yes", r#"yes '{"output": 1}'"#)
        })
        .await;
        for _ in 0..3 {
            let (_, record) = service.post_json("/v2/yes/runsync", json!({ "input": {} })).await;
            assert_eq!(record["output"], 1);
        }
    }

    #[tokio::test]
    async fn the_replacement_of_a_dead_process_starts_cold() {
        let workers = Workers::between(1, 1).cold_start(seconds(8));
        let service = Service::still(|builder| {
            builder.workers_of("sh", workers).command_endpoint("sh", WORKER)
        })
        .await;
        for way in ["die", "garbage"] {
            let id = service.run("sh", json!({ "input": { "please": way } })).await;
            service.until("sh", &id, "FAILED").await;
            let id = service.run("sh", json!({ "input": {} })).await;
            let (_, health) = service.get("/v2/sh/health").await;
            assert_eq!(health["workers"], json!({ "idle": 0, "running": 0 }));
            assert_eq!(service.status("sh", &id).await.1["status"], "IN_QUEUE");
            service.advance(seconds(8));
            service.until("sh", &id, "COMPLETED").await;
        }
        // A job that failed of itself is no reason to replace the worker.
        let id = service.run("sh", json!({ "input": { "please": "fail" } })).await;
        service.until("sh", &id, "FAILED").await;
        let (_, health) = service.get("/v2/sh/health").await;
        assert_eq!(health["workers"], json!({ "idle": 1, "running": 0 }));
    }

    #[tokio::test]
    async fn a_cancel_kills_the_command() {
        let service = service().await;
        let id = service.run("sh", json!({ "input": { "please": "hang" } })).await;
        service.until("sh", &id, "IN_PROGRESS").await;
        service.post(&format!("/v2/sh/cancel/{id}")).await;
        let id = service.run("sh", json!({ "input": {} })).await;
        let record = service.until("sh", &id, "COMPLETED").await;
        assert_eq!(record["output"], json!({ "jobs": 1 }));
    }

    #[tokio::test]
    async fn processes_that_a_command_started_end_with_the_command() {
        let pipe = Pipe::new();
        let worker = format!(r#"{} echo '{{"stream": 1}}'; wait"#, pipe.holder());
        let service =
            Service::start(|builder| builder.command_endpoint("background", worker)).await;
        let id = service.run("background", json!({ "input": {} })).await;
        let path = format!("/v2/background/stream/{id}");
        eventually("a chunk", async || service.get(&path).await.1 != json!([])).await;
        assert!(pipe.is_held());
        service.post(&format!("/v2/background/cancel/{id}")).await;
        pipe.released().await;
    }

    #[tokio::test]
    async fn a_command_ends_when_its_worker_stops_and_when_the_service_does() {
        let pipe = Pipe::new();
        let start = async |pipe: &Pipe| {
            let workers = Workers::between(0, 1).idle_timeout(seconds(5));
            let worker = pipe.worker();
            let service = Service::still(|builder| {
                builder.command_endpoint("sh", worker).workers_of("sh", workers)
            })
            .await;
            let id = service.run("sh", json!({ "input": {} })).await;
            service.until("sh", &id, "COMPLETED").await;
            service
        };
        let service = start(&pipe).await;
        assert!(pipe.is_held());
        service.advance(seconds(5));
        pipe.released().await;
        let pipe = Pipe::new();
        let service = start(&pipe).await;
        assert!(pipe.is_held());
        drop(service);
        pipe.released().await;
    }

    #[tokio::test]
    async fn a_command_that_does_not_start_fails_its_job() {
        let service =
            Service::start(|builder| builder.command_endpoint("none", "/no/such/program")).await;
        let id = service.run("none", json!({ "input": {} })).await;
        let record = service.until("none", &id, "FAILED").await;
        assert!(record["error"].as_str().unwrap().contains("the worker died"), "{record}");
    }
}

#[tokio::test]
async fn an_endpoint_that_no_url_can_name_is_refused_at_the_start() {
    let builder = LocalService::builder;
    for name in ["", ".", ".."] {
        for builder in [
            builder().endpoint(name, |job: LocalJob| async move { Ok(job.input) }),
            builder().command_endpoint(name, "cat"),
            builder().endpoint_for_workers(name),
        ] {
            let error = builder.start().await.unwrap_err();
            assert_eq!(error.setting(), Some("endpoint"), "{name:?}");
            assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        }
    }
}
