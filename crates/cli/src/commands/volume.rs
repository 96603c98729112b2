//! Command `volume`: network volumes of the account.

use clap::{Args, Subcommand};
use podqueue::account::types::{CreateNetworkVolumeRequest, UpdateNetworkVolumeRequest};
use serde_json::json;

use crate::account::body::{Fields, prepare};
use crate::account::{
    account, cell, change, create, print_changed, print_list, read, with_integers,
};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the network volumes.
    List,
    /// Show a network volume.
    Get(Get),
    /// Create a network volume.
    Create(Create),
    /// Rename or enlarge a network volume; a larger one costs, and is confirmed first.
    Update(Update),
    /// Delete a network volume, with its data.
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Get {
    /// The volume's id.
    id: String,
}

#[derive(Debug, Args)]
pub struct Create {
    /// The volume's name.
    name: String,

    /// The size in GB, from 10 to 4096.
    #[arg(long, value_name = "GB")]
    size_gb: u32,

    /// The id of the data center that holds the volume.
    #[arg(long, value_name = "ID")]
    data_center: String,

    /// A faster volume.
    #[arg(long)]
    high_performance: bool,

    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Update {
    /// The volume's id.
    id: String,

    /// A new name.
    #[arg(long, required_unless_present = "size_gb")]
    name: Option<String>,

    /// A new size in GB, up to 4096.
    #[arg(long, value_name = "GB")]
    size_gb: Option<u32>,

    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The volume's id.
    id: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    let account = account(context)?;
    match command {
        Command::List => {
            let call = account.list_network_volumes();
            let listed = read(context, "listing network volumes", call).await?;
            let header = ["ID", "NAME", "GB", "TYPE", "DATA CENTER"];
            print_list(context, &listed.network_volumes, header, |volume| {
                [
                    cell(volume.id.as_ref()),
                    cell(volume.name.as_ref()),
                    cell(volume.size),
                    cell(volume.type_.as_ref()),
                    cell(volume.data_center.as_ref()),
                ]
            })
        }
        Command::Get(Get { id }) => {
            let what = format!("reading network volume {id}");
            let volume = read(context, &what, account.get_network_volume(&id)).await?;
            context.output.object(&with_integers(&volume))?;
            Ok(Exit::Done)
        }
        Command::Create(Create { name, size_gb, data_center, high_performance, confirmation }) => {
            let mut fields = Fields::default();
            fields.set("name", Some(&name));
            fields.set("size", Some(size_gb));
            fields.set("dataCenter", Some(data_center));
            fields.set("type", high_performance.then_some("HIGH_PERFORMANCE"));
            let body = fields.body::<CreateNetworkVolumeRequest>()?;
            let question = format!(
                "Create the volume {name} of {size_gb} GB, which costs until it is deleted?"
            );
            let what = format!("creating network volume {name}");
            let call = async { prepare!(account.create_network_volume(), body).await };
            let question = Some(confirmation.of(&question));
            create(context, &what, "podqueue volume list", question, call).await
        }
        Command::Update(Update { id, name, size_gb, confirmation }) => {
            let mut fields = Fields::default();
            fields.set("name", name);
            fields.set("size", size_gb);
            let body = fields.body::<UpdateNetworkVolumeRequest>()?;
            let question = size_gb
                .map(|size| format!("Enlarge the volume {id} to {size} GB, which costs more?"));
            let question = question.as_deref().map(|question| confirmation.of(question));
            let what = format!("changing network volume {id}");
            let call = async { prepare!(account.update_network_volume(&id), body).await };
            let see = format!("podqueue volume get {}", quoted(&id));
            let volume = change(context, &what, &see, question, call).await?;
            print_changed(context, &volume)
        }
        Command::Delete(Delete { id, confirmation }) => {
            let question = format!("Delete the volume {id}, with its data?");
            let what = format!("deleting network volume {id}");
            let call = async { account.delete_network_volume(&id).await };
            let question = Some(confirmation.of(&question));
            change(context, &what, "podqueue volume list", question, call).await?;
            print_changed(context, &json!({ "deleted": id }))
        }
    }
}
