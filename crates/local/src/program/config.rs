//! Configuration file: endpoints and their workers in TOML, read again when it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;

use crate::queue::EndpointWorkers;
use crate::tasks::locked;
use crate::{LocalService, Workers};

/// Interval at which the file is read.
const INTERVAL: Duration = Duration::from_millis(300);

/// The contents of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    endpoints: BTreeMap<String, Entry>,
}

/// An endpoint of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    command: Option<String>,
    worker: Option<String>,
    workers: Option<String>,
}

/// The file, and the endpoints that it had when it was last read.
pub(super) struct Config {
    path: PathBuf,
    text: String,
    endpoints: BTreeMap<String, Entry>,
    /// The scaling of an endpoint that has none of its own.
    defaults: Workers,
    /// The endpoints that options make.
    taken: BTreeSet<String>,
    /// The endpoints whose workers are commands.
    commands: Arc<Mutex<BTreeSet<String>>>,
}

impl Config {
    /// Reads the file. It must have none of the endpoints that are `taken`.
    pub(super) fn read(
        path: PathBuf,
        defaults: Workers,
        taken: &[&String],
    ) -> Result<Self, String> {
        let taken = taken.iter().map(|name| (*name).clone()).collect();
        let (text, endpoints) = (String::new(), BTreeMap::new());
        let mut config = Self { path, text, endpoints, defaults, taken, commands: Arc::default() };
        let named = |error: String| format!("{}: {error}", config.path.display());
        let text = config.content().map_err(named)?;
        let endpoints = config.parse(&text).map_err(named)?;
        config.set(text, endpoints);
        Ok(config)
    }

    /// The text of the file. A pipe is none: reading one may wait for ever.
    fn content(&self) -> Result<String, String> {
        match fs::metadata(&self.path) {
            Ok(found) if !found.is_file() => Err("it is not a file".to_owned()),
            _ => fs::read_to_string(&self.path).map_err(|error| error.to_string()),
        }
    }

    fn parse(&self, text: &str) -> Result<BTreeMap<String, Entry>, String> {
        // The parser's message ends with a line break.
        let message = |error: toml::de::Error| error.to_string().trim_end().to_owned();
        let Contents { endpoints } = toml::from_str(text).map_err(message)?;
        for (name, entry) in &endpoints {
            let refuse = |what: &str| Err(format!("the endpoint {name:?} {what}"));
            let is_empty = |it: &Option<String>| it.as_ref().is_some_and(String::is_empty);
            if name.is_empty() || is_empty(&entry.command) || is_empty(&entry.worker) {
                return refuse("has an empty name or command");
            }
            if entry.command.is_some() && entry.worker.is_some() {
                return refuse("has both command and worker");
            }
            if let Some(Err(why)) = entry.workers.as_deref().map(parse_range) {
                return refuse(&format!("has invalid workers: {why}"));
            }
            if self.taken.contains(name) {
                return refuse("is one of --endpoint or --worker, too");
            }
        }
        Ok(endpoints)
    }

    fn set(&mut self, text: String, endpoints: BTreeMap<String, Entry>) {
        let commands = endpoints.iter().filter(|(_, entry)| entry.command.is_some());
        *locked(&self.commands) = commands.map(|(name, _)| name.clone()).collect();
        (self.text, self.endpoints) = (text, endpoints);
    }

    /// The endpoints with their workers and how these scale.
    pub(super) fn endpoints(&self) -> impl Iterator<Item = (&str, EndpointWorkers, Workers)> {
        self.endpoints.iter().map(|(name, entry)| {
            let (workers, scaling) = self.workers(entry);
            (name.as_str(), workers, scaling)
        })
    }

    /// The endpoints whose workers are commands, also after the file has changed.
    pub(super) fn commands(&self) -> Arc<Mutex<BTreeSet<String>>> {
        Arc::clone(&self.commands)
    }

    fn workers(&self, entry: &Entry) -> (EndpointWorkers, Workers) {
        let workers = match &entry.command {
            Some(command) => EndpointWorkers::Command(command.clone()),
            None => EndpointWorkers::Attached(entry.worker.clone()),
        };
        let range = entry.workers.as_deref().and_then(|range| parse_range(range).ok());
        (workers, range.map_or(self.defaults, |(min, max)| self.defaults.with_range(min, max)))
    }

    /// Applies each change of the file to a service. A file that cannot be read, or is invalid,
    /// changes nothing.
    pub(super) async fn follow(&mut self, local: &LocalService, program: &str) {
        let path = self.path.display().to_string();
        let mut before = Ok(self.text.clone());
        let mut applied = before.clone();
        loop {
            tokio::time::sleep(INTERVAL).await;
            // The file may be written or replaced at this moment: two reads must agree.
            let content = self.content();
            if std::mem::replace(&mut before, content.clone()) != content || content == applied {
                continue;
            }
            applied = content.clone();
            let message = match content.and_then(|text| Ok((self.parse(&text)?, text))) {
                Ok((endpoints, text)) => format!("{path}: {}", self.apply(text, endpoints, local)),
                Err(error) => format!("{path}: {error}; the endpoints stay as they are"),
            };
            let _ = writeln!(io::stderr(), "{program}: {message}");
        }
    }

    /// Applies a change, and says what it was.
    fn apply(
        &mut self,
        text: String,
        endpoints: BTreeMap<String, Entry>,
        local: &LocalService,
    ) -> String {
        let former = std::mem::take(&mut self.endpoints);
        self.set(text, endpoints);
        let mut changes = Vec::new();
        for name in former.keys().filter(|name| !self.endpoints.contains_key(*name)) {
            local.remove_endpoint(name);
            changes.push(format!("{name} is removed"));
        }
        for (name, entry) in &self.endpoints {
            if former.get(name) == Some(entry) {
                continue;
            }
            let (workers, scaling) = self.workers(entry);
            local.put_endpoint(name, &workers, scaling);
            let what = if former.contains_key(name) { "changed" } else { "added" };
            changes.push(format!("{name} is {what}"));
        }
        if changes.is_empty() { "no endpoint has changed".to_owned() } else { changes.join(", ") }
    }
}

/// Parses MIN-MAX.
pub(super) fn parse_range(argument: &str) -> Result<(usize, usize), String> {
    let numbers = argument.split_once('-').map(|(min, max)| (min.parse(), max.parse()));
    match numbers {
        Some((Ok(min), Ok(max))) if min <= max => Ok((min, max)),
        Some((Ok(min), Ok(max))) => Err(format!("MIN exceeds MAX: {min} is more than {max}")),
        _ => Err("expected MIN-MAX, such as 0-3".to_owned()),
    }
}
