//! Command `pod list`: the Pods of the account.

use clap::Args;

use crate::account::{account, amount, cell, print_list, read, state};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// List the Pods of clusters, too.
    #[arg(long)]
    clusters: bool,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let account = account(context)?;
    let mut call = account.list_pods();
    if arguments.clusters {
        call = call.include_cluster_pods(true);
    }
    let listed = read(context, "listing Pods", call).await?;
    let header = ["ID", "NAME", "STATUS", "HARDWARE", "CREDITS/H", "IMAGE"];
    print_list(context, &listed.pods, header, |pod| {
        let gpu = pod.gpu.as_ref().and_then(|gpu| {
            let id = gpu.id.as_ref()?;
            Some(match gpu.count {
                Some(count) if count != 1 => format!("{count} {id}"),
                _ => id.clone(),
            })
        });
        let cpu = || pod.cpu.as_ref().and_then(|cpu| cpu.id.clone());
        [
            cell(pod.id.as_ref()),
            cell(pod.name.as_ref()),
            state(pod.status.as_ref()),
            cell(gpu.or_else(cpu)),
            amount(pod.cost),
            cell(pod.image.as_ref()),
        ]
    })
}
