//! Arguments of the command `template`, which both interfaces share.

use clap::{Args, Subcommand, ValueEnum};
use podqueue::Port;

use crate::confirmation::Confirmation;
use crate::input::parse_id;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the templates; needs the account interface.
    List(List),
    /// Read a template.
    Get(Get),
    /// Create a template.
    Create(Create),
    /// Update a template. The loss of variables of the present one is confirmed first.
    ///
    /// By the account interface, what is not given stays as it is. Otherwise --name and --image are
    /// required, the sizes of its disk and volume are replaced, by the defaults if an option is
    /// omitted, and the service decides about other omitted options.
    Update(Update),
    /// Delete a template.
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct List {
    /// List the public templates of this source instead.
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub public: Option<PublicSource>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PublicSource {
    Official,
    Verified,
    Community,
}

#[derive(Debug, Args)]
pub struct Get {
    /// The template's id.
    pub id: String,

    /// Further templates to search; several are separated by commas. Only where the URL of the
    /// account interface is not set.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub include: Vec<Include>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Include {
    EndpointBound,
    Public,
    Vendor,
}

#[derive(Debug, Args)]
pub struct Create {
    /// A name that no other template has.
    pub name: String,

    #[command(flatten)]
    pub content: Content,
}

#[derive(Debug, Args)]
pub struct Update {
    /// The template's id.
    pub id: String,

    /// Name of the template.
    #[arg(long)]
    pub name: Option<String>,

    #[command(flatten)]
    pub content: Content,

    #[command(flatten)]
    pub confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The template's name; by the account interface, its id.
    pub name: String,

    #[command(flatten)]
    pub confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Content {
    /// The container image, with its tag.
    #[arg(long)]
    pub image: Option<String>,

    /// A template for serverless workers instead of Pods.
    #[arg(long, conflicts_with = "volume_gb")]
    pub serverless: bool,

    /// The size of the container's disk, which a restart wipes, in GB; 10 by default.
    #[arg(long, value_name = "GB")]
    pub container_disk_gb: Option<u32>,

    /// The size of the volume, which survives a restart, in GB; none by default.
    #[arg(long, value_name = "GB")]
    pub volume_gb: Option<u32>,

    /// The absolute path at which the volume is mounted.
    #[arg(long, value_name = "PATH")]
    pub volume_mount_path: Option<String>,

    /// The start arguments.
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub docker_args: Option<String>,

    /// An environment variable; can be repeated. NAME alone takes the value from this environment,
    /// so that it is not in the process list. In an update, those that are given replace all.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub environment: Vec<String>,

    /// A port, such as 8888/http or 22/tcp; can be repeated.
    #[arg(long = "port", value_name = "PORT")]
    pub ports: Vec<Port>,

    /// A file with a description in Markdown. Only where the URL of the account interface is not
    /// set.
    #[arg(long, value_name = "FILE")]
    pub readme: Option<String>,

    /// The id of saved registry credentials, for private images.
    #[arg(long, value_name = "ID", value_parser = parse_id)]
    pub registry_auth: Option<String>,
}
