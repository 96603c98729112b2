//! REST reads, by include flag.

use podqueue::ErrorKind;
use podqueue::rest::types::Pod;
use podqueue_local::{
    BOUND_TEMPLATE, GPU_POD, OWN_TEMPLATE, PUBLIC_TEMPLATE, STARTING_POD, VENDOR_TEMPLATE,
    WORKER_POD,
};

use crate::local::support::{client, service};

#[tokio::test]
async fn each_flag_of_a_pod_adds_its_part() {
    let local = service().start().await.unwrap();
    let rest = client(&local).rest();
    let parts = |pod: &Pod| {
        [
            pod.machine.is_some(),
            pod.network_volume.is_some(),
            !pod.savings_plans.is_empty(),
            !pod.template.is_empty(),
        ]
    };
    let get = || rest.get_pod(GPU_POD);
    let plain = get().await.unwrap();
    assert_eq!(parts(&plain), [false; 4]);
    for (call, expected) in [
        (get().include_machine(true), [true, false, false, false]),
        (get().include_network_volume(true), [false, true, false, false]),
        (get().include_savings_plans(true), [false, false, true, false]),
        (get().include_template(true), [false, false, false, true]),
        (get().include_machine(false), [false; 4]),
    ] {
        assert_eq!(parts(&call.await.unwrap()), expected);
    }
}

#[tokio::test]
async fn a_worker_pod_is_read_only_with_its_flag() {
    let local = service().start().await.unwrap();
    let rest = client(&local).rest();
    assert_eq!(rest.get_pod(WORKER_POD).await.unwrap_err().kind(), ErrorKind::NotFound);
    let pod = rest.get_pod(WORKER_POD).include_workers(true).await.unwrap();
    assert!(pod.endpoint_id.is_some() && pod.sls_version.is_some());
}

#[tokio::test]
async fn a_pod_that_is_starting_has_no_address_yet() {
    let local = service().start().await.unwrap();
    let pod = client(&local).rest().get_pod(STARTING_POD).await.unwrap();
    assert!(pod.port_mappings.is_empty());
    assert!(pod.public_ip.is_none_or(|address| address.is_empty()));
}

#[tokio::test]
async fn each_flag_of_a_template_lets_its_kind_be_read() {
    let local = service().start().await.unwrap();
    let rest = client(&local).rest();
    let own = rest.get_template(OWN_TEMPLATE).await.unwrap();
    assert_eq!((own.is_vendor, own.is_public), (Some(false), Some(false)));
    for id in [PUBLIC_TEMPLATE, VENDOR_TEMPLATE, BOUND_TEMPLATE] {
        let error = rest.get_template(id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{id}");
    }
    let public = rest.get_template(PUBLIC_TEMPLATE).include_public_templates(true).await.unwrap();
    assert_eq!(public.is_public, Some(true));
    let vendor = rest.get_template(VENDOR_TEMPLATE).include_vendor_templates(true).await.unwrap();
    assert_eq!(vendor.is_vendor, Some(true));
    let bound = rest.get_template(BOUND_TEMPLATE).include_endpoint_bound_templates(true);
    assert_eq!(bound.await.unwrap().is_serverless, Some(true));
}
