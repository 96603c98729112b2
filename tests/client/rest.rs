//! REST interface: the generated calls, and their lenient types.

use std::collections::HashMap;

use podqueue::ErrorKind;
use podqueue::rest::types;
use serde_json::json;

use crate::support::{Reply, Script};

#[tokio::test]
async fn get_pod_sends_only_the_flags_that_are_set() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"p"}"#)).await;
    let rest = server.client().rest();
    rest.get_pod("p").await.unwrap();
    rest.get_pod("a/b").include_machine(true).include_workers(false).await.unwrap();
    rest.get_pod("p")
        .include_machine(true)
        .include_network_volume(true)
        .include_savings_plans(true)
        .include_template(true)
        .include_workers(true)
        .await
        .unwrap();
    let lines = server.lines();
    assert_eq!(lines[0], "GET /v1/pods/p");
    assert_eq!(lines[1], "GET /v1/pods/a%2Fb?includeMachine=true&includeWorkers=false");
    assert_eq!(
        lines[2],
        "GET /v1/pods/p?includeMachine=true&includeNetworkVolume=true\
         &includeSavingsPlans=true&includeTemplate=true&includeWorkers=true"
    );
}

#[tokio::test]
async fn get_template_sends_only_the_flags_that_are_set() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"t"}"#)).await;
    let rest = server.client().rest();
    rest.get_template("t").await.unwrap();
    rest.get_template("t")
        .include_endpoint_bound_templates(true)
        .include_public_templates(true)
        .include_vendor_templates(true)
        .await
        .unwrap();
    let lines = server.lines();
    assert_eq!(lines[0], "GET /v1/templates/t");
    assert_eq!(
        lines[1],
        "GET /v1/templates/t?includeEndpointBoundTemplates=true\
         &includePublicTemplates=true&includeVendorTemplates=true"
    );
}

#[tokio::test]
async fn every_field_of_a_pod_is_read() {
    let gpu = json!({
        "id": "g", "count": 2, "displayName": "GPU", "securePrice": 1.5, "communityPrice": 1.25,
        "oneMonthPrice": 1, "threeMonthPrice": 2, "sixMonthPrice": 3, "oneWeekPrice": 4,
        "communitySpotPrice": 0.5, "secureSpotPrice": 0.75
    });
    let body = json!({
        "id": "p", "name": "n", "adjustedCostPerHr": 0.69, "costPerHr": 0.74, "aiApiId": "e",
        "endpointId": "e", "slsVersion": 3, "consumerUserId": "u", "containerDiskInGb": 50,
        "containerRegistryAuthId": "c", "cpuFlavorId": "cpu3c", "desiredStatus": "RUNNING",
        "dockerEntrypoint": ["sh"], "dockerStartCmd": ["-c", "run"], "env": {"K": "V"}, "gpu": gpu,
        "image": "i:1", "interruptible": true, "lastStartedAt": "2024-07-12T19:14:40.144Z",
        "lastStatusChange": "Rented", "locked": false,
        "machine": {
            "minPodGpuCount": 1, "gpuTypeId": "g", "gpuType": gpu, "cpuCount": 8, "cpuTypeId": "ct",
            "cpuType": {"id": "ct", "displayName": "CPU", "cores": 8, "threadsPerCore": 2,
                        "groupId": "grp"},
            "location": "EU", "dataCenterId": "dc", "diskThroughputMBps": 100,
            "maxDownloadSpeedMbps": 200, "maxUploadSpeedMbps": 300, "supportPublicIp": true,
            "secureCloud": true, "maintenanceStart": "s", "maintenanceEnd": "e",
            "maintenanceNote": "mn", "note": "nn", "costPerHr": 1, "currentPricePerGpu": 2,
            "gpuAvailable": 3, "gpuDisplayName": "G"
        },
        "machineId": "m", "memoryInGb": 62.5,
        "networkVolume": {"id": "v", "name": "vol", "size": 100, "dataCenterId": "dc"},
        "portMappings": {"22": 10341}, "ports": ["8888/http", "22/tcp"],
        "publicIp": "100.65.0.119",
        "savingsPlans": [{"costPerHr": 0.21, "endTime": "2024-07-12", "gpuTypeId": "g",
                          "id": "sp", "podId": "p", "startTime": "2024-05-12"}],
        "templateId": "t", "vcpuCount": 24, "volumeEncrypted": true, "volumeInGb": 20,
        "volumeMountPath": "/workspace"
    });
    let server = Script::of([Reply::ok(&body)]).await;
    let pod: types::Pod = server.client().rest().get_pod("p").await.unwrap();
    assert_eq!(pod.desired_status.as_ref().map(ToString::to_string).as_deref(), Some("RUNNING"));
    assert_eq!(pod.env, HashMap::from([("K".to_owned(), "V".to_owned())]));
    assert_eq!(pod.ports, ["8888/http", "22/tcp"]);
    assert_eq!(pod.cost_per_hr, Some(0.74));
    let machine = pod.machine.as_ref().unwrap();
    assert_eq!(machine.cpu_type.as_ref().unwrap().threads_per_core, Some(2.0));
    assert_eq!(machine.disk_throughput_m_bps, Some(100.0));
    let again = serde_json::to_value(&pod).unwrap();
    assert_eq!(normal(again), normal(body), "no field is lost or renamed");
}

