//! Mock server of an independent implementation, as a process.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::Failure;
use crate::user_crate::{root, work};

pub struct Peer {
    process: Child,
    pub port: u16,
    pub samples: Vec<Value>,
    pub samples_file: PathBuf,
    records_file: PathBuf,
}

/// One request, as it came over the wire, and its response.
#[derive(Debug, Deserialize)]
pub struct Exchange {
    pub index: usize,
    pub example: Option<usize>,
    pub url: String,
    pub headers: serde_json::Map<String, Value>,
    pub body: String,
    pub status: u16,
    pub media: String,
    pub response: String,
    /// The violations that the peer reports, of the request or of its own response.
    #[serde(default)]
    pub violations: String,
}

impl Peer {
    /// Installs the mock server if necessary, and starts it for a description.
    pub fn start(description: &Path, folder: &Path) -> Result<Self, Failure> {
        let modules = install()?;
        let (samples_file, records_file) =
            (folder.join("samples.json"), folder.join("records.jsonl"));
        fs::write(&records_file, "")?;
        let mut process = Command::new("node")
            .arg("--max-old-space-size=4096")
            .arg(modules.join("peer.mjs"))
            .args([&std::path::absolute(description)?, &samples_file, &records_file])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let Ok(port) = line.trim().parse() else {
            process.wait()?;
            return Err("the peer does not start with this description".into());
        };
        let samples = serde_json::from_slice(&fs::read(&samples_file)?)?;
        Ok(Self { process, port, samples, samples_file, records_file })
    }

    /// The index of an operation.
    pub fn index(&self, operation: &str) -> Option<usize> {
        self.samples.iter().position(|it| it["operation"] == operation)
    }

    /// All exchanges so far.
    pub fn exchanges(&self) -> Result<Vec<Exchange>, Failure> {
        let records = fs::read_to_string(&self.records_file)?;
        Ok(records.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn install() -> Result<PathBuf, Failure> {
    let folder = work().join("peer");
    fs::create_dir_all(&folder)?;
    for name in ["package.json", "peer.mjs"] {
        fs::copy(root().join("survey/peer").join(name), folder.join(name))?;
    }
    if !folder.join("node_modules").exists() {
        let mut command = Command::new("npm");
        command
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
            .current_dir(&folder);
        if !command.stdout(Stdio::null()).status()?.success() {
            return Err("npm cannot install the mock server".into());
        }
    }
    Ok(folder)
}
