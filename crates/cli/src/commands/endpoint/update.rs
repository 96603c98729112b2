//! Command `endpoint update`: a change of an endpoint's settings, from options and a file.

use std::fmt::Write;

use clap::Args;
use podqueue::account::types::{Endpoint, UpdateEndpointRequest};

use super::settings::SettingsArguments;
use crate::account::body::{Fields, prepare};
use crate::account::{account, change, print_changed, read};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

/// Fields on which the price of an endpoint depends.
const PRICED: [&str; 5] = ["cpu", "flashboot", "gpu", "scaling", "workers"];

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    /// A new name.
    #[arg(long)]
    name: Option<String>,

    #[command(flatten)]
    settings: SettingsArguments,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let mut fields = arguments.settings.fields()?;
    fields.set("name", arguments.name.as_ref());
    if fields.is_empty() {
        return Err(Failure::usage("nothing to change: pass an option or --file"));
    }
    let mut question = String::new();
    if fields.has_any(&PRICED) {
        question.push_str(" Its cost may rise.");
    }
    if fields.has_any(&["workers", "gpu", "env"]) {
        let what = format!("reading endpoint {id}");
        let present = read(context, &what, account.get_endpoint(id)).await?;
        if let Some(loss) = fields.loss_of_variables(present.env.keys()) {
            let _ = write!(question, " {loss}");
        }
        complete(&mut fields, present);
    }
    let question = (!question.is_empty()).then(|| format!("Change the endpoint {id}?{question}"));
    let question = question.as_ref().map(|it| arguments.confirmation.of(it));
    let body = fields.body::<UpdateEndpointRequest>()?;
    let what = format!("changing endpoint {id}");
    let call = async { prepare!(account.update_endpoint(id), body).await };
    let see = format!("podqueue endpoint get {}", quoted(id));
    let endpoint = change(context, &what, &see, question, call).await?;
    print_changed(context, &endpoint)
}

/// Completes the objects that a change would send in part, by the present numbers: whether those of
/// workers are kept is not documented, and the number of GPUs is 1 if it is absent.
fn complete(fields: &mut Fields, present: Endpoint) {
    let workers = present.workers.unwrap_or_default();
    fields.complete("workers", "min", workers.min);
    fields.complete("workers", "max", workers.max);
    fields.complete("workers", "idleTimeout", workers.idle_timeout);
    fields.complete("gpu", "count", present.gpu.and_then(|gpu| gpu.count));
}
