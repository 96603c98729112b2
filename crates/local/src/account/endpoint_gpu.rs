//! GPU configuration of an endpoint: the pools from which its workers get their GPUs.

use serde::Serialize;

use super::fields::{Fields, VERSIONS, are_unique, from, is_version};
use super::offers::SOLD_OUT_POOL;
use super::problem::Problem;

/// The GPUs of an endpoint's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndpointGpu {
    pub(super) pools: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluded_types: Vec<String>,
    pub(super) count: i64,
    allowed_cuda_versions: Vec<String>,
    min_cuda_version: Option<String>,
}

impl EndpointGpu {
    /// A GPU of one pool.
    pub(super) fn of_pool(pool: &str) -> Self {
        Self {
            pools: vec![pool.to_owned()],
            excluded_types: Vec::new(),
            count: 1,
            allowed_cuda_versions: Vec::new(),
            min_cuda_version: None,
        }
    }

    /// Returns true if there is no capacity in any of its pools.
    pub(super) fn is_sold_out(&self) -> bool {
        self.pools.iter().all(|pool| pool == SOLD_OUT_POOL)
    }
}

/// A change of the GPUs: what is `None` stays as it is.
#[derive(Debug)]
pub(super) struct EndpointGpuChange {
    pools: Option<Vec<String>>,
    excluded_types: Option<Vec<String>>,
    count: Option<i64>,
    allowed_cuda_versions: Option<Vec<String>>,
    /// Empty for none any longer.
    min_cuda_version: Option<String>,
}

impl EndpointGpuChange {
    pub(super) fn read(fields: Fields<'_>) -> Self {
        let change = Self {
            pools: fields.list("pools"),
            excluded_types: fields.strings(
                "excludedTypes",
                "ids of types without a leading hyphen",
                |id| !matches!(id.trim_start().chars().next(), None | Some('-')),
            ),
            count: fields.integer("count", from(1)),
            allowed_cuda_versions: fields.strings("allowedCudaVersions", VERSIONS, is_version),
            min_cuda_version: fields.matching(
                "minCudaVersion",
                "a version such as 12.4",
                |version| version.is_empty() || is_version(version),
            ),
        };
        if change.pools.as_ref().is_some_and(Vec::is_empty) {
            fields.fault("must have at least one pool");
        }
        if fields.has("excludedTypes") && !fields.has("pools") {
            fields.fault("must have pools beside excludedTypes");
        }
        if change.excluded_types.as_ref().is_some_and(|types| !are_unique(types)) {
            fields.fault("must not exclude a type twice");
        }
        fields.end();
        change
    }

    /// Returns true if it is enough for a new endpoint.
    pub(super) fn is_complete(&self) -> bool {
        self.pools.is_some() && self.min_cuda_version.as_deref() != Some("")
    }

    /// The changed GPUs. Without any before, pools are required.
    pub(super) fn apply(self, before: Option<EndpointGpu>) -> Result<EndpointGpu, Problem> {
        let mut gpu = match (before, &self.pools) {
            (Some(gpu), _) => gpu,
            (None, Some(_)) => EndpointGpu::of_pool(""),
            (None, None) => {
                return Err(Problem::invalid("gpu.pools is required for an endpoint without GPUs"));
            }
        };
        if let Some(pools) = self.pools {
            gpu.pools = pools;
            gpu.excluded_types = self.excluded_types.unwrap_or_default();
        }
        gpu.count = self.count.unwrap_or(gpu.count);
        if let Some(versions) = self.allowed_cuda_versions {
            gpu.allowed_cuda_versions = versions;
        }
        if let Some(version) = self.min_cuda_version {
            gpu.min_cuda_version = Some(version).filter(|version| !version.is_empty());
        }
        Ok(gpu)
    }
}
