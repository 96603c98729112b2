//! Rules of requests that types do not express: bounds of values, and which fields exclude or
//! require each other.
//!
//! [`BOUNDS`] and [`PARAMETER_BOUNDS`] have a row for each bound that `openapi/account.yaml` states,
//! and for values that are never valid, such as an empty id.

use podqueue_runtime::__private::BrokenRule;
use serde_json::{Map, Value};

use crate::Port;

/// A bound of a value.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// A number that is not below this one.
    AtLeast(f64),
    /// A number between two, both included.
    Range(f64, f64),
    /// A text or a list with content.
    NotEmpty,
    /// A list with at most one item.
    AtMostOne,
    /// A list without equal items.
    Unique,
    /// A port with its protocol.
    Port,
    /// A version of CUDA, such as 12.4.
    Version,
    /// The same, or empty for any.
    VersionOrEmpty,
    /// The name of a type of GPU.
    GpuName,
    /// A public key, as it is in a file of authorized keys.
    SshKey,
}

use Bound::{
    AtLeast, AtMostOne, GpuName, NotEmpty, Range, SshKey, Unique, Version, VersionOrEmpty,
};

/// Bounds of fields: a prefix of the operation's name, the field's path (`[]` for each item of a
/// list), and the bound.
const BOUNDS: [(&str, &str, Bound); 41] = [
    ("", "name", NotEmpty),
    ("", "disk", AtLeast(1.0)),
    ("", "ports[]", Bound::Port),
    ("", "image", NotEmpty),
    ("create_", "templateId", NotEmpty),
    ("", "mounts.network", AtMostOne),
    ("", "mounts.network[].volumeId", NotEmpty),
    ("", "mounts.network[].path", NotEmpty),
    ("", "mounts.persistent.size", AtLeast(10.0)),
    ("", "mounts.persistent.path", NotEmpty),
    ("", "dataCenterIds[]", NotEmpty),
    ("", "gpu.id", NotEmpty),
    ("", "gpu.count", AtLeast(1.0)),
    ("", "gpu.pools", NotEmpty),
    ("", "gpu.pools[]", NotEmpty),
    ("", "gpu.excludedTypes", Unique),
    ("", "gpu.excludedTypes[]", GpuName),
    ("", "gpu.allowedCudaVersions[]", Version),
    ("create_", "gpu.minCudaVersion", Version),
    ("update_", "gpu.minCudaVersion", VersionOrEmpty),
    ("", "allowedCudaVersions[]", Version),
    ("", "cpu", NotEmpty),
    ("", "cpu", Unique),
    ("", "cpu.id", NotEmpty),
    ("", "cpu.vcpuCount", AtLeast(2.0)),
    ("", "cpu[].id", NotEmpty),
    ("", "cpu[].vcpuCount", AtLeast(2.0)),
    ("", "networkVolumes[]", NotEmpty),
    ("", "workers.min", AtLeast(0.0)),
    ("", "workers.max", AtLeast(0.0)),
    ("", "workers.idleTimeout", Range(1.0, 3600.0)),
    ("", "scaling.queueDelay", AtLeast(0.5)),
    ("", "scaling.requestCount", AtLeast(1.0)),
    ("", "compute.gpuTypeId", NotEmpty),
    ("", "compute.gpuCountPerPod", AtLeast(1.0)),
    ("", "compute.podCount", Range(2.0, 250.0)),
    ("", "size", Range(10.0, 4096.0)),
    ("", "dataCenter", NotEmpty),
    ("", "username", NotEmpty),
    ("", "password", NotEmpty),
    ("", "keys[]", SshKey),
];

/// The bounds of parameters in the query.
const PARAMETER_BOUNDS: [(&str, Bound); 4] = [
    ("tail", Range(0.0, 5000.0)),
    ("lastN", AtLeast(1.0)),
    ("count", AtLeast(1.0)),
    ("vcpuCount", AtLeast(2.0)),
];

/// The largest number of workers of a new endpoint whose body has none.
const DEFAULT_MAX_WORKERS: i64 = 3;

