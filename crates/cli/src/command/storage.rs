//! Object-storage settings for the worker.

use std::collections::BTreeMap;
use std::path::Path;

use podqueue::S3Config;
use serde_json::Value;

use crate::failure::Failure;
use crate::input::read_stdin;
use crate::settings::private_file;

const MEMBERS: [&str; 4] = ["accessId", "accessSecret", "bucketName", "endpointUrl"];

/// Reads the settings from a file that only its owner can read, or from standard input for `-`.
pub fn read(file: &str) -> Result<S3Config, Failure> {
    let (text, file) = match file {
        "-" => (read_stdin()?, "standard input"),
        path => (private_file("storage settings", Path::new(path))?, path),
    };
    // Without the parser's message, which may contain a value.
    let invalid = || {
        let members = MEMBERS.join(", ");
        Failure::usage(format!("{file} must be a JSON object with the strings {members}"))
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let object: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|_| invalid())?;
    if let Some(unknown) = object.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(Failure::usage(format!("{file} has an unknown member `{unknown}`"))
            .hint(format!("it has: {}", MEMBERS.join(", "))));
    }
    let member = |name: &str| object.get(name).and_then(Value::as_str).ok_or_else(invalid);
    let [id, secret, bucket, url] = MEMBERS.map(member);
    Ok(S3Config::new(id?, secret?, bucket?, url?))
}
