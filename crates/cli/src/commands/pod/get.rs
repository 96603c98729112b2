//! Command `pod get`: a Pod, by the account interface if its URL is set.

use clap::{Args, ValueEnum};

use crate::account::{account_if_set, read, with_integers};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The Pod's id.
    id: String,

    /// Related objects to include; several are separated by commas. Only where the URL of the
    /// account interface is not set.
    #[arg(long, value_enum, value_delimiter = ',')]
    include: Vec<Include>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Include {
    Machine,
    NetworkVolume,
    SavingsPlans,
    Template,
    Workers,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { id, include } = arguments;
    let what = format!("reading Pod {id}");
    if let Some(account) = account_if_set(context)? {
        if !include.is_empty() {
            let message = "--include is an option of the REST interface, and the account interface \
                           is set";
            return Err(Failure::usage(message));
        }
        let pod = read(context, &what, account.get_pod(id)).await?;
        context.output.object(&with_integers(&pod))?;
        return Ok(Exit::Done);
    }
    let client = context.client()?;
    let has = |part: Include| include.contains(&part);
    let call = client
        .rest()
        .get_pod(id)
        .include_machine(has(Include::Machine))
        .include_network_volume(has(Include::NetworkVolume))
        .include_savings_plans(has(Include::SavingsPlans))
        .include_template(has(Include::Template))
        .include_workers(has(Include::Workers));
    context.output.object(&read(context, &what, call).await?)?;
    Ok(Exit::Done)
}
