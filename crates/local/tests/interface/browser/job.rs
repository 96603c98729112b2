//! Details of a job: values, chunks, time line, webhooks and actions.

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::stream;
use podqueue_local::LocalJob;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::support::{CONTROL, KEY, open};

#[tokio::test(flavor = "multi_thread")]
async fn chunks_are_shown_as_they_stream() {
    let (send, receive) = mpsc::unbounded_channel::<u32>();
    let receive = Mutex::new(Some(receive));
    let Some(page) = open(|builder| {
        builder.streaming_endpoint("told", move |_job: LocalJob| {
            let receive = receive.lock().unwrap().take().unwrap();
            stream::unfold(receive, async |mut receive| {
                let number = receive.recv().await?;
                Some((Ok(json!({ "number": number })), receive))
            })
        })
    })
    .await
    else {
        return;
    };
    page.show("told").await;
    let id = page.run("told", json!({})).await;
    page.until_text("#jobs-found", "1 job").await;
    page.open_job(&id).await;
    for number in 1..=3 {
        send.send(number).unwrap();
        page.until_text(
            &format!("#part-chunks li:nth-child({number})"),
            &format!("{{\"number\":{number}}}"),
        )
        .await;
        page.until_text("#job-status", "In progress").await;
    }
    // The existing elements are not replaced.
    page.browser.run("document.querySelector('#part-chunks li').isTheSame = true").await;
    drop(send);
    page.until_text("#job-status", "Completed").await;
    page.until("document.querySelector('#part-chunks li').isTheSame").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_line_shows_every_state_with_its_time() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 5000 })).await;
    page.open_job(&id).await;
    page.until_shown("#timeline", "Times out").await;
    page.local.clock().advance(Duration::from_secs(5));
    page.until_shown("#timeline li:nth-child(3)", "Completed").await;
    page.until_shown("#timeline li:nth-child(3)", "00:00:05").await;
    page.until_shown("#timeline li:nth-child(3)", "+5.0 s").await;
    // What has happened has its time on the computer's clock, and what lies ahead has none.
    let wall = r"document.querySelectorAll('#timeline time + .of')";
    page.until(&format!(r"[...{wall}].map((it) => /^\d\d:\d\d:\d\d$/.test(it.innerText)).join() === 'true,true,true,false'")).await;
    page.until_shown("#timeline-clocks", "which is manual").await;
    page.until_shown("#timeline li.ahead", "Expires").await;
    page.until_shown("#timeline li.ahead", "in 30 min").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_and_a_failed_one_retried() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 5000 })).await;
    page.open_job(&id).await;
    page.browser.click("#job-cancel").await;
    page.until_text("#job-status", "Cancelled").await;
    page.show("fail").await;
    let id = page.run("fail", json!({ "message": "out of memory" })).await;
    page.open_job(&id).await;
    page.until_shown("#part-error", "out of memory").await;
    page.browser.click("#job-retry").await;
    page.until_shown("#job-facts", "retried").await;
    page.until_text("#job-status", "Failed").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_copied_as_a_command_that_a_shell_runs() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let input = json!({ "text": "it's \"quoted\" $HOME `id` \\ é\n!" });
    let body = json!({ "input": input, "policy": { "ttl": 60_000 } });
    let record = page.post("/v2/echo/run", body).await;
    page.open_job(record["id"].as_str().unwrap()).await;
    page.until("!document.querySelector('#job-curl').ariaDisabled").await;
    page.browser.click("#job-curl").await;
    page.until_text("#notice", "Copied the command").await;
    page.enter_view("submit").await;
    page.browser.fill("#submit-body", "").await;
    page.browser.press_with(CONTROL, 'v').await;
    page.until("document.querySelector('#submit-body').value").await;
    let command = "return document.querySelector('#submit-body').value";
    let command = page.browser.run(command).await;
    let command = command.as_str().unwrap();
    assert!(!command.contains(KEY) && command.contains("$PODQUEUE_API_KEY"), "{command}");
    let Ok(run) = Command::new("sh")
        .args(["-c", &format!("command -v curl >/dev/null && {command} -sS")])
        .env("PODQUEUE_API_KEY", KEY)
        .output()
    else {
        return;
    };
    if run.stdout.is_empty() && run.stderr.is_empty() {
        return; // There is no curl.
    }
    let record: Value = serde_json::from_slice(&run.stdout).unwrap();
    let id = record["id"].as_str().unwrap();
    assert_eq!(page.until_status("echo", id, "COMPLETED").await["output"], input);
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_sent_again_with_changes() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let webhook = "http://127.0.0.1:1/hook";
    let policy = json!({ "ttl": 60_000 });
    let body = json!({ "input": { "text": "first" }, "policy": policy, "webhook": webhook });
    let record = page.post("/v2/echo/run", body).await;
    let first = record["id"].as_str().unwrap();
    page.open_job(first).await;
    page.until("!document.querySelector('#job-again').ariaDisabled").await;
    page.browser.click("#job-again").await;
    page.until("document.activeElement.id === 'submit-body'").await;
    let written = "return JSON.parse(document.querySelector('#submit-body').value)";
    let mut written = page.browser.run(written).await;
    assert_eq!(written["policy"]["ttl"], 60_000);
    assert_eq!(written["webhook"], webhook);
    assert_eq!(written["input"], json!({ "text": "first" }));
    written["input"]["text"] = json!("second");
    page.browser.fill("#submit-body", &written.to_string()).await;
    page.browser.click("#submit-send").await;
    page.until(&format!("!document.querySelector('#job-id').innerText.includes('{first}')")).await;
    page.until_shown("#part-output", "second").await;
    page.until_shown("#job-facts", "1 min").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_of_its_webhook_are_shown() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("echo").await;
    // Nothing listens there.
    let body = json!({ "input": {}, "webhook": "http://user:secret@127.0.0.1:1/hook" });
    let record = page.post("/v2/echo/run", body).await;
    page.open_job(record["id"].as_str().unwrap()).await;
    page.until_shown("#part-webhook li:nth-child(1)", "try 1").await;
    // The second attempt is made 10 seconds later.
    page.browser.click("[data-advance='60000']").await;
    page.until_shown("#part-webhook li:nth-child(2)", "try 2").await;
    page.until_shown("#part-webhook", "Connection refused").await;
    page.enter_view("webhooks").await;
    page.until_shown("#webhook-list tbody:not(.spacer)", "127.0.0.1:1/hook").await;
    page.until_shown("#webhook-list .rows .error", "Connection refused").await;
    assert!(!page.text("body").await.contains("secret"));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_value_is_cut_and_shown_whole_on_request() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let id = page.run("echo", json!({ "text": "x".repeat(400_000) })).await;
    page.open_job(&id).await;
    page.until("document.querySelector('#part-output pre').textContent.length > 200_000").await;
    page.until("document.querySelector('#part-output pre').textContent.length < 300_000").await;
    page.browser.click("#part-output .whole").await;
    page.until("document.querySelector('#part-output pre').textContent.length > 400_000").await;
    // An error can be as long as an output: its end is where a trace says what failed.
    page.show("fail").await;
    let message = format!("{}the cause", "x".repeat(400_000));
    let id = page.run("fail", json!({ "message": message })).await;
    page.open_job(&id).await;
    page.until("!document.querySelector('#part-error .whole').hidden").await;
    page.browser.click("#part-error .whole").await;
    page.until("document.querySelector('#part-error pre').textContent.endsWith('xthe cause')")
        .await;
    page.until("document.querySelector('#part-error .whole').hidden").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_input_is_copied_and_sent_again_whole() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let id = page.run("echo", json!({ "text": "x".repeat(400_000) })).await;
    page.open_job(&id).await;
    page.until("!document.querySelector('#part-input .whole').hidden").await;
    page.browser
        .run(
            "const { setData } = DataTransfer.prototype;
             DataTransfer.prototype.setData = function (kind, text) {
                window.command = text;
                return setData.call(this, kind, text);
             };",
        )
        .await;
    page.browser.click("#job-curl").await;
    page.until_text("#notice", "Copied the command").await;
    page.until("window.command.length > 400_000").await;
    let command = page.browser.run("return window.command").await;
    let script = std::env::temp_dir().join(format!("{id}.sh"));
    std::fs::write(&script, command.as_str().unwrap()).unwrap();
    let run = Command::new("sh").arg(&script).env("PODQUEUE_API_KEY", KEY).output().unwrap();
    std::fs::remove_file(&script).unwrap();
    if run.status.code() != Some(127) {
        // curl is installed.
        let record: Value = serde_json::from_slice(&run.stdout).unwrap();
        let again = record["id"].as_str().unwrap();
        let output = &page.until_status("echo", again, "COMPLETED").await["output"];
        assert_eq!(output["text"].as_str().unwrap().len(), 400_000);
    }
    page.browser.click("#job-again").await;
    page.until("document.activeElement.id === 'submit-body'").await;
    let length = "JSON.parse(document.querySelector('#submit-body').value).input.text.length";
    page.until(&format!("{length} === 400_000")).await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_was_shown_whole_gives_way_to_the_next_one() {
    let (send, receive) = mpsc::unbounded_channel::<&str>();
    let receive = Mutex::new(Some(receive));
    let Some(page) = open(|builder| {
        builder.endpoint("told", move |job: LocalJob| {
            let mut receive = receive.lock().unwrap().take().unwrap();
            async move {
                while let Some(word) = receive.recv().await {
                    job.progress(json!(word.repeat(100_000)));
                }
                Ok(json!("the end"))
            }
        })
    })
    .await
    else {
        return;
    };
    page.show("told").await;
    let id = page.run("told", json!({})).await;
    send.send("first").unwrap();
    page.open_job(&id).await;
    page.until("!document.querySelector('#part-output .whole').hidden").await;
    page.browser.click("#part-output .whole").await;
    page.until("document.querySelector('#part-output pre').textContent.length > 500_000").await;
    send.send("other").unwrap();
    page.until("document.querySelector('#part-output pre').textContent.startsWith('\"other')")
        .await;
    page.until("!document.querySelector('#part-output .whole').hidden").await;
    drop(send);
    page.until_text("#part-output pre", "\"the end\"").await;
    page.end_soundly(&[]).await;
}

