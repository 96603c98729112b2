//! Leak detection: canary secrets, the encodings in which they are found again, and a capture of
//! trace output and panics that scans for them.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

use serde_json::Value;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// API key: visible ASCII, with characters that every escaping changes.
pub const KEY: &str = "Kq7Zx1Canary+/=&Vw93LpKey";
/// Value of a secret.
pub const SECRET: &str = "Sq7Zx2Canary\"\\/=é\n<&>'Vw93LpSecret";
/// Value of a template's environment variable.
pub const ENV: &str = "Eq7Zx3Canary=/é&Vw93LpEnv";
/// Value of an environment variable of a Pod that is read. Only the body of that response may
/// contain it.
pub const POD: &str = "Pq7Zx6Canary=/é&Vw93LpPod";
/// Secret of the storage settings.
pub const STORAGE: &str = "Aq7Zx4Canary/+=Vw93LpStorage";
/// URL of a webhook, which is a capability.
pub const WEBHOOK: &str = "https://hook.example/Hq7Zx5Canary=/Vw93LpHookToken0123456789abcdef";

/// Both ends of each canary, which text encodings leave unchanged: a partially redacted canary is
/// found, too.
const MARKERS: [&str; 12] = [
    "Kq7Zx1Canary",
    "Vw93LpKey",
    "Sq7Zx2Canary",
    "Vw93LpSecret",
    "Eq7Zx3Canary",
    "Vw93LpEnv",
    "Aq7Zx4Canary",
    "Vw93LpStorage",
    "Hq7Zx5Canary",
    "Vw93LpHookToken",
    "Pq7Zx6Canary",
    "Vw93LpPod",
];

/// Returns the position of the first canary in a text.
pub fn find(text: &str) -> Option<usize> {
    MARKERS.iter().filter_map(|marker| position(marker, text)).min()
}

/// Returns the position of the first canary in the body of an error. Values that the request did
/// not carry ([`POD`]) are the service's own and may appear there.
pub fn find_in_body(body: &str) -> Option<usize> {
    MARKERS[..10].iter().filter_map(|marker| position(marker, body)).min()
}

/// Returns the position of a marker, verbatim or in an encoding that changes every character.
fn position(marker: &str, text: &str) -> Option<usize> {
    let encoded = Encoding::OF_BYTES.iter().filter_map(|encoding| {
        let encoded = encoding.in_text(marker);
        text.find(encoded.trim_matches(['[', ']']))
    });
    text.find(marker).into_iter().chain(encoded).min()
}

/// Encoding in which a service writes a value that it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Verbatim,
    /// `/` as `\/`, as PHP does.
    SlashEscaped,
    /// `=`, `<`, `&` and non-ASCII characters as `\u003d`, as Gson does.
    LowerUnicode,
    /// The same with upper-case digits, as .NET does.
    UpperUnicode,
    /// JSON inside a JSON string.
    NestedJson,
    PercentUpper,
    PercentLower,
    Form,
    HtmlNames,
    HtmlNumbers,
    /// Quoted-printable for every byte.
    QuotedPrintable,
    /// The bytes as a list of decimal numbers, as JSON, Python and Rust write them.
    List,
    /// The bytes as pairs of hexadecimal digits.
    Pairs,
    /// The bytes as octal escapes of C.
    Octal,
}

impl Encoding {
    /// Encodings that change every byte.
    const OF_BYTES: [Self; 4] = [Self::QuotedPrintable, Self::List, Self::Pairs, Self::Octal];

    pub const ALL: [Self; 14] = [
        Self::Verbatim,
        Self::SlashEscaped,
        Self::LowerUnicode,
        Self::UpperUnicode,
        Self::NestedJson,
        Self::PercentUpper,
        Self::PercentLower,
        Self::Form,
        Self::HtmlNames,
        Self::HtmlNumbers,
        Self::QuotedPrintable,
        Self::List,
        Self::Pairs,
        Self::Octal,
    ];

    /// Returns the value as the content of a JSON string, without the quotes.
    pub fn in_json(self, value: &str) -> String {
        match self {
            Self::SlashEscaped => quoted(value).replace('/', "\\/"),
            Self::LowerUnicode => unicode(&quoted(value), |unit| format!("\\u{unit:04x}")),
            Self::UpperUnicode => unicode(&quoted(value), |unit| format!("\\u{unit:04X}")),
            Self::NestedJson => quoted(&quoted(value)),
            _ => quoted(&self.in_text(value)),
        }
    }

    /// Returns the value in plain text.
    pub fn in_text(self, value: &str) -> String {
        let each = |write: &dyn Fn(char) -> String| value.chars().map(write).collect();
        match self {
            Self::PercentUpper => each(&|c| percent(c, |byte| format!("%{byte:02X}"))),
            Self::PercentLower => each(&|c| percent(c, |byte| format!("%{byte:02x}"))),
            Self::Form => each(&|c| percent(c, |byte| format!("%{byte:02X}"))).replace("%20", "+"),
            Self::HtmlNames => each(&|c| match c {
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                '"' => "&quot;".to_owned(),
                '\'' => "&apos;".to_owned(),
                c => c.to_string(),
            }),
            Self::HtmlNumbers => each(&|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_string()
                } else {
                    format!("&#{};", u32::from(c))
                }
            }),
            Self::QuotedPrintable => bytes(value, "", |byte| format!("={byte:02X}")),
            Self::List => format!("[{}]", bytes(value, ", ", |byte| byte.to_string())),
            Self::Pairs => bytes(value, ":", |byte| format!("{byte:02x}")),
            Self::Octal => bytes(value, "", |byte| format!("\\{byte:03o}")),
            Self::Verbatim => value.to_owned(),
            _ => self.in_json(value),
        }
    }
}

