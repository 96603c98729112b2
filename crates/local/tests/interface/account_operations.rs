//! Operations of the account interface: each of them, with a valid request, and a response that fits
//! the description.

use std::collections::BTreeSet;
use std::path::Path;

use podqueue_fake::Description;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{KEY, Service, account_answer, seconds};

/// Calls operations by their ids, and checks requests and responses against the description.
struct Caller {
    service: Service,
    tree: Value,
    description: Description,
    called: BTreeSet<String>,
}

impl Caller {
    async fn new() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/account.yaml");
        let tree: Value = yaml_serde::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let description = Description::new(tree.clone()).unwrap();
        let service = Service::still(|builder| builder).await;
        Self { service, tree, description, called: BTreeSet::new() }
    }

    /// The path, the method and the pointer of an operation.
    fn find(&self, id: &str) -> (String, String, String) {
        for (path, item) in self.tree["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if operation["operationId"] == id {
                    let pointer = format!("/paths/{}/{method}", path.replace('/', "~1"));
                    return (path.clone(), method.to_uppercase(), pointer);
                }
            }
        }
        panic!("no operation has the id {id}");
    }

    /// All ids of operations.
    fn all(&self) -> BTreeSet<String> {
        let items = self.tree["paths"].as_object().unwrap().values();
        let operations = items.flat_map(|item| item.as_object().unwrap().values());
        operations.filter_map(|it| Some(it.get("operationId")?.as_str()?.to_owned())).collect()
    }

    /// Sends a request with these values in its path, and a query.
    async fn call(&mut self, id: &str, ids: &[&str], query: &str, body: Option<Value>) -> Value {
        let (mut path, method, pointer) = self.find(id);
        for value in ids {
            let (start, end) = (path.find('{').unwrap(), path.find('}').unwrap());
            path.replace_range(start..=end, value);
        }
        let url = format!("{}{path}?{query}", self.service.local.account_url());
        let method: Method = method.parse().unwrap();
        let mut request = self.service.http.request(method, url).bearer_auth(KEY);
        if let Some(body) = body {
            let schema = format!("{pointer}/requestBody/content/application~1json/schema");
            self.description.check_request(&schema, &body).unwrap();
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let described = &self.tree.pointer(&pointer).unwrap()["responses"][status.to_string()];
        assert!(!described.is_null() && status < 300, "{id}: {status} {:?}", response.text().await);
        self.called.insert(id.to_owned());
        let Some(media) = described.get("content") else {
            assert_eq!(account_answer(response).await.1, Value::Null, "{id}");
            return Value::Null;
        };
        if media.get("text/event-stream").is_some() {
            let kind = response.headers()["content-type"].to_str().unwrap();
            assert_eq!(kind, "text/event-stream", "{id}");
            return Value::Null;
        }
        let answer = account_answer(response).await.1;
        let schema = format!("{pointer}/responses/{status}/content/application~1json/schema");
        if let Err(error) = self.description.check(&schema, &answer) {
            panic!("{id}: {error}: {answer}");
        }
        answer
    }

    /// The same without a query.
    async fn plain(&mut self, id: &str, ids: &[&str], body: Option<Value>) -> Value {
        self.call(id, ids, "", body).await
    }
}

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_operation_answers_a_valid_request_as_described() {
    let mut it = Caller::new().await;
    let key = "ssh-ed25519 AAAAC3Nza somebody@example";
    it.plain("updateSshKeys", &[], Some(json!({ "keys": [key] }))).await;
    assert_eq!(it.plain("getSshKeys", &[], None).await["keys"], json!([key]));

    let body = json!({ "name": "n", "username": "u", "password": "p" });
    let registry = id(&it.plain("createRegistry", &[], Some(body)).await);
    it.plain("listRegistries", &[], None).await;
    it.plain("getRegistry", &[&registry], None).await;
    let resource = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/worker:1";
    let body = json!({ "resource": resource, "name": null });
    let delegation = id(&it.plain("createDelegation", &[], Some(body)).await);
    it.plain("listDelegations", &[], None).await;
    it.plain("revokeDelegation", &[&delegation], None).await;

    let body = json!({ "name": "n", "size": 20, "dataCenter": "EU-1", "type": "HIGH_PERFORMANCE" });
    let volume = id(&it.plain("createNetworkVolume", &[], Some(body)).await);
    it.plain("listNetworkVolumes", &[], None).await;
    it.plain("getNetworkVolume", &[&volume], None).await;
    it.plain("updateNetworkVolume", &[&volume], Some(json!({ "size": 30 }))).await;

    let body = json!({
        "name": "t",
        "image": "registry.example/echo:1",
        "registry": registry,
        "env": { "A": "b" },
        "ports": ["8888/http"],
        "mounts": { "persistent": { "size": 20, "path": "/workspace" } },
    });
    let template = id(&it.plain("createTemplate", &[], Some(body)).await);
    it.plain("listTemplates", &[], None).await;
    it.plain("getTemplate", &[&template], None).await;
    let body = json!({ "registry": null, "ports": [], "serverless": false });
    it.plain("updateTemplate", &[&template], Some(body)).await;
    for source in ["official", "community"] {
        let public = it.call("listPublicTemplates", &[], &format!("source={source}"), None).await;
        assert_eq!(public["templates"].as_array().unwrap().len(), 1);
    }

    let body = json!({
        "name": "p",
        "templateId": template,
        "gpu": { "id": "gpu-24gb", "count": 2, "minCudaVersion": "12.4" },
        "mounts": { "network": [{ "volumeId": volume, "path": "/data" }] },
        "ports": ["8888/http", "22/tcp"],
        "globalNetworking": true,
        "startSsh": true,
    });
    let pod = id(&it.plain("createPod", &[], Some(body)).await);
    it.service.advance(seconds(10));
    it.call("listPods", &[], "includeClusterPods=true", None).await;
    assert_eq!(it.plain("getPod", &[&pod], None).await["status"], "RUNNING");
    it.plain("updatePod", &[&pod], Some(json!({ "name": "q" }))).await;
    it.call("getPodLogs", &[&pod], "tail=1&source=container", None).await;
    it.plain("podAction", &[&pod], Some(json!({ "action": "stop" }))).await;

    let body = json!({
        "name": "c",
        "type": "SLURM",
        "compute": { "gpuTypeId": "gpu-80gb", "gpuCountPerPod": 8, "podCount": 2 },
    });
    let cluster = id(&it.plain("createCluster", &[], Some(body)).await);
    it.plain("listClusters", &[], None).await;
    it.plain("getCluster", &[&cluster], None).await;
    it.plain("updateCluster", &[&cluster], Some(json!({ "name": "d" }))).await;
    assert_eq!(
        it.plain("listClusterPods", &[&cluster], None).await["pods"].as_array().unwrap().len(),
        2
    );

    let body = json!({
        "name": "e",
        "type": "QUEUE",
        "image": "registry.example/echo:1",
        "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 },
        "gpu": { "pools": ["ADA_24"], "excludedTypes": ["gpu-48gb"], "minCudaVersion": "12.4" },
        "workers": { "min": 1, "max": 2, "idleTimeout": 60 },
        "networkVolumes": [volume],
    });
    let endpoint = id(&it.plain("createEndpoint", &[], Some(body)).await);
    let body = json!({
        "name": "l",
        "type": "LOAD_BALANCER",
        "templateId": template,
        "scaling": { "type": "REQUEST_COUNT", "requestCount": 4 },
        "cpu": [{ "id": "cpu-3c", "vcpuCount": 4 }],
    });
    let balancer = id(&it.plain("createEndpoint", &[], Some(body)).await);
    it.plain("getEndpoint", &[&balancer], None).await;
    it.plain("listEndpoints", &[], None).await;
    it.plain("getEndpoint", &[&endpoint], None).await;
    let body = json!({ "networkVolumes": [], "cpu": [{ "id": "cpu-3c", "vcpuCount": 4 }] });
    it.plain("updateEndpoint", &[&endpoint], Some(body)).await;
    let workers = it.plain("listEndpointWorkers", &[&endpoint], None).await;
    let releases = it.plain("listEndpointReleases", &[&endpoint], None).await;
    assert_eq!(releases["releases"].as_array().unwrap().len(), 2);
    let worker = workers["workers"][0]["id"].as_str().unwrap();
    it.call("getWorkerLogs", &[&endpoint, worker], "tail=0", None).await;

    let query = "include=AVAILABILITY&count=2&cloud=SECURE&cudaVersions=12.4,12.8&product=POD";
    it.call("listGpuTypes", &[], query, None).await;
    it.plain("getGpuType", &["gpu-192gb"], None).await;
    it.call("listCpuTypes", &[], "include=AVAILABILITY&vcpuCount=8", None).await;
    it.plain("getCpuType", &["cpu-3m"], None).await;
    let query = "include=GPU_AVAILABILITY,CPU_AVAILABILITY&regions=EUROPE&compliance=GDPR";
    let centers = it.call("listDataCenters", &[], query, None).await;
    assert_eq!(centers["dataCenters"].as_array().unwrap().len(), 1);
    it.plain("getDataCenter", &["AP-1"], None).await;

    it.service.advance(seconds(3 * 86_400));
    for id in ["listBilling", "listEndpointBilling"] {
        it.call(id, &[], "bucketSize=hour&lastN=10", None).await;
    }
    let query = format!("podId={pod}&bucketSize=year");
    it.call("listPodBilling", &[], &query, None).await;
    it.plain("listServerlessBilling", &[], None).await;
    it.call("listNetworkVolumeBilling", &[], "bucketSize=week", None).await;
    it.call("listClusterBilling", &[], "bucketSize=month", None).await;

    it.plain("deleteEndpoint", &[&endpoint], None).await;
    it.plain("deleteEndpoint", &[&balancer], None).await;
    it.plain("deleteCluster", &[&cluster], None).await;
    it.plain("deletePod", &[&pod], None).await;
    // A template can be deleted 2 minutes after its last use.
    it.service.advance(seconds(120));
    it.plain("deleteTemplate", &[&template], None).await;
    it.plain("deleteNetworkVolume", &[&volume], None).await;
    it.plain("deleteRegistry", &[&registry], None).await;

    assert_eq!(it.called, it.all());
    assert_eq!(it.called.len(), 53);
}
