//! Gets what is current: from a URL, from a file, or by asking a GraphQL service about itself.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use podqueue_codegen::Source;
use reqwest::blocking::{Client, Response};
use reqwest::{Url, redirect};
use serde_json::{Value, json};

use crate::Failure;

/// Far more than any description needs.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How deep the lists and non-nulls around a type are asked for.
const DEPTH: usize = 9;

/// A REST description. The name of the source ends in `.json` or `.yaml`, as its text is.
pub(crate) fn description(from: &str) -> Result<Source, Failure> {
    let source = match url(from)? {
        // Descriptions are published for everybody: no key goes there, so a redirect is harmless.
        Some(url) => {
            let client = client(redirect::Policy::limited(5))?;
            let answer = client.get(url.clone()).send();
            Source::new(shown(&url), succeeded(&url, answer)?)
        }
        None => file(from)?,
    };
    let is_json = source.text.trim_start().starts_with('{');
    let fitting: &[&str] = if is_json { &[".json"] } else { &[".yaml", ".yml"] };
    if fitting.iter().any(|it| source.name.ends_with(it)) {
        return Ok(source);
    }
    let name = source.name.trim_end_matches(".json").trim_end_matches(".yaml");
    let name = name.trim_end_matches(".yml");
    Ok(Source::new(format!("{name}.{}", if is_json { "json" } else { "yaml" }), source.text))
}

/// A GraphQL schema: SDL, or an introspection result, whose name ends in `.json`.
pub(crate) fn schema(from: &str, key: Option<&str>) -> Result<Source, Failure> {
    let Some(url) = url(from)? else {
        let source = file(from)?;
        let is_json = source.text.trim_start().starts_with('{');
        let name = source.name.trim_end_matches(".json");
        let ending = if is_json { ".json" } else { "" };
        return Ok(Source::new(format!("{name}{ending}"), source.text));
    };
    if key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
        return Err(Failure::new(format!(
            "{}: the API key would be sent there unencrypted; use https",
            shown(&url)
        )));
    }
    // Newer servers tell more; older ones refuse the question as a whole.
    let mut last = None;
    for newest in [true, false] {
        let (status, text) = ask(&url, key, &question(newest))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        if answer.pointer("/data/__schema/types").is_some() {
            return Ok(Source::new(format!("{}.json", shown(&url)), text));
        }
        let said = scrubbed(&errors(&answer), key);
        last = Some(match status {
            401 | 403 => {
                let hint = if key.is_some() {
                    "is the key in PODQUEUE_API_KEY right, and may it read the schema?"
                } else {
                    "set PODQUEUE_API_KEY to a key that may read the schema"
                };
                return Err(Failure::new(format!(
                    "{}: responded with {status}{said}; {hint}",
                    shown(&url)
                )));
            }
            _ => Failure::new(format!(
                "{}: responded with {status}{said}, but without its schema; does it allow introspection?",
                shown(&url)
            )),
        });
    }
    Err(last.unwrap_or_else(|| Failure::new("nothing was asked")))
}

/// The key in the query and a body of the document alone, as the interface wants it.
fn ask(url: &Url, key: Option<&str>, question: &str) -> Result<(u16, String), Failure> {
    let mut full = url.clone();
    if let Some(key) = key {
        full.query_pairs_mut().append_pair("api_key", key);
    }
    // A redirect would take the key to wherever it leads.
    let answer = client(redirect::Policy::none())?
        .post(full)
        .header("content-type", "application/json")
        .body(json!({ "query": question }).to_string())
        .send()
        .map_err(|error| unanswered(url, error))?;
    let status = answer.status();
    if status.is_redirection() {
        return Err(Failure::new(format!(
            "{}: responded with {status}, a redirect; give the URL that it leads to",
            shown(url)
        )));
    }
    Ok((status.as_u16(), text(url, answer)?))
}

/// The introspection query.
fn question(newest: bool) -> String {
    let (arguments, specified, one_of, repeatable, deprecation) = if newest {
        (
            "(includeDeprecated: true)",
            "specifiedByURL",
            "isOneOf",
            "isRepeatable",
            "isDeprecated deprecationReason",
        )
    } else {
        ("", "", "", "", "")
    };
    let mut of = String::from("kind name");
    for _ in 0..DEPTH {
        of = format!("kind name ofType {{ {of} }}");
    }
    let input = format!("name description type {{ {of} }} defaultValue {deprecation}");
    format!(
        "{{ __schema {{ \
           queryType {{ name }} mutationType {{ name }} subscriptionType {{ name }} \
           types {{ \
             kind name description {specified} {one_of} \
             fields(includeDeprecated: true) {{ \
               name description args{arguments} {{ {input} }} type {{ {of} }} \
               isDeprecated deprecationReason \
             }} \
             inputFields{arguments} {{ {input} }} \
             interfaces {{ name }} \
             enumValues(includeDeprecated: true) {{ \
               name description isDeprecated deprecationReason \
             }} \
             possibleTypes {{ name }} \
           }} \
           directives {{ name description locations {repeatable} args{arguments} {{ {input} }} }} \
         }} }}"
    )
}

/// What the service says is wrong, ready to be appended.
fn errors(answer: &Value) -> String {
    let messages: Vec<_> = answer["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|error| error["message"].as_str())
        .take(3)
        .map(|message| message.chars().take(200).collect::<String>())
        .collect();
    if messages.is_empty() { String::new() } else { format!(" ({})", messages.join("; ")) }
}

fn scrubbed(text: &str, key: Option<&str>) -> String {
    match key {
        Some(key) if !key.is_empty() => text.replace(key, "[the key]"),
        _ => text.to_owned(),
    }
}

fn client(redirects: redirect::Policy) -> Result<Client, Failure> {
    Client::builder()
        .user_agent(concat!("podqueue-regenerate/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .timeout(Duration::from_secs(60))
        .referer(false)
        .redirect(redirects)
        .build()
        .map_err(|error| Failure::new(format!("the HTTP client could not be built: {error}")))
}

fn succeeded(url: &Url, answer: reqwest::Result<Response>) -> Result<String, Failure> {
    let answer = answer.map_err(|error| unanswered(url, error))?;
    let status = answer.status();
    if !status.is_success() {
        return Err(Failure::new(format!("{}: responded with {status}", shown(url))));
    }
    text(url, answer)
}

fn text(url: &Url, answer: Response) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    answer.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| {
        Failure::new(format!("{}: the response was cut short: {error}", shown(url)))
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES / (1024 * 1024);
        return Err(Failure::new(format!(
            "{}: the response is larger than {limit} MiB",
            shown(url)
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("{}: the response is not UTF-8", shown(url))))
}

/// The cause is what tells a refused connection from a name that does not resolve. No error of
/// the HTTP client is shown with its URL, which holds the key.
fn unanswered(url: &Url, error: reqwest::Error) -> Failure {
    let error = error.without_url();
    let mut message = format!("{}: {error}", shown(url));
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    Failure::new(message)
}

fn file(path: &str) -> Result<Source, Failure> {
    Ok(Source::read(Path::new(path))?)
}

/// A URL, or nothing where it is the path of a file.
fn url(from: &str) -> Result<Option<Url>, Failure> {
    if !from.starts_with("http://") && !from.starts_with("https://") {
        return Ok(None);
    }
    Url::parse(from)
        .map(Some)
        // The text may hold a key, so it is not repeated.
        .map_err(|error| Failure::new(format!("invalid URL: {error}")))
}

/// A URL without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Refused only by URLs that hold neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    matches!(host, "localhost" | "localhost.")
        || address.parse::<std::net::IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback())
}