/// JavaScript numbers would round these integers.
#[tokio::test(flavor = "multi_thread")]
async fn long_numbers_are_shown_and_sent_again_as_they_are() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let input = json!({ "seed": u64::MAX, "low": i64::MIN, "text": "12345678901234567890" });
    let id = page.run("echo", input.clone()).await;
    page.open_job(&id).await;
    page.until_shown("#part-output", "18446744073709551615").await;
    page.browser.click("#job-again").await;
    page.until("document.activeElement.id === 'submit-body'").await;
    page.browser.click("#submit-send").await;
    page.until(&format!("document.querySelector('#job-id').innerText !== '{id}'")).await;
    let again = page.text("#job-id").await;
    assert_eq!(page.until_status("echo", &again, "COMPLETED").await["output"], input);
    // As a JavaScript number, -0 would be written as the integer 0.
    page.enter_view("submit").await;
    page.fill_input("{\"zero\": -0}").await;
    page.browser.click("#submit-send").await;
    page.until(&format!("document.querySelector('#job-id').innerText !== '{again}'")).await;
    let zero = page.text("#job-id").await;
    let record = page.until_status("echo", &zero, "COMPLETED").await;
    assert_eq!(record["output"]["zero"], json!(-0.0));
    // As a JavaScript number, 1e400 would be written as null.
    page.enter_view("submit").await;
    page.fill_input("{\"huge\": 1e400, \"price\": 1.10}").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#submit-result", "number out of range").await;
    page.end_soundly(&["400"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn possible_secrets_are_omitted_from_a_copy_and_named() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let body = json!({
        "input": {},
        "webhook": "http://user:secret@127.0.0.1:1/hook?token=secret",
        "s3Config": { "accessId": "secret" },
    });
    let record = page.post("/v2/echo/run", body).await;
    let first = record["id"].as_str().unwrap();
    page.open_job(first).await;
    page.until_text("#job-status", "Completed").await;
    let left_out = "Left out, as it may be secret: webhook, s3Config";
    page.browser.click("#job-curl").await;
    page.until_text("#notice", &format!("Copied the command. {left_out}")).await;
    page.enter_view("submit").await;
    page.browser.fill("#submit-body", "").await;
    page.browser.press_with(CONTROL, 'v').await;
    page.until("document.querySelector('#submit-body').value.startsWith('curl')").await;
    page.until("!document.querySelector('#submit-body').value.includes('hidden')").await;
    page.browser.back().await;
    page.until_text("#job-id", first).await;
    page.until("!document.querySelector('#job-again').ariaDisabled").await;
    page.browser.click("#job-again").await;
    page.until_text("#submit-result", left_out).await;
    page.until("!document.querySelector('#submit-body').value.includes('webhook')").await;
    page.browser.click("#submit-send").await;
    page.until(&format!("!document.querySelector('#job-id').innerText.includes('{first}')")).await;
    page.until_text("#job-status", "Completed").await;
    page.until_text("#submit-result", "").await;
    assert!(!page.text("#job-facts").await.contains("webhook"));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_about_a_job_and_the_log_of_its_worker_are_shown_with_it() {
    let command = "while read -r line; do
            id=$(echo \"$line\" | sed 's/.*\"id\":\"\\([^\"]*\\)\".*/\\1/')
            echo \"{\\\"requestId\\\":\\\"$id\\\",\\\"level\\\":\\\"WARN\\\",\\\"message\\\":\\\"low memory\\\"}\" >&2
            echo '{\"output\": 1}'
        done";
    let Some(page) = open(|builder| builder.command_endpoint("lines", command)).await else {
        return;
    };
    page.show("lines").await;
    let id = page.run("lines", json!({})).await;
    page.get(&format!("/v2/lines/status/{id}")).await;
    page.open_job(&id).await;
    page.until_shown("#part-requests", "200 POST /v2/lines/run").await;
    page.until_shown("#part-requests", &format!("200 GET /v2/lines/status/{id}")).await;
    page.until_shown("#part-log", "low memory").await;
    page.enter_view("logs").await;
    page.until_text("#log-list .rows .level", "warn").await;
    page.until_text("#log-list .rows td:last-child", "low memory").await;
    page.browser.click("#log-list .rows td:last-child").await;
    page.until_shown("#log-raw pre", "\"requestId\"").await;
    page.end_soundly(&[]).await;
}
