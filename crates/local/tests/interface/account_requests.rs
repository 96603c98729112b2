//! Requests of the account interface: keys, problems, limits, templates of both versions, the bill.

use podqueue_local::{Operation, RateLimits, RetiredInterface};
use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::support::{KEY, Service, account_answer, assert_problem, seconds};

#[tokio::test]
async fn a_key_is_required_and_must_permit_the_request() {
    let service =
        Service::still(|builder| builder.restricted_api_key("narrow", [Operation::Run])).await;
    let url = format!("{}/v2/pods", service.local.account_url());
    let request = || service.http.get(&url);
    for (request, status, mentions) in [
        (request(), 401, "missing API key"),
        (request().bearer_auth("other"), 401, "invalid API key"),
        (request().header("authorization", KEY), 401, "Bearer"),
        (request().bearer_auth("narrow"), 403, "no permission"),
    ] {
        let answer = account_answer(request.send().await.unwrap()).await;
        assert_problem(&answer, status, mentions);
    }
}

#[tokio::test]
async fn errors_are_problems() {
    let service = Service::still(|builder| builder).await;
    let answer = service.account(Method::GET, "/endpoints", None).await;
    assert_problem(&answer, 404, "no operation");
    let url = format!("{}/v2/pods", service.local.account_url());
    let delete = service.http.delete(&url).bearer_auth(KEY).send().await.unwrap();
    assert_eq!(delete.headers()[header::ALLOW], "GET, POST");
    assert_problem(&account_answer(delete).await, 405, "does not allow DELETE");
    let post = || service.http.post(&url).bearer_auth(KEY);
    let answer = account_answer(post().body("{}").send().await.unwrap()).await;
    assert_problem(&answer, 415, "content-type");
    let json = || post().header("content-type", "application/json");
    let answer = account_answer(json().body("{").send().await.unwrap()).await;
    assert_problem(&answer, 400, "not JSON");
    let answer = account_answer(json().body("[]").send().await.unwrap()).await;
    assert_problem(&answer, 422, "must be an object");
    // Each fault is listed.
    let body = json!({ "name": "", "disk": 0, "env": { "A": 1 }, "gpu": { "count": 1 }, "x": 1 });
    let (status, problem) = service.account(Method::POST, "/pods", Some(body)).await;
    assert_eq!((status, &problem["title"]), (422, &json!("Unprocessable Entity")));
    let mut errors: Vec<_> =
        problem["errors"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    errors.sort_unstable();
    assert_eq!(
        errors,
        [
            "disk must be an integer of at least 1",
            "env must be an object whose values are strings",
            "gpu.id is required",
            "image is required",
            "name must be a string that is not empty",
            "x is not a field of this object",
        ]
    );
}

#[tokio::test]
async fn responses_announce_the_limits_and_a_request_beyond_them_gets_429() {
    let limits = RateLimits::documented().account_requests(2, 100, 1000);
    let service = Service::still(|builder| builder.rate_limits(limits)).await;
    let url = format!("{}/v2/account/ssh-keys", service.local.account_url());
    let get = async || service.http.get(&url).bearer_auth(KEY).send().await.unwrap();
    let policy = "\"minute\";q=2;w=60, \"hour\";q=100;w=3600, \"day\";q=1000;w=86400";
    for (status, limit) in [
        (200, "\"minute\";r=1;t=60, \"hour\";r=99;t=3600, \"day\";r=999;t=86400"),
        (200, "\"minute\";r=0;t=60, \"hour\";r=98;t=3600, \"day\";r=998;t=86400"),
        (429, "\"minute\";r=0;t=60, \"hour\";r=98;t=3600, \"day\";r=998;t=86400"),
    ] {
        let answer = get().await;
        assert_eq!(answer.status(), status);
        assert_eq!(answer.headers()["ratelimit"], limit);
        assert_eq!(answer.headers()["ratelimit-policy"], policy);
        if status == 429 {
            assert_eq!(answer.headers()["retry-after"], "60");
            assert_problem(&account_answer(answer).await, 429, "retry in 60 seconds");
        }
    }
    service.advance(seconds(60));
    assert_eq!(get().await.status(), 200);
    // Without limits, nothing is announced.
    let service = Service::still(|builder| builder).await;
    let url = format!("{}/v2/account/ssh-keys", service.local.account_url());
    let answer = service.http.get(&url).bearer_auth(KEY).send().await.unwrap();
    assert!(!answer.headers().contains_key("ratelimit"));
}

#[tokio::test]
async fn an_empty_image_is_refused() {
    let service = Service::still(|builder| builder).await;
    let valid = json!({
        "name": "n", "image": "echo:1", "type": "QUEUE",
        "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 },
    });
    for (path, fields, gpu) in [
        ("/serverless", &["name", "image", "type", "scaling"][..], json!({ "pools": ["ADA_24"] })),
        ("/pods", &["name", "image"], json!({ "id": "gpu-24gb" })),
        ("/templates", &["name", "image"], Value::Null),
    ] {
        let mut body: Value =
            fields.iter().map(|field| ((*field).to_owned(), valid[*field].clone())).collect();
        if !gpu.is_null() {
            body["gpu"] = gpu;
        }
        let created = service.account_send(Method::POST, path, body.clone()).await;
        body["image"] = "".into();
        body["name"] = "other".into();
        let refused = service.account(Method::POST, path, Some(body)).await;
        assert_problem(&refused, 400, "image must not be empty");
        let path = format!("{path}/{}", created["id"].as_str().unwrap());
        let refused = service.account(Method::PATCH, &path, Some(json!({ "image": "" }))).await;
        assert_problem(&refused, 400, "image must not be empty");
        assert_eq!(service.account_get(&path).await["image"], "echo:1");
    }
}

#[tokio::test]
async fn templates_are_those_of_the_first_version() {
    let service = Service::still(|builder| builder).await;
    let body =
        json!({ "name": "t", "image": "a:1", "args": "sh -c 'echo a'", "env": { "A": "b" } });
    let created = service.account_send(Method::POST, "/templates", body.clone()).await;
    let id = created["id"].as_str().unwrap();
    let (status, first) = service.get(&format!("/v1/templates/{id}")).await;
    assert_eq!(
        (status, &first["imageName"], &first["env"]["A"]),
        (200, &json!("a:1"), &json!("b"))
    );
    assert_eq!(first["dockerStartCmd"], json!(["sh", "-c", "echo a"]));
    let answer = service.account(Method::POST, "/templates", Some(body)).await;
    assert_problem(&answer, 409, "\\\"t\\\"");

    // By the names of this version.
    for (body, field) in [
        (json!({ "name": "x", "image": "" }), "image must not be empty"),
        (
            json!({ "name": "x", "image": "a", "serverless": true,
                "mounts": { "persistent": { "size": 10, "path": "/a" } } }),
            "mounts.persistent.size must be 0 for a serverless template",
        ),
        (
            json!({ "name": "x", "image": "a",
                "mounts": { "persistent": { "size": 10, "path": "a" } } }),
            "mounts.persistent.path must be an absolute path",
        ),
    ] {
        let answer = service.account(Method::POST, "/templates", Some(body)).await;
        assert_problem(&answer, 400, field);
    }

    let query = r#"mutation { saveTemplate(input: { name: "g", imageName: "b:1", dockerArgs: "",
        containerDiskInGb: 7, volumeInGb: 0, env: [] }) { id } }"#;
    let saved = service.graphql(query).await.1;
    let id = saved["data"]["saveTemplate"]["id"].as_str().unwrap();
    let path = format!("/templates/{id}");
    let read = service.account_get(&path).await;
    assert_eq!((&read["image"], &read["disk"]), (&json!("b:1"), &json!(7)));
    let body = json!({ "ports": ["1/http"], "public": true });
    let changed = service.account_send(Method::PATCH, &path, body).await;
    assert_eq!((&changed["name"], &changed["ports"]), (&json!("g"), &json!(["1/http"])));
    // It is the user's own, though it is public.
    let listed = service.account_get("/templates").await;
    let names: Vec<_> =
        listed["templates"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["echo-worker", "g", "notebook", "t"]);
    assert_eq!(service.account(Method::DELETE, &path, None).await.0, 204);
    let answer = service.account(Method::DELETE, "/templates/template-own", None).await;
    assert_problem(&answer, 400, "in use");
    let answer = service.account(Method::DELETE, "/templates/template-vendor", None).await;
    assert_problem(&answer, 404, "yours");
}

