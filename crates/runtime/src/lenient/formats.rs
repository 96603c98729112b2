//! Formats of texts as types: dates, times and UUIDs.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::Value as Json;

use super::codec::{self, Lenient, Mismatch, Reading};
use super::node::Node;

/// A type of a crate whose values are texts of one format.
pub trait Format: Copy + fmt::Debug + PartialEq + 'static {
    /// The value of a text; none if it has another format.
    fn parse(text: &str) -> Option<Self>;

    /// The text that is sent.
    fn text(self) -> String;
}

/// A text of a known format, such as a date, with its value.
///
/// A text of another format does not make the rest of a response unreadable: it has no
/// [`value`](Self::value), and [`as_str`](Self::as_str) is what the service sent. Two texts with a
/// value are equal if the values are.
///
/// Wherever one is sent, a `T` is accepted: `pet.born(date)`.
#[derive(Clone)]
pub struct Parsed<T> {
    text: String,
    value: Option<T>,
}

impl<T: Format> Parsed<T> {
    /// The value, unless the text has another format.
    pub fn value(&self) -> Option<T> {
        self.value
    }

    /// The text on the wire.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn read(text: String) -> Self {
        Self { value: T::parse(&text), text }
    }
}

impl<T: Format> From<T> for Parsed<T> {
    fn from(value: T) -> Self {
        Self { text: value.text(), value: Some(value) }
    }
}

impl<T: Format> PartialEq for Parsed<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self.value, other.value) {
            (None, None) => self.text == other.text,
            (one, other) => one == other,
        }
    }
}

impl<T> fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<T> fmt::Display for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl<'de, T: Format> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        codec::deserialize(deserializer)
    }
}

impl<T> Serialize for Parsed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<T: Format> Lenient for Parsed<T> {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        let parsed = codec::text::<String>(value, reading)?.map(Self::read);
        match &parsed {
            // Where branches are tried in turn, a text of another format is of another branch.
            Some(Self { value: None, .. }) if reading == Reading::Exact => {
                Err(Mismatch::new("a text of another format"))
            }
            _ => Ok(parsed),
        }
    }

    fn blank() -> Self {
        Self::read(String::new())
    }

    fn write(&self) -> Node<'_> {
        Node::Text(&self.text)
    }
}

/// Types of the crate chrono.
#[cfg(feature = "chrono")]
pub mod chrono {
    use super::Format;

    /// A point in time.
    pub type DateTime = chrono::DateTime<chrono::Utc>;
    /// A day.
    pub type Date = chrono::NaiveDate;

    impl Format for DateTime {
        fn parse(text: &str) -> Option<Self> {
            chrono::DateTime::parse_from_rfc3339(text).ok().map(|it| it.to_utc())
        }

        fn text(self) -> String {
            self.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
        }
    }

    impl Format for Date {
        fn parse(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn text(self) -> String {
            self.to_string()
        }
    }
}

/// Types of the crate jiff.
#[cfg(feature = "jiff")]
pub mod jiff {
    use super::Format;

    /// A point in time.
    pub type DateTime = jiff::Timestamp;
    /// A day.
    pub type Date = jiff::civil::Date;

    impl Format for DateTime {
        fn parse(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn text(self) -> String {
            self.to_string()
        }
    }

    impl Format for Date {
        fn parse(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn text(self) -> String {
            self.to_string()
        }
    }
}

/// Types of the crate time.
#[cfg(feature = "time")]
pub mod time {
    use time::format_description::well_known::{Iso8601, Rfc3339};

    use super::Format;

    /// A point in time.
    pub type DateTime = time::OffsetDateTime;
    /// A day.
    pub type Date = time::Date;

    impl Format for DateTime {
        fn parse(text: &str) -> Option<Self> {
            Self::parse(text, &Rfc3339).ok()
        }

        fn text(self) -> String {
            // Only a year above 9999 has no such text.
            self.format(&Rfc3339).unwrap_or_else(|_| self.to_string())
        }
    }

    impl Format for Date {
        fn parse(text: &str) -> Option<Self> {
            Self::parse(text, &Iso8601::DATE).ok()
        }

        fn text(self) -> String {
            self.to_string()
        }
    }
}

/// The type of the crate uuid.
#[cfg(feature = "uuid")]
pub mod uuid {
    use super::Format;

    /// A UUID.
    pub type Uuid = uuid::Uuid;

    impl Format for Uuid {
        fn parse(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn text(self) -> String {
            self.to_string()
        }
    }
}

#[cfg(all(test, feature = "chrono", feature = "jiff", feature = "time", feature = "uuid"))]
mod tests {
    use serde_json::json;

    use super::*;

    fn check<T: Format>(texts: &[&str], others: &[&str]) {
        for text in texts {
            let parsed: Parsed<T> = codec::value(&json!(text), Reading::Exact).expect("a value");
            let value = parsed.value().expect("it has the format");
            assert_eq!((parsed.as_str(), Parsed::from(value)), (*text, parsed.clone()));
            assert_eq!(serde_json::to_value(&parsed).ok(), Some(json!(text)), "as it came");
            assert_eq!(T::parse(&value.text()), Some(value), "{text}");
        }
        for text in others {
            let json = json!(text);
            let parsed: Parsed<T> = codec::value(&json, Reading::Lenient).expect("it is a text");
            assert_eq!((parsed.value(), parsed.to_string().as_str()), (None, *text));
            assert_eq!(serde_json::to_value(&parsed).ok(), Some(json.clone()));
            assert!(codec::value::<Parsed<T>>(&json, Reading::Exact).is_err());
        }
        let mismatch = codec::value::<Parsed<T>>(&json!([]), Reading::Lenient);
        assert!(mismatch.is_err(), "a list is not text");
    }

    #[test]
    fn texts_of_a_format_have_values_and_others_are_kept() {
        let times =
            ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.250+02:00", "1969-12-31T23:59:59.5Z"];
        let no_times = ["", "2024-02-29", "2023-02-29T12:00:00Z", "1709208000", "yesterday"];
        check::<chrono::DateTime>(&times, &no_times);
        check::<jiff::DateTime>(&times, &no_times);
        check::<time::DateTime>(&times, &no_times);
        let (dates, no_dates) = (["2024-02-29", "0001-01-01"], ["", "2023-02-29", "29.2.2024"]);
        check::<chrono::Date>(&dates, &no_dates);
        check::<jiff::Date>(&dates, &no_dates);
        check::<time::Date>(&dates, &no_dates);
        let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        check::<uuid::Uuid>(&[id, &id.to_uppercase()], &["", "67e55044", &format!("{id}0")]);
    }

    #[test]
    fn texts_of_one_value_are_equal() {
        let read = |text: &str| Parsed::<time::DateTime>::read(text.to_owned());
        assert_eq!(read("2024-01-01T02:00:00+02:00"), read("2024-01-01T00:00:00Z"));
        assert_ne!(read("never"), read("no"));
        assert_ne!(read("never"), read("2024-01-01T00:00:00Z"));
    }
}
