//! GraphQL: sections "GraphQL", "Template (GraphQL input and output shape)" and "Secret" of the
//! interface.

use podqueue_local::GPU_POD;
use serde_json::{Value, json};

use crate::support::{Service, answer, seconds};

const SAVE: &str = "mutation Save($input: SaveTemplateInput!) { saveTemplate(input: $input) {
    id name imageName isServerless containerDiskInGb dockerArgs env { key value } ports readme
    volumeInGb volumeMountPath containerRegistryAuthId
} }";

async fn save(service: &Service, input: Value) -> Value {
    let body = json!({ "query": SAVE, "variables": { "input": input } });
    let (status, answer) = service.graphql_body(body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn required(name: &str) -> Value {
    json!({ "name": name, "imageName": "image:1", "containerDiskInGb": 5, "volumeInGb": 0 })
}

fn error(answer: &Value) -> &str {
    answer["errors"][0]["message"].as_str().unwrap()
}

async fn delete(service: &Service, name: &str) -> Value {
    let query = "mutation($name: String!) { deleteTemplate(templateName: $name) }";
    let body = json!({ "query": query, "variables": { "name": name } });
    let (status, answer) = service.graphql_body(body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test]
async fn a_body_of_the_document_alone_is_enough() {
    let service = Service::still(|builder| builder).await;
    let (status, answer) = service
        .graphql(
            r#"mutation {
                saveTemplate(input: {
                    containerDiskInGb: 5, imageName: "image:1", name: "all",
                    volumeInGb: 0, isServerless: true, dockerArgs: "python -u main.py",
                    env: [{ key: "B", value: "2" }, { key: "A", value: "line\n\"quoted\"" }],
                    ports: "8888/http, 22/tcp", readme: "Read me", volumeMountPath: "/data",
                    containerRegistryAuthId: "credential"
                }) {
                    id containerDiskInGb imageName name volumeInGb isServerless dockerArgs
                    env { key value } ports readme volumeMountPath containerRegistryAuthId
                }
            }"#,
        )
        .await;
    assert_eq!(status, 200);
    let mut template = answer["data"]["saveTemplate"].clone();
    let id = template["id"].take();
    let id = id.as_str().unwrap();
    let expected = json!({
        "id": null,
        "containerDiskInGb": 5,
        "imageName": "image:1",
        "name": "all",
        "volumeInGb": 0,
        "isServerless": true,
        "dockerArgs": "python -u main.py",
        "env": [{ "key": "B", "value": "2" }, { "key": "A", "value": "line\n\"quoted\"" }],
        "ports": "8888/http,22/tcp",
        "readme": "Read me",
        "volumeMountPath": "/data",
        "containerRegistryAuthId": "credential",
    });
    assert_eq!(template, expected);

    // The same template, in the shape in which REST reads it.
    let (status, template) = service.get(&format!("/v1/templates/{id}")).await;
    assert_eq!(status, 200);
    let expected = json!({
        "id": id,
        "name": "all",
        "category": "NVIDIA",
        "containerDiskInGb": 5,
        "containerRegistryAuthId": "credential",
        "dockerEntrypoint": [],
        "dockerStartCmd": ["python", "-u", "main.py"],
        "earned": 0.0,
        "env": { "B": "2", "A": "line\n\"quoted\"" },
        "imageName": "image:1",
        "isPublic": false,
        "isVendor": false,
        "isServerless": true,
        "ports": ["8888/http", "22/tcp"],
        "readme": "Read me",
        "runtimeInMin": 0,
        "volumeInGb": 0,
        "volumeMountPath": "/data",
    });
    assert_eq!(template, expected);
}

#[tokio::test]
async fn variables_and_operation_name_are_accepted() {
    let service = Service::still(|builder| builder).await;
    let body = json!({
        "query": format!("query Other {{ _empty }} {SAVE}"),
        "variables": { "input": required("by variables") },
        "operationName": "Save",
    });
    let (status, answer) = service.graphql_body(body).await;
    assert_eq!((status, &answer["data"]["saveTemplate"]["name"]), (200, &json!("by variables")));
    let body = json!({ "query": "{ _empty }", "variables": null, "operationName": null });
    assert_eq!(service.graphql_body(body).await.0, 200);
}

#[tokio::test]
async fn save_template_with_an_id_modifies_that_template() {
    let service = Service::still(|builder| builder).await;
    let mut input = required("first");
    input["readme"] = json!("kept");
    let id = save(&service, input).await["data"]["saveTemplate"]["id"].clone();
    let mut change = required("second");
    change["id"] = id.clone();
    change["volumeInGb"] = json!(20);
    let template = save(&service, change).await["data"]["saveTemplate"].clone();
    assert_eq!((&template["id"], &template["name"]), (&id, &json!("second")));
    assert_eq!((&template["volumeInGb"], &template["readme"]), (&json!(20), &json!("kept")));
    // Its own name is not taken by another.
    let mut again = required("second");
    again["id"] = id;
    assert_eq!(save(&service, again).await.get("errors"), None);
    let mut unknown = required("third");
    unknown["id"] = json!("unknown");
    assert!(error(&save(&service, unknown).await).contains("id"));
    let mut foreign = required("fourth");
    foreign["id"] = json!("template-vendor");
    assert!(error(&save(&service, foreign).await).contains("yours"));
}

#[tokio::test]
async fn creating_a_template_with_an_existing_name_fails() {
    let service = Service::still(|builder| builder).await;
    for name in ["notebook", "official-base"] {
        let answer = save(&service, required(name)).await;
        assert!(error(&answer).contains("name already exists"));
        assert_eq!(answer["errors"][0]["path"], json!(["saveTemplate"]));
        assert_eq!(answer["data"], json!({ "saveTemplate": null }));
    }
    let id = save(&service, required("free")).await["data"]["saveTemplate"]["id"].clone();
    let mut change = required("notebook");
    change["id"] = id;
    assert!(error(&save(&service, change).await).contains("name already exists"));
}

#[tokio::test]
async fn the_required_fields_of_a_template_are_required() {
    let service = Service::still(|builder| builder).await;
    for field in ["containerDiskInGb", "imageName", "name", "volumeInGb"] {
        let mut input = required("incomplete");
        input.as_object_mut().unwrap().remove(field);
        let body = json!({ "query": SAVE, "variables": { "input": input } });
        let (status, answer) = service.graphql_body(body).await;
        assert_eq!(status, 400);
        assert!(error(&answer).contains(field), "{answer}");
        assert_eq!(answer.get("data"), None);
    }
}

#[tokio::test]
async fn a_template_that_breaks_a_rule_is_refused() {
    let service = Service::still(|builder| builder).await;
    let cases = [
        ("volumeInGb", json!({ "isServerless": true, "volumeInGb": 1 })),
        ("volumeInGb", json!({ "volumeInGb": -1 })),
        ("containerDiskInGb", json!({ "containerDiskInGb": -1 })),
        ("name", json!({ "name": " " })),
        ("imageName", json!({ "imageName": "" })),
        ("ports", json!({ "ports": "8888" })),
        ("ports", json!({ "ports": "8888/udp" })),
        ("ports", json!({ "ports": "70000/tcp" })),
        ("env", json!({ "env": [{ "key": "", "value": "" }] })),
        ("env", json!({ "env": [{ "key": "A", "value": "1" }, { "key": "A", "value": "2" }] })),
        ("volumeMountPath", json!({ "volumeMountPath": "data" })),
    ];
    for (field, change) in cases {
        let mut input = required("bad");
        input.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert!(error(&save(&service, input).await).contains(field), "{change}");
    }
    // None of them was stored.
    assert!(error(&delete(&service, "bad").await).contains("no template"));
}

#[tokio::test]
async fn delete_template_removes_it_by_name() {
    let service = Service::still(|builder| builder).await;
    let id = save(&service, required("mine")).await["data"]["saveTemplate"]["id"].clone();
    assert_eq!(delete(&service, "mine").await, json!({ "data": { "deleteTemplate": null } }));
    let path = format!("/v1/templates/{}", id.as_str().unwrap());
    assert_eq!(service.get(&path).await.0, 404);
    assert!(error(&delete(&service, "mine").await).contains("no template"));
    assert!(error(&delete(&service, "official-base").await).contains("no template of yours"));
}

#[tokio::test]
async fn deleting_a_template_in_use_fails_and_for_2_minutes_after() {
    let service = Service::still(|builder| builder).await;
    assert!(error(&delete(&service, "echo-worker").await).contains("serverless endpoint"));
    assert!(error(&delete(&service, "notebook").await).contains("in use by a Pod"));
    assert!(service.local.remove_pod(GPU_POD));
    assert!(!service.local.remove_pod(GPU_POD));
    assert!(error(&delete(&service, "notebook").await).contains("120 seconds"));
    service.advance(seconds(119));
    assert!(error(&delete(&service, "notebook").await).contains("1 seconds"));
    service.advance(seconds(1));
    assert_eq!(delete(&service, "notebook").await.get("errors"), None);
}

#[tokio::test]
async fn a_pod_that_is_terminated_has_used_its_template_until_then() {
    let service = Service::still(|builder| builder.without_seeds()).await;
    service.local.add_template(json!({ "id": "t", "name": "t" })).unwrap();
    service.local.add_pod(json!({ "id": "p", "templateId": "t" })).unwrap();
    service.advance(seconds(500));
    let terminated = json!({ "id": "p", "templateId": "t", "desiredStatus": "TERMINATED" });
    service.local.add_pod(terminated).unwrap();
    assert!(error(&delete(&service, "t").await).contains("120 seconds"));
    service.advance(seconds(60));
    // It was in use no longer when it was taken away.
    assert!(service.local.remove_pod("p"));
    service.advance(seconds(60));
    assert_eq!(delete(&service, "t").await.get("errors"), None);
}

#[tokio::test]
async fn a_terminated_pod_does_not_use_its_template() {
    let service = Service::still(|builder| builder.without_seeds()).await;
    service.local.add_template(json!({ "id": "t", "name": "t" })).unwrap();
    let pod = json!({ "id": "p", "templateId": "t", "desiredStatus": "TERMINATED" });
    service.local.add_pod(pod).unwrap();
    assert_eq!(delete(&service, "t").await.get("errors"), None);
}

#[tokio::test]
async fn secrets_are_created_and_deleted_and_their_value_is_never_returned() {
    let service = Service::still(|builder| builder).await;
    let (status, answer) = service
        .graphql(
            r#"mutation { secretCreate(input: { value: "hush", name: "token" })
                { id name description } }"#,
        )
        .await;
    assert_eq!(status, 200);
    assert!(!answer.to_string().contains("hush"));
    let secret = &answer["data"]["secretCreate"];
    assert_eq!((&secret["name"], &secret["description"]), (&json!("token"), &Value::Null));
    let id = secret["id"].as_str().unwrap();
    assert_eq!(service.local.secret_value(id).as_deref(), Some("hush"));
    assert_eq!(service.local.secret_ids(), [id]);
    let query = format!("mutation {{ secretDelete(id: {id:?}) }}");
    assert_eq!(service.graphql(&query).await.1, json!({ "data": { "secretDelete": null } }));
    let (status, answer) = service.graphql(&query).await;
    assert_eq!((status, error(&answer)), (200, "no secret has this id"));
    assert_eq!(service.local.secret_value(id), None);
    assert!(service.local.secret_ids().is_empty());
    let query = r#"mutation { secretCreate(input: { value: "hush", name: "" }) { id } }"#;
    assert!(error(&service.graphql(query).await.1).contains("name"));
    let query = r#"mutation { secretCreate(input: { value: "v", name: "n" }) { value } }"#;
    assert_eq!(service.graphql(query).await.0, 400);
}

#[tokio::test]
async fn an_invalid_document_is_400_in_the_standard_form() {
    let service = Service::still(|builder| builder).await;
    for query in [
        "mutation { saveTemplate(",
        "mutation { nope }",
        "mutation { secretDelete }",
        "mutation { secretDelete(id: 7) }",
        "mutation { secretDelete(id: \"x\", other: 1) }",
        "mutation($id: Int!) { secretDelete(id: $id) }",
        "mutation { secretDelete(id: $undeclared) }",
        "query A { _empty } query B { _empty }",
        "",
    ] {
        let (status, answer) = service.graphql(query).await;
        assert_eq!(status, 400, "{query}: {answer}");
        assert!(!error(&answer).is_empty());
        assert_eq!(answer.get("data"), None);
    }
    for body in [
        json!({}),
        json!([]),
        json!("query"),
        json!({ "query": 1 }),
        json!({ "query": "{ _empty }", "variables": [] }),
        json!({ "query": "{ _empty }", "operationName": 1 }),
        json!({ "query": "{ _empty }", "operationName": "Missing" }),
    ] {
        let (status, answer) = service.graphql_body(body.clone()).await;
        assert_eq!(status, 400, "{body}: {answer}");
        assert!(!error(&answer).is_empty());
    }
    let url = format!("{}?api_key=a+key", service.local.graphql_url());
    let wrong_type = json!({
        "query": "mutation($id: Int!) { secretDelete(id: $id) }",
        "variables": { "id": 7 },
    });
    assert_eq!(service.graphql_body(wrong_type).await.0, 400);
    let (status, broken) =
        answer(service.http.post(url).header("content-type", "application/json").body("{")).await;
    assert_eq!((status, error(&broken).contains("not JSON")), (400, true));
}

#[tokio::test]
async fn a_failed_field_leaves_the_others_as_they_are() {
    let service = Service::still(|builder| builder).await;
    let (status, answer) = service
        .graphql(
            r#"mutation {
                kept: secretCreate(input: { name: "s", value: "v" }) { name }
                failed: secretDelete(id: "unknown")
            }"#,
        )
        .await;
    assert_eq!(status, 200);
    assert_eq!(answer["data"], json!({ "kept": { "name": "s" }, "failed": null }));
    assert_eq!(answer["errors"][0]["path"], json!(["failed"]));
}

#[tokio::test]
async fn every_string_arrives_unchanged() {
    let service = Service::still(|builder| builder).await;
    for text in ["\"", "\\", "a\nb\tc", "\"\"\"", "\u{1}\u{7f}", "\u{1f980}", "C:\\new", "}"] {
        let mut input = required(&format!("n{text}"));
        input["readme"] = json!(text);
        let answer = save(&service, input).await;
        assert_eq!(answer["data"]["saveTemplate"]["readme"], text);
        assert_eq!(delete(&service, &format!("n{text}")).await.get("errors"), None);
    }
}

#[tokio::test]
async fn the_schema_has_the_documented_names() {
    let service = Service::still(|builder| builder).await;
    let sdl = service.local.graphql_sdl();
    for line in [
        "saveTemplate(",
        "input: SaveTemplateInput!",
        "deleteTemplate(",
        "templateName: String!",
        "secretCreate(",
        "input: SecretCreateInput!",
        "secretDelete(",
        "id: String!",
        "scalar Void",
        "input EnvironmentVariableInput",
        "type EnvironmentVariable",
        "type Template",
        "type Secret",
    ] {
        assert!(sdl.contains(line), "{line}: {sdl}");
    }
}
