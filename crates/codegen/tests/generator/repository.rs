//! The description, the schema and the queries of this repository, compared with the tables of the
//! interface.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{above, dense, item, lines};
use podqueue_codegen::graphql::{self, SharedTypes};
use podqueue_codegen::{Source, rest};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn source(path: &str) -> Source {
    Source::new(path, fs::read_to_string(root().join(path)).unwrap())
}

fn calls() -> String {
    let made = rest::generate(&source("openapi/podqueue.yaml")).unwrap();
    assert_eq!(lines(&made.warnings), "");
    made.code
}

fn operations() -> String {
    let mut queries: Vec<_> = fs::read_dir(root().join("queries"))
        .unwrap()
        .map(|entry| source(&format!("queries/{}", entry.unwrap().file_name().to_string_lossy())))
        .collect();
    queries.sort_by(|a, b| a.name.cmp(&b.name));
    let made = graphql::generate(&source("schema/schema.graphql"), &queries, SharedTypes::Here);
    made.map_err(|diagnostics| lines(&diagnostics)).unwrap().code
}

/// The table "REST reads" of the interface.
#[test]
fn both_reads_take_their_parameters() {
    let code = calls();
    for (builder, path, parameters) in [
        (
            "GetPod",
            "GET /pods/{podId}",
            &[
                "includeMachine",
                "includeNetworkVolume",
                "includeSavingsPlans",
                "includeTemplate",
                "includeWorkers",
            ][..],
        ),
        (
            "GetTemplate",
            "GET /templates/{templateId}",
            &["includeEndpointBoundTemplates", "includePublicTemplates", "includeVendorTemplates"],
        ),
    ] {
        assert!(code.contains(&format!("/// `{path}`\n")));
        let call = dense(item(&code, &format!("impl {builder} {{")));
        for parameter in parameters {
            assert!(call.contains(&format!(".query(\"{parameter}\", &self.")), "{parameter}");
        }
        assert_eq!(call.matches(".query(").count(), parameters.len());
    }
}

