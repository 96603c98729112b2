//! Catalog of the account interface: the types of GPU and CPU and the data centers, from
//! [`offers`](super::offers).

use serde_json::{Value, json};

use super::fields::{VERSIONS, is_version};
use super::offers::{CPUS, CpuOffer, DATA_CENTERS, DataCenterOffer, GPUS, GpuOffer};
use super::problem::Problem;
use super::request::Request;
use super::response::{Outcome, ok};
use super::volumes::VOLUME_TYPES;

const REGIONS: [&str; 9] = [
    "NORTH_AMERICA",
    "SOUTH_AMERICA",
    "EUROPE",
    "ASIA",
    "MIDDLE_EAST",
    "AFRICA",
    "OCEANIA",
    "ANTARCTICA",
    "UNKNOWN",
];

const COMPLIANCE: [&str; 12] = [
    "GDPR",
    "ISO_IEC_27001",
    "ISO_14001",
    "PCI_DSS",
    "HITRUST",
    "SOC_1_TYPE_2",
    "SOC_2_TYPE_2",
    "SOC_3_TYPE_2",
    "ITAR",
    "FISMA_HIGH",
    "HIPAA",
    "RENEWABLE",
];

/// The availability that is asked for; none if it is not.
struct GpuQuery {
    is_available: fn(&GpuOffer, &GpuFilter) -> bool,
    filter: GpuFilter,
    with_availability: bool,
}

/// A filter of GPUs.
struct GpuFilter {
    count: u64,
    cloud: Option<&'static str>,
    cuda_versions: Vec<String>,
    min_cuda_version: Option<(u32, u32)>,
    countries: Vec<String>,
}

impl GpuQuery {
    fn read(request: &Request) -> Result<Self, Problem> {
        let with_availability = with_availability(request)?;
        request.choices("product", &["POD", "CLUSTER", "SERVERLESS"])?;
        let is_country = |it: &str| it.len() == 2 && it.bytes().all(|b| b.is_ascii_uppercase());
        let is_least = |it: &str| is_version(it) || is_version(&format!("{it}.0"));
        let least = request.matching("minCudaVersion", "a version such as 12.4", is_least)?;
        let filter = GpuFilter {
            count: request.integer("count", 1, u64::MAX)?.unwrap_or(1),
            cloud: request.choice("cloud", &["SECURE", "COMMUNITY"])?,
            cuda_versions: request.list("cudaVersions", VERSIONS, is_version)?.unwrap_or_default(),
            min_cuda_version: least.map(|version| parsed(&version)),
            countries: request.list("countryCodes", "two letters", is_country)?.unwrap_or_default(),
        };
        Ok(Self { is_available, filter, with_availability })
    }
}

/// A version of CUDA as numbers.
fn parsed(version: &str) -> (u32, u32) {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    (major.parse().unwrap_or(u32::MAX), minor.parse().unwrap_or(u32::MAX))
}

fn is_available(gpu: &GpuOffer, filter: &GpuFilter) -> bool {
    let is_cuda = |version: &str| {
        (filter.cuda_versions.is_empty() || filter.cuda_versions.iter().any(|it| it == version))
            && filter.min_cuda_version.is_none_or(|least| parsed(version) >= least)
    };
    let asks_for_cuda = !filter.cuda_versions.is_empty() || filter.min_cuda_version.is_some();
    filter.count <= u64::from(gpu.max_count)
        && (filter.cloud != Some("COMMUNITY") || gpu.community.is_some())
        && (!asks_for_cuda || gpu.cuda_versions.iter().any(|version| is_cuda(version)))
        // The data centers are in Germany, the United States and Japan.
        && (filter.countries.is_empty()
            || filter.countries.iter().any(|it| ["DE", "US", "JP"].contains(&it.as_str())))
}

fn with_availability(request: &Request) -> Result<bool, Problem> {
    let include = request.choices("include", &["AVAILABILITY"])?.unwrap_or_default();
    if include.len() > 1 {
        return Err(Problem::invalid("the parameter include must have at most one value"));
    }
    Ok(!include.is_empty())
}

fn gpu_view(gpu: &GpuOffer, query: &GpuQuery) -> Value {
    let mut view = json!({
        "id": gpu.id,
        "name": gpu.name,
        "pool": gpu.pool,
        "manufacturer": gpu.manufacturer,
        "memory": gpu.memory,
        "secure": true,
        "community": gpu.community.is_some(),
        "price": {
            "secure": gpu.secure,
            "community": gpu.community.unwrap_or(0.0),
            "serverless": gpu.serverless,
        },
        "maxCount": {
            "secure": gpu.max_count,
            "community": gpu.community.map_or(0, |_| gpu.max_count),
        },
    });
    if query.with_availability {
        let is_available = (query.is_available)(gpu, &query.filter);
        let level = if is_available { gpu.availability } else { "NONE" };
        let centers = DATA_CENTERS.iter().filter(|center| gpu.data_centers.contains(&center.id));
        let center = |center: &DataCenterOffer| json!({ "id": center.id, "name": center.name, "availability": level });
        let version = |version: &&str| json!({ "version": version, "available": level != "NONE" });
        view["availability"] = json!(level);
        view["dataCenters"] = centers.map(center).collect();
        view["cudaVersions"] = gpu.cuda_versions.iter().map(version).collect();
    }
    view
}

