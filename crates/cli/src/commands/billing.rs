//! Command `billing`: what the account spent, by period.

use clap::{Args, ValueEnum};
use podqueue::account::types::BillingBucketSize;

use crate::account::logs::parse_time;
use crate::account::{account, amount, cell, print_list, read};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The product to bill; the whole account otherwise.
    #[arg(value_enum)]
    product: Option<Product>,

    /// Only the endpoint, Pod, volume or cluster with this id.
    #[arg(long, requires = "product")]
    id: Option<String>,

    /// The length of a period, for which there is one record.
    #[arg(long, value_enum, value_name = "PERIOD")]
    by: Option<Period>,

    /// Only this many of the latest periods.
    #[arg(long, value_name = "PERIODS", value_parser = clap::value_parser!(i64).range(1..))]
    last: Option<i64>,

    /// The beginning: a time such as 2026-11-15T00:00:00Z, or a duration before now such as 7days.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<String>,

    /// The end, as for --since.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Product {
    Endpoints,
    Pods,
    Volumes,
    Clusters,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Period {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl From<Period> for BillingBucketSize {
    fn from(period: Period) -> Self {
        match period {
            Period::Hour => Self::Hour,
            Period::Day => Self::Day,
            Period::Week => Self::Week,
            Period::Month => Self::Month,
            Period::Year => Self::Year,
        }
    }
}

/// Reads a bill: the parameters that all have, and the name of the one that selects an object.
macro_rules! bill {
    ($context:ident, $arguments:ident, $call:expr $(, $by_id:ident)?) => {{
        let mut call = $call;
        if let Some(period) = $arguments.by {
            call = call.bucket_size(period);
        }
        if let Some(periods) = $arguments.last {
            call = call.last_n(periods);
        }
        if let Some(time) = &$arguments.since {
            call = call.start_time(time);
        }
        if let Some(time) = &$arguments.until {
            call = call.end_time(time);
        }
        $(if let Some(id) = &$arguments.id {
            call = call.$by_id(id);
        })?
        read($context, "reading the bill", call).await?.records
    }};
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let account = account(context)?;
    let sum = |amounts: &[Option<f64>]| -> Option<f64> { amounts.iter().copied().sum() };
    match arguments.product {
        None => {
            let records = bill!(context, arguments, account.list_billing());
            let header =
                ["FROM", "TO", "ENDPOINTS", "PODS", "VOLUMES", "CLUSTERS", "OTHER", "TOTAL"];
            print_list(context, &records, header, |it| {
                [
                    cell(it.start_time.as_ref()),
                    cell(it.end_time.as_ref()),
                    amount(sum(&[
                        it.serverless_gpu_amount,
                        it.serverless_cpu_amount,
                        it.serverless_disk_amount,
                        it.serverless_fee_amount,
                    ])),
                    amount(sum(&[it.pod_gpu_amount, it.pod_cpu_amount, it.pod_disk_amount])),
                    amount(sum(&[it.storage_standard_amount, it.storage_high_performance_amount])),
                    amount(sum(&[
                        it.cluster_gpu_amount,
                        it.cluster_disk_amount,
                        it.cluster_networking_amount,
                    ])),
                    amount(it.endpoint_amount),
                    amount(it.total_amount),
                ]
            })
        }
        Some(Product::Endpoints) => {
            let call = account.list_serverless_billing();
            let records = bill!(context, arguments, call, serverless_id);
            let header = ["FROM", "TO", "ENDPOINT", "GPU", "CPU", "DISK", "FEE", "TOTAL"];
            print_list(context, &records, header, |it| {
                [
                    cell(it.start_time.as_ref()),
                    cell(it.end_time.as_ref()),
                    cell(it.serverless_id.as_ref()),
                    amount(it.gpu_amount),
                    amount(it.cpu_amount),
                    amount(it.disk_amount),
                    amount(it.fee_amount),
                    amount(it.total_amount),
                ]
            })
        }
        Some(Product::Pods) => {
            let records = bill!(context, arguments, account.list_pod_billing(), pod_id);
            let header = ["FROM", "TO", "POD", "GPU", "CPU", "DISK", "TOTAL"];
            print_list(context, &records, header, |it| {
                [
                    cell(it.start_time.as_ref()),
                    cell(it.end_time.as_ref()),
                    cell(it.pod_id.as_ref()),
                    amount(it.gpu_amount),
                    amount(it.cpu_amount),
                    amount(it.disk_amount),
                    amount(it.total_amount),
                ]
            })
        }
        Some(Product::Volumes) => {
            let call = account.list_network_volume_billing();
            let records = bill!(context, arguments, call, network_volume_id);
            let header = ["FROM", "TO", "VOLUME", "STANDARD", "HIGH PERFORMANCE", "TOTAL"];
            print_list(context, &records, header, |it| {
                [
                    cell(it.start_time.as_ref()),
                    cell(it.end_time.as_ref()),
                    cell(it.network_volume_id.as_ref()),
                    amount(it.standard_amount),
                    amount(it.high_performance_amount),
                    amount(it.total_amount),
                ]
            })
        }
        Some(Product::Clusters) => {
            let records = bill!(context, arguments, account.list_cluster_billing(), cluster_id);
            let header = ["FROM", "TO", "CLUSTER", "GPU", "DISK", "NETWORK", "TOTAL"];
            print_list(context, &records, header, |it| {
                [
                    cell(it.start_time.as_ref()),
                    cell(it.end_time.as_ref()),
                    cell(it.cluster_id.as_ref()),
                    amount(it.gpu_amount),
                    amount(it.disk_amount),
                    amount(it.networking_amount),
                    amount(it.total_amount),
                ]
            })
        }
    }
}