fn bytes(value: &str, separator: &str, write: impl Fn(u8) -> String) -> String {
    value.bytes().map(write).collect::<Vec<_>>().join(separator)
}

fn quoted(value: &str) -> String {
    let text = Value::from(value).to_string();
    text[1..text.len() - 1].to_owned()
}

fn unicode(quoted: &str, write: impl Fn(u16) -> String) -> String {
    let mut text = String::new();
    for character in quoted.chars() {
        if character.is_ascii() && !"=<>&'+".contains(character) {
            text.push(character);
        } else {
            let mut units = [0; 2];
            text.extend(character.encode_utf16(&mut units).iter().map(|unit| write(*unit)));
        }
    }
    text
}

fn percent(character: char, write: impl Fn(u8) -> String) -> String {
    if character.is_ascii_alphanumeric() || "-._~".contains(character) {
        return character.to_string();
    }
    let mut bytes = [0; 4];
    character.encode_utf8(&mut bytes).bytes().map(write).collect()
}

/// Returns the text around a position.
pub(crate) fn excerpt(text: &str, at: usize) -> String {
    let start = floor_char_boundary(text, at.saturating_sub(200));
    let end = floor_char_boundary(text, at + 80);
    format!("…{}…", &text[start..end])
}

/// `str::floor_char_boundary`, which is newer than the minimum supported Rust version.
fn floor_char_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Current {
    traced: bool,
    captured: Captured,
}

/// Panics and leaks of one run, and the number of bytes that it traced.
#[derive(Default)]
pub(crate) struct Captured {
    pub(crate) panics: Vec<String>,
    pub(crate) leaks: Vec<String>,
    pub(crate) bytes: usize,
}

/// Capture of the trace output and the panics of the current thread, which plays one run at a time.
pub(crate) struct Capture(());

impl Capture {
    pub(crate) fn start(traced: bool) -> Self {
        install();
        let current = Current { traced, captured: Captured::default() };
        CURRENT.with(|slot| *slot.borrow_mut() = Some(current));
        Self(())
    }

    pub(crate) fn stop(self) -> Captured {
        let current = CURRENT.with(|slot| slot.borrow_mut().take());
        current.unwrap_or_default().captured
    }
}

impl Drop for Capture {
    /// Prints the panics if a panic ends the run itself, which then has no findings.
    fn drop(&mut self) {
        let current = CURRENT.with(|slot| slot.borrow_mut().take());
        for panic in current.into_iter().flat_map(|current| current.captured.panics) {
            let _ = writeln!(io::stderr(), "{panic}");
        }
    }
}

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .without_time()
            .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
            .with_writer(|| LeakScanner)
            .with_filter(dynamic_filter_fn(is_traced));
        let subscriber = tracing_subscriber::registry().with(LevelFilter::TRACE).with(layer);
        tracing::subscriber::set_global_default(subscriber).expect("no other subscriber");
        let _ = tracing_log::LogTracer::init();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // A panic in a run is a finding, which is reported with its seed.
            if with_current(|current| current.captured.panics.push(info.to_string())).is_none() {
                before(info);
            }
        }));
    });
}

fn is_traced<S>(_: &tracing::Metadata<'_>, _: &Context<'_, S>) -> bool {
    with_current(|current| current.traced).unwrap_or(false)
}

fn with_current<T>(work: impl FnOnce(&mut Current) -> T) -> Option<T> {
    CURRENT.try_with(|slot| slot.try_borrow_mut().ok()?.as_mut().map(work)).ok().flatten()
}

/// Writer that scans each traced line for canaries and discards it.
struct LeakScanner;

impl Write for LeakScanner {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let found = find(&text).map(|at| format!("traced: {}", excerpt(&text, at)));
        with_current(|current| {
            current.captured.bytes += line.len();
            current.captured.leaks.extend(found);
        });
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_every_canary_is_found() {
        for canary in [KEY, SECRET, ENV, STORAGE, WEBHOOK] {
            for encoding in Encoding::ALL {
                assert!(find(&encoding.in_text(canary)).is_some(), "{encoding:?}");
                let json = format!("\"{}\"", encoding.in_json(canary));
                let read: String = serde_json::from_str(&json).expect("a JSON string");
                assert!(find(&read).is_some(), "{encoding:?}: {json}");
            }
        }
    }

    #[test]
    fn half_a_canary_is_found() {
        assert_eq!(find("it is [redacted]Vw93LpKey"), Some(16));
        assert_eq!(find("nothing"), None);
    }
}