#[tokio::test]
async fn objects_in_use_are_not_deleted() {
    let service = Service::still(|builder| builder).await;
    let answer = service.account(Method::DELETE, "/registries/registry-credential-1", None).await;
    assert_problem(&answer, 400, "in use");
    let body = json!({ "name": "r", "username": "u", "password": "secret" });
    let registry = service.account_send(Method::POST, "/registries", body).await;
    assert!(!registry.to_string().contains("secret"));
    let path = format!("/registries/{}", registry["id"].as_str().unwrap());
    assert_eq!(service.account(Method::DELETE, &path, None).await.0, 204);
    let body = Some(json!({ "size": 100 }));
    let answer = service.account(Method::PATCH, "/network-volumes/volume-1", body).await;
    assert_problem(&answer, 400, "cannot become smaller");
    let answer = service.account(Method::PATCH, "/network-volumes/volume-1", Some(json!({}))).await;
    assert_problem(&answer, 422, "at least one field");
}

#[tokio::test]
async fn the_bill_is_for_the_time_that_ran() {
    let service =
        Service::still(|builder| builder.without_seeds().without_builtin_endpoints()).await;
    let close = |amount: &Value, expected: f64| {
        let amount = amount.as_f64().unwrap();
        assert!((amount - expected).abs() < 1e-6, "{amount} is not {expected}");
    };
    let body = json!({ "name": "p", "image": "a", "gpu": { "id": "gpu-24gb", "count": 2 } });
    let pod = service.account_send(Method::POST, "/pods", body).await;
    let id = pod["id"].as_str().unwrap();
    service.advance(seconds(1800));
    let stop = json!({ "action": "stop" });
    service.account_send(Method::POST, &format!("/pods/{id}/action"), stop).await;
    service.advance(seconds(36_000));
    let bill = service.account_get(&format!("/billing/pods?podId={id}&bucketSize=year")).await;
    close(&bill["metadata"]["totals"]["gpuAmount"], 0.74);
    assert_eq!(bill["metadata"]["uniquePodCount"], 1);
    // What was deleted is still billed.
    service.account(Method::DELETE, &format!("/pods/{id}"), None).await;
    let bill = service.account_get("/billing?bucketSize=hour&lastN=48").await;
    close(&bill["metadata"]["totals"]["podGpuAmount"], 0.74);

    let body = json!({
        "name": "e",
        "type": "QUEUE",
        "image": "echo",
        "scaling": { "type": "REQUEST_COUNT", "requestCount": 1 },
        "gpu": { "pools": ["AMPERE_48"] },
        "workers": { "min": 2, "max": 2 },
    });
    let endpoint = service.account_send(Method::POST, "/serverless", body).await;
    let id = endpoint["id"].as_str().unwrap();
    service.advance(seconds(7200));
    let path = format!("/serverless/{id}");
    let body = json!({ "workers": { "min": 0, "max": 0 } });
    service.account_send(Method::PATCH, &path, body).await;
    service.advance(seconds(7200));
    let query = format!("/billing/serverless?serverlessId={id}&bucketSize=month");
    let bill = service.account_get(&query).await;
    close(&bill["metadata"]["totals"]["gpuAmount"], 2.0 * 2.0 * 1.9);
    assert_eq!(bill["metadata"]["query"]["serverlessId"], id);
    service.account(Method::DELETE, &path, None).await;
    let again = service.account_get(&query).await;
    assert_eq!(again["records"], bill["records"]);
    let hours = service.account_get(&query.replace("month", "hour")).await;
    let sum = hours["records"].as_array().unwrap().iter();
    let sum: f64 = sum.map(|it| it["gpuAmount"].as_f64().unwrap()).sum();
    close(&json!(sum), 7.6);
    for size in ["hour", "day", "week", "month", "year"] {
        let all = service.account_get(&format!("/billing?bucketSize={size}&lastN=100000")).await;
        close(&all["metadata"]["totals"]["serverlessGpuAmount"], 7.6);
    }
    let answer = service
        .account(
            Method::GET,
            "/billing?startTime=2026-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z",
            None,
        )
        .await;
    assert_problem(&answer, 400, "startTime");
}

