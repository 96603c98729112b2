//! Values that must never be shown, and the ways in which a service can spell them.

use serde_json::Value;

/// The API key: visible ASCII, with characters that every escaping changes.
pub const KEY: &str = "Kq7Zx1Canary+/=&Vw93LpKey";
/// The value of a secret.
pub const SECRET: &str = "Sq7Zx2Canary\"\\/=é\n<&>'Vw93LpSecret";
/// The value of an environment variable.
pub const ENV: &str = "Eq7Zx3Canary=/é&Vw93LpEnv";
/// The same of a Pod that is read. The body of a response that holds it may be asked for; nothing else
/// shows it.
pub const POD: &str = "Pq7Zx6Canary=/é&Vw93LpPod";
/// The secret of the storage settings.
pub const STORAGE: &str = "Aq7Zx4Canary/+=Vw93LpStorage";
/// The URL of a webhook, which whoever knows can call.
pub const WEBHOOK: &str = "https://hook.example/Hq7Zx5Canary=/Vw93LpHookToken0123456789abcdef";

/// What every spelling leaves unchanged: both ends of each canary, so that a part is found too.
const CORES: [&str; 12] = [
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

/// Where a canary stands in a text.
pub fn found_in(text: &str) -> Option<usize> {
    CORES.iter().filter_map(|core| position(core, text)).min()
}

/// As `found_in`, of a body: what the request did not hold is the service's own.
pub fn found_in_body(body: &str) -> Option<usize> {
    CORES[..10].iter().filter_map(|core| position(core, body)).min()
}

/// Where a core stands, as it is or in an encoding that changes every character.
fn position(core: &str, text: &str) -> Option<usize> {
    let encoded = Spelling::OF_BYTES.iter().filter_map(|spelling| {
        let written = spelling.in_text(core);
        text.find(written.trim_matches(['[', ']']))
    });
    text.find(core).into_iter().chain(encoded).min()
}

/// How a service writes a value that it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    Verbatim,
    /// `/` as `\/`, as PHP does.
    SlashEscaped,
    /// `=`, `<`, `&` and all beyond ASCII as `\u003d`, as Gson does.
    LowerUnicode,
    /// The same in upper case, as .NET does.
    UpperUnicode,
    /// JSON in a JSON string.
    Twice,
    PercentUpper,
    PercentLower,
    Form,
    HtmlNames,
    HtmlNumbers,
    /// Quoted-printable, of each byte.
    QuotedPrintable,
    /// The bytes as a list of numbers, as JSON, Python and Rust write them.
    List,
    /// The bytes as pairs of digits.
    Pairs,
    /// The bytes in octal, as C escapes them.
    Octal,
}

impl Spelling {
    /// Those that leave no byte as it is.
    const OF_BYTES: [Self; 4] = [Self::QuotedPrintable, Self::List, Self::Pairs, Self::Octal];

    pub const ALL: [Self; 14] = [
        Self::Verbatim,
        Self::SlashEscaped,
        Self::LowerUnicode,
        Self::UpperUnicode,
        Self::Twice,
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

    /// The value inside the quotes of a JSON string.
    pub fn in_json(self, value: &str) -> String {
        match self {
            Self::SlashEscaped => quoted(value).replace('/', "\\/"),
            Self::LowerUnicode => unicode(&quoted(value), |unit| format!("\\u{unit:04x}")),
            Self::UpperUnicode => unicode(&quoted(value), |unit| format!("\\u{unit:04X}")),
            Self::Twice => quoted(&quoted(value)),
            _ => quoted(&self.in_text(value)),
        }
    }

    /// The value in plain text.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_every_canary_is_found() {
        for canary in [KEY, SECRET, ENV, STORAGE, WEBHOOK] {
            for spelling in Spelling::ALL {
                assert!(found_in(&spelling.in_text(canary)).is_some(), "{spelling:?}");
                let json = format!("\"{}\"", spelling.in_json(canary));
                let read: String = serde_json::from_str(&json).expect("a JSON string");
                assert!(found_in(&read).is_some(), "{spelling:?}: {json}");
            }
        }
    }

    #[test]
    fn half_a_canary_is_found() {
        assert_eq!(found_in("it is [redacted]Vw93LpKey"), Some(16));
        assert_eq!(found_in("nothing"), None);
    }
}
