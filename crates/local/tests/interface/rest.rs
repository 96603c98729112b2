//! REST: sections "REST reads", "Pod" and "Template (REST read shape)" of the interface.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Service, assert_refused, members};

/// Returns true if a value has the type that a table of the interface gives.
fn has_type(value: &Value, of: &str) -> bool {
    match of {
        "string" => value.is_string(),
        "string or null" => value.is_string() || value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "strings" => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        "objects" => value.as_array().is_some_and(|list| list.iter().all(Value::is_object)),
        _ => false,
    }
}

fn assert_fields(object: &Value, table: &[(&str, &str)]) {
    for (name, of) in table {
        assert!(has_type(&object[*name], of), "{name} is not {of}: {}", object[*name]);
    }
    for name in members(object) {
        assert!(table.iter().any(|(known, _)| *known == name), "{name} is not in the table");
    }
}

const GPU: &[(&str, &str)] = &[
    ("id", "string"),
    ("count", "integer"),
    ("displayName", "string"),
    ("securePrice", "number"),
    ("communityPrice", "number"),
    ("oneMonthPrice", "number"),
    ("threeMonthPrice", "number"),
    ("sixMonthPrice", "number"),
    ("oneWeekPrice", "number"),
    ("communitySpotPrice", "number"),
    ("secureSpotPrice", "number"),
];

#[tokio::test]
async fn a_pod_has_the_fields_of_the_table() {
    let service = Service::still(|builder| builder).await;
    let (status, pod) = service.get("/v1/pods/pod-gpu").await;
    assert_eq!(status, 200);
    assert_fields(
        &pod,
        &[
            ("id", "string"),
            ("name", "string"),
            ("adjustedCostPerHr", "number"),
            ("costPerHr", "number"),
            ("aiApiId", "string or null"),
            ("endpointId", "string or null"),
            ("consumerUserId", "string"),
            ("containerDiskInGb", "integer"),
            ("containerRegistryAuthId", "string"),
            ("desiredStatus", "string"),
            ("dockerEntrypoint", "strings"),
            ("dockerStartCmd", "strings"),
            ("env", "object"),
            ("gpu", "object"),
            ("image", "string"),
            ("interruptible", "boolean"),
            ("lastStartedAt", "string"),
            ("lastStatusChange", "string"),
            ("locked", "boolean"),
            ("machineId", "string"),
            ("memoryInGb", "number"),
            ("portMappings", "object"),
            ("ports", "strings"),
            ("publicIp", "string or null"),
            ("templateId", "string or null"),
            ("vcpuCount", "number"),
            ("volumeEncrypted", "boolean"),
            ("volumeInGb", "integer"),
            ("volumeMountPath", "string"),
        ],
    );
    assert_fields(&pod["gpu"], GPU);
    assert_eq!(pod["portMappings"], json!({ "22": 10341, "8888": 10342 }));
}

#[tokio::test]
async fn each_include_flag_of_a_pod_adds_its_part_and_no_other() {
    let service = Service::still(|builder| builder).await;
    let parts = ["machine", "networkVolume", "savingsPlans", "template"];
    for (flag, part) in [
        ("includeMachine", "machine"),
        ("includeNetworkVolume", "networkVolume"),
        ("includeSavingsPlans", "savingsPlans"),
        ("includeTemplate", "template"),
    ] {
        let (_, pod) = service.get(&format!("/v1/pods/pod-gpu?{flag}=true")).await;
        let (_, without) = service.get(&format!("/v1/pods/pod-gpu?{flag}=false")).await;
        for other in parts {
            assert_eq!(pod.get(other).is_some(), other == part, "{flag} {other}");
            assert!(without.get(other).is_none(), "{flag}=false {other}");
        }
    }
}

