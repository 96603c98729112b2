//! Command `logs`: the requests to a local service and the output of its workers, by time.

use std::collections::HashMap;
use std::time::Duration;

use clap::{Args, ValueEnum};
use podqueue_runtime::Path;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::sleep;

use crate::context::Context;
use crate::control_plane::{ControlPlane, PAGE};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_id;
use crate::interrupt::Signals;
use crate::json::one_line;

/// Interval at which new lines are read.
const INTERVAL: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub struct Arguments {
    /// Only this endpoint.
    #[arg(value_parser = parse_id)]
    endpoint: Option<String>,

    /// Continue with new lines until Ctrl-C.
    #[arg(long, short)]
    follow: bool,

    /// Begin with this many of the latest lines of each kind and endpoint.
    #[arg(long, value_name = "LINES", default_value_t = 100)]
    tail: usize,

    /// Only lines of this kind.
    #[arg(long, value_enum)]
    only: Option<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Requests to the service.
    Requests,
    /// Output of workers that are processes.
    Workers,
}

/// A list of lines, the latest first.
#[derive(Deserialize)]
struct Window {
    #[serde(alias = "requests", alias = "logs")]
    items: Vec<Value>,
}

/// Lines of one kind and endpoint.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Origin {
    Requests,
    Workers(String),
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    signals.unless(print(context, arguments)).await?
}

async fn print(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let service = ControlPlane::new(context)?;
    // The number of the last line of each origin that was read, or -1 if there was none.
    let mut read_to = HashMap::<Origin, i64>::new();
    let mut is_first = true;
    loop {
        let mut lines = Vec::new();
        for origin in origins(&service, arguments).await? {
            // The log of a worker that is new is read from its beginning.
            let last = read_to.get(&origin).copied().or((!is_first).then_some(-1));
            let mut new = read(&service, &origin, last, arguments.tail).await?;
            let number = new.first().map_or(last.unwrap_or(-1), number);
            read_to.insert(origin.clone(), number);
            if last.is_none() {
                new.truncate(arguments.tail);
            }
            lines.extend(new.into_iter().map(|item| (origin.clone(), item)));
        }
        is_first = false;
        if let Some(endpoint) = &arguments.endpoint {
            lines.retain(|(_, item)| item["endpoint"] == endpoint.as_str());
        }
        lines.sort_by(|(_, one), (_, other)| {
            let time = |item: &Value| item["wallMs"].as_f64().unwrap_or_default();
            // The service lists the newest first, also of the same millisecond.
            time(one).total_cmp(&time(other)).then(number(one).cmp(&number(other)))
        });
        for (origin, item) in &lines {
            print_line(context, origin, item)?;
        }
        if !arguments.follow {
            return Ok(Exit::Done);
        }
        sleep(INTERVAL).await;
    }
}

/// The kinds of lines that there are now.
async fn origins(service: &ControlPlane, arguments: &Arguments) -> Result<Vec<Origin>, Failure> {
    let endpoints = service.endpoints().await?;
    if let Some(name) = &arguments.endpoint
        && !endpoints.iter().any(|it| it.name == *name)
    {
        return Err(service.lacks_endpoint(name, &endpoints));
    }
    let is_selected =
        |name: &String| arguments.endpoint.as_ref().is_none_or(|selected| name == selected);
    let workers = endpoints
        .into_iter()
        .filter(|it| is_selected(&it.name) && matches!(it.kind.as_str(), "command" | "worker"))
        .map(|it| Origin::Workers(it.name));
    let requests = [Origin::Requests].into_iter().filter(|_| arguments.only != Some(Kind::Workers));
    Ok(requests.chain(workers.filter(|_| arguments.only != Some(Kind::Requests))).collect())
}

fn number(item: &Value) -> i64 {
    item["number"].as_i64().unwrap_or_default()
}

/// The lines after a number, or at least one of the latest, the latest first.
async fn read(
    service: &ControlPlane,
    origin: &Origin,
    last: Option<i64>,
    tail: usize,
) -> Result<Vec<Value>, Failure> {
    let path = match origin {
        Origin::Requests => Path::new("/_local/requests"),
        Origin::Workers(name) => {
            Path::new("/_local/endpoints/").parameter("endpoint", name).literal("/worker-logs")
        }
    };
    let (mut last, tail) = (last, tail.max(1));
    let mut read = Vec::<Value>::new();
    loop {
        let limit = if last.is_some() { PAGE } else { PAGE.min(tail - read.len()) };
        let query = [("offset", read.len().to_string()), ("limit", limit.to_string())];
        let window: Option<Window> = service.read(path.clone(), &query).await?;
        let mut items = window.map(|window| window.items).unwrap_or_default();
        // A service that was started again counts anew.
        if read.is_empty() && items.first().is_some_and(|item| Some(number(item)) < last) {
            last = Some(-1);
        }
        let is_full = items.len() == limit;
        items.retain(|item| Some(number(item)) > last);
        let is_all_new = items.len() == limit;
        // New lines have moved those of this page.
        let oldest = read.last().map(number);
        read.extend(items.into_iter().filter(|it| oldest.is_none_or(|oldest| number(it) < oldest)));
        if !(is_full && is_all_new) || (last.is_none() && read.len() >= tail) {
            return Ok(read);
        }
    }
}

fn print_line(context: &Context, origin: &Origin, item: &Value) -> Result<(), Failure> {
    let kind = if *origin == Origin::Requests { "request" } else { "worker" };
    if context.output.is_json() {
        let mut item = item.clone();
        item["kind"] = kind.into();
        return context.output.json(&item);
    }
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let time = std::time::UNIX_EPOCH
        + Duration::from_millis(item["wallMs"].as_f64().unwrap_or_default().max(0.0) as u64);
    let time = humantime::format_rfc3339_millis(time);
    let line = match origin {
        Origin::Requests => {
            let query = text("query");
            let query = if query.is_empty() { query } else { format!("?{query}") };
            let took = item["tookMs"].as_f64().map(|it| format!("  {it:.0} ms"));
            let note = item["note"].as_str().map(|note| format!("  {note}"));
            let status = item["status"].as_u64().map_or("-".to_owned(), |it| it.to_string());
            format!(
                "{}  {} {}{query}{}{}",
                status,
                text("method"),
                text("path"),
                took.unwrap_or_default(),
                note.unwrap_or_default()
            )
        }
        Origin::Workers(endpoint) => {
            format!("{endpoint} {}  {}: {}", text("worker"), text("source"), text("text"))
        }
    };
    context.output.line(one_line(&format!("{time}  {line}")))
}
