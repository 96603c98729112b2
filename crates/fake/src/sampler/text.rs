//! Texts: by format, by pattern, or of words.

use fastrand::Rng;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value};

/// The largest number of repetitions of a part of a pattern beyond its minimum.
const REPEATED: u32 = 3;

const WORDS: [&str; 12] = [
    "alpha",
    "bravo",
    "charlie",
    "delta",
    "a text of words",
    "Grüße ✓",
    "07",
    "true",
    "1.0",
    "\"quoted\" \\ text",
    "x",
    "line\nbreak",
];

/// A text of the keywords `format`, `pattern`, `minLength` and `maxLength`.
pub(super) fn text(random: &mut Rng, flat: &Map<String, Value>) -> String {
    let format = flat.get("format").and_then(Value::as_str).unwrap_or_default();
    let pattern = flat.get("pattern").and_then(Value::as_str);
    let text = pattern.and_then(|it| matching(random, it)).or_else(|| of_format(random, format));
    let length = |key: &str| {
        let length = flat.get(key).and_then(Value::as_u64);
        length.and_then(|it| usize::try_from(it).ok())
    };
    let (least, most) = (length("minLength").unwrap_or(0), length("maxLength"));
    let mut text = text.unwrap_or_else(|| match random.u8(..12) {
        0 => String::new(),
        _ => WORDS[random.usize(..WORDS.len())].to_owned(),
    });
    while text.chars().count() < least {
        text.push(random.lowercase());
    }
    match most {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}

fn of_format(random: &mut Rng, format: &str) -> Option<String> {
    let mut number = |from: u32, to: u32| random.u32(from..=to);
    let date = format!("{}-{:02}-{:02}", number(1970, 2037), number(1, 12), number(1, 28));
    let time = format!("{:02}:{:02}:{:02}", number(0, 23), number(0, 59), number(0, 59));
    let zone = ["Z", "+02:00", ".25Z", ".123456-05:30"][number(0, 3) as usize];
    let word = WORDS[number(0, 3) as usize];
    Some(match format {
        "date-time" => format!("{date}T{time}{zone}"),
        "date" => date,
        "time" => format!("{time}{zone}"),
        "duration" => format!("P{}DT{}H", number(0, 9), number(0, 23)),
        "email" | "idn-email" => format!("{word}{}@shop.example", number(0, 99)),
        "hostname" | "idn-hostname" => format!("{word}.example"),
        "ipv4" => format!("192.0.2.{}", number(0, 255)),
        "ipv6" => format!("2001:db8::{:x}", number(1, 0xffff)),
        "uri" | "iri" | "url" => format!("https://{word}.example/{}?q=1", number(0, 99)),
        "uri-reference" | "iri-reference" => format!("/{word}/{}", number(0, 99)),
        "uri-template" => format!("/{word}/{{id}}"),
        "json-pointer" => format!("/{word}/{}", number(0, 9)),
        "relative-json-pointer" => format!("{}/{word}", number(0, 9)),
        "regex" => format!("^{word}+$"),
        "byte" | "base64" => ["", "AA==", "cG9kcXVldWU=", "/+8="][number(0, 3) as usize].to_owned(),
        "uuid" => {
            let mut hex = |most: u32| random.u32(0..=most);
            format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:08x}{:04x}",
                hex(u32::MAX),
                hex(0xffff),
                hex(0xfff),
                hex(0xfff),
                hex(u32::MAX),
                hex(0xffff)
            )
        }
        _ => return None,
    })
}

/// A text that a regular expression matches; none if the expression is not understood. Anchors and
/// word boundaries are ignored, because the validator judges the text.
pub(super) fn matching(random: &mut Rng, pattern: &str) -> Option<String> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut text = String::new();
    append(random, &hir, &mut text);
    Some(text)
}

fn append(random: &mut Rng, hir: &Hir, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            // The validator may know fewer digits of other scripts than the sampler.
            let ranges: Vec<_> = class.ranges().iter().filter(|it| it.start().is_ascii()).collect();
            let ranges = if ranges.is_empty() { class.ranges().iter().collect() } else { ranges };
            let Some(range) = random.choice(&ranges) else { return };
            // Printable where there is a choice.
            let start = range.start().max(' ').min(range.end());
            let end = range.end().min('~').max(start);
            text.push(random.char(start..=end));
        }
        HirKind::Class(Class::Bytes(class)) => {
            let Some(range) = class.ranges().first() else { return };
            text.push(char::from(range.start()));
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min + REPEATED);
            for _ in 0..random.u32(repetition.min..=most) {
                append(random, &repetition.sub, text);
            }
        }
        HirKind::Capture(capture) => append(random, &capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| append(random, part, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = random.choice(parts) {
                append(random, part, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_matched() {
        let mut random = Rng::with_seed(7);
        let text = matching(&mut random, "^[a-c]{2}-(x|y)+$").unwrap_or_default();
        let (start, end) = text.split_once('-').unwrap_or_default();
        assert!(start.len() == 2 && start.chars().all(|it| ('a'..='c').contains(&it)), "{text}");
        assert!(!end.is_empty() && end.chars().all(|it| it == 'x' || it == 'y'), "{text}");
        let digits = matching(&mut random, r"^\d{20}$").unwrap_or_default();
        assert!(digits.len() == 20 && digits.chars().all(|it| it.is_ascii_digit()), "{digits}");
        assert_eq!(matching(&mut random, "(?=not understood)"), None);
    }
}