#[tokio::test]
async fn the_parts_of_a_pod_have_the_fields_of_their_tables() {
    let service = Service::still(|builder| builder).await;
    let path = "/v1/pods/pod-gpu?includeMachine=true&includeNetworkVolume=true\
                &includeSavingsPlans=true&includeTemplate=true&includeWorkers=true";
    let (_, pod) = service.get(path).await;
    assert_fields(
        &pod["machine"],
        &[
            ("minPodGpuCount", "number"),
            ("gpuTypeId", "string"),
            ("gpuType", "object"),
            ("cpuCount", "number"),
            ("cpuTypeId", "string"),
            ("cpuType", "object"),
            ("location", "string"),
            ("dataCenterId", "string"),
            ("diskThroughputMBps", "number"),
            ("maxDownloadSpeedMbps", "number"),
            ("maxUploadSpeedMbps", "number"),
            ("supportPublicIp", "boolean"),
            ("secureCloud", "boolean"),
            ("maintenanceStart", "string"),
            ("maintenanceEnd", "string"),
            ("maintenanceNote", "string"),
            ("note", "string"),
            ("costPerHr", "number"),
            ("currentPricePerGpu", "number"),
            ("gpuAvailable", "number"),
            ("gpuDisplayName", "string"),
        ],
    );
    assert_fields(&pod["machine"]["gpuType"], GPU);
    assert_fields(
        &pod["machine"]["cpuType"],
        &[
            ("id", "string"),
            ("displayName", "string"),
            ("cores", "number"),
            ("threadsPerCore", "number"),
            ("groupId", "string"),
        ],
    );
    assert_fields(
        &pod["networkVolume"],
        &[("id", "string"), ("name", "string"), ("size", "integer"), ("dataCenterId", "string")],
    );
    assert_fields(
        &pod["savingsPlans"][0],
        &[
            ("costPerHr", "number"),
            ("endTime", "string"),
            ("gpuTypeId", "string"),
            ("id", "string"),
            ("podId", "string"),
            ("startTime", "string"),
        ],
    );
    assert_eq!(pod["template"]["id"], "template-own");
}

#[tokio::test]
async fn savings_plans_are_an_empty_list_when_none_apply() {
    let service = Service::still(|builder| builder).await;
    let path = "/v1/pods/pod-cpu?includeSavingsPlans=true&includeNetworkVolume=true\
                &includeTemplate=true";
    let (_, pod) = service.get(path).await;
    assert_eq!(pod["savingsPlans"], json!([]));
    assert_eq!((pod.get("networkVolume"), pod.get("template")), (None, None));
    assert_eq!((&pod["cpuFlavorId"], &pod["desiredStatus"]), (&json!("cpu-3c"), &json!("EXITED")));
}

#[tokio::test]
async fn a_pod_that_initializes_has_no_public_ip_and_no_port_mappings() {
    let service = Service::still(|builder| builder).await;
    let (_, pod) = service.get("/v1/pods/pod-starting").await;
    assert_eq!((&pod["publicIp"], &pod["portMappings"]), (&Value::Null, &json!({})));
}

#[tokio::test]
async fn a_worker_pod_is_listed_only_with_include_workers() {
    let service = Service::still(|builder| builder).await;
    let answer = service.get("/v1/pods/pod-worker").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "includeWorkers");
    let (status, pod) = service.get("/v1/pods/pod-worker?includeWorkers=true").await;
    assert_eq!((status, &pod["endpointId"], &pod["slsVersion"]), (200, &json!("echo"), &json!(3)));
    assert_eq!(pod["aiApiId"], "echo");
}

#[tokio::test]
async fn a_template_has_the_fields_of_the_table() {
    let service = Service::still(|builder| builder).await;
    let (status, template) = service.get("/v1/templates/template-own").await;
    assert_eq!(status, 200);
    assert_fields(
        &template,
        &[
            ("id", "string"),
            ("name", "string"),
            ("category", "string"),
            ("containerDiskInGb", "integer"),
            ("containerRegistryAuthId", "string"),
            ("dockerEntrypoint", "strings"),
            ("dockerStartCmd", "strings"),
            ("earned", "number"),
            ("env", "object"),
            ("imageName", "string"),
            ("isPublic", "boolean"),
            ("isVendor", "boolean"),
            ("isServerless", "boolean"),
            ("ports", "strings"),
            ("readme", "string"),
            ("runtimeInMin", "integer"),
            ("volumeInGb", "integer"),
            ("volumeMountPath", "string"),
        ],
    );
}

