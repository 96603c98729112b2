//! Mounts of a Pod or a template: its own disk, and a network volume.

use serde::Serialize;

use super::fields::{Fields, from};

/// A disk that outlives a stop of its Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PersistentMount {
    /// In gigabytes.
    pub(super) size: i64,
    pub(super) path: String,
}

/// A network volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NetworkMount {
    pub(super) volume_id: String,
    pub(super) path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Mounts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) persistent: Option<PersistentMount>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) network: Vec<NetworkMount>,
}

impl Mounts {
    pub(super) fn read(fields: Fields<'_>) -> Self {
        let network = fields.objects("network").unwrap_or_default();
        if network.len() > 1 {
            fields.fault("must have at most one network volume");
        }
        let network = network.into_iter().filter_map(|fields| {
            fields.require(&["volumeId", "path"]);
            let (volume_id, path) = (fields.string("volumeId"), fields.string("path"));
            fields.end();
            Some(NetworkMount { volume_id: volume_id?, path: path? })
        });
        Self { network: network.collect(), ..Self::read_of_template(fields) }
    }

    /// The mounts of a template, which has no network volume.
    pub(super) fn read_of_template(fields: Fields<'_>) -> Self {
        let persistent = fields.object("persistent").and_then(|fields| {
            fields.require(&["size", "path"]);
            let (size, path) = (fields.integer("size", from(10)), fields.string("path"));
            fields.end();
            Some(PersistentMount { size: size?, path: path? })
        });
        fields.end();
        Self { persistent, network: Vec::new() }
    }
}