/// Finds a rule that a request breaks, before it is sent.
pub(super) fn check(operation: &str, query: &str, body: Option<&[u8]>) -> Option<BrokenRule> {
    if let Some(broken) = check_query(query) {
        return Some(broken);
    }
    let body: Map<String, Value> = serde_json::from_slice(body?).ok()?;
    check_combinations(operation, &body).or_else(|| check_bounds(operation, &body))
}

fn breaks(field: &'static str, rule: impl Into<String>) -> Option<BrokenRule> {
    Some(BrokenRule { field: field.trim_end_matches("[]"), rule: rule.into() })
}

fn check_query(query: &str) -> Option<BrokenRule> {
    query.split('&').filter_map(|pair| pair.split_once('=')).find_map(|(name, value)| {
        let (name, bound) = PARAMETER_BOUNDS.into_iter().find(|(known, _)| *known == name)?;
        let value: f64 = value.parse().ok()?;
        breaks(name, bound.broken_by(&value.into())?)
    })
}

/// The rules about several fields.
fn check_combinations(operation: &str, body: &Map<String, Value>) -> Option<BrokenRule> {
    let is_creation = matches!(operation, "create_pod" | "create_endpoint");
    if !is_creation && operation != "update_endpoint" {
        return None;
    }
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
    if has("scaling") && !within("scaling", "type").is_some_and(Value::is_string) {
        return breaks("scaling.type", "is missing: set QUEUE_DELAY or REQUEST_COUNT");
    }
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
    let workers = |name| within("workers", name).and_then(Value::as_i64);
    let default = (operation == "create_endpoint").then_some(DEFAULT_MAX_WORKERS);
    match (workers("min"), workers("max"), default) {
        (Some(min), Some(max), _) if min > max => {
            breaks("workers.min", format!("must not exceed `workers.max`, {max}"))
        }
        (Some(min), None, Some(max)) if min > max => {
            breaks("workers.min", format!("must not exceed `workers.max`, {max} if it is not set"))
        }
        _ => None,
    }
}

fn check_bounds(operation: &str, body: &Map<String, Value>) -> Option<BrokenRule> {
    let mut bounds = BOUNDS.into_iter().filter(|(prefix, ..)| operation.starts_with(prefix));
    bounds.find_map(|(_, place, bound)| {
        let (field, rest) = place.split_once('.').unwrap_or((place, ""));
        let value = body.get(field.trim_end_matches("[]"))?;
        let in_list = field.strip_suffix("[]").is_some();
        breaks(place, first_broken(value, in_list, rest, bound)?)
    })
}