#[tokio::test]
async fn each_kind_of_template_needs_its_include_flag() {
    let service = Service::still(|builder| builder).await;
    for (id, flag) in [
        ("template-bound", "includeEndpointBoundTemplates"),
        ("template-public", "includePublicTemplates"),
        ("template-vendor", "includeVendorTemplates"),
    ] {
        for other in
            ["includeEndpointBoundTemplates", "includePublicTemplates", "includeVendorTemplates"]
        {
            let answer = service.get(&format!("/v1/templates/{id}?{other}=true")).await;
            assert_eq!(answer.0, if other == flag { 200 } else { 404 }, "{id} {other}");
        }
        let answer = service.get(&format!("/v1/templates/{id}")).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, "no such template");
    }
}

#[tokio::test]
async fn a_flag_that_is_not_a_boolean_is_400() {
    let service = Service::still(|builder| builder).await;
    for path in [
        "/v1/pods/pod-gpu?includeMachine=1",
        "/v1/pods/pod-gpu?includeNetworkVolume=yes",
        "/v1/pods/pod-gpu?includeSavingsPlans=",
        "/v1/pods/pod-gpu?includeTemplate=True",
        "/v1/pods/pod-gpu?includeWorkers=null",
        "/v1/templates/template-own?includeEndpointBoundTemplates=1",
        "/v1/templates/template-own?includePublicTemplates=1",
        "/v1/templates/template-own?includeVendorTemplates=1",
    ] {
        let flag = path.split(['?', '=']).nth(1).unwrap();
        assert_refused(&service.get(path).await, StatusCode::BAD_REQUEST, flag);
    }
}

#[tokio::test]
async fn an_unknown_pod_or_template_is_404() {
    let service = Service::still(|builder| builder).await;
    assert_refused(&service.get("/v1/pods/x%2F..").await, StatusCode::NOT_FOUND, "no such Pod");
    let answer = service.get("/v1/templates/%ff").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "no such template");
}

#[tokio::test]
async fn seeds_are_checked_and_filled_in() {
    let service = Service::still(|builder| {
        builder
            .without_seeds()
            .pod(json!({ "id": "p", "name": "mine", "costPerHr": "0.25", "own": [1] }))
            .template(json!({ "id": "t", "name": "mine", "env": { "A": "b" } }))
    })
    .await;
    let (_, pod) = service.get("/v1/pods/p").await;
    assert_eq!((&pod["costPerHr"], &pod["own"]), (&json!("0.25"), &json!([1])));
    assert_eq!(pod["desiredStatus"], "RUNNING");
    let (_, template) = service.get("/v1/templates/t").await;
    assert_eq!(template["env"], json!({ "A": "b" }));
    assert_eq!(service.get("/v1/pods/pod-gpu").await.0, 404);

    assert!(service.local.add_pod(json!({ "id": "q", "name": "n".repeat(191) })).is_ok());
    for pod in [
        json!([]),
        json!({}),
        json!({ "id": "" }),
        json!({ "id": "q", "name": "n".repeat(192) }),
        json!({ "id": "q", "desiredStatus": "SLEEPING" }),
    ] {
        assert!(service.local.add_pod(pod.clone()).is_err(), "{pod}");
    }
    for template in [
        json!({ "id": "u" }),
        json!({ "id": "u", "name": "mine" }),
        json!({ "id": "u", "name": "n", "isServerless": true, "volumeInGb": 1 }),
        json!({ "id": "u", "name": "n", "ports": ["80"] }),
        json!({ "id": "u", "name": "n", "unknown": 1 }),
        json!({ "id": "u", "name": "n", "env": { "A": 1 } }),
    ] {
        assert!(service.local.add_template(template.clone()).is_err(), "{template}");
    }
}