/// The tables of the interface: name on the wire, kind of value.
const FIELDS: &[(&str, &[(&str, &str)])] = &[
    (
        "Pod",
        &[
            ("id", "string"),
            ("name", "string"),
            ("adjustedCostPerHr", "number"),
            ("costPerHr", "number"),
            ("aiApiId", "string"),
            ("endpointId", "string"),
            ("slsVersion", "integer"),
            ("consumerUserId", "string"),
            ("containerDiskInGb", "integer"),
            ("containerRegistryAuthId", "string"),
            ("cpuFlavorId", "string"),
            ("desiredStatus", "PodStatus"),
            ("dockerEntrypoint", "strings"),
            ("dockerStartCmd", "strings"),
            ("env", "map of String"),
            ("gpu", "Gpu"),
            ("image", "string"),
            ("interruptible", "boolean"),
            ("lastStartedAt", "string"),
            ("lastStatusChange", "string"),
            ("locked", "boolean"),
            ("machine", "Machine"),
            ("machineId", "string"),
            ("memoryInGb", "number"),
            ("networkVolume", "NetworkVolume"),
            ("portMappings", "map of i64"),
            ("ports", "strings"),
            ("publicIp", "string"),
            ("savingsPlans", "list of SavingsPlan"),
            ("template", "object"),
            ("templateId", "string"),
            ("vcpuCount", "number"),
            ("volumeEncrypted", "boolean"),
            ("volumeInGb", "integer"),
            ("volumeMountPath", "string"),
        ],
    ),
    (
        "Gpu",
        &[
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
        ],
    ),
    (
        "Machine",
        &[
            ("minPodGpuCount", "number"),
            ("gpuTypeId", "string"),
            ("gpuType", "Gpu"),
            ("cpuCount", "number"),
            ("cpuTypeId", "string"),
            ("cpuType", "CpuType"),
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
    ),
    (
        "CpuType",
        &[
            ("id", "string"),
            ("displayName", "string"),
            ("cores", "number"),
            ("threadsPerCore", "number"),
            ("groupId", "string"),
        ],
    ),
    (
        "NetworkVolume",
        &[("id", "string"), ("name", "string"), ("size", "integer"), ("dataCenterId", "string")],
    ),
    (
        "SavingsPlan",
        &[
            ("costPerHr", "number"),
            ("endTime", "string"),
            ("gpuTypeId", "string"),
            ("id", "string"),
            ("podId", "string"),
            ("startTime", "string"),
        ],
    ),
    (
        "Template",
        &[
            ("id", "string"),
            ("name", "string"),
            ("category", "string"),
            ("containerDiskInGb", "integer"),
            ("containerRegistryAuthId", "string"),
            ("dockerEntrypoint", "strings"),
            ("dockerStartCmd", "strings"),
            ("earned", "number"),
            ("env", "map of String"),
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
    ),
];

#[test]
fn every_field_of_every_table_is_generated_with_its_type() {
    let code = calls();
    for (name, fields) in FIELDS {
        let file: syn::File =
            syn::parse_str(item(&code, &format!("pub struct {name} {{"))).unwrap();
        let syn::Item::Struct(found) = &file.items[0] else { panic!("{name} is no struct") };
        let object = format!("__runtime::__private::object! {{\n        {name} {{\n");
        let (_, object) = code.split_once(&object).unwrap();
        let (object, _) = object.split_once('}').unwrap();
        let found: Vec<_> = found
            .fields
            .iter()
            .map(|field| {
                // `0 "podId" pod_id plain optional;`
                let ident = field.ident.as_ref().unwrap().to_string();
                let mut lines = object.lines().map(|it| it.split_whitespace());
                let wire = lines.find_map(|mut it| {
                    let wire = it.nth(1)?;
                    (it.next()? == ident).then(|| wire.trim_matches('"').to_owned())
                });
                let ty = &field.ty;
                (wire.unwrap(), quote::quote!(#ty).to_string().replace(' ', ""))
            })
            .collect();
        for (wire, kind) in *fields {
            let ty = match *kind {
                "string" => "Option<String>".to_owned(),
                "number" => "Option<f64>".to_owned(),
                "integer" => "Option<i64>".to_owned(),
                "boolean" => "Option<bool>".to_owned(),
                "strings" => "Vec<String>".to_owned(),
                "object" => "__runtime::__private::serde_json::Map<String,__runtime::__private::serde_json::Value,>".to_owned(),
                other => match (other.strip_prefix("list of "), other.strip_prefix("map of ")) {
                    (Some(item), _) => format!("Vec<{item}>"),
                    (_, Some(value)) => format!("HashMap<String,{value}>"),
                    _ => format!("Option<{other}>"),
                },
            };
            assert!(
                found.contains(&((*wire).to_owned(), ty.clone())),
                "{name}.{wire} is no {ty}: {found:?}"
            );
        }
        assert_eq!(found.len(), fields.len(), "{name}");
    }
}

#[test]
fn the_desired_status_has_three_values_and_keeps_unknown_ones() {
    let code = calls();
    let status = item(&code, "pub enum PodStatus {");
    for variant in ["Running,", "Exited,", "Terminated,", "Other(String),"] {
        assert!(status.contains(variant), "{variant}");
    }
}

#[test]
fn units_are_in_the_docs() {
    let code = calls();
    let pod = item(&code, "pub struct Pod {");
    for (field, unit) in [
        ("pub cost_per_hr", "credits per hour"),
        ("pub memory_in_gb", "in GB"),
        ("pub container_disk_in_gb", "in GB"),
        ("pub name", "191 characters"),
        ("pub last_started_at", "UTC"),
        ("pub gpu", "A type of GPU"),
    ] {
        let docs = above(pod, field);
        assert!(docs.contains(unit), "{field}: {docs}");
    }
}

#[test]
fn every_public_item_is_documented() {
    for code in [calls(), operations()] {
        let file: syn::File = syn::parse_str(&code).unwrap();
        let mut bare = Vec::new();
        undocumented(&file.items, "", &mut bare);
        assert!(bare.is_empty(), "{bare:?}");
    }
}

fn undocumented(items: &[syn::Item], path: &str, bare: &mut Vec<String>) {
    let documented = |attrs: &[syn::Attribute]| attrs.iter().any(|it| it.path().is_ident("doc"));
    for item in items {
        match item {
            syn::Item::Struct(it) => {
                let fields = it
                    .fields
                    .iter()
                    .filter(|field| matches!(field.vis, syn::Visibility::Public(_)));
                let named =
                    fields.filter(|field| field.ident.is_some() && !documented(&field.attrs));
                bare.extend(named.map(|field| format!("{path}{}.{:?}", it.ident, field.ident)));
                if !documented(&it.attrs) {
                    bare.push(format!("{path}{}", it.ident));
                }
            }
            syn::Item::Enum(it) => {
                let variants = it.variants.iter().filter(|variant| !documented(&variant.attrs));
                bare.extend(
                    variants.map(|variant| format!("{path}{}.{}", it.ident, variant.ident)),
                );
                if !documented(&it.attrs) {
                    bare.push(format!("{path}{}", it.ident));
                }
            }
            syn::Item::Type(it) if !documented(&it.attrs) => {
                bare.push(format!("{path}{}", it.ident))
            }
            syn::Item::Static(it) if !documented(&it.attrs) => {
                bare.push(format!("{path}{}", it.ident))
            }
            syn::Item::Mod(it) => {
                if !documented(&it.attrs) {
                    bare.push(format!("{path}{}", it.ident));
                }
                if let Some((_, items)) = &it.content {
                    undocumented(items, &format!("{path}{}::", it.ident), bare);
                }
            }
            _ => {}
        }
    }
}

/// The table "GraphQL" of the interface: the five documented calls.
#[test]
fn every_documented_call_is_an_operation() {
    let code = operations();
    for (name, mutation) in [
        (
            "SaveTemplate",
            "mutation SaveTemplate($input: SaveTemplateInput!) { saveTemplate(input: $input) { id name imageName isServerless containerDiskInGb dockerArgs env { key value } ports readme volumeInGb volumeMountPath containerRegistryAuthId } }",
        ),
        (
            "ModifyTemplate",
            "mutation ModifyTemplate($input: SaveTemplateInput!) { saveTemplate(input: $input) { id name imageName isServerless containerDiskInGb dockerArgs env { key value } ports readme volumeInGb volumeMountPath containerRegistryAuthId } }",
        ),
        (
            "DeleteTemplate",
            "mutation DeleteTemplate($templateName: String!) { deleteTemplate(templateName: $templateName) }",
        ),
        (
            "SecretCreate",
            "mutation SecretCreate($input: SecretCreateInput!) { secretCreate(input: $input) { id name description } }",
        ),
        ("SecretDelete", "mutation SecretDelete($id: String!) { secretDelete(id: $id) }"),
    ] {
        let operation = item(&code, &format!("impl __runtime::graphql::Operation for {name} {{"));
        assert!(operation.contains(mutation), "{name}: {operation}");
    }
}

/// The table "Template (GraphQL input and output shape)": what is required, and what is not.
#[test]
fn a_template_requires_the_fields_of_the_table() {
    let code = operations();
    let input = item(&code, "pub struct SaveTemplateInput {");
    for field in [
        "pub container_disk_in_gb: i64,",
        "pub image_name: String,",
        "pub name: String,",
        "pub volume_in_gb: i64,",
        "pub id: Option<String>,",
        "pub is_serverless: Option<bool>,",
        "pub docker_args: Option<String>,",
        "pub env: Option<Vec<EnvironmentVariableInput>>,",
        "pub ports: Option<String>,",
        "pub readme: Option<String>,",
        "pub volume_mount_path: Option<String>,",
        "pub container_registry_auth_id: Option<String>,",
    ] {
        assert!(input.contains(field), "{field}");
    }
    assert_eq!(input.matches("\n        pub ").count(), 12);
}
