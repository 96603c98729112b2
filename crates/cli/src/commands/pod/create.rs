//! Command `pod create`: a new Pod, from options and a file.

use clap::{Args, ValueEnum};
use podqueue::account::types::CreatePodRequest;
use serde_json::{Value, json};

use crate::account::body::{ContainerArguments, Fields, parse_cpu, prepare};
use crate::account::{account, create};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The Pod's name; may be in --file instead.
    name: Option<String>,

    /// A file with the body as JSON, by the names of the interface; - is standard input. Options
    /// replace its fields.
    #[arg(long, value_name = "FILE")]
    file: Option<String>,

    /// The type of GPU, by its id, which `gpu list` shows.
    #[arg(long, value_name = "ID")]
    gpu: Option<String>,

    /// The number of GPUs.
    #[arg(long, value_name = "GPUS")]
    gpu_count: Option<u32>,

    /// Run on a CPU instead, such as cpu5c:4 with 4 vCPUs.
    #[arg(long, value_name = "ID:VCPUS", value_parser = parse_cpu)]
    cpu: Option<Value>,

    /// The machines to rent.
    #[arg(long, value_enum)]
    cloud: Option<Cloud>,

    /// A data center that may be used, by its id; several are separated by commas.
    #[arg(long = "data-center", value_name = "ID", value_delimiter = ',')]
    data_centers: Vec<String>,

    /// The size of the volume, which survives a restart, in GB; none by default.
    #[arg(long, value_name = "GB", requires = "volume_mount_path")]
    volume_gb: Option<u32>,

    /// The absolute path at which the volume is mounted.
    #[arg(long, value_name = "PATH", requires = "volume_gb")]
    volume_mount_path: Option<String>,

    /// A network volume to mount, and where, such as ID:/data; can be repeated.
    #[arg(long = "volume", value_name = "ID:PATH", value_parser = parse_mount)]
    volumes: Vec<Value>,

    #[command(flatten)]
    container: ContainerArguments,

    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cloud {
    Secure,
    Community,
}

fn parse_mount(text: &str) -> Result<Value, String> {
    match text.split_once(':') {
        Some((id, path)) if !id.is_empty() && path.starts_with('/') => {
            Ok(json!({ "volumeId": id, "path": path }))
        }
        _ => Err("expected an id and an absolute path, such as ID:/data".to_owned()),
    }
}

impl Arguments {
    fn fields(&self) -> Result<Fields, Failure> {
        let mut fields = Fields::of_file(self.file.as_deref())?;
        self.container.set_in(&mut fields)?;
        fields.set("name", self.name.as_ref());
        fields.set("gpu.id", self.gpu.as_ref());
        fields.set("gpu.count", self.gpu_count);
        fields.set("cpu", self.cpu.as_ref());
        fields.set(
            "cloud",
            self.cloud.map(|it| match it {
                Cloud::Secure => "SECURE",
                Cloud::Community => "COMMUNITY",
            }),
        );
        fields.set_list("dataCenterIds", &self.data_centers);
        fields.set("mounts.persistent.size", self.volume_gb);
        fields.set("mounts.persistent.path", self.volume_mount_path.as_ref());
        fields.set("mounts.network", (!self.volumes.is_empty()).then_some(&self.volumes));
        Ok(fields)
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let account = account(context)?;
    let body = arguments.fields()?.body::<CreatePodRequest>()?;
    let name = body.typed.name.clone();
    let question = format!("Create the Pod {name}, which costs until it is stopped and deleted?");
    let what = format!("creating Pod {name}");
    let call = async { prepare!(account.create_pod(), body).await };
    let question = Some(arguments.confirmation.of(&question));
    create(context, &what, "podqueue pod list", question, call).await
}
