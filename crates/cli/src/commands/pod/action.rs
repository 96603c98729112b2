//! Commands `pod start`, `pod stop` and `pod restart`: actions on a Pod.

use clap::Args;
use podqueue::account::types::{PodAction, PodActionRequest};
use serde_json::json;

use crate::account::{account, change, print_changed};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

/// An action on a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Start,
    Stop,
    Restart,
}

/// Arguments of an action that costs or deletes.
#[derive(Debug, Args)]
pub struct Confirmed {
    /// The Pod's id.
    id: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

/// Arguments of an action that neither costs nor deletes.
#[derive(Debug, Args)]
pub struct Unconfirmed {
    /// The Pod's id.
    id: String,
}

impl Confirmed {
    pub async fn run(&self, context: &Context, action: Action) -> Result<Exit, Failure> {
        run(context, &self.id, action, Some(self.confirmation)).await
    }
}

impl Unconfirmed {
    pub async fn run(&self, context: &Context, action: Action) -> Result<Exit, Failure> {
        run(context, &self.id, action, None).await
    }
}

async fn run(
    context: &Context,
    id: &str,
    action: Action,
    confirmation: Option<Confirmation>,
) -> Result<Exit, Failure> {
    let account = account(context)?;
    let (doing, sent, question) = match action {
        Action::Start => {
            let question = format!("Start the Pod {id}, which costs until it is stopped?");
            ("starting", PodAction::Start, question)
        }
        Action::Stop => ("stopping", PodAction::Stop, String::new()),
        Action::Restart => {
            let question = format!("Restart the Pod {id}, which wipes its container's disk?");
            ("restarting", PodAction::Restart, question)
        }
    };
    let call = async { account.pod_action(id, PodActionRequest { action: sent }).await };
    let what = format!("{doing} Pod {id}");
    let question = confirmation.map(|confirmation| confirmation.of(&question));
    let see = format!("podqueue pod get {}", quoted(id));
    match change(context, &what, &see, question, call).await? {
        Some(pod) => print_changed(context, &pod),
        None => print_changed(context, &json!({ "id": id })),
    }
}
