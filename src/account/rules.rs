//! Rules of request bodies that types do not express: which fields exclude or require each other.

use podqueue_runtime::__private::BrokenRule;
use serde_json::{Map, Value};

/// Finds a rule that the body of an operation breaks, before it is sent.
pub(super) fn check(operation: &str, body: &[u8]) -> Option<BrokenRule> {
    let breaks = |field, rule| Some(BrokenRule { field, rule });
    let is_creation = matches!(operation, "create_pod" | "create_endpoint");
    if !is_creation && operation != "update_endpoint" {
        return None;
    }
    let body: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let has = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    match (has("gpu"), has("cpu")) {
        (true, true) => {
            return breaks("cpu", "must not be set together with `gpu`: keep one of them");
        }
        (false, false) if is_creation => {
            return breaks("gpu", "is missing, and so is `cpu`: set one of them");
        }
        _ => {}
    }
    if is_creation && !has("image") && !has("templateId") {
        return breaks("image", "is missing, and so is `templateId`: set at least one of them");
    }
    let within = |field: &str, name: &str| body.get(field).and_then(|it| it.get(name));
    if operation == "create_endpoint"
        && body.get("type").is_some_and(|it| it == "LOAD_BALANCER")
        && within("scaling", "type").is_some_and(|it| it == "QUEUE_DELAY")
    {
        let rule = "must be by the number of requests (REQUEST_COUNT) if `type` is LOAD_BALANCER";
        return breaks("scaling", rule);
    }
    if operation == "update_endpoint"
        && within("gpu", "excludedTypes").is_some()
        && within("gpu", "pools").is_none()
    {
        return breaks("gpu.excludedTypes", "can be changed only together with `gpu.pools`");
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    fn field(operation: &str, body: &Value) -> Option<&'static str> {
        check(operation, body.to_string().as_bytes()).map(|it| it.field)
    }

    #[test]
    fn a_creation_has_one_of_gpu_and_cpu_and_an_image_or_a_template() {
        for operation in ["create_pod", "create_endpoint"] {
            for (body, expected) in [
                (json!({"image": "i", "gpu": {}}), None),
                (json!({"templateId": "t", "cpu": {}}), None),
                (json!({"image": "i", "gpu": {}, "cpu": null}), None),
                (json!({"image": "i", "gpu": {}, "cpu": {}}), Some("cpu")),
                (json!({"image": "i"}), Some("gpu")),
                (json!({"gpu": {}}), Some("image")),
            ] {
                assert_eq!(field(operation, &body), expected, "{operation} {body}");
            }
        }
    }

    #[test]
    fn a_load_balancer_scales_by_requests() {
        for (scaling, expected) in [("QUEUE_DELAY", Some("scaling")), ("REQUEST_COUNT", None)] {
            let scaling = json!({ "type": scaling });
            let body =
                json!({"image": "i", "gpu": {}, "type": "LOAD_BALANCER", "scaling": scaling});
            assert_eq!(field("create_endpoint", &body), expected);
        }
    }

    #[test]
    fn a_change_has_at_most_one_of_gpu_and_cpu() {
        for (body, expected) in [
            (json!({}), None),
            (json!({"gpu": {}}), None),
            (json!({"gpu": {}, "cpu": []}), Some("cpu")),
            (json!({"gpu": {"excludedTypes": []}}), Some("gpu.excludedTypes")),
            (json!({"gpu": {"excludedTypes": [], "pools": ["p"]}}), None),
        ] {
            assert_eq!(field("update_endpoint", &body), expected, "{body}");
        }
        assert_eq!(field("update_pod", &json!({"gpu": {}, "cpu": {}})), None);
    }
}
