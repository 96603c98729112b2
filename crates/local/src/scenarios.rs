//! Fault scenarios: named lists of faults that start and end together, from files or the control
//! plane.
//!
//! A scenario is active while one of its faults is in effect: [`FaultInjector`] knows of each fault
//! which scenario it is of, so that ending faults one by one, or their running out, needs no
//! bookkeeping here.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Refusal;
use crate::faults::{Fault, FaultInjector, FaultJson};
use crate::tasks::locked;

/// A named list of faults.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: Arc<str>,
    description: Option<String>,
    /// The faults with their JSON.
    faults: Vec<(Fault, Value)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioJson {
    name: Option<String>,
    description: Option<String>,
    faults: Vec<Value>,
}

impl Scenario {
    /// Reads a scenario of the form `{"faults": […]}`, with an optional `description`, and an
    /// optional `name` that takes precedence.
    pub(crate) fn of_json(json: &Value, name: String) -> Result<Self, Refusal> {
        let ScenarioJson { name: own, description, faults } = ScenarioJson::deserialize(json)
            .map_err(|error| Refusal::invalid(format!("invalid scenario: {error}")))?;
        let name = own.unwrap_or(name);
        // Clients normalize these segments of a path away, so that none could name the scenario.
        if matches!(name.as_str(), "" | "." | "..") {
            return Err(Refusal::invalid(format!("a scenario cannot have the name {name:?}")));
        }
        if faults.is_empty() {
            return Err(Refusal::invalid("a scenario must have at least one fault"));
        }
        let fault = |(index, json): (usize, Value)| {
            let rule = FaultJson::deserialize(&json).map_err(|error| error.to_string());
            let fault = rule.and_then(|rule| rule.into_fault().map_err(|it| it.to_string()));
            let named = |why| Refusal::invalid(format!("fault {} ({json}): {why}", index + 1));
            fault.map_err(named).map(|fault| (fault, json))
        };
        let faults = faults.into_iter().enumerate().map(fault).collect::<Result<_, _>>()?;
        Ok(Self { name: name.into(), description, faults })
    }

    /// Reads a file, whose name without its extension is the name of the scenario by default.
    #[cfg(feature = "program")]
    pub(crate) fn read(path: &std::path::Path) -> Result<Self, String> {
        let named = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        let json = serde_json::from_str(&text).map_err(|error| named(error.to_string()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::of_json(&json, stem.into_owned()).map_err(|error| named(error.message))
    }
}

/// A scenario as the control plane lists it.
#[derive(Debug, Serialize)]
pub(crate) struct ScenarioRecord {
    name: String,
    description: Option<String>,
    faults: Vec<Value>,
    /// True if one of its faults is in effect.
    active: bool,
}

/// The scenarios of a service, in the order in which they were defined.
#[derive(Debug, Default)]
pub(crate) struct Scenarios(Mutex<Vec<Scenario>>);

impl Scenarios {
    /// Adds a scenario, in place of one of its name, and starts it.
    pub(crate) fn define(&self, scenario: Scenario, faults: &FaultInjector) {
        let mut known = locked(&self.0);
        faults.start(&scenario.name, scenario.faults.clone());
        match known.iter_mut().find(|known| known.name == scenario.name) {
            Some(known) => *known = scenario,
            None => known.push(scenario),
        }
    }

    /// Starts a scenario anew. Returns true if it is known.
    pub(crate) fn start(&self, name: &str, faults: &FaultInjector) -> bool {
        let known = locked(&self.0);
        let scenario = known.iter().find(|scenario| *scenario.name == *name);
        if let Some(scenario) = scenario {
            faults.start(&scenario.name, scenario.faults.clone());
        }
        scenario.is_some()
    }

    /// Ends the faults of a scenario. Returns true if it is known.
    pub(crate) fn end(&self, name: &str, faults: &FaultInjector) -> bool {
        let known = locked(&self.0);
        let is_known = known.iter().any(|scenario| *scenario.name == *name);
        if is_known {
            faults.end(name);
        }
        is_known
    }

    pub(crate) fn list(&self, faults: &FaultInjector) -> Vec<ScenarioRecord> {
        let known = locked(&self.0);
        let active = faults.active_scenarios();
        let record = |scenario: &Scenario| ScenarioRecord {
            name: scenario.name.to_string(),
            description: scenario.description.clone(),
            faults: scenario.faults.iter().map(|(_, json)| json.clone()).collect(),
            active: active.contains(&scenario.name),
        };
        known.iter().map(record).collect()
    }
}
