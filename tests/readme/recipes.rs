//! Recipes of the README and the guide, as tests.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
#[cfg(feature = "webhook")]
use podqueue::Webhooks;
use podqueue::{Client, ErrorKind, NewTemplate, Observation, Policy, RateLimits, RetryPolicy};
use podqueue_local::{Fault, GPU_POD, HandlerError, LocalJob, LocalService, Operation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn service() -> (LocalService, Client) {
    let local = LocalService::builder()
        .endpoint("painter", |job: LocalJob| async move {
            match job.input["prompt"].as_str() {
                Some(prompt) => Ok(json!({ "url": format!("https://pictures.example/{prompt}") })),
                None => Err(HandlerError::from("input.prompt is required")),
            }
        })
        .endpoint("poet", |job: LocalJob| async move {
            for text in ["The ", "lamp ", "turns."] {
                job.emit(json!({ "text": text })).await;
            }
            Ok(Value::Null)
        })
        .start()
        .await
        .unwrap();
    let client = Client::builder()
        .api_key(local.api_key())
        .base_url(local.base_url())
        .rest_url(local.rest_url())
        .graphql_url(local.graphql_url())
        .build()
        .unwrap();
    (local, client)
}

#[derive(Serialize)]
struct Prompt {
    prompt: String,
}

#[derive(Deserialize)]
struct Picture {
    url: String,
}

#[tokio::test]
async fn typed_input_and_output() -> Outcome {
    let (_local, client) = service().await;
    let input = Prompt { prompt: "a lighthouse in a storm".into() };
    let picture: Picture = client.endpoint("painter").run_sync(input).output().await?;
    println!("{}", picture.url);
    Ok(())
}

#[tokio::test]
async fn submit_now_and_wait_later() -> Outcome {
    let (_local, client) = service().await;
    let endpoint = client.endpoint("painter");
    let job = endpoint.run(json!({ "prompt": "dawn" })).await?;
    let id = job.id().to_owned(); // keep it in a database, a message, a file

    // In another process, minutes later:
    let record = endpoint.job(&id).wait().timeout(Duration::from_secs(600)).await?;
    let picture: Picture = record.output()?;
    assert_eq!(picture.url, "https://pictures.example/dawn");
    Ok(())
}

#[tokio::test]
async fn openai_compatible_workers() -> Outcome {
    let (_local, client) = service().await;
    let endpoint = client.endpoint("poet");
    let body = json!({"model": "poet", "messages": [{"role": "user", "content": "a poem"}]});
    let stream = endpoint.openai_stream("v1/chat/completions", &body);
    let mut events = stream.timeout(Duration::from_secs(600)).await?; // the first worker may have to start
    while let Some(event) = events.try_next().await? {
        if event.data == "[DONE]" {
            break;
        }
        let chunk: Value = event.json()?;
        print!("{}", chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    }
    Ok(())
}

#[tokio::test]
async fn streaming() -> Outcome {
    let (local, client) = service().await;
    #[derive(Deserialize)]
    struct Token {
        text: String,
    }

    let mut tokens = client.endpoint("poet").run(json!({})).stream::<Token>();
    while let Some(token) = tokens.next().await {
        print!("{}", token?.output.text);
    }
    assert!(local.requests().iter().any(|request| request.path.contains("/poet/stream/")));
    Ok(())
}

#[tokio::test]
async fn many_jobs() -> Outcome {
    let (local, client) = service().await;
    let prompts = ["dawn", "noon", "dusk"].map(|prompt| json!({ "prompt": prompt }));
    let mut results = client
        .endpoint("painter")
        .run_all(prompts)
        .concurrency(50)
        .submit(|run| run.at_least_once()) // each job may run twice rather than not at all
        .wait(|wait| wait.timeout(Duration::from_secs(600)).cancel_on_timeout());
    while let Some(finished) = results.next().await {
        match finished.result {
            Ok(record) => println!("{}: {}", finished.index, record.output::<Picture>()?.url),
            Err(error) => println!("{}: {error}", finished.index),
        }
    }
    let submissions = local.requests().into_iter().filter(|it| it.path.ends_with("/painter/run"));
    assert_eq!(submissions.count(), 3);
    Ok(())
}

#[tokio::test]
async fn deadlines_and_policies() -> Outcome {
    let (_local, client) = service().await;
    let input = json!({ "prompt": "dusk" });
    let policy = Policy::new()
        .execution_timeout(Duration::from_secs(15 * 60)) // once a worker has the job
        .ttl(Duration::from_secs(2 * 60 * 60)); // from submission to deletion
    let job = client.endpoint("painter").run(&input).policy(policy).await?;
    let wait = job.wait().timeout(Duration::from_secs(20 * 60)).cancel_on_timeout();
    let record = wait.await?;
    assert!(record.status().is_terminal());
    Ok(())
}

#[tokio::test]
async fn errors_and_unknown_outcomes() -> Outcome {
    let (_local, client) = service().await;
    let input = json!({ "prompt": "dusk" });
    match client.endpoint("painter").run(&input).await {
        Ok(job) => println!("submitted as {}", job.id()),
        // The service may have accepted the job: its response was lost, or was a failure.
        Err(error) if error.kind() == ErrorKind::OutcomeUnknown => println!("{error}"),
        // Nothing was accepted: submitting again is safe.
        Err(error) if error.is_retryable() => println!("try again later: {error}"),
        Err(error) => return Err(error.into()),
    }

    // Where running a job twice does no harm, such a submission is retried as well.
    let job = client.endpoint("painter").run(&input).at_least_once().await?;

    // A job that failed is an error of the wait, with what its handler reported.
    if let Err(error) = job.wait().await
        && let Some(failure) = error.job_failure()
    {
        println!("{}", failure.message);
    }
    Ok(())
}

#[tokio::test]
async fn retries_and_limits() -> Outcome {
    let key = "the-key-of-this-account";
    let client = Client::builder()
        .api_key(key)
        .base_url("https://queue.example")
        .retry(RetryPolicy::new().attempts(6))
        .rate_limits(RateLimits::new().share(0.5)) // two processes share one key
        .timeout(Duration::from_secs(30)) // for each attempt
        .call_timeout(Duration::from_secs(120)) // for a call with all its attempts
        .build()?;
    drop(client);
    Ok(())
}

#[tokio::test]
async fn pods_templates_and_secrets() -> Outcome {
    let (_local, client) = service().await;
    let pod = client.rest().get_pod(GPU_POD).include_machine(true).await?;
    println!("{:?} costs {:?} credits per hour", pod.name, pod.cost_per_hr);

    let worker = NewTemplate::serverless("my-worker", "registry.example/worker:1")
        .container_disk_gb(5)
        .env("MODEL", "small");
    let template = client.templates().create(worker).await?;
    client.templates().delete(&template.name).await?;

    let secret = client.secrets().create("token", "s3cret").await?;
    client.secrets().delete(&secret.id).await?;
    Ok(())
}

/// An endpoint with one worker, as the account interface responds.
#[cfg(feature = "account")]
async fn account_of_one_endpoint() -> std::io::Result<Client> {
    use axum::http::header::CONTENT_TYPE;
    use axum::routing::get;

    let workers = || async { r#"{"workers": [{"id": "w", "status": "IDLE"}]}"# };
    let endpoint = || async { r#"{"workers": {"min": 0, "max": 3}}"# };
    let line = json!({"source": "container", "line": "ready", "ts": "2026-11-15T00:00:00Z"});
    let logs =
        || async move { ([(CONTENT_TYPE, "text/event-stream")], format!("data: {line}\n\n")) };
    let app: axum::Router = axum::Router::new()
        .route("/v2/serverless/painter", get(endpoint).patch(endpoint))
        .route("/v2/serverless/painter/workers", get(workers))
        .route("/v2/serverless/painter/workers/w/logs", get(logs));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(Client::builder().api_key("key").account_url(url).build().unwrap())
}

#[cfg(feature = "account")]
#[tokio::test]
async fn the_account() -> Outcome {
    let client = account_of_one_endpoint().await?;

    let account = client.account();
    for worker in account.list_endpoint_workers("painter").await?.workers {
        println!("{:?} is {:?}", worker.id, worker.status);
    }

    let mut lines = account.endpoint("painter").logs().tail(20);
    while let Some(line) = lines.next().await {
        let line = line?;
        println!("{} {}", line.ts, line.line);
    }

    // Warm workers for a batch, and the former numbers after it.
    let mut scaled = account.endpoint("painter").scale(2, 10).await?;
    scaled.restore().await?;
    Ok(())
}

#[cfg(feature = "webhook")]
#[tokio::test]
async fn webhooks() -> Outcome {
    let (_local, client) = service().await;
    let endpoint = client.endpoint("painter");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}/hooks", listener.local_addr()?);
    async fn save(_: podqueue::JobRecord) -> std::io::Result<()> {
        Ok(())
    }

    let webhooks = Webhooks::builder(&endpoint).on_job(save).build()?;
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });

    let url = webhooks.url(&base)?; // such as https://me.example/hooks, and a secret token
    let job = endpoint.run(json!({ "prompt": "dawn" })).webhook(url).await?;
    let record = job.wait().notified_by(&webhooks).await?;
    assert_eq!(record.output::<Picture>()?.url, "https://pictures.example/dawn");
    Ok(())
}

#[tokio::test]
async fn testing_with_the_local_service() -> Outcome {
    let local = LocalService::builder().manual_clock().start().await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;

    // The service accepts the job, and its response is lost.
    local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let error = client.endpoint("echo").run(json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);

    // Half an hour later, the result of a job has expired.
    let job = client.endpoint("echo").run(json!({})).await?;
    job.wait().await?;
    local.clock().advance(Duration::from_secs(31 * 60));
    let error = job.status().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobExpired);
    Ok(())
}

#[tokio::test]
async fn observability() -> Outcome {
    let local = LocalService::builder().start().await?;
    let client = Client::builder()
        .api_key(local.api_key())
        .base_url(local.base_url())
        .observe(|observation| {
            if let Observation::CallEnded { operation, elapsed, error, .. } = observation {
                println!("{operation} took {elapsed:?}: {error:?}");
            }
        })
        .build()?;
    client.endpoint("echo").run_sync(json!({})).await?;
    Ok(())
}
