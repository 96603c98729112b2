//! Account interface: the calls, tables, bodies and logs that the commands for endpoints, Pods,
//! templates, volumes, GPUs and the bill share.

pub mod body;
pub mod keep_warm;
pub mod logs;

use std::future::{Future, IntoFuture};

use podqueue::account::Account;
use podqueue::{Error, ErrorKind};
use serde::Serialize;
use serde_json::Value;

use crate::confirmation::Question;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::interrupt::Signals;
use crate::output::{BAD, BUSY, Cell, GOOD, Table, json_number};
use crate::settings::Settings;

/// The account interface of the active profile; refused if its URL is not set.
pub fn account(context: &Context) -> Result<Account, Failure> {
    of_settings(context, &context.settings()?)
}

/// The account interface of the active profile, if its URL is set.
pub fn account_if_set(context: &Context) -> Result<Option<Account>, Failure> {
    let settings = context.settings()?;
    settings.account_url.as_ref().map(|_| of_settings(context, &settings)).transpose()
}

pub fn of_settings(context: &Context, settings: &Settings) -> Result<Account, Failure> {
    if settings.account_url.is_none() {
        return Err(Failure::usage("the URL of the account interface is not set")
            .hint("set PODQUEUE_ACCOUNT_URL, or account_url in a profile"));
    }
    Ok(context.client_of(settings)?.account())
}

/// Reads something, and waits for the response or a signal.
pub async fn read<T>(
    context: &Context,
    what: &str,
    call: impl IntoFuture<Output = Result<T, Error>>,
) -> Result<T, Failure> {
    let mut signals = Signals::listen()?;
    Ok(context.output.with_progress(what, signals.unless(call.into_future())).await??)
}

/// Sends a changing call. A call that costs or deletes has a `question`, which is confirmed first.
/// If the outcome is unknown, the hint names `see`, the command that shows whether it took effect.
pub async fn change<T>(
    context: &Context,
    what: &str,
    see: &str,
    question: Option<Question<'_>>,
    call: impl Future<Output = Result<T, Error>>,
) -> Result<T, Failure> {
    let mut signals = Signals::listen()?;
    if let Some(question) = question {
        question.ask(&mut signals).await?;
    }
    let result = match context.output.with_progress(what, signals.unless(call)).await {
        Ok(result) => result.map_err(|error| {
            let is_unknown = is_outcome_unknown(&error);
            let mut failure = Failure::from(&error);
            // A deletion is repeated, so its last error is no unknown outcome to the client.
            if is_unknown && error.kind() != ErrorKind::OutcomeUnknown {
                failure.exit = Exit::OutcomeUnknown;
                failure.message.push_str("; it may have taken effect");
            }
            (is_unknown, failure)
        }),
        Err(interrupted) => {
            let mut failure = interrupted.while_changing();
            failure.message = format!("interrupted while {what}; it may have taken effect");
            Err((true, failure))
        }
    };
    result.map_err(|(is_unknown, failure)| match is_unknown {
        true => failure.hint(verify_hint(see)),
        false => failure,
    })
}

/// Returns true if a change may have taken effect: its response was lost, unreadable or a failure.
fn is_outcome_unknown(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::OutcomeUnknown | ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Decode => {
            true
        }
        // Pages of a gateway in place of the service, and what it does not support.
        ErrorKind::Server => !matches!(error.status(), Some(403 | 404 | 501)),
        _ => false,
    }
}

/// Creates something as by [`change`], and prints it. A response without an id is a failure,
/// since what was created cannot be named.
pub async fn create(
    context: &Context,
    what: &str,
    see: &str,
    question: Option<Question<'_>>,
    call: impl Future<Output = Result<impl Serialize, Error>>,
) -> Result<Exit, Failure> {
    let created = without_env(&change(context, what, see, question, call).await?);
    let id = created["id"].as_str().unwrap_or_default();
    if id.is_empty() {
        let message = format!(
            "{what}: the service responded with a success, but not with the id of what it created; \
             something may have been created"
        );
        return Err(Failure::new(Exit::OutcomeUnknown, message).hint(verify_hint(see)));
    }
    let printed = context.output.object(&created);
    let effect = format!("it was created: {}", quoted(id));
    printed.map_err(|failure| failure.despite_creation(&effect))?;
    Ok(Exit::Done)
}

