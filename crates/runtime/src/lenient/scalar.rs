//! Lenient scalars: numbers and booleans in strings, integers with a fraction, numbers in place of
//! strings or booleans, empty strings as null.

use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// A number, which may stand in a string, or null. An empty string counts as null.
///
/// # Errors
///
/// If the value is anything else.
#[expect(clippy::cast_precision_loss, reason = "the wire's numbers are doubles")]
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match deserializer.deserialize_any(ScalarVisitor("a number"))? {
        Scalar::Null => Ok(None),
        Scalar::Integer(number) => Ok(Some(number as f64)),
        Scalar::Double(number) => Ok(Some(number)),
        Scalar::Text(text) if text.trim().is_empty() => Ok(None),
        Scalar::Text(text) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(D::Error::custom("a string that holds no number")),
        },
        Scalar::Boolean(flag) => Err(D::Error::invalid_type(Unexpected::Bool(flag), &"a number")),
    }
}

/// A whole number, which may be written with a zero fraction or stand in a string, or null. One
/// that does not fit a `T` is read as null: one number out of range must not fail the whole
/// response.
///
/// # Errors
///
/// If the value is anything else.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
pub fn integer<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i128>,
{
    let whole = |number: f64| match number {
        number if number.fract() != 0.0 => Err(D::Error::custom("a number that is not whole")),
        number if number.abs() <= MAX_EXACT => Ok(T::try_from(number as i128).ok()),
        _ => Ok(None),
    };
    match deserializer.deserialize_any(ScalarVisitor("a whole number"))? {
        Scalar::Null => Ok(None),
        Scalar::Integer(number) => Ok(T::try_from(number).ok()),
        Scalar::Double(number) => whole(number),
        Scalar::Text(text) if text.trim().is_empty() => Ok(None),
        Scalar::Text(text) => match (text.trim().parse::<i128>(), text.trim().parse::<f64>()) {
            (Ok(number), _) => Ok(T::try_from(number).ok()),
            (_, Ok(number)) => whole(number),
            _ => Err(D::Error::custom("a string that holds no whole number")),
        },
        Scalar::Boolean(flag) => {
            Err(D::Error::invalid_type(Unexpected::Bool(flag), &"a whole number"))
        }
    }
}

/// A boolean, which may be a 0 or a 1, or stand in a string, or null. An empty string counts as
/// null.
///
/// # Errors
///
/// If the value is anything else.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    match deserializer.deserialize_any(ScalarVisitor("a boolean"))? {
        Scalar::Null => Ok(None),
        Scalar::Boolean(flag) => Ok(Some(flag)),
        Scalar::Integer(number @ (0 | 1)) => Ok(Some(number == 1)),
        Scalar::Double(number) if number == 0.0 || number == 1.0 => Ok(Some(number == 1.0)),
        Scalar::Integer(_) | Scalar::Double(_) => Err(D::Error::custom(
            "a number that is neither 0 nor 1 where there should be a boolean",
        )),
        Scalar::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "" => Ok(None),
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ => Err(D::Error::custom("a string that holds no boolean")),
        },
    }
}

/// A text, or null. A number or a boolean is read as its text, but for a number beyond a `u64` or
/// an `i64`, which is read as null: its digits are lost.
///
/// # Errors
///
/// If the value is anything else.
pub fn text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: From<String>,
{
    Ok(match deserializer.deserialize_any(ScalarVisitor("a string"))? {
        Scalar::Null => None,
        Scalar::Boolean(flag) => Some(flag.to_string().into()),
        Scalar::Integer(number) => Some(number.to_string().into()),
        // Serde reads an integer of too many digits as a double, too. As the text of an id it would
        // be another id.
        Scalar::Double(number) => {
            let text = serde_json::Number::from_f64(number).filter(|_| number.abs() <= MAX_EXACT);
            text.map(|text| text.to_string().into())
        }
        Scalar::Text(text) => Some(text.into()),
    })
}

