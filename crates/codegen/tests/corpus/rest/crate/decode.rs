//! Decoding of responses, and properties of the result.

use podqueue::__private::lenient::{Lenient, Reading, serialize, value};
use podqueue::__private::serde_json::{Serializer, Value, from_str};

/// Decodes a response of a type, and returns the failed checks: it must decode, be equal after a
/// round trip and as a copy, print, and contain every value of a `complete` response.
pub fn check<T: Lenient>(what: &str, complete: bool, text: &str) -> Option<String> {
    let read = |text: &str| {
        let json: Value = from_str(text).map_err(|error| error.to_string())?;
        value::<T>(&json, Reading::Lenient).map_err(|error| error.to_string())
    };
    let value = match read(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("{what}: {error} in {text}")),
    };
    let again = match to_string(&value) {
        Ok(again) => again,
        Err(error) => return Some(format!("{what}: cannot be written: {error}")),
    };
    if !read(&again).is_ok_and(|same| same == value) || value.clone() != value {
        return Some(format!("{what}: {text} became {again}, which is another value"));
    }
    if format!("{value:?}").is_empty() {
        return Some(format!("{what}: prints nothing"));
    }
    let (text, again): (Value, Value) = (from_str(text).ok()?, from_str(&again).ok()?);
    match lost(&text, &again, String::new()) {
        Some(place) if complete => Some(format!("{what}: {place} of {text} is lost in {again}")),
        _ => None,
    }
}

fn to_string<T: Lenient>(value: &T) -> Result<String, String> {
    let mut text = Vec::new();
    serialize(value, &mut Serializer::new(&mut text)).map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// Returns the path of a value that is missing in the other tree.
fn lost(there: &Value, here: &Value, place: String) -> Option<String> {
    match (there, here) {
        (Value::Object(there), Value::Object(here)) => there.iter().find_map(|(key, value)| {
            let is_nothing = value.as_object().is_some_and(|it| it.is_empty())
                || value.as_array().is_some_and(|it| it.is_empty());
            match here.get(key) {
                Some(here) => lost(value, here, format!("{place}/{key}")),
                None if is_nothing => None,
                None => Some(format!("{place}/{key}")),
            }
        }),
        (Value::Array(there), Value::Array(here)) if there.len() == here.len() => {
            there.iter().zip(here).find_map(|(there, here)| lost(there, here, format!("{place}/*")))
        }
        (Value::Number(there), Value::Number(here)) => {
            (there.as_f64() != here.as_f64()).then_some(place)
        }
        (there, here) => (there != here).then_some(place),
    }
}
