//! Comparison with the local service, and the schema and queries of this repository.

use std::fs;
use std::path::Path;

use podqueue_local::LocalService;
use tokio::runtime::Runtime;

use crate::support::Checkout;

fn repository(name: &str) -> Checkout {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut checkout = Checkout::new(name);
    for folder in ["openapi", "schema", "queries"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let file = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            checkout = checkout.write(&file, &fs::read_to_string(path).unwrap());
        }
    }
    checkout
}

/// Selects the description that the local service serves, of the two of the repository.
const REST: [&str; 2] = ["--openapi", "openapi/podqueue.yaml"];

/// The URL of the REST description of the service.
fn description_url(local: &LocalService) -> String {
    local.rest_url().replace("/v1", "/_local/openapi/rest.yaml")
}

#[test]
fn the_repository_has_no_drift() {
    let checkout = repository("local");
    let runtime = Runtime::new().unwrap();
    let builder = LocalService::builder().api_key("a key").control_plane();
    let local = runtime.block_on(builder.start()).unwrap();
    let run = checkout.run_with(
        &[&REST[..], &["--rest", &description_url(&local), "--check"]].concat(),
        &[("PODQUEUE_API_KEY", "a key"), ("PODQUEUE_GRAPHQL_URL", &local.graphql_url())],
    );
    assert_eq!(run.err, "");
    assert_eq!(
        run.out,
        "REST description, openapi/podqueue.yaml: no drift\n\
         GraphQL schema, schema/schema.graphql: no drift\n\
         \n\
         all queries of queries validate\n"
    );
    assert_eq!(run.code, 0);
}

#[test]
fn a_changed_description_is_reported_and_written() {
    let checkout = repository("changed");
    let before = checkout.read("openapi/podqueue.yaml");
    let now = before.replace("name: includeMachine\n", "name: includeHost\n").replace(
        "        desiredStatus:\n",
        "        region:\n          type: string\n        desiredStatus:\n",
    );
    assert_ne!(before, now);
    let runtime = Runtime::new().unwrap();
    let local =
        runtime.block_on(LocalService::builder().api_key("key").control_plane().start()).unwrap();
    let url = description_url(&local);
    let put =
        reqwest::blocking::Client::new().put(&url).bearer_auth("key").body(now).send().unwrap();
    assert!(put.status().is_success(), "{put:?}");
    let compare = [&REST[..], &["--rest", &url]].concat();
    let check = [&compare[..], &["--check"]].concat();
    let run = checkout.run(&check);
    assert_eq!(
        (run.code, run.err.as_str(), run.out.as_str()),
        (
            1,
            "",
            "REST description, openapi/podqueue.yaml: 3 changes, 1 of them breaking\n  \
             removed     GET /pods/{podId} (query includeMachine): boolean = false; BREAKS callers (it has no effect, or is refused)\n  \
             these affect no running program:\n  \
             added       GET /pods/{podId} (query includeHost): boolean = false\n  \
             added       Pod.region: string\n"
        )
    );
    assert_eq!(checkout.run(&compare).code, 0);
    assert_ne!(checkout.read("openapi/podqueue.yaml"), before);
    assert_eq!(checkout.run(&check).code, 0);
}

#[test]
fn a_first_run_writes_a_schema_that_has_no_drift_thereafter() {
    let checkout = Checkout::new("first");
    let runtime = Runtime::new().unwrap();
    let local = runtime.block_on(LocalService::builder().api_key("key").start()).unwrap();
    let url = local.graphql_url();
    let key = [("PODQUEUE_API_KEY", "key")];
    let run = checkout.run_with(&["--graphql", &url], &key);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with("GraphQL schema, schema/schema.graphql: new\n"), "{}", run.out);
    let schema = checkout.read("schema/schema.graphql");
    for part in [
        "schema {\n  query: Query\n  mutation: Mutation\n}\n",
        "\n\"A secret to store.\"\ninput SecretCreateInput {\n  \"Name of the secret.\"\n  name: String!\n",
        "\n  \"Stores a secret.\"\n  secretCreate(\n    \"The secret to store.\"\n    input: SecretCreateInput!\n  ): Secret\n",
    ] {
        assert!(schema.contains(part), "{part}\n--- is not in ---\n{schema}");
    }
    let run = checkout.run_with(&["--graphql", &url, "--check"], &key);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.starts_with("GraphQL schema, schema/schema.graphql: no drift\n"));
}

#[test]
fn a_wrong_key_is_reported() {
    let checkout = repository("wrong-key");
    let runtime = Runtime::new().unwrap();
    let local = runtime.block_on(LocalService::builder().api_key("right").start()).unwrap();
    let url = local.graphql_url();
    let run = checkout.run_with(&["--graphql", &url], &[("PODQUEUE_API_KEY", "wr0ng-k3y")]);
    assert_eq!(
        run.err,
        format!(
            "podqueue-regenerate: {url}: responded with 401 (invalid API key); is the key in \
             PODQUEUE_API_KEY right, and may it read the schema?\n"
        )
    );
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    let run = checkout.run(&["--graphql", &url]);
    assert!(run.err.ends_with("set PODQUEUE_API_KEY to a key that may read the schema\n"));
}