pub(super) fn list_gpus(request: &Request) -> Outcome {
    let query = GpuQuery::read(request)?;
    ok(json!({ "gpus": GPUS.iter().map(|gpu| gpu_view(gpu, &query)).collect::<Vec<_>>() }))
}

pub(super) fn get_gpu(request: &Request) -> Outcome {
    let query = GpuQuery::read(request)?;
    match GPUS.iter().find(|gpu| gpu.id == request.id()) {
        Some(gpu) => ok(gpu_view(gpu, &query)),
        None => Err(Problem::not_found("type of GPU", request.id())),
    }
}

/// The number of vCPUs that availability is asked for; none if it is not asked for.
fn vcpus(request: &Request) -> Result<Option<u64>, Problem> {
    request.choices("product", &["POD", "SERVERLESS"])?;
    let vcpus = request.integer("vcpuCount", 2, u64::MAX)?.unwrap_or(2);
    Ok(with_availability(request)?.then_some(vcpus))
}

fn cpu_view(cpu: &CpuOffer, vcpus: Option<u64>) -> Value {
    let (min, max) = cpu.vcpus;
    let mut view = json!({
        "id": cpu.id,
        "name": cpu.name,
        "group": cpu.group,
        "vcpu": { "min": min, "max": max },
        "ramGbPerVcpu": cpu.ram,
        "price": { "securePerVcpu": cpu.secure, "serverlessPerVcpu": cpu.serverless },
    });
    if let Some(vcpus) = vcpus {
        let level = if vcpus <= u64::from(max) { "HIGH" } else { "NONE" };
        let center = |center: &DataCenterOffer| json!({ "id": center.id, "name": center.name, "availability": level });
        view["availability"] = json!(level);
        view["dataCenters"] = DATA_CENTERS.iter().map(center).collect();
    }
    view
}

pub(super) fn list_cpus(request: &Request) -> Outcome {
    let vcpus = vcpus(request)?;
    ok(json!({ "cpus": CPUS.iter().map(|cpu| cpu_view(cpu, vcpus)).collect::<Vec<_>>() }))
}

pub(super) fn get_cpu(request: &Request) -> Outcome {
    let vcpus = vcpus(request)?;
    match CPUS.iter().find(|cpu| cpu.id == request.id()) {
        Some(cpu) => ok(cpu_view(cpu, vcpus)),
        None => Err(Problem::not_found("type of CPU", request.id())),
    }
}

/// Additions to a data center.
fn included(request: &Request) -> Result<Vec<String>, Problem> {
    let parts = request.choices("include", &["GPU_AVAILABILITY", "CPU_AVAILABILITY"])?;
    Ok(parts.unwrap_or_default())
}

fn center_view(center: &DataCenterOffer, include: &[String]) -> Value {
    let mut view = json!({
        "id": center.id,
        "name": center.name,
        "region": center.region,
        "globalNetwork": center.global_network,
        "networkVolumeTypes": center.volume_types,
        "compliance": center.compliance,
    });
    let is_included = |part: &str| include.iter().any(|it| it == part);
    if is_included("GPU_AVAILABILITY") {
        let gpus = GPUS.iter().filter(|gpu| gpu.data_centers.contains(&center.id));
        let gpu = |gpu: &GpuOffer| json!({ "id": gpu.id, "name": gpu.name, "availability": gpu.availability });
        view["gpuAvailability"] = gpus.map(gpu).collect();
    }
    if is_included("CPU_AVAILABILITY") {
        let cpu =
            |cpu: &CpuOffer| json!({ "id": cpu.id, "name": cpu.name, "availability": "HIGH" });
        view["cpuAvailability"] = CPUS.iter().map(cpu).collect();
    }
    view
}

pub(super) fn list_data_centers(request: &Request) -> Outcome {
    let include = included(request)?;
    let regions = request.choices("regions", &REGIONS)?;
    let volume_types = request.choices("networkVolumeTypes", &VOLUME_TYPES)?;
    let compliance = request.choices("compliance", &COMPLIANCE)?;
    let global_network = request.flag("globalNetwork")?;
    let is_listed = |center: &&DataCenterOffer| {
        let offers = |wanted: &String| center.volume_types.contains(&wanted.as_str());
        let complies = |wanted: &String| center.compliance.contains(&wanted.as_str());
        regions.as_ref().is_none_or(|it| it.iter().any(|region| region == center.region))
            && volume_types.as_ref().is_none_or(|it| it.iter().any(offers))
            && compliance.as_ref().is_none_or(|it| it.iter().all(complies))
            && global_network.is_none_or(|it| it == center.global_network)
    };
    let centers = DATA_CENTERS.iter().filter(is_listed);
    let centers: Vec<_> = centers.map(|center| center_view(center, &include)).collect();
    ok(json!({ "dataCenters": centers }))
}

pub(super) fn get_data_center(request: &Request) -> Outcome {
    let include = included(request)?;
    match DATA_CENTERS.iter().find(|center| center.id == request.id()) {
        Some(center) => ok(center_view(center, &include)),
        None => Err(Problem::not_found("data center", request.id())),
    }
}
