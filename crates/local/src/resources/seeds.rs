//! Default Pods and templates.

use serde_json::{Value, json};

/// The id of a seeded Pod with GPUs, a network volume, a savings plan and a template.
pub const GPU_POD: &str = "pod-gpu";
/// The id of a seeded Pod without GPUs that is stopped.
pub const CPU_POD: &str = "pod-cpu";
/// The id of a seeded Pod that is initializing: without a public address and port mappings.
pub const STARTING_POD: &str = "pod-starting";
/// The id of a seeded Pod that is a worker of the endpoint `echo`.
pub const WORKER_POD: &str = "pod-worker";
/// The id of a seeded template of the user, which [`GPU_POD`] uses.
pub const OWN_TEMPLATE: &str = "template-own";
/// The id of a seeded template of the community.
pub const PUBLIC_TEMPLATE: &str = "template-public";
/// The id of a seeded official template.
pub const VENDOR_TEMPLATE: &str = "template-vendor";
/// The id of a seeded template that is bound to the endpoint `echo`.
pub const BOUND_TEMPLATE: &str = "template-bound";

pub(crate) fn seeded_templates() -> [Value; 4] {
    [
        json!({
            "id": OWN_TEMPLATE,
            "name": "notebook",
            "category": "NVIDIA",
            "containerDiskInGb": 20,
            "containerRegistryAuthId": "registry-credential-1",
            "dockerEntrypoint": ["/entry.sh"],
            "dockerStartCmd": ["jupyter", "lab", "--ip=0.0.0.0"],
            "env": { "JUPYTER_THEME": "dark", "TOKEN": "{{ SECRET_token }}" },
            "imageName": "registry.example/notebook:3",
            "ports": ["8888/http", "22/tcp"],
            "readme": "# Notebook\nOpens on port 8888.",
            "volumeInGb": 50,
            "volumeMountPath": "/workspace",
        }),
        json!({
            "id": PUBLIC_TEMPLATE,
            "name": "community-diffusion",
            "category": "AMD",
            "containerDiskInGb": 40,
            "earned": 12.5,
            "imageName": "registry.example/diffusion:7",
            "isPublic": true,
            "ports": ["3000/http"],
            "readme": "Makes pictures.",
            "runtimeInMin": 480,
            "volumeInGb": 100,
        }),
        json!({
            "id": VENDOR_TEMPLATE,
            "name": "official-base",
            "category": "CPU",
            "containerDiskInGb": 5,
            "imageName": "registry.example/base:1",
            "isPublic": true,
            "isVendor": true,
            "ports": ["22/tcp"],
        }),
        json!({
            "id": BOUND_TEMPLATE,
            "name": "echo-worker",
            "category": "NVIDIA",
            "containerDiskInGb": 5,
            "dockerStartCmd": ["python", "-u", "handler.py"],
            "endpointId": "echo",
            "env": { "LOG_LEVEL": "info" },
            "imageName": "registry.example/echo:2",
            "isServerless": true,
        }),
    ]
}

pub(crate) fn seeded_pods() -> [Value; 4] {
    [
        json!({
            "id": GPU_POD,
            "name": "training",
            "adjustedCostPerHr": 0.69,
            "containerDiskInGb": 50,
            "containerRegistryAuthId": "registry-credential-1",
            "costPerHr": 0.74,
            "dockerEntrypoint": ["/entry.sh"],
            "dockerStartCmd": ["jupyter", "lab", "--ip=0.0.0.0"],
            "env": { "JUPYTER_THEME": "dark" },
            "gpu": gpu(2),
            "image": "registry.example/notebook:3",
            "machine": machine(),
            "machineId": "machine-7",
            "memoryInGb": 62,
            "networkVolume": {
                "id": "volume-1", "name": "datasets", "size": 200, "dataCenterId": "EU-1",
            },
            "portMappings": { "22": 10341, "8888": 10342 },
            "ports": ["8888/http", "22/tcp"],
            "publicIp": "192.0.2.44",
            "savingsPlans": [{
                "costPerHr": 0.05,
                "endTime": "2026-07-01T00:00:00Z",
                "gpuTypeId": "gpu-24gb",
                "id": "plan-1",
                "podId": GPU_POD,
                "startTime": "2026-01-01T00:00:00Z",
            }],
            "templateId": OWN_TEMPLATE,
            "vcpuCount": 24,
            "volumeEncrypted": true,
            "volumeInGb": 20,
        }),
        json!({
            "id": CPU_POD,
            "name": "preprocessing",
            "cpuFlavorId": "cpu-3c",
            "desiredStatus": "EXITED",
            "lastStatusChange": "Stopped by the user",
            "locked": true,
            "machine": {
                "cpuCount": 16,
                "cpuTypeId": "cpu-16",
                "cpuType": {
                    "id": "cpu-16",
                    "displayName": "16-core CPU",
                    "cores": 16,
                    "threadsPerCore": 2,
                    "groupId": "general",
                },
                "location": "EU",
                "dataCenterId": "EU-1",
            },
        }),
        json!({
            "id": STARTING_POD,
            "name": "training",
            "gpu": gpu(1),
            "interruptible": true,
            "lastStatusChange": "Initializing",
            "portMappings": {},
            "ports": ["22/tcp"],
            "publicIp": null,
        }),
        json!({
            "id": WORKER_POD,
            "name": "echo worker",
            "aiApiId": "echo",
            "endpointId": "echo",
            "gpu": gpu(1),
            "image": "registry.example/echo:2",
            "slsVersion": 3,
            "templateId": BOUND_TEMPLATE,
        }),
    ]
}

fn gpu(count: u32) -> Value {
    json!({
        "id": "gpu-24gb",
        "count": count,
        "displayName": "24 GB GPU",
        "securePrice": 0.74,
        "communityPrice": 0.44,
        "oneMonthPrice": 0.64,
        "threeMonthPrice": 0.6,
        "sixMonthPrice": 0.55,
        "oneWeekPrice": 0.7,
        "communitySpotPrice": 0.22,
        "secureSpotPrice": 0.35,
    })
}

fn machine() -> Value {
    json!({
        "minPodGpuCount": 1,
        "gpuTypeId": "gpu-24gb",
        "gpuType": gpu(8),
        "cpuCount": 96,
        "cpuTypeId": "cpu-96",
        "cpuType": {
            "id": "cpu-96",
            "displayName": "96-core CPU",
            "cores": 96,
            "threadsPerCore": 2,
            "groupId": "general",
        },
        "location": "EU",
        "dataCenterId": "EU-1",
        "diskThroughputMBps": 4200,
        "maxDownloadSpeedMbps": 9000,
        "maxUploadSpeedMbps": 8500,
        "supportPublicIp": true,
        "secureCloud": true,
        "maintenanceStart": "2026-03-01T02:00:00Z",
        "maintenanceEnd": "2026-03-01T04:00:00Z",
        "maintenanceNote": "Network switch replacement",
        "note": "",
        "costPerHr": 0.74,
        "currentPricePerGpu": 0.37,
        "gpuAvailable": 6,
        "gpuDisplayName": "24 GB GPU",
    })
}
