//! Request bodies: the fields of a file and of options, read strictly into the type of the request.

use std::collections::BTreeMap;
use std::env;

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::input::{pair, parse_id, read_file, read_stdin};

/// Fields that an empty list or object clears. In any other field, an empty value is omitted from
/// the request, and would have no effect.
const CLEARABLE: [&str; 7] = [
    "allowedCudaVersions",
    "dataCenterIds",
    "env",
    "excludedTypes",
    "network",
    "networkVolumes",
    "ports",
];

/// A body, and the fields that are sent empty, which its type would omit.
#[derive(Debug)]
pub struct Body<T> {
    pub typed: T,
    pub cleared: Vec<(String, Value)>,
}

/// Prepares a call with a body: `prepare!(account.create_pod(), body)`.
macro_rules! prepare {
    ($account:ident.$call:ident($($argument:expr)?), $body:expr) => {{
        let body = $body;
        let call = $account.$call($($argument,)? body.typed);
        body.cleared.into_iter().fold(call, |call, (place, value)| call.set(place, value))
    }};
}
pub(crate) use prepare;

/// The fields of a body by their names on the wire.
#[derive(Debug, Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of a file, which contains a JSON object; `-` is standard input.
    pub fn of_file(path: Option<&str>) -> Result<Self, Failure> {
        let (text, name) = match path {
            None => return Ok(Self::default()),
            Some("-") => (read_stdin()?, "standard input"),
            Some(path) => (read_file(path)?, path),
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        // The message of the parser has a position, and no value of the file.
        serde_json::from_str(text).map(Self).map_err(|error| {
            Failure::usage(format!(
                "{name} is not a JSON object with the fields of a body: {error}"
            ))
        })
    }

    /// Sets a field, `workers.min` within an object, if there is a value.
    pub fn set(&mut self, place: &str, value: Option<impl Serialize>) {
        let Some(value) = value else { return };
        let mut names = place.split('.').peekable();
        let mut object = &mut self.0;
        while let Some(name) = names.next() {
            let field = object.entry(name).or_insert(Value::Null);
            if names.peek().is_none() {
                *field = json!(value);
                return;
            }
            if !field.is_object() {
                *field = json!({});
            }
            let Value::Object(inner) = field else { return };
            object = inner;
        }
    }

    /// Sets a field to a list, unless it is empty.
    pub fn set_list(&mut self, place: &str, values: &[String]) {
        self.set(place, (!values.is_empty()).then_some(values));
    }

    /// Sets a field within an object of the body, if it is absent there.
    pub fn complete(&mut self, object: &str, name: &str, value: Option<impl Serialize>) {
        if self.get(object).is_some_and(|it| it.is_object() && it.get(name).is_none()) {
            self.set(&format!("{object}.{name}"), value);
        }
    }

    /// Sets a field that is absent.
    pub fn set_default(&mut self, name: &str, value: Value) {
        self.0.entry(name).or_insert(value);
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if any of these fields is set.
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.0.contains_key(*name))
    }

    /// The variables that a change removes, in a sentence: an environment is replaced as a whole.
    pub fn loss_of_variables<'a>(
        &self,
        present: impl IntoIterator<Item = &'a String>,
    ) -> Option<String> {
        let env = self.get("env")?;
        let mut removed: Vec<_> =
            present.into_iter().filter(|name| env.get(name.as_str()).is_none()).collect();
        removed.sort_unstable();
        let names = removed.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("It loses the variables {names}."))
    }

    /// The body with these fields; refused if its type does not have one of them.
    pub fn body<T: DeserializeOwned + Serialize>(self) -> Result<Body<T>, Failure> {
        let given = Value::Object(self.0);
        let invalid = |error: serde_json::Error| {
            Failure::usage(format!("the body is invalid: {error}; nothing was sent"))
        };
        let typed: T = serde_json::from_value(given.clone()).map_err(invalid)?;
        let sent = serde_json::to_value(&typed).map_err(invalid)?;
        let mut cleared = Vec::new();
        compare(&given, &sent, "", &mut cleared).map_err(|what| {
            Failure::usage(format!("the body is invalid: {what}; nothing was sent"))
        })?;
        Ok(Body { typed, cleared })
    }
}

