//! Command `config`: the active profile, and the path of the settings file.

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{self, redacted_url};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Print only the path of the settings file.
    #[arg(long = "where")]
    only_path: bool,
}

pub fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.only_path {
        let path = settings::path()?;
        match context.output.is_json() {
            true => context.output.json(&json!({ "file": path.display().to_string() }))?,
            false => context.output.line(path.display())?,
        }
        return Ok(Exit::Done);
    }
    let settings = context.settings()?;
    context.output.object(&json!({
        "file": settings.file.as_ref().map(|file| file.display().to_string()),
        "file_exists": settings.file.is_some_and(|file| file.exists()),
        "profile": settings.profile,
        "key": settings.key.to_string(),
        "base_url": settings.base_url.as_deref().map(redacted_url),
        "rest_url": settings.rest_url.as_deref().map(redacted_url),
        "graphql_url": settings.graphql_url.as_deref().map(redacted_url),
        "account_url": settings.account_url.as_deref().map(redacted_url),
    }))?;
    Ok(Exit::Done)
}
