//! Sources of the current documents: a URL, a file, or introspection of a GraphQL service.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use podqueue_codegen::Source;
use reqwest::blocking::{Client, Response};
use reqwest::{Url, redirect};
use serde_json::{Value, json};

use crate::Error;

/// Limit of a response, far larger than any description.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The depth of list and non-null wrappers that the introspection query requests.
const TYPE_DEPTH: usize = 9;

/// A REST description. The name of the source ends in `.json` or `.yaml`, according to its content.
pub(crate) fn description(from: &str) -> Result<Source, Error> {
    let source = match url(from)? {
        // No key is sent to a public description, so a redirect is harmless.
        Some(url) => {
            let client = client(redirect::Policy::limited(5))?;
            let response = client.get(url.clone()).send();
            Source::new(shown(&url), success_text(&url, response)?)
        }
        None => file(from)?,
    };
    let is_json = source.text.trim_start().starts_with('{');
    let extensions: &[&str] = if is_json { &[".json"] } else { &[".yaml", ".yml"] };
    if extensions.iter().any(|it| source.name.ends_with(it)) {
        return Ok(source);
    }
    let name = source.name.trim_end_matches(".json").trim_end_matches(".yaml");
    let name = name.trim_end_matches(".yml");
    Ok(Source::new(format!("{name}.{}", if is_json { "json" } else { "yaml" }), source.text))
}

/// A GraphQL schema: SDL, or an introspection result, whose name ends in `.json`.
pub(crate) fn schema(from: &str, key: Option<&str>) -> Result<Source, Error> {
    let Some(url) = url(from)? else {
        let source = file(from)?;
        let is_json = source.text.trim_start().starts_with('{');
        let name = source.name.trim_end_matches(".json");
        let ending = if is_json { ".json" } else { "" };
        return Ok(Source::new(format!("{name}{ending}"), source.text));
    };
    if key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
        return Err(Error::new(format!(
            "{}: the API key would be sent there unencrypted; use https",
            shown(&url)
        )));
    }
    // An older server refuses a query with fields that it does not know, so a second query omits
    // them.
    let mut last = None;
    for newest in [true, false] {
        let (status, text) = introspect(&url, key, &introspection_query(newest))?;
        let response: Value = serde_json::from_str(&text).unwrap_or_default();
        if response.pointer("/data/__schema/types").is_some() {
            return Ok(Source::new(format!("{}.json", shown(&url)), text));
        }
        let errors = redacted(&errors(&response), key);
        last = Some(match status {
            401 | 403 => {
                let hint = if key.is_some() {
                    "is the key in PODQUEUE_API_KEY right, and may it read the schema?"
                } else {
                    "set PODQUEUE_API_KEY to a key that may read the schema"
                };
                return Err(Error::new(format!(
                    "{}: responded with {status}{errors}; {hint}",
                    shown(&url)
                )));
            }
            _ => Error::new(format!(
                "{}: responded with {status}{errors}, but without its schema; does it allow introspection?",
                shown(&url)
            )),
        });
    }
    Err(last.unwrap_or_else(|| Error::new("no introspection query was sent")))
}

/// Sends an introspection query: the key as a URL parameter, and only the document in the body, as
/// the service expects.
fn introspect(url: &Url, key: Option<&str>, query: &str) -> Result<(u16, String), Error> {
    let mut full = url.clone();
    if let Some(key) = key {
        full.query_pairs_mut().append_pair("api_key", key);
    }
    // A redirect would send the key to another host.
    let response = client(redirect::Policy::none())?
        .post(full)
        .header("content-type", "application/json")
        .body(json!({ "query": query }).to_string())
        .send()
        .map_err(|error| transport_error(url, error))?;
    let status = response.status();
    if status.is_redirection() {
        return Err(Error::new(format!(
            "{}: responded with {status}, a redirect; give the URL that it leads to",
            shown(url)
        )));
    }
    Ok((status.as_u16(), text(url, response)?))
}

/// The introspection query.
fn introspection_query(newest: bool) -> String {
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
    for _ in 0..TYPE_DEPTH {
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

/// The error messages of a response, in parentheses.
fn errors(response: &Value) -> String {
    let messages: Vec<_> = response["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|error| error["message"].as_str())
        .take(3)
        .map(|message| message.chars().take(200).collect::<String>())
        .collect();
    if messages.is_empty() { String::new() } else { format!(" ({})", messages.join("; ")) }
}

fn redacted(text: &str, key: Option<&str>) -> String {
    match key {
        Some(key) if !key.is_empty() => text.replace(key, "[the key]"),
        _ => text.to_owned(),
    }
}

fn client(redirects: redirect::Policy) -> Result<Client, Error> {
    Client::builder()
        .user_agent(concat!("podqueue-regenerate/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .timeout(Duration::from_secs(60))
        .referer(false)
        .redirect(redirects)
        .build()
        .map_err(|error| Error::new(format!("the HTTP client could not be built: {error}")))
}

fn success_text(url: &Url, response: reqwest::Result<Response>) -> Result<String, Error> {
    let response = response.map_err(|error| transport_error(url, error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Error::new(format!("{}: responded with {status}", shown(url))));
    }
    text(url, response)
}

fn text(url: &Url, response: Response) -> Result<String, Error> {
    let mut bytes = Vec::new();
    response.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| {
        Error::new(format!("{}: the response was cut short: {error}", shown(url)))
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES / (1024 * 1024);
        return Err(Error::new(format!("{}: the response is larger than {limit} MiB", shown(url))));
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::new(format!("{}: the response is not UTF-8", shown(url))))
}

/// A transport error with its causes, which distinguish a refused connection from a failed name
/// lookup. The URL, which contains the key, is removed.
fn transport_error(url: &Url, error: reqwest::Error) -> Error {
    let error = error.without_url();
    let mut message = format!("{}: {error}", shown(url));
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    Error::new(message)
}

fn file(path: &str) -> Result<Source, Error> {
    Ok(Source::read(Path::new(path))?)
}

/// A URL, or `None` for the path of a file.
fn url(from: &str) -> Result<Option<Url>, Error> {
    if !from.starts_with("http://") && !from.starts_with("https://") {
        return Ok(None);
    }
    Url::parse(from)
        .map(Some)
        // The text may contain a key, so it is not repeated.
        .map_err(|error| Error::new(format!("invalid URL: {error}")))
}

/// A URL without its parts that may be secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Fails only for a URL that cannot have them.
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