/// Finds a field that would not be sent as it was given: the types are read leniently, and ignore
/// fields that they do not have.
fn compare(
    given: &Value,
    sent: &Value,
    place: &str,
    cleared: &mut Vec<(String, Value)>,
) -> Result<(), String> {
    match (given, sent) {
        (Value::Object(given), Value::Object(sent)) => {
            for (name, value) in given {
                let field = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                match sent.get(name) {
                    Some(sent) => compare(value, sent, &field, cleared)?,
                    None if is_empty(value) && CLEARABLE.contains(&name.as_str()) => {
                        cleared.push((field, value.clone()));
                    }
                    None if value.is_null() || is_empty(value) => {
                        return Err(format!("`{field}` is unknown, or cannot be empty"));
                    }
                    None => return Err(format!("unknown field `{field}`")),
                }
            }
            Ok(())
        }
        (Value::Array(given), Value::Array(sent)) if given.len() == sent.len() => {
            let mut items = given.iter().zip(sent).enumerate();
            items.try_for_each(|(index, (given, sent))| {
                compare(given, sent, &format!("{place}[{index}]"), cleared)
            })
        }
        (Value::Number(given), Value::Number(sent)) if given.as_f64() == sent.as_f64() => Ok(()),
        (given, sent) if given == sent => Ok(()),
        _ => Err(format!("`{place}` has a value of another type")),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Container settings: fields that the bodies of endpoints and Pods share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Container")]
pub struct ContainerArguments {
    /// The container image, with its tag.
    #[arg(long)]
    image: Option<String>,

    /// The id of a template to take values from that are not given here.
    #[arg(long, value_name = "ID", value_parser = parse_id)]
    template: Option<String>,

    /// The size of the container's disk, which a restart wipes, in GB.
    #[arg(long, value_name = "GB")]
    container_disk_gb: Option<u32>,

    /// The start arguments.
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    docker_args: Option<String>,

    /// An environment variable; can be repeated. NAME alone takes the value from this environment,
    /// so that it is not in the process list. In an update, those that are given replace all.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    environment: Vec<String>,

    /// A port, such as 8888/http or 22/tcp; can be repeated.
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<String>,

    /// The id of the registry credentials, for private images.
    #[arg(long, value_name = "ID", value_parser = parse_id)]
    registry_auth: Option<String>,
}

impl ContainerArguments {
    pub fn set_in(&self, fields: &mut Fields) -> Result<(), Failure> {
        fields.set("image", self.image.as_ref());
        fields.set("templateId", self.template.as_ref());
        fields.set("disk", self.container_disk_gb);
        fields.set("args", self.docker_args.as_ref());
        set_env(fields, &self.environment)?;
        fields.set_list("ports", &self.ports);
        fields.set("registry", self.registry_auth.as_ref());
        Ok(())
    }
}

/// Sets environment variables. Those of a file that have other names are kept.
pub fn set_env(fields: &mut Fields, variables: &[String]) -> Result<(), Failure> {
    for (name, value) in environment_variables(variables)? {
        // A name may contain a dot, and so is no place.
        if !fields.get("env").is_some_and(Value::is_object) {
            fields.set("env", Some(json!({})));
        }
        if let Some(Value::Object(env)) = fields.0.get_mut("env") {
            env.insert(name, value.into());
        }
    }
    Ok(())
}

/// The variables of the options `--env`, each given once.
pub fn environment_variables(options: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut variables = BTreeMap::new();
    for option in options {
        let (name, value) = environment_variable(option)?;
        if variables.contains_key(&name) {
            return Err(Failure::usage(format!("--env {name}: it is given twice")));
        }
        variables.insert(name, value);
    }
    Ok(variables)
}

/// The name and value of `NAME=VALUE`, or of `NAME`, whose value is that in this environment.
fn environment_variable(variable: &str) -> Result<(String, String), Failure> {
    if variable.contains('=') {
        let (name, value) = pair("--env", variable)?;
        return Ok((name.to_owned(), value.to_owned()));
    }
    let value = env::var(variable)
        .map_err(|_| Failure::usage(format!("--env {variable}: no such variable is set here")))?;
    Ok((variable.to_owned(), value))
}

/// Parses `ID:VCPUS`, such as `cpu5c:4`.
pub fn parse_cpu(text: &str) -> Result<Value, String> {
    let parsed = text.rsplit_once(':').and_then(|(id, count)| {
        let count: u32 = count.parse().ok().filter(|count| *count > 0)?;
        (!id.is_empty() && !id.contains(':')).then(|| json!({ "id": id, "vcpuCount": count }))
    });
    parsed.ok_or_else(|| "expected an id and a number of vCPUs, such as cpu5c:4".to_owned())
}

#[cfg(test)]
mod tests {
    use podqueue::account::types::{CreateEndpointRequest, UpdateEndpointRequest};
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::{Body, Fields};

    fn body<T: DeserializeOwned + Serialize>(given: Value) -> Result<Body<T>, String> {
        let Value::Object(fields) = given else { panic!("an object") };
        Fields(fields).body().map_err(|failure| failure.message)
    }

    #[test]
    fn an_unknown_field_is_refused_by_its_name() {
        for (given, name) in [
            (json!({"imageName": "i"}), "unknown field `imageName`"),
            (json!({"workers": {"minimum": 1}}), "unknown field `workers.minimum`"),
            (json!({"cpu": [{"id": "c", "vcpuCount": 2, "n": 1}]}), "unknown field `cpu[0].n`"),
            (json!({"gpu": null}), "`gpu` is unknown, or cannot be empty"),
            (json!({"no-such": []}), "`no-such` is unknown, or cannot be empty"),
        ] {
            let refused = body::<UpdateEndpointRequest>(given).expect_err(name);
            assert!(refused.contains(name), "{refused}");
        }
        let refused = body::<CreateEndpointRequest>(json!({"image": "i"})).expect_err("no name");
        assert!(refused.contains("`name`"), "{refused}");
    }

    #[test]
    fn empty_values_are_sent_where_they_clear_a_field() {
        let given = json!({
            "registry": null, "networkVolumes": [], "gpu": {"pools": ["p"], "excludedTypes": []},
            "scaling": {"type": "QUEUE_DELAY", "queueDelay": 4},
        });
        let body = body::<UpdateEndpointRequest>(given).expect("a body");
        let mut cleared: Vec<_> = body.cleared.iter().map(|(place, _)| place.as_str()).collect();
        cleared.sort_unstable();
        assert_eq!(cleared, ["gpu.excludedTypes", "networkVolumes"]);
        assert_eq!(body.typed.registry, Some(None));
    }
}