/// The rule that a value breaks, or one at a place within it.
fn first_broken(value: &Value, in_list: bool, rest: &str, bound: Bound) -> Option<String> {
    if in_list {
        return value.as_array()?.iter().find_map(|it| first_broken(it, false, rest, bound));
    }
    if rest.is_empty() {
        return bound.broken_by(value);
    }
    let (field, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let inner = value.get(field.trim_end_matches("[]"))?;
    first_broken(inner, field.ends_with("[]"), rest, bound)
}

impl Bound {
    /// The rule, if a value breaks it. Null, which clears a field, breaks none, nor does a value of
    /// another type.
    fn broken_by(self, value: &Value) -> Option<String> {
        let (number, text, list) = (value.as_f64(), value.as_str(), value.as_array());
        let rule = |is_broken: bool, rule: &str| is_broken.then(|| rule.to_owned());
        match self {
            AtLeast(least) => {
                number.filter(|it| *it < least).map(|_| format!("must be at least {least}"))
            }
            Range(least, most) => number
                .filter(|it| !(least..=most).contains(it))
                .map(|_| format!("must be from {least} to {most}")),
            NotEmpty => rule(
                text.is_some_and(|it| it.trim().is_empty()) || list.is_some_and(Vec::is_empty),
                "must not be empty",
            ),
            AtMostOne => rule(list?.len() > 1, "must have at most one item"),
            Unique => {
                let mut items = list?.iter().enumerate();
                let is_repeated =
                    items.any(|(at, item)| list.is_some_and(|it| it[..at].contains(item)));
                rule(is_repeated, "must not have an item twice")
            }
            Self::Port => rule(
                text?.parse::<Port>().is_err(),
                "must be a port from 1 to 65535 and its protocol, such as 8888/http or 22/tcp",
            ),
            Version => rule(!is_version(text?), "must be a version such as 12.4"),
            VersionOrEmpty => rule(
                !text?.is_empty() && !is_version(text?),
                "must be a version such as 12.4, or empty for any",
            ),
            GpuName => {
                let name = text?.trim_start();
                rule(name.is_empty() || name.starts_with('-'), "must be the id of a type of GPU")
            }
            SshKey => {
                let key = text?;
                let is_known = ["ssh-", "ecdsa-", "sk-"].iter().any(|it| key.starts_with(it));
                let has_data = key.split_once(' ').is_some_and(|(_, data)| !data.trim().is_empty());
                let is_line = !key.contains(['\n', '\r']);
                rule(
                    !is_known || !has_data || !is_line,
                    "must be a public key on one line, such as `ssh-ed25519 AAAA… comment`",
                )
            }
        }
    }
}

fn is_version(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{BOUNDS, PARAMETER_BOUNDS, check};

    fn field(operation: &str, body: &Value) -> Option<&'static str> {
        check(operation, "", Some(body.to_string().as_bytes())).map(|it| it.field)
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
            (json!({"gpu": {}, "cpu": [{}]}), Some("cpu")),
            (json!({"gpu": {"excludedTypes": []}}), Some("gpu.excludedTypes")),
            (json!({"gpu": {"excludedTypes": [], "pools": ["p"]}}), None),
        ] {
            assert_eq!(field("update_endpoint", &body), expected, "{body}");
        }
        assert_eq!(field("update_pod", &json!({"gpu": {}, "cpu": {}})), None);
    }

    #[test]
    fn the_minimum_of_workers_does_not_exceed_the_maximum() {
        let workers = |min: u32, max: Option<u32>| {
            let mut body = json!({"image": "i", "gpu": {}, "workers": {"min": min}});
            if let Some(max) = max {
                body["workers"]["max"] = max.into();
            }
            body
        };
        for (body, created, updated) in [
            (workers(2, Some(2)), None, None),
            (workers(3, Some(2)), Some("workers.min"), Some("workers.min")),
            (workers(3, None), None, None),
            // The maximum is 3 then; that of an endpoint that exists is not known.
            (workers(4, None), Some("workers.min"), None),
        ] {
            assert_eq!(field("create_endpoint", &body), created, "{body}");
            assert_eq!(field("update_endpoint", &body), updated, "{body}");
        }
    }

    #[test]
    fn a_value_out_of_its_bounds_is_refused_by_its_field() {
        for (body, expected) in [
            (json!({"name": " "}), Some("name")),
            (json!({"name": null, "registry": null, "disk": 1, "ports": []}), None),
            (json!({"disk": 0}), Some("disk")),
            (json!({"image": ""}), Some("image")),
            (json!({"templateId": ""}), None),
            (json!({"ports": ["22/tcp", "99999/http"]}), Some("ports")),
            (json!({"ports": ["22"]}), Some("ports")),
            (json!({"ports": ["22/tcp", "65535/http"]}), None),
            (json!({"gpu": {"pools": []}}), Some("gpu.pools")),
            (json!({"gpu": {"pools": [""]}}), Some("gpu.pools")),
            (json!({"gpu": {"count": 0}}), Some("gpu.count")),
            (json!({"gpu": {"pools": ["p"], "minCudaVersion": ""}}), None),
            (json!({"gpu": {"minCudaVersion": "12"}}), Some("gpu.minCudaVersion")),
            (json!({"gpu": {"allowedCudaVersions": ["x.1"]}}), Some("gpu.allowedCudaVersions")),
            (
                json!({"gpu": {"pools": ["p"], "excludedTypes": ["a", "a"]}}),
                Some("gpu.excludedTypes"),
            ),
            (json!({"gpu": {"pools": ["p"], "excludedTypes": ["-a"]}}), Some("gpu.excludedTypes")),
            (json!({"cpu": []}), Some("cpu")),
            (json!({"cpu": [{"id": "c", "vcpuCount": 2}, {"id": "d", "vcpuCount": 2}]}), None),
            (
                json!({"cpu": [{"id": "c", "vcpuCount": 2}, {"id": "c", "vcpuCount": 2}]}),
                Some("cpu"),
            ),
            (json!({"cpu": [{"id": "c", "vcpuCount": 1}]}), Some("cpu[].vcpuCount")),
            (json!({"cpu": {"id": "", "vcpuCount": 2}}), Some("cpu.id")),
            (json!({"scaling": {"queueDelay": 4}}), Some("scaling.type")),
            (json!({"scaling": {"type": null}}), Some("scaling.type")),
            (json!({"workers": {"idleTimeout": 3600}}), None),
            (json!({"workers": {"idleTimeout": 3601}}), Some("workers.idleTimeout")),
            (json!({"workers": {"min": -1}}), Some("workers.min")),
            (
                json!({"scaling": {"type": "QUEUE_DELAY", "queueDelay": 0.4}}),
                Some("scaling.queueDelay"),
            ),
            (
                json!({"scaling": {"type": "REQUEST_COUNT", "requestCount": 0}}),
                Some("scaling.requestCount"),
            ),
            (json!({"mounts": {"persistent": {"size": 9}}}), Some("mounts.persistent.size")),
            (json!({"mounts": {"network": [{}, {}]}}), Some("mounts.network")),
            (json!({"size": 4097}), Some("size")),
            (json!({"compute": {"podCount": 1}}), Some("compute.podCount")),
            (json!({"keys": ["ssh-ed25519 AAAA me"]}), None),
            (json!({"keys": ["AAAA"]}), Some("keys")),
        ] {
            assert_eq!(field("update_endpoint", &body), expected, "{body}");
        }
        for (query, expected) in [
            ("tail=5000&source=system", None),
            ("source=system&tail=5001", Some("tail")),
            ("lastN=0", Some("lastN")),
            ("count=x", None),
        ] {
            assert_eq!(check("get_pod_logs", query, None).map(|it| it.field), expected, "{query}");
        }
    }

    /// Each bound of a request in the description has a row, by the last name of its place.
    #[test]
    fn the_rows_are_the_bounds_of_the_description() {
        const KEYWORDS: [&str; 7] =
            ["minimum", "maximum", "minLength", "minItems", "maxItems", "pattern", "uniqueItems"];
        /// Schemas and fields of responses alone.
        const READ: [&str; 15] = [
            "gpuCount",
            "uptimeSeconds",
            "running",
            "idle",
            "initializing",
            "throttled",
            "unhealthy",
            "total",
            "workerCount",
            "workersOnLatest",
            "workersTotal",
            "percentOnLatest",
            "memory",
            "version",
            "include",
        ];
        /// Parameters whose values are texts: the service refuses them.
        const TEXTS: [&str; 3] = ["countryCodes", "cudaVersions", "minCudaVersion"];
        let mut names: Vec<(usize, &str)> = Vec::new();
        for line in include_str!("../../openapi/account.yaml").lines() {
            let indent = line.len() - line.trim_start().len();
            let Some((key, value)) = line.trim().split_once(':') else { continue };
            let key = key.trim_start_matches("- ");
            names.retain(|(at, _)| *at < indent);
            if KEYWORDS.contains(&key) {
                let structure = ["schema", "items", "properties", "allOf"];
                let mut within = names.iter().rev().map(|(_, name)| *name);
                let name = within.find(|name| !structure.contains(name)).unwrap_or_default();
                let has_row = BOUNDS.iter().any(|(_, place, _)| {
                    place.trim_end_matches("[]").rsplit('.').next() == Some(name)
                }) || PARAMETER_BOUNDS.iter().any(|(known, _)| *known == name);
                assert!(
                    has_row || READ.contains(&name) || TEXTS.contains(&name),
                    "no row for {name}: {line}"
                );
            }
            // A parameter has its name beside its schema.
            match names.last_mut() {
                Some((_, parameter)) if key == "name" && !value.is_empty() => {
                    *parameter = value.trim();
                }
                _ => names.push((indent, key)),
            }
        }
    }
}
