//! Network volumes of the account.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::json;

use super::ledger::{Charge, Ledger, Part, Product};
use super::offers::VOLUME_PRICES;
use super::problem::Problem;
use super::registries::check_capacity;
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use super::wall_clock::WallClock;
use crate::clock::Moment;
use crate::resources::new_id;
use crate::tasks::locked;

pub(super) const VOLUME_TYPES: [&str; 2] = ["STANDARD", "HIGH_PERFORMANCE"];

/// A network volume.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Volume {
    id: String,
    name: String,
    /// In gigabytes.
    size: i64,
    data_center: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Since when it has its size.
    #[serde(skip)]
    since: Moment,
}

impl Volume {
    fn charge(&self, until: Moment) -> Charge {
        let (standard, high) = VOLUME_PRICES;
        let (part, price) = match self.kind {
            "STANDARD" => (Part::StandardStorage, standard),
            _ => (Part::HighPerformanceStorage, high),
        };
        Charge {
            product: Product::NetworkVolume,
            id: self.id.clone(),
            part,
            since: self.since,
            until,
            hourly: price * self.size as f64,
        }
    }
}

pub(super) struct Volumes {
    time: WallClock,
    ledger: Arc<Ledger>,
    all: Mutex<BTreeMap<String, Volume>>,
}

impl Volumes {
    pub(super) fn new(time: WallClock, ledger: Arc<Ledger>) -> Self {
        Self { time, ledger, all: Mutex::default() }
    }

    /// Adds a volume with this id.
    pub(super) fn seed(&self, id: &str, name: &str, size: i64, data_center: &str) {
        let volume = Volume {
            id: id.to_owned(),
            name: name.to_owned(),
            size,
            data_center: data_center.to_owned(),
            kind: "STANDARD",
            since: self.time.now(),
        };
        locked(&self.all).insert(id.to_owned(), volume);
    }

    /// Refuses an id that no volume has.
    pub(super) fn require(&self, id: &str) -> Result<(), Problem> {
        let is_known = locked(&self.all).contains_key(id);
        if is_known { Ok(()) } else { Err(Problem::not_found("network volume", id)) }
    }

    pub(super) fn charges(&self) -> Vec<Charge> {
        let now = self.time.now();
        locked(&self.all).values().map(|volume| volume.charge(now)).collect()
    }

    pub(super) fn list(&self) -> Outcome {
        ok(json!({ "networkVolumes": locked(&self.all).values().collect::<Vec<_>>() }))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let (name, size, data_center, kind) = request.read(|fields| {
            fields.require(&["name", "size", "dataCenter"]);
            (
                fields.text("name"),
                fields.integer("size", 10..=4096),
                fields.text("dataCenter"),
                fields.choice("type", &VOLUME_TYPES),
            )
        })?;
        let volume = Volume {
            id: new_id(),
            name: name.unwrap_or_default(),
            size: size.unwrap_or_default(),
            data_center: data_center.unwrap_or_default(),
            kind: kind.unwrap_or("STANDARD"),
            since: self.time.now(),
        };
        let mut all = locked(&self.all);
        check_capacity(all.len())?;
        all.insert(volume.id.clone(), volume.clone());
        created(volume)
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        match locked(&self.all).get(id) {
            Some(volume) => ok(volume),
            None => Err(Problem::not_found("network volume", id)),
        }
    }

    pub(super) fn update(&self, request: &Request) -> Outcome {
        let (name, size) = request.read(|fields| {
            if !fields.has("name") && !fields.has("size") {
                fields.fault("must have at least one field");
            }
            (fields.text("name"), fields.integer("size", 10..=4096))
        })?;
        let id = request.id();
        let mut all = locked(&self.all);
        let volume = all.get_mut(id).ok_or_else(|| Problem::not_found("network volume", id))?;
        if let Some(size) = size.filter(|size| *size != volume.size) {
            if size < volume.size {
                return Err(Problem::invalid(format!(
                    "size: a volume cannot become smaller; this one has {} GB",
                    volume.size
                )));
            }
            let now = self.time.now();
            self.ledger.add([volume.charge(now)]);
            (volume.size, volume.since) = (size, now);
        }
        if let Some(name) = name {
            volume.name = name;
        }
        ok(&*volume)
    }

    /// Deletes a volume, unless it is in use.
    pub(super) fn delete(&self, id: &str, is_used: bool) -> Outcome {
        let mut all = locked(&self.all);
        if all.contains_key(id) && is_used {
            return Err(Problem::conflict("the network volume is in use"));
        }
        let volume = all.remove(id).ok_or_else(|| Problem::not_found("network volume", id))?;
        self.ledger.add([volume.charge(self.time.now())]);
        empty()
    }
}
