//! What all commands share: the output, and the client, which is made when first needed.

use podqueue::{Client, Endpoint};

use crate::failure::Failure;
use crate::output::Output;
use crate::settings::{self, Selection, Settings};

pub struct Context {
    selection: Selection,
    pub output: Output,
    /// The program with all its commands, to be described.
    pub program: fn() -> clap::Command,
}

impl Context {
    pub fn new(selection: Selection, output: Output, program: fn() -> clap::Command) -> Self {
        Self { selection, output, program }
    }

    /// Where the program points.
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