/// The largest number up to which a double holds every whole number: 2^53.
pub(super) const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// A scalar in any notation.
enum Scalar {
    Null,
    Boolean(bool),
    Integer(i128),
    Double(f64),
    Text(String),
}

/// Reads any scalar; anything else is an error that names the expected one.
struct ScalarVisitor(&'static str);

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Scalar, E> {
        Ok(Scalar::Boolean(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Double(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Scalar, E> {
        Ok(Scalar::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_none<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn numbers(value: Value) -> (Option<Option<f64>>, Option<Option<u32>>) {
        (number(value.clone()).ok(), integer(value).ok())
    }

    #[test]
    fn numbers_are_read_in_every_loose_form() {
        assert_eq!(numbers(json!(50)), (Some(Some(50.0)), Some(Some(50))));
        assert_eq!(numbers(json!(50.0)), (Some(Some(50.0)), Some(Some(50))));
        assert_eq!(numbers(json!("50")), (Some(Some(50.0)), Some(Some(50))));
        assert_eq!(numbers(json!("50.0")), (Some(Some(50.0)), Some(Some(50))));
        assert_eq!(numbers(json!("")), (Some(None), Some(None)));
        assert_eq!(numbers(json!(null)), (Some(None), Some(None)));
        assert_eq!(numbers(json!(0.5)), (Some(Some(0.5)), None));
        assert_eq!(numbers(json!(-1)), (Some(Some(-1.0)), Some(None)));
        assert_eq!(numbers(json!("soon")), (None, None));
        assert_eq!(numbers(json!("NaN")), (None, None));
        assert_eq!(numbers(json!(true)), (None, None));
        assert_eq!(numbers(json!("inf")), (None, None));
    }

    #[test]
    fn a_whole_number_that_does_not_fit_is_null() {
        assert_eq!(numbers(json!(1e300)), (Some(Some(1e300)), Some(None)));
        assert_eq!(numbers(json!(u64::MAX)).1, Some(None));
        let long = "123456789012345678901234567890";
        for text in [long.to_owned(), format!("\"{long}\""), format!("\"{long}{long}\"")] {
            let value: Value = serde_json::from_str(&text).expect("it is JSON");
            let (number, whole) = numbers(value);
            assert_eq!((number.flatten().is_some(), whole), (true, Some(None)), "{text}");
        }
    }

    #[test]
    fn booleans_are_read_in_every_loose_form() {
        for (value, expected) in [
            (json!(true), Some(Some(true))),
            (json!(false), Some(Some(false))),
            (json!("true"), Some(Some(true))),
            (json!(" False "), Some(Some(false))),
            (json!("1"), Some(Some(true))),
            (json!("0"), Some(Some(false))),
            (json!(1), Some(Some(true))),
            (json!(0), Some(Some(false))),
            (json!(1.0), Some(Some(true))),
            (json!(""), Some(None)),
            (json!(null), Some(None)),
            (json!(2), None),
            (json!(-1), None),
            (json!(0.5), None),
            (json!(u64::MAX), None),
            (json!("yes"), None),
            (json!([]), None),
        ] {
            assert_eq!(boolean(value.clone()).ok(), expected, "{value}");
        }
    }

    #[test]
    fn a_scalar_is_read_as_its_text() {
        let read = |value: Value| text::<_, String>(value).ok();
        let is = |text: &str| Some(Some(text.to_owned()));
        for (value, expected) in [
            (json!("07"), is("07")),
            (json!(""), is("")),
            (json!(78652), is("78652")),
            (json!(-1), is("-1")),
            (json!(0.5), is("0.5")),
            (json!(2.0), is("2.0")),
            (json!(u64::MAX), is("18446744073709551615")),
            (json!(i64::MIN), is("-9223372036854775808")),
            (json!(true), is("true")),
            (json!(null), Some(None)),
            (json!(1e20), Some(None)),
            (json!([]), None),
            (json!({}), None),
        ] {
            assert_eq!(read(value.clone()), expected, "{value}");
        }
        let long = serde_json::from_str("123456789012345678901").expect("it is a number");
        assert_eq!(read(long), Some(None), "not all of its digits are known");
    }
}