fn verify_hint(see: &str) -> String {
    format!("before you repeat it, see what there is: {see}")
}

/// Prints a list: each item as a line of JSON, or all of them as a table.
pub fn print_list<T: Serialize, const N: usize>(
    context: &Context,
    items: &[T],
    header: [&str; N],
    row: impl Fn(&T) -> [Cell; N],
) -> Result<Exit, Failure> {
    if context.output.is_json() {
        items.iter().try_for_each(|item| context.output.json(&without_env(item)))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::with_header(header);
    items.iter().for_each(|item| table.row(row(item)));
    context.output.styled(table)?;
    Ok(Exit::Done)
}

/// Prints an object that was created or changed, with the values of its environment variables
/// redacted.
pub fn print_changed(context: &Context, object: &impl Serialize) -> Result<Exit, Failure> {
    let printed = context.output.object(&without_env(object));
    printed.map_err(|failure| failure.despite("the change has taken effect"))?;
    Ok(Exit::Done)
}

/// An object of the interface without the values of environment variables, which may be secrets.
/// Entries of a release's diff have them, too.
fn without_env(object: &impl Serialize) -> Value {
    let mut value = with_integers(object);
    redact_values(value.get_mut("env"));
    for entry in value.get_mut("diff").and_then(Value::as_array_mut).into_iter().flatten() {
        if entry["field"].as_str().is_some_and(|field| field.starts_with("env")) {
            redact_values(entry.get_mut("old"));
            redact_values(entry.get_mut("new"));
        }
    }
    value
}

/// An object of the interface, its whole numbers written as integers: the types have no integers
/// where the interface allows fractions.
pub fn with_integers(object: &impl Serialize) -> Value {
    fn write(value: &mut Value) {
        match value {
            Value::Number(number) if number.is_f64() => {
                *value = number.as_f64().map_or(Value::Null, json_number);
            }
            Value::Array(items) => items.iter_mut().for_each(write),
            Value::Object(members) => members.values_mut().for_each(write),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(object).unwrap_or_default();
    write(&mut value);
    value
}

fn redact_values(value: Option<&mut Value>) {
    match value {
        None | Some(Value::Null) => {}
        Some(Value::Object(values)) => {
            values.values_mut().for_each(|value| *value = "[redacted]".into());
        }
        Some(other) => *other = "[redacted]".into(),
    }
}

/// A cell of a value that may be absent.
pub fn cell(value: Option<impl ToString>) -> Cell {
    Cell::new(value.map_or_else(|| "-".to_owned(), |value| value.to_string()))
}

/// A cell of the state of a worker or a Pod, in its color.
pub fn state(state: Option<impl ToString>) -> Cell {
    let cell = cell(state.as_ref().map(ToString::to_string));
    match state.map(|state| state.to_string()).as_deref() {
        Some("RUNNING") => cell.style(GOOD),
        Some("THROTTLED" | "UNHEALTHY" | "ERROR") => cell.style(BAD),
        Some("INITIALIZING" | "PROVISIONING" | "STARTING") => cell.style(BUSY),
        _ => cell,
    }
}

/// A cell of an amount in credits.
pub fn amount(amount: Option<f64>) -> Cell {
    cell(amount.map(|amount| match amount.abs() < 1e15 {
        true => format!("{amount:.4}"),
        false => format!("{amount:e}"),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::without_env;

    #[test]
    fn the_values_of_variables_are_redacted() {
        let release = json!({"diff": [
            {"field": "env", "old": null, "new": {"TOKEN": "s3cret"}},
            {"field": "env.TOKEN", "old": "s3cret", "new": "s3cret"},
            {"field": "image", "old": "a", "new": "b"},
        ]});
        let redacted = without_env(&release).to_string();
        assert!(!redacted.contains("s3cret") && redacted.contains(r#""new":"b""#), "{redacted}");
        let endpoint = without_env(&json!({"env": {"TOKEN": "s3cret"}}));
        assert_eq!(endpoint, json!({"env": {"TOKEN": "[redacted]"}}));
    }
}
