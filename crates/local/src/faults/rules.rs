//! The faults that are in effect.

use std::sync::Mutex;

use serde::Serialize;
use serde_json::Value;

use super::Fault;
use crate::changes::Changes;
use crate::operation::Operation;
use crate::sync::locked;

/// A fault in effect.
#[derive(Debug)]
struct Rule {
    id: u64,
    fault: Fault,
    /// The fault as it was added over HTTP.
    text: Option<Value>,
    affected: u64,
}

/// A fault in effect, as it is listed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FaultRecord {
    id: u64,
    #[serde(flatten)]
    fault: Value,
    /// How many more requests it affects; none where that is not limited.
    left: Option<u64>,
    affected: u64,
}

/// The faults of a service.
#[derive(Debug)]
pub(crate) struct Faults {
    changes: Changes,
    rules: Mutex<Rules>,
}

#[derive(Debug, Default)]
struct Rules {
    all: Vec<Rule>,
    added: u64,
    /// Grows with each change.
    revision: u64,
}

impl Faults {
    pub(crate) fn new(changes: Changes) -> Self {
        Self { changes, rules: Mutex::default() }
    }

    /// Adds a fault, with its text if it has one. Returns its id.
    pub(crate) fn add(&self, fault: Fault, text: Option<Value>) -> u64 {
        self.change(|rules| {
            rules.added += 1;
            let id = rules.added;
            rules.all.push(Rule { id, fault, text, affected: 0 });
            id
        })
    }

    pub(crate) fn clear(&self) {
        self.change(|rules| rules.all.clear());
    }

    /// Ends a fault. Says whether there was one.
    pub(crate) fn remove(&self, id: u64) -> bool {
        self.change(|rules| {
            let before = rules.all.len();
            rules.all.retain(|rule| rule.id != id);
            rules.all.len() < before
        })
    }

    pub(crate) fn list(&self) -> Vec<FaultRecord> {
        let rules = locked(&self.rules);
        let record = |rule: &Rule| FaultRecord {
            id: rule.id,
            fault: rule.text.clone().unwrap_or_else(|| rule.fault.text()),
            left: rule.fault.left(),
            affected: rule.affected,
        };
        rules.all.iter().map(record).collect()
    }

    /// Grows with each change.
    pub(crate) fn revision(&self) -> u64 {
        locked(&self.rules).revision
    }

    fn change<R>(&self, change: impl FnOnce(&mut Rules) -> R) -> R {
        let mut rules = locked(&self.rules);
        rules.revision += 1;
        let result = change(&mut rules);
        drop(rules);
        self.changes.note();
        result
    }

    /// The fault that a request suffers, if any.
    pub(crate) fn of(&self, operation: Operation, endpoint: Option<&str>) -> Option<Fault> {
        let mut rules = locked(&self.rules);
        let mut fitting = rules.all.iter_mut().filter(|rule| rule.fault.fits(operation, endpoint));
        let rule = fitting.find_map(|rule| rule.fault.happens().then_some(rule))?;
        rule.affected += 1;
        let fault = rule.fault.clone();
        rules.all.retain(|rule| rule.fault.left() != Some(0));
        rules.revision += 1;
        drop(rules);
        self.changes.note();
        Some(fault)
    }
}
