//! Offers: the types of GPU and CPU and the data centers that the local service has, and their
//! prices.
//!
//! The offers are examples. An object may be created with any other type or data center, at the
//! price of the first one, because the catalog of the hosted service changes.

/// A type of GPU. Prices are credits an hour.
pub(super) struct GpuOffer {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) pool: &'static str,
    pub(super) manufacturer: &'static str,
    pub(super) memory: u32,
    /// Price on machines of the service.
    pub(super) secure: f64,
    /// Price on machines of others; none if there are none.
    pub(super) community: Option<f64>,
    pub(super) serverless: f64,
    pub(super) max_count: u32,
    pub(super) availability: &'static str,
    pub(super) data_centers: &'static [&'static str],
    pub(super) cuda_versions: &'static [&'static str],
}

/// The types of GPU. Of the last one, none is available: workers on its pool wait for capacity.
pub(super) const GPUS: [GpuOffer; 4] = [
    GpuOffer {
        id: "gpu-24gb",
        name: "24 GB GPU",
        pool: "ADA_24",
        manufacturer: "NVIDIA",
        memory: 24,
        secure: 0.74,
        community: Some(0.44),
        serverless: 1.1,
        max_count: 8,
        availability: "HIGH",
        data_centers: &["EU-1", "US-1"],
        cuda_versions: &["12.4", "12.8"],
    },
    GpuOffer {
        id: "gpu-48gb",
        name: "48 GB GPU",
        pool: "AMPERE_48",
        manufacturer: "NVIDIA",
        memory: 48,
        secure: 1.2,
        community: Some(0.8),
        serverless: 1.9,
        max_count: 8,
        availability: "MEDIUM",
        data_centers: &["EU-1"],
        cuda_versions: &["12.4"],
    },
    GpuOffer {
        id: "gpu-80gb",
        name: "80 GB GPU",
        pool: "HOPPER_80",
        manufacturer: "NVIDIA",
        memory: 80,
        secure: 2.9,
        community: None,
        serverless: 4.2,
        max_count: 8,
        availability: "LOW",
        data_centers: &["US-1"],
        cuda_versions: &["12.8"],
    },
    GpuOffer {
        id: "gpu-192gb",
        name: "192 GB GPU",
        pool: SOLD_OUT_POOL,
        manufacturer: "AMD",
        memory: 192,
        secure: 3.5,
        community: None,
        serverless: 5.0,
        max_count: 8,
        availability: "NONE",
        data_centers: &["US-1"],
        cuda_versions: &[],
    },
];

/// The pool of GPUs without capacity.
pub(super) const SOLD_OUT_POOL: &str = "CDNA_192";

/// A type of CPU. Prices are credits an hour for each vCPU.
pub(super) struct CpuOffer {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) group: &'static str,
    pub(super) vcpus: (u32, u32),
    /// Memory in gigabytes for each vCPU.
    pub(super) ram: u32,
    pub(super) secure: f64,
    pub(super) serverless: f64,
}

pub(super) const CPUS: [CpuOffer; 2] = [
    CpuOffer {
        id: "cpu-3c",
        name: "Compute-optimized CPU",
        group: "compute",
        vcpus: (2, 32),
        ram: 2,
        secure: 0.03,
        serverless: 0.04,
    },
    CpuOffer {
        id: "cpu-3m",
        name: "Memory-optimized CPU",
        group: "memory",
        vcpus: (2, 32),
        ram: 8,
        secure: 0.05,
        serverless: 0.06,
    },
];

/// A data center.
pub(super) struct DataCenterOffer {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) region: &'static str,
    pub(super) global_network: bool,
    pub(super) volume_types: &'static [&'static str],
    pub(super) compliance: &'static [&'static str],
}

pub(super) const DATA_CENTERS: [DataCenterOffer; 3] = [
    DataCenterOffer {
        id: "EU-1",
        name: "Europe 1",
        region: "EUROPE",
        global_network: true,
        volume_types: &["STANDARD", "HIGH_PERFORMANCE"],
        compliance: &["GDPR", "ISO_IEC_27001"],
    },
    DataCenterOffer {
        id: "US-1",
        name: "North America 1",
        region: "NORTH_AMERICA",
        global_network: true,
        volume_types: &["STANDARD"],
        compliance: &["SOC_2_TYPE_2", "HIPAA"],
    },
    DataCenterOffer {
        id: "AP-1",
        name: "Asia 1",
        region: "ASIA",
        global_network: false,
        volume_types: &[],
        compliance: &[],
    },
];

/// Credits for a gigabyte of a container's disk and hour.
pub(super) const DISK_PRICE: f64 = 0.000_14;
/// Credits for a gigabyte of a network volume and hour, of standard and of high speed.
pub(super) const VOLUME_PRICES: (f64, f64) = (0.000_1, 0.000_2);
/// Credits for the network of a cluster, for each Pod and hour.
pub(super) const NETWORK_PRICE: f64 = 0.05;

fn gpu(id: &str) -> &'static GpuOffer {
    GPUS.iter().find(|gpu| gpu.id == id).unwrap_or(&GPUS[0])
}

fn cpu(id: &str) -> &'static CpuOffer {
    CPUS.iter().find(|cpu| cpu.id == id).unwrap_or(&CPUS[0])
}

/// Price of a GPU of a Pod.
pub(super) fn pod_gpu_price(id: &str, cloud: &str) -> f64 {
    let gpu = gpu(id);
    gpu.community.filter(|_| cloud == "COMMUNITY").unwrap_or(gpu.secure)
}

/// Price of a GPU of a worker: that of the first pool.
pub(super) fn worker_gpu_price(pools: &[String]) -> f64 {
    let gpu = pools.iter().find_map(|pool| GPUS.iter().find(|gpu| gpu.pool == pool));
    gpu.unwrap_or(&GPUS[0]).serverless
}

/// The type of GPU that a worker on these pools gets.
pub(super) fn worker_gpu(pools: &[String]) -> &'static str {
    let gpu = pools.iter().find_map(|pool| GPUS.iter().find(|gpu| gpu.pool == pool));
    gpu.unwrap_or(&GPUS[0]).id
}

/// Price of a vCPU of a Pod, and of a worker.
pub(super) fn vcpu_prices(id: &str) -> (f64, f64) {
    let cpu = cpu(id);
    (cpu.secure, cpu.serverless)
}

/// Memory in gigabytes for a number of vCPUs.
pub(super) fn memory(id: &str, vcpus: i64) -> i64 {
    vcpus.saturating_mul(i64::from(cpu(id).ram))
}
