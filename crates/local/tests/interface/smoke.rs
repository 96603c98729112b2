//! One of everything, over HTTP.

use crate::support::{Service, members};
use serde_json::json;

#[tokio::test]
async fn a_synchronous_job() {
    let service = Service::start(|builder| builder).await;
    let body = json!({ "input": { "text": "hello" } });
    let (status, record) = service.post_json("/v2/echo/runsync", body).await;
    assert_eq!(status, 200);
    assert_eq!(members(&record), ["delayTime", "executionTime", "id", "output", "status"]);
    assert_eq!(record["status"], "COMPLETED");
    assert_eq!(record["output"], json!({ "text": "hello" }));
    assert!(record["id"].as_str().unwrap().starts_with("sync-"));
}

#[tokio::test]
async fn an_asynchronous_job_that_streams() {
    let service = Service::start(|builder| builder).await;
    let id = service.run("count", json!({ "input": { "n": 2 } })).await;
    assert!(id.ends_with("-u1"));
    let record = service.until("count", &id, "COMPLETED").await;
    assert_eq!(record["output"], json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]));
    let (_, chunks) = service.get(&format!("/v2/count/stream/{id}")).await;
    let outputs: Vec<_> =
        chunks.as_array().unwrap().iter().map(|chunk| chunk["output"].clone()).collect();
    assert_eq!(outputs, [json!({ "n": 0 }), json!({ "n": 1 }), json!({ "n": 2 })]);
    let (_, again) = service.get(&format!("/v2/count/stream/{id}")).await;
    assert_eq!(again, json!([]));
}

#[tokio::test]
async fn a_pod_and_a_template() {
    let service = Service::start(|builder| builder).await;
    let (status, pod) = service.get("/v1/pods/pod-gpu?includeMachine=true").await;
    assert_eq!((status, &pod["machine"]["dataCenterId"]), (200, &json!("EU-1")));
    let (status, template) = service.get("/v1/templates/template-own").await;
    assert_eq!((status, &template["name"]), (200, &json!("notebook")));
}

#[tokio::test]
async fn a_template_and_a_secret() {
    let service = Service::start(|builder| builder).await;
    let (status, answer) = service
        .graphql(
            r#"mutation { saveTemplate(input: {
                name: "n", imageName: "i:1", containerDiskInGb: 5, volumeInGb: 0
            }) { id name } }"#,
        )
        .await;
    assert_eq!((status, &answer["data"]["saveTemplate"]["name"]), (200, &json!("n")));
    let (_, answer) = service.graphql(r#"mutation { deleteTemplate(templateName: "n") }"#).await;
    assert_eq!(answer, json!({ "data": { "deleteTemplate": null } }));
    let (_, answer) = service
        .graphql(r#"mutation { secretCreate(input: { name: "s", value: "v" }) { id name } }"#)
        .await;
    let id = answer["data"]["secretCreate"]["id"].as_str().unwrap();
    let (_, answer) = service.graphql(&format!(r#"mutation {{ secretDelete(id: "{id}") }}"#)).await;
    assert_eq!(answer, json!({ "data": { "secretDelete": null } }));
}
