//! Command `endpoint workers`: the workers of an endpoint, with the state of each.

use clap::Args;

use crate::account::{account, cell, print_list, read, state};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{BUSY, Cell};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let what = format!("listing the workers of {id}");
    let listed = read(context, &what, account.list_endpoint_workers(id)).await?;
    let header = ["ID", "STATUS", "RELEASE", "GPU", "DATA CENTER", "UP", "IMAGE"];
    print_list(context, &listed.workers, header, |worker| {
        let release = worker.version.map(|version| version.to_string());
        let release = match worker.is_stale {
            Some(true) => {
                let release = release.map_or_else(|| "stale".into(), |it| format!("{it} (stale)"));
                Cell::new(release).style(BUSY)
            }
            _ => cell(release),
        };
        let up = worker.uptime_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let up = up.map(std::time::Duration::from_secs).map(humantime::format_duration);
        [
            cell(worker.id.as_ref()),
            state(worker.status.as_ref()),
            release,
            cell(worker.gpu_type_id.as_ref()),
            cell(worker.data_center_id.as_ref()),
            cell(up),
            cell(worker.image.as_ref()),
        ]
    })
}
