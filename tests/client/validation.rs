//! Validation: requests that are refused before they are sent, with the field and the rule.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, Error, ErrorKind, NewTemplate, Policy, Port, Run, S3Config};
use serde_json::json;

use crate::support::{Reply, Script};

fn assert_refused(error: &Error, field: &str, rule: &str) {
    assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some(field)), "{error}");
    let text = error.to_string();
    assert!(text.contains("refused before sending") && text.contains(rule), "{text}");
}

#[tokio::test]
async fn policy_values_out_of_range_are_refused() {
    let server = Script::of([]).await;
    let endpoint = server.endpoint();
    let (second, millisecond) = (Duration::from_secs(1), Duration::from_millis(1));
    let week = 7 * 24 * 60 * 60 * second;
    for (policy, field, rule) in [
        (
            Policy::new().execution_timeout(5 * second - millisecond),
            "policy.executionTimeout",
            "5 seconds to 7 days",
        ),
        (
            Policy::new().execution_timeout(week + millisecond),
            "policy.executionTimeout",
            "5 seconds to 7 days",
        ),
        (Policy::new().ttl(10 * second - millisecond), "policy.ttl", "10 seconds to 7 days"),
        (Policy::new().ttl(week + millisecond), "policy.ttl", "10 seconds to 7 days"),
    ] {
        let run = endpoint.run(&json!({})).policy(policy.clone()).await.unwrap_err();
        let run_sync = endpoint.run_sync(&json!({})).policy(policy).await.unwrap_err();
        assert_refused(&run, field, rule);
        assert_refused(&run_sync, field, rule);
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_check_refuses_what_a_submission_would_and_sends_nothing() {
    let server = Script::of([]).await;
    let endpoint = server.endpoint();
    let run = || endpoint.run(&json!({}));
    let brief = Policy::new().ttl(Duration::from_secs(9));
    let storage = S3Config::new("id", "secret", "bucket", "storage.example");
    let large = "x".repeat(Run::MAX_BODY);
    for (run, field, rule) in [
        (endpoint.run(&json!([])), "input", "a JSON object"),
        (endpoint.run(&json!({ "text": large })), "body", "limit of 10485760 bytes"),
        (run().policy(brief), "policy.ttl", "10 seconds to 7 days"),
        (run().webhook("ftp://me.example"), "webhook", "http"),
        (run().s3_config(storage), "s3Config.endpointUrl", "http"),
        (server.client().endpoint("..").run(&json!({})), "endpoint id", "must not be"),
    ] {
        assert_refused(&run.check().unwrap_err(), field, rule);
    }
    let good = Policy::new().ttl(Duration::from_secs(10));
    run().policy(good).webhook("https://me.example/hook").check().unwrap();
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_wait_out_of_range_is_refused() {
    let server = Script::of([]).await;
    for milliseconds in [0, 999, 300_001] {
        let wait = Duration::from_millis(milliseconds);
        let error = server.endpoint().run_sync(&json!({})).wait(wait).await.unwrap_err();
        assert_refused(&error, "wait", "1 to 300 seconds");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_ttl_below_one_millisecond_is_refused() {
    let server = Script::of([]).await;
    let job = server.endpoint().job("j");
    let error = job.status().ttl(Duration::from_micros(999)).await.unwrap_err();
    assert_refused(&error, "ttl", "at least one millisecond");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn ids_that_name_another_path_are_refused() {
    let server = Script::of([]).await;
    let client = server.client();
    for id in ["", ".", ".."] {
        let endpoint = client.endpoint(id).health().await.unwrap_err();
        assert_refused(&endpoint, "endpoint id", "must not be");
        let job = client.endpoint("ep").job(id).status().await.unwrap_err();
        assert_refused(&job, "job id", "must not be");
        let pod = client.rest().get_pod(id).await.unwrap_err();
        assert_refused(&pod, "podId", "must not be");
        let template = client.rest().get_template(id).await.unwrap_err();
        assert_refused(&template, "templateId", "must not be");
        let path = format!("v1/{id}");
        let openai = client.endpoint("ep").openai(&path, &json!({})).await.unwrap_err();
        assert_refused(&openai, "path", "must not be");
        let openai = client.endpoint("ep").openai_stream(&path, &json!({})).await.unwrap_err();
        assert_refused(&openai, "path", "must not be");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn bodies_above_the_payload_limits_are_refused() {
    let accepted = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::then_always([], accepted).await;
    let overhead = r#"{"input":{"x":""}}"#.len();
    let client = server.settings().payload_limits(1_000, 2_000).build().unwrap();
    let endpoint = client.endpoint("ep");
    let input = |bytes: usize| json!({"x": "x".repeat(bytes - overhead)});
    endpoint.run(&input(1_000)).await.unwrap();
    endpoint.run_sync(&input(2_000)).await.unwrap();
    let run = endpoint.run(&input(1_001)).await.unwrap_err();
    assert_refused(&run, "body", "1001 bytes long, above the limit of 1000");
    let run_sync = endpoint.run_sync(&input(2_001)).await.unwrap_err();
    assert_refused(&run_sync, "body", "2001 bytes long, above the limit of 2000");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn the_default_payload_limits_are_10_and_20_mib() {
    let accepted = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::then_always([], accepted).await;
    let endpoint = server.endpoint();
    let overhead = r#"{"input":{"x":""}}"#.len();
    for (limit, sync) in [(10 * 1024 * 1024, false), (20 * 1024 * 1024, true)] {
        for (bytes, fits) in [(limit, true), (limit + 1, false)] {
            let input = json!({"x": "x".repeat(bytes - overhead)});
            let sent = match sync {
                false => endpoint.run(&input).await.is_ok(),
                true => endpoint.run_sync(&input).await.is_ok(),
            };
            assert_eq!(sent, fits, "{bytes} bytes, sync: {sync}");
        }
    }
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_input_that_cannot_be_serialized_is_refused() {
    let server = Script::of([]).await;
    let input = std::collections::HashMap::from([((1, 2), 3)]);
    let error = server.endpoint().run(&input).await.unwrap_err();
    assert_refused(&error, "input", "cannot be serialized as JSON");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn an_input_that_is_not_an_object_is_refused() {
    let server = Script::of([]).await;
    let endpoint = server.endpoint();
    for input in
        [json!([]), json!([{}]), json!(null), json!(false), json!(0), json!(""), json!("{}")]
    {
        for error in [
            endpoint.run(&input).await.unwrap_err(),
            endpoint.run_sync(&input).await.unwrap_err(),
            endpoint.run_sync(&input).output::<()>().await.unwrap_err(),
        ] {
            assert_refused(&error, "input", "must be a JSON object");
        }
        let results: Vec<_> = endpoint.run_all([input]).collect().await;
        assert_refused(results[0].result.as_ref().unwrap_err(), "input", "must be a JSON object");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn invalid_webhook_and_storage_urls_are_refused() {
    let server = Script::of([]).await;
    let endpoint = server.endpoint();
    for url in ["", "me.example/hook", "ftp://me.example", "/hook"] {
        let error = endpoint.run(&json!({})).webhook(url).await.unwrap_err();
        assert_refused(&error, "webhook", "http or https");
    }
    for url in
        ["not a url", "minio:9000", "localhost:9000", "s3://bucket", "//minio:9000", "http://"]
    {
        let storage = S3Config::new("a", "b", "c", url);
        let error = endpoint.run_sync(&json!({})).s3_config(storage).await.unwrap_err();
        assert_refused(&error, "s3Config.endpointUrl", "must be an http or https URL");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn an_unusable_key_or_url_is_refused() {
    for key in ["", "two words", "line\nend", "ключ", "tab\t"] {
        let error = Client::builder().api_key(key).build().unwrap_err();
        assert_refused(&error, "api_key", "must");
        assert!(key.is_empty() || !error.to_string().contains(key), "{error}");
    }
    let with = |url: &str| Client::builder().api_key("k").base_url(url).build();
    assert_refused(&with("queue.example").unwrap_err(), "base_url", "is not a URL");
    assert_refused(&with("ftp://queue.example").unwrap_err(), "base_url", "https");
    assert_refused(&with("https://a:b@queue.example").unwrap_err(), "base_url", "user name");
    let plain = Client::builder().api_key("k").rest_url("http://rest.example").build();
    assert_refused(&plain.unwrap_err(), "rest_url", "plain http");
    let graphql = Client::builder().api_key("k").graphql_url("http://api.example/graphql");
    assert_refused(&graphql.clone().build().unwrap_err(), "graphql_url", "plain http");
    graphql.allow_plain_http().build().unwrap();
    for proxy in ["", "http://", "socks5://127.0.0.1:1", "ftp://me:pw-canary@127.0.0.1"] {
        let error = Client::builder().api_key("k").proxy(proxy).build().unwrap_err();
        assert_refused(&error, "proxy", "http or https");
        assert!(!format!("{error:?}").contains("pw-canary"), "{error:?}");
    }
    for proxy in ["127.0.0.1:1", "HTTP://me:pw@127.0.0.1:1"] {
        Client::builder().api_key("k").proxy(proxy).build().unwrap();
    }
    let agent = Client::builder().api_key("k").user_agent("line\nend").build();
    assert_refused(&agent.unwrap_err(), "user_agent", "header");
}

#[tokio::test]
async fn templates_that_the_interface_forbids_are_refused() {
    let server = Script::of([]).await;
    let templates = server.client().templates();
    let serverless = || NewTemplate::serverless("n", "i:1").container_disk_gb(5);
    let pod = || NewTemplate::pod("n", "i:1").container_disk_gb(5).volume_gb(5);
    for (template, field, rule) in [
        (serverless().volume_gb(1), "volumeInGb", "must be 0 for a serverless template"),
        (NewTemplate::serverless("n", "i:1"), "containerDiskInGb", "is required"),
        (NewTemplate::pod("n", "i:1").volume_gb(1), "containerDiskInGb", "is required"),
        (NewTemplate::pod("n", "i:1").container_disk_gb(1), "volumeInGb", "is required"),
        (NewTemplate::pod("", "i:1").container_disk_gb(1).volume_gb(1), "name", "empty"),
        (NewTemplate::pod("n", "").container_disk_gb(1).volume_gb(1), "imageName", "empty"),
        (pod().container_disk_gb(u32::MAX), "containerDiskInGb", "at most 2147483647"),
        (pod().port("8888"), "ports", "`<port>/http` or `<port>/tcp`"),
        (pod().port("8888/udp"), "ports", "`<port>/http` or `<port>/tcp`"),
        (pod().port("0/tcp"), "ports", "from 1 to 65535"),
        (pod().port("70000/tcp"), "ports", "from 1 to 65535"),
        (pod().port("1/http,2/tcp"), "ports", "`<port>/http` or `<port>/tcp`"),
        (pod().port(Port::http(0)), "ports", "port 0"),
        (pod().env("", "v"), "env", "without a name"),
    ] {
        let created = templates.create(template.clone()).await.unwrap_err();
        assert_refused(&created, field, rule);
        let updated = templates.update("id", template).await.unwrap_err();
        assert_refused(&updated, field, rule);
    }
    assert_refused(&templates.update("", pod()).await.unwrap_err(), "id", "empty");
    assert_refused(&templates.delete("").await.unwrap_err(), "templateName", "empty");
    let secrets = server.client().secrets();
    assert_refused(&secrets.create("", "v").await.unwrap_err(), "name", "empty");
    assert_refused(&secrets.delete("").await.unwrap_err(), "id", "empty");
    assert_eq!(server.requests().len(), 0);
}
