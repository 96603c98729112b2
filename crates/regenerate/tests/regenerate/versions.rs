//! Comparison of a first version of an interface with a second one, in which names stay and
//! meanings change: every one of them is in the part of the report that comes first.

use crate::support::report;

const FIRST: &str = r##"openapi: 3.0.3
info: {title: Account, version: '1'}
servers: [{url: 'https://rest.example/v1'}]
paths:
  /pods:
    get:
      operationId: listPods
      summary: Lists the Pods.
      responses: {'200': {description: Them., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pod'}}}}}}
    post:
      operationId: createPod
      summary: Creates a Pod.
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/PodCreateInput'}}}}
      responses: {'201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pod'}}}}}
  /pods/{podId}:
    get:
      operationId: getPod
      summary: Reads a Pod.
      parameters: [{name: podId, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pod'}}}}}
  /pods/{podId}/reset:
    post:
      operationId: resetPod
      summary: Resets a Pod.
      parameters: [{name: podId, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: Done.}}
  /endpoints:
    post:
      operationId: createEndpoint
      summary: Creates a serverless endpoint.
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/EndpointCreateInput'}}}}
      responses: {'201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Endpoint'}}}}}
  /billing/endpoints:
    get:
      operationId: listEndpointBilling
      summary: Bills the serverless endpoints.
      parameters: [{name: bucketSize, in: query, schema: {type: string, default: day}}]
      responses: {'200': {description: Them., content: {application/json: {schema: {$ref: '#/components/schemas/Bill'}}}}}
components:
  schemas:
    Pod: {type: object, properties: {id: {type: string}, env: {type: object, additionalProperties: {type: string}}}}
    PodCreateInput: {type: object, required: [imageName], properties: {imageName: {type: string}, gpuCount: {type: integer}, gpuTypeIds: {type: array, items: {type: string}}, env: {type: object, additionalProperties: {type: string}}}}
    Endpoint: {type: object, properties: {id: {type: string}}}
    EndpointCreateInput: {type: object, properties: {name: {type: string}, flashboot: {type: boolean, default: true}, workersMax: {type: integer, default: 3}}}
    Bill: {type: object, properties: {amount: {type: number}}}
"##;

const SECOND: &str = r##"openapi: 3.1.0
info: {title: Account, version: '2'}
servers: [{url: 'https://rest.example/v1'}]
paths:
  /v2/pods:
    get:
      operationId: listPods
      summary: Lists the Pods.
      responses: {'200': {description: Them., content: {application/json: {schema: {$ref: '#/components/schemas/PodList'}}}}}
    post:
      operationId: createPod
      summary: Creates a Pod.
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/CreatePod'}}}}
      responses: {'201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pod'}}}}}
  /v2/pods/{id}:
    get:
      operationId: getPod
      summary: Reads a Pod.
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pod'}}}}}
  /v2/pods/{id}/action:
    post:
      operationId: podAction
      summary: Starts, stops or restarts a Pod.
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {action: {type: string}}}}}}
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pod'}}}}}
  /v2/serverless:
    post:
      operationId: createEndpoint
      summary: Creates a serverless endpoint.
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/CreateEndpoint'}}}}
      responses: {'201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Endpoint'}}}}}
  /v2/billing/endpoints:
    get:
      operationId: listEndpointBilling
      summary: Bills the public endpoints.
      parameters: [{name: bucketSize, in: query, schema: {type: string, default: hour}}]
      responses: {'200': {description: Them., content: {application/json: {schema: {$ref: '#/components/schemas/Bill'}}}}}
  /v2/billing/serverless:
    get:
      operationId: listServerlessBilling
      summary: Bills the serverless endpoints.
      responses: {'200': {description: Them., content: {application/json: {schema: {$ref: '#/components/schemas/Bill'}}}}}
components:
  schemas:
    Pod: {type: object, properties: {id: {type: string}, env: {type: object, additionalProperties: {type: string}}}}
    PodList: {type: object, properties: {pods: {type: array, items: {$ref: '#/components/schemas/Pod'}}}}
    CreatePod: {type: object, required: [image], properties: {image: {type: string}, gpu: {type: object, properties: {count: {type: integer}, ids: {type: array, items: {type: string}}}}, env: {type: object, additionalProperties: {type: string}}}}
    Endpoint: {type: object, properties: {id: {type: string}}}
    CreateEndpoint: {type: object, properties: {name: {type: string}, flashboot: {type: string, enum: ['OFF', FLASHBOOT], default: 'OFF'}, workers: {type: object, properties: {max: {type: integer, default: 3}}}}}
    Bill: {type: object, properties: {amount: {type: number}}}
