//! Compute configuration: the CPU of a Pod or a worker.

use serde::Serialize;

use super::fields::{Fields, from};
use super::offers;

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cpu {
    pub(super) id: String,
    pub(super) vcpu_count: i64,
    /// In gigabytes.
    pub(super) memory: i64,
}

impl Cpu {
    pub(super) fn read(fields: Fields<'_>) -> Option<Self> {
        fields.require(&["id", "vcpuCount"]);
        let (id, vcpu_count) = (fields.text("id"), fields.integer("vcpuCount", from(2)));
        fields.end();
        let (id, vcpu_count) = id.zip(vcpu_count)?;
        let memory = offers::memory(&id, vcpu_count);
        Some(Self { id, vcpu_count, memory })
    }
}
