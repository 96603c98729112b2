//! Context of a command: the output, the settings, and the client, which is built on demand.

use podqueue::{Client, Endpoint};

use crate::failure::Failure;
use crate::output::Output;
use crate::settings::{self, Selection, Settings};

pub struct Context {
    selection: Selection,
    pub output: Output,
    /// The definition of the program, for completions and manual pages.
    pub program: fn() -> clap::Command,
}

impl Context {
    pub fn new(selection: Selection, output: Output, program: fn() -> clap::Command) -> Self {
        Self { selection, output, program }
    }

    /// The settings of the active profile.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Settings::read(&self.selection)
    }

    pub fn client(&self) -> Result<Client, Failure> {
        settings::client(&self.settings()?)
    }

    pub fn endpoint(&self, id: &str) -> Result<Endpoint, Failure> {
        Ok(self.client()?.endpoint(id))
    }
}