"##;

#[test]
fn changes_of_meaning_under_the_same_name_come_first() {
    let report = report("versions", FIRST, SECOND);
    let (first, others) = report.split_once("  these affect no running program:\n").unwrap();
    for line in [
        // The same name for another product: only the wording tells.
        "changed     GET /billing/endpoints: \"Bills the serverless endpoints.\" -> \"Bills the public endpoints.\"; CHECK callers (it is described differently)",
        // The same argument, left out.
        "changed     GET /billing/endpoints (query bucketSize): string = \"day\" -> string = \"hour\"; CHECK callers (what is left out has another meaning)",
        // Wrapped lists.
        "changed     GET /pods (response): [Pod] -> PodList; BREAKS readers (it has a different type)",
        // Path parameters of one name.
        "changed     GET /pods/{podId} (path podId): {podId} -> {id}; CHECK callers (the value in its place has another name)",
        // Another path for the same call.
        "changed     POST /endpoints: POST /endpoints -> POST /v2/serverless; BREAKS callers (calls go to another URL)",
        // A boolean that is an enum, and whose omission means something else.
        "changed     POST /endpoints (body).flashboot: boolean = true -> string = \"OFF\"; BREAKS writers (it has a different type); CHECK writers (what is left out has another meaning)",
        // Nested bodies.
        "removed     POST /endpoints (body).workersMax: integer = 3; BREAKS writers (it has no effect, or is refused)",
        "removed     POST /pods (body).gpuCount: integer; BREAKS writers (it has no effect, or is refused)",
        "removed     POST /pods (body).gpuTypeIds: [string]; BREAKS writers (it has no effect, or is refused)",
        "added       POST /pods (body).image: string, required; BREAKS writers (it is now required)",
        "removed     POST /pods (body).imageName: string, required; BREAKS writers (it has no effect, or is refused)",
        // A call that is gone.
        "removed     POST /pods/{podId}/reset: resetPod; BREAKS callers (the call fails)",
        "changed     paths: nothing -> /v2; BREAKS callers (calls go to another URL)",
    ] {
        assert!(first.contains(&format!("\n  {line}\n")), "{line} is not first in\n{report}");
    }
    for line in [
        "added       GET /v2/billing/serverless: listServerlessBilling",
        "added       POST /v2/pods/{id}/action: podAction",
        "added       PodList: object",
    ] {
        assert!(
            others.contains(&format!("  {line}\n")),
            "{line} is not among the others in\n{report}"
        );
    }
    // What stays the same is not mentioned.
    for kept in ["listPods", "env", "amount", "Pod.id", "createPod"] {
        assert!(!report.contains(kept), "{kept} is in\n{report}");
    }
}

#[test]
fn the_same_version_on_both_sides_is_no_change() {
    let moved = SECOND.replace("title: Account", "title: The account");
    let report = report("versions-same", SECOND, &moved);
    assert!(report.contains("not in anything that affects generated code"), "{report}");
}

#[test]
fn two_operations_do_not_become_one() {
    let describe = |paths: &[(&str, &str)]| {
        let done = "responses: {'204': {description: Done.}}";
        let paths: String = paths
            .iter()
            .map(|(path, id)| format!("  {path}: {{get: {{operationId: {id}, {done}}}}}\n"))
            .collect();
        format!("openapi: 3.0.3\npaths:\n{paths}")
    };
    let report = report(
        "versions-two",
        &describe(&[("/v1/a", "a"), ("/v2/a", "newerA")]),
        &describe(&[("/v3/a", "a"), ("/b", "newerA")]),
    );
    // By path first, then by operationId.
    for line in [
        "changed     paths: /v1 -> /v3; BREAKS",
        "changed     GET /v2/a: GET /v2/a -> GET /b; BREAKS",
    ] {
        assert!(report.contains(line), "{line} is not in\n{report}");
    }
    assert!(!report.contains("removed"), "{report}");
}
