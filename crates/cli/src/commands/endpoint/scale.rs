//! Command `endpoint scale`: the minimum and maximum of an endpoint's workers.

use clap::Args;
use serde_json::json;

use crate::account::{account, change, print_changed, read};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    /// Workers that are kept running, even without work, which costs; as before if omitted.
    #[arg(long, value_name = "WORKERS", required_unless_present = "max")]
    min: Option<u32>,

    /// Workers that there may be; as before if omitted. With 0, no job is run.
    #[arg(long, value_name = "WORKERS")]
    max: Option<u32>,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let present =
        read(context, &format!("reading endpoint {id}"), account.get_endpoint(id)).await?;
    let present = present.workers.unwrap_or_default();
    let known = |number: Option<i64>| number.and_then(|it| u32::try_from(it).ok());
    let (former_min, former_max) = (known(present.min), known(present.max));
    let (Some(min), Some(max)) = (arguments.min.or(former_min), arguments.max.or(former_max))
    else {
        let message = "the service does not say how many workers the endpoint has";
        return Err(Failure::new(Exit::Error, message).hint("pass both --min and --max"));
    };
    if min > max {
        return Err(Failure::usage(format!("the minimum, {min}, exceeds the maximum, {max}")));
    }
    let rises = former_min.is_none_or(|former| min > former)
        || former_max.is_none_or(|former| max > former);
    let question = format!("Let the endpoint {id} have {min} to {max} workers? They cost.");
    let call = async {
        let scaled = account.endpoint(id).scale(min, max).await?;
        let former = scaled.former();
        scaled.keep();
        Ok(former)
    };
    let what = format!("scaling endpoint {id}");
    let question = rises.then(|| arguments.confirmation.of(&question));
    let see = format!("podqueue endpoint get {}", quoted(id));
    let former = change(context, &what, &see, question, call).await?;
    let scaled = json!({
        "endpoint": id,
        "min": min,
        "max": max,
        "former_min": former.min,
        "former_max": former.max,
    });
    print_changed(context, &scaled)
}
