//! Command `gpu`: the types of GPU that can be rented, with their prices.

use clap::{Args, Subcommand, ValueEnum};
use podqueue::account::types::{CatalogInclude, Product};

use crate::account::{account, amount, cell, print_list, read};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the types of GPU, with their prices per hour in credits.
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only types for these products; several are separated by commas.
    #[arg(long = "for", value_enum, value_delimiter = ',', value_name = "PRODUCT")]
    products: Vec<ProductArgument>,

    /// Only types of which a machine has this many GPUs.
    #[arg(long, value_name = "GPUS", value_parser = clap::value_parser!(i64).range(1..))]
    count: Option<i64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProductArgument {
    Pod,
    Cluster,
    Serverless,
}

/// A price; the service writes 0 for what it does not offer.
fn offered(price: Option<f64>) -> Option<f64> {
    price.filter(|price| *price > 0.0)
}

pub async fn run(context: &Context, command: &Command) -> Result<Exit, Failure> {
    let Command::List(List { products, count }) = command;
    let account = account(context)?;
    let mut call = account.list_gpu_types().include([CatalogInclude::Availability]);
    if !products.is_empty() {
        call = call.product(products.iter().map(|product| match product {
            ProductArgument::Pod => Product::Pod,
            ProductArgument::Cluster => Product::Cluster,
            ProductArgument::Serverless => Product::Serverless,
        }));
    }
    if let Some(count) = count {
        call = call.count(*count);
    }
    let listed = read(context, "listing GPUs", call).await?;
    let header = ["ID", "POOL", "GB", "SECURE", "COMMUNITY", "SERVERLESS", "AVAILABLE"];
    print_list(context, &listed.gpus, header, |gpu| {
        let price = gpu.price.clone().unwrap_or_default();
        [
            cell(gpu.id.as_ref()),
            cell(gpu.pool.as_ref()),
            cell(gpu.memory),
            amount(offered(price.secure)),
            amount(offered(price.community)),
            amount(offered(price.serverless)),
            cell(gpu.availability.as_ref()),
        ]
    })
}
