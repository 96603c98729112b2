//! Endpoint settings: the options that create or change an endpoint, over those of a file.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::account::body::{ContainerArguments, Fields, parse_cpu};
use crate::failure::Failure;
use crate::input::{parse_duration, parse_milliseconds, parse_seconds};

/// Settings of an endpoint. Options replace fields of the file.
#[derive(Debug, Args)]
pub struct SettingsArguments {
    /// A file with the body as JSON, by the names of the interface; - is standard input.
    #[arg(long, value_name = "FILE")]
    file: Option<String>,

    /// The pools of GPUs to run on; several are separated by commas.
    #[arg(long, value_name = "POOL", value_delimiter = ',')]
    gpu: Vec<String>,

    /// The number of GPUs of a worker.
    #[arg(long, value_name = "GPUS")]
    gpu_count: Option<u32>,

    /// Run on CPUs instead, such as cpu5c:4 with 4 vCPUs; several are separated by commas.
    #[arg(long, value_name = "ID:VCPUS", value_delimiter = ',', value_parser = parse_cpu)]
    cpu: Vec<Value>,

    /// Workers that are kept running, even without work.
    #[arg(long, value_name = "WORKERS")]
    min: Option<u32>,

    /// Workers that there may be; with 0, no job is run.
    #[arg(long, value_name = "WORKERS")]
    max: Option<u32>,

    /// The time that a worker without work is kept, in whole seconds, at most 1h.
    #[arg(long, value_name = "DURATION", value_parser = parse_seconds)]
    idle_timeout: Option<u64>,

    /// Add a worker when a job has waited this long.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration,
        conflicts_with = "request_count")]
    queue_delay: Option<Duration>,

    /// Add a worker for each number of requests.
    #[arg(long, value_name = "REQUESTS")]
    request_count: Option<u32>,

    /// The longest time that a job may run, unless its own policy says otherwise.
    #[arg(long, value_name = "DURATION", value_parser = parse_milliseconds)]
    execution_timeout: Option<u64>,

    /// Faster starts of workers after a pause.
    #[arg(long, value_enum)]
    flashboot: Option<FlashBoot>,

    /// A network volume to mount, by its id; several are separated by commas.
    #[arg(long = "volume", value_name = "ID", value_delimiter = ',')]
    volumes: Vec<String>,

    /// A data center that may be used, by its id; several are separated by commas.
    #[arg(long = "data-center", value_name = "ID", value_delimiter = ',')]
    data_centers: Vec<String>,

    #[command(flatten)]
    container: ContainerArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FlashBoot {
    Off,
    On,
    Priority,
}

impl SettingsArguments {
    /// The fields of the file, with those of the options.
    pub fn fields(&self) -> Result<Fields, Failure> {
        let mut fields = Fields::of_file(self.file.as_deref())?;
        self.container.set_in(&mut fields)?;
        fields.set_list("gpu.pools", &self.gpu);
        fields.set("gpu.count", self.gpu_count);
        fields.set("cpu", (!self.cpu.is_empty()).then_some(&self.cpu));
        fields.set("workers.min", self.min);
        fields.set("workers.max", self.max);
        fields.set("workers.idleTimeout", self.idle_timeout);
        let delay = self.queue_delay.map(|time| time.as_secs_f64());
        let delay = delay.map(|delay| json!({ "type": "QUEUE_DELAY", "queueDelay": delay }));
        fields.set("scaling", delay);
        let count = self.request_count;
        let count = count.map(|count| json!({ "type": "REQUEST_COUNT", "requestCount": count }));
        fields.set("scaling", count);
        fields.set("timeout", self.execution_timeout);
        fields.set(
            "flashboot",
            self.flashboot.map(|it| match it {
                FlashBoot::Off => "OFF",
                FlashBoot::On => "FLASHBOOT",
                FlashBoot::Priority => "PRIORITY_FLASHBOOT",
            }),
        );
        fields.set_list("networkVolumes", &self.volumes);
        fields.set_list("dataCenterIds", &self.data_centers);
        Ok(fields)
    }
}
