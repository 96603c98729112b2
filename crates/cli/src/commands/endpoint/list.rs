//! Command `endpoint list`: the endpoints of the account.

use podqueue::account::types::Endpoint;

use crate::account::{account, cell, print_list, read};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub async fn run(context: &Context) -> Result<Exit, Failure> {
    let account = account(context)?;
    let listed = read(context, "listing endpoints", account.list_endpoints()).await?;
    let header = ["ID", "NAME", "TYPE", "GPU", "WORKERS", "IMAGE"];
    print_list(context, &listed.endpoints, header, |endpoint| {
        let workers = endpoint.workers.as_ref().and_then(|it| Some((it.min?, it.max?)));
        [
            cell(endpoint.id.as_ref()),
            cell(endpoint.name.as_ref()),
            cell(endpoint.type_.as_ref()),
            cell(hardware(endpoint)),
            cell(workers.map(|(min, max)| format!("{min}-{max}"))),
            cell(endpoint.image.as_ref()),
        ]
    })
}

/// The pools of GPUs, such as `2 ADA_24,AMPERE_80`, or the CPUs of a worker.
fn hardware(endpoint: &Endpoint) -> Option<String> {
    if let Some(gpu) = &endpoint.gpu {
        let pools = gpu.pools.join(",");
        return Some(match gpu.count {
            Some(count) if count != 1 => format!("{count} {pools}"),
            _ => pools,
        });
    }
    let cpus: Vec<&str> = endpoint.cpu.iter().filter_map(|cpu| cpu.id.as_deref()).collect();
    (!cpus.is_empty()).then(|| cpus.join(","))
}