#[tokio::test]
async fn a_bill_of_decades_has_the_latest_periods() {
    let service = Service::still(|builder| builder).await;
    service.advance(seconds(50 * 365 * 24 * 3600));
    let path = "/billing/network-volumes?bucketSize=hour&startTime=2000-01-01T00:00:00Z";
    let bill = service.account_get(path).await;
    let records = bill["records"].as_array().unwrap();
    assert_eq!(records.len(), 10_000);
    // The question says what the answer is of.
    assert_eq!(bill["metadata"]["query"]["startTime"], records[0]["startTime"]);
    let total = bill["metadata"]["totals"]["totalAmount"].as_f64().unwrap();
    let sum: f64 = records.iter().map(|it| it["totalAmount"].as_f64().unwrap()).sum();
    assert!((total - sum).abs() < 1e-6, "{total} is not {sum}");
}

#[tokio::test]
async fn a_retired_interface_responds_with_410_and_the_account_interface_remains() {
    let retired = [RetiredInterface::Rest, RetiredInterface::GraphQl];
    let service = Service::still(|builder| builder.retired(retired)).await;
    let rest = service.http.get(format!("{}/templates/template-own", service.local.rest_url()));
    let graphql = service.http.post(service.local.graphql_url()).body("{}");
    for request in [rest, graphql] {
        let answer = account_answer(request.bearer_auth(KEY).send().await.unwrap()).await;
        assert_problem(&answer, 410, "account interface");
    }
    service.account_get("/templates/template-own").await;
    let service = Service::still(|builder| builder.retired([RetiredInterface::Rest])).await;
    assert_eq!(service.graphql("{ __typename }").await.0, 200);
}
