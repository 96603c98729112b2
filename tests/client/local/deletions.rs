//! Deletions: confirmed by the service, or by "not found" after an earlier attempt may have
//! succeeded, and by nothing else.

use podqueue::{Client, Error, NewTemplate};
use podqueue_local::{Fault, LocalService, Operation};
use serde_json::json;

use crate::local::support::{client, service};

/// A service with a template and a secret, and a client of it.
async fn fixture() -> (LocalService, Client, String) {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let template = NewTemplate::pod("mine", "image:1").container_disk_gb(1).volume_gb(1);
    client.templates().create(template).await.unwrap();
    let secret = client.secrets().create("token", "v").await.unwrap().id;
    (local, client, secret)
}

async fn delete_both(client: &Client, secret: &str) -> [Result<(), Error>; 2] {
    [client.templates().delete("mine").await, client.secrets().delete(secret).await]
}

/// Injects each fault into each deletion, and asserts that none is reported as done.
async fn assert_not_done(faults: &[Fault]) {
    let (local, client, secret) = fixture().await;
    let mut results = Vec::new();
    for index in 0..2 {
        for fault in faults {
            local.add_fault(fault.clone().on(Operation::GraphQl));
        }
        let result = match index {
            0 => client.templates().delete("mine").await,
            _ => client.secrets().delete(&secret).await,
        };
        results.push(result);
        local.clear_faults();
    }
    for result in results {
        let error = result.expect_err("nothing was deleted");
        assert!(!error.to_string().is_empty());
    }
    for result in delete_both(&client, &secret).await {
        result.unwrap();
    }
}

#[tokio::test]
async fn an_error_after_a_failed_attempt_does_not_mean_that_it_was_deleted() {
    for message in ["Unknown error", "No permission to delete it", "no healthy upstream", "not now"]
    {
        let body = json!({"errors": [{"message": message}], "data": null}).to_string();
        for failed in [Fault::gateway(502), Fault::reset(), Fault::response(500, "{}")] {
            assert_not_done(&[failed.times(1), Fault::response(200, body.as_str())]).await;
        }
        assert_not_done(&[Fault::response(200, body.as_str())]).await;
    }
}

#[tokio::test]
async fn a_success_without_data_is_none() {
    for body in ["{}", r#"{"data": null}"#, r#"{"data": {}}"#, "null", "[]", r#"{"errors": []}"#] {
        assert_not_done(&[Fault::response(200, body)]).await;
    }
}

#[tokio::test]
async fn not_found_after_a_failed_attempt_counts_as_deleted() {
    for failed in [
        Fault::lost_response(),
        Fault::gateway(502).processed(),
        Fault::cut(5),
        Fault::response(500, "{}").processed(),
    ] {
        let (local, client, secret) = fixture().await;
        for result in [
            {
                local.add_fault(failed.clone().on(Operation::GraphQl).times(1));
                client.templates().delete("mine").await
            },
            {
                local.add_fault(failed.clone().on(Operation::GraphQl).times(1));
                client.secrets().delete(&secret).await
            },
        ] {
            result.unwrap();
        }
        assert!(local.secret_ids().is_empty());
    }
}
