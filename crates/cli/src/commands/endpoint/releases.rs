//! Command `endpoint releases`: the releases of an endpoint, with what each has changed.

use clap::Args;

use crate::account::{account, cell, print_list, read};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let what = format!("listing the releases of {id}");
    let listed = read(context, &what, account.list_endpoint_releases(id)).await?;
    let header = ["RELEASE", "CREATED", "SOURCE", "WORKERS", "CHANGED"];
    let exit = print_list(context, &listed.releases, header, |release| {
        let changed: Vec<&str> =
            release.diff.iter().filter_map(|entry| entry.field.as_deref()).collect();
        [
            cell(release.version.map(|it| it.to_string()).or_else(|| release.id.clone())),
            cell(release.created_at.as_ref()),
            cell(release.source.as_ref()),
            cell(release.worker_count),
            cell((!changed.is_empty()).then(|| changed.join(", "))),
        ]
    })?;
    if let Some(rollout) = listed.rollout.filter(|rollout| rollout.in_progress == Some(true)) {
        let [latest, total] =
            [rollout.workers_on_latest, rollout.workers_total].map(Option::unwrap_or_default);
        context.output.note(format_args!(
            "the latest release is being rolled out: {latest} of {total} workers run it"
        ));
    }
    Ok(exit)
}