#[tokio::test]
async fn every_field_of_a_template_is_read() {
    let body = json!({
        "id": "t", "name": "n", "category": "NVIDIA", "containerDiskInGb": 50,
        "containerRegistryAuthId": "c", "dockerEntrypoint": ["sh"], "dockerStartCmd": ["run"],
        "earned": 12.5, "env": {"K": "V"}, "imageName": "i:1", "isPublic": true, "isVendor": true,
        "isServerless": true, "ports": ["8888/http"], "readme": "# R", "runtimeInMin": 7,
        "volumeInGb": 20, "volumeMountPath": "/workspace"
    });
    let server = Script::of([Reply::ok(&body)]).await;
    let template: types::Template = server.client().rest().get_template("t").await.unwrap();
    assert_eq!(template.is_vendor, Some(true));
    let again = serde_json::to_value(&template).unwrap();
    assert_eq!(normal(again), normal(body), "no field is lost or renamed");
}

/// Whole numbers as doubles, so that 1 and 1.0 compare equal.
fn normal(mut value: serde_json::Value) -> serde_json::Value {
    match &mut value {
        serde_json::Value::Number(number) => {
            value = json!(number.as_f64());
        }
        serde_json::Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = normal(item.take()));
        }
        serde_json::Value::Object(fields) => {
            fields.values_mut().for_each(|field| *field = normal(field.take()));
        }
        _ => {}
    }
    value
}

#[tokio::test]
async fn reading_is_lenient() {
    let body = json!({
        "id": "p", "costPerHr": "0.74", "containerDiskInGb": 50.0, "vcpuCount": "24",
        "desiredStatus": "HIBERNATING", "env": null, "ports": null, "portMappings": null,
        "savingsPlans": null, "dockerStartCmd": null, "publicIp": "", "machine": null,
        "gpu": {"count": "2", "unknown": {}}, "lastStartedAt": "yesterday",
        "somethingNew": [1, 2, 3]
    });
    let server = Script::of([Reply::ok(body)]).await;
    let pod = server.client().rest().get_pod("p").await.unwrap();
    assert_eq!((pod.cost_per_hr, pod.vcpu_count), (Some(0.74), Some(24.0)));
    assert_eq!(pod.container_disk_in_gb, Some(50));
    assert_eq!(pod.desired_status.unwrap().to_string(), "HIBERNATING");
    assert!(pod.env.is_empty() && pod.ports.is_empty() && pod.savings_plans.is_empty());
    assert_eq!(pod.gpu.unwrap().count, Some(2));
    assert_eq!(pod.volume_in_gb, None);
}

#[tokio::test]
async fn an_unreadable_field_is_named() {
    let body = json!({"id": "p", "machine": {"cpuType": {"cores": "many"}}});
    let server = Script::of([Reply::ok(body)]).await;
    let error = server.client().rest().get_pod("p").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.field(), Some("machine.cpuType.cores"));
}
