//! Bounded search for secrets in a text, in all encodings.
//!
//! A text is searched in pieces that overlap. Each piece is decoded by every row of the table of
//! [encodings](super::encodings), and each layer that results again, until no row applies. In each
//! layer, the *windows* of all secrets are found by a rolling hash (Rabin-Karp): a short secret is
//! one window, a long one has a window at each position, so that the windows found cover any part
//! of it. The scheme of a URL is in no window of a part: unrelated URLs begin with it, too.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::encodings::{ENCODINGS, LEVELS, Layer, Symbol};

/// A secret shorter than this is only redacted as a separate word: redacting every `a` of a text
/// would reveal the secret.
const SHORT: usize = 4;

/// A secret shorter than this is not searched for across white space.
const JOINED: usize = 6;

/// Parts of a secret this long are redacted, too: a service may truncate what it echoes.
const LONG: usize = 12;

/// The schemes of URLs, which are not searched for as a part of a secret.
const SCHEMES: [&str; 14] = [
    "https://",
    "http://",
    "wss://",
    "ws://",
    "ftp://",
    "s3://",
    "postgresql://",
    "postgres://",
    "mysql://",
    "mongodb://",
    "rediss://",
    "redis://",
    "amqps://",
    "amqp://",
];

/// If the secrets' total length exceeds this, whole texts are redacted instead: searching would
/// take too long.
const MAX_SECRET_BYTES: usize = 256 * 1024;

/// The length of a piece, in bytes, and that of its overlap with the next: more than the encoding
/// of a window that is decoded within the bound.
const PIECE: usize = 32 * 1024;
const OVERLAP: usize = 4 * 1024;

/// The maximum number of symbols in all layers of a piece: [`LAYERS`] for each of its own, and
/// [`EXTRA_SYMBOLS`]. A piece with more consists of escapes upon escapes, as no message does, and
/// is withheld.
const LAYERS: usize = 48;
const EXTRA_SYMBOLS: usize = 100_000;

/// Replaces a character that was not UTF-8.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// Secrets, prepared for searching.
#[derive(Default)]
pub(super) struct Needles {
    /// Secrets shorter than [`JOINED`], and those with white space, are searched for as they are;
    /// all others without white space, in a text without white space.
    exact: Windows,
    joined: Windows,
    /// True if there are too many to search for.
    too_many: bool,
}

/// The windows of needles by their length, sorted by their hash.
#[derive(Default)]
struct Windows {
    needles: Vec<Vec<char>>,
    by_length: BTreeMap<usize, Vec<Window>>,
}

/// A piece of a needle.
struct Window {
    hash: u64,
    needle: usize,
    first: usize,
}

/// A layer has more symbols than are left to search.
struct OutOfBounds;

impl Needles {
    pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let secrets: BTreeSet<_> = secrets.collect();
        if secrets.iter().map(|secret| secret.len()).sum::<usize>() > MAX_SECRET_BYTES {
            return Self { too_many: true, ..Self::default() };
        }
        let (mut exact, mut joined) = (Windows::default(), Windows::default());
        for secret in secrets {
            let layer = Layer::of(secret);
            let all: Vec<_> = layer.symbols.iter().map(|it| folded(it.is)).collect();
            let solid: Vec<_> = all.iter().copied().filter(|it| !is_passed_over(*it)).collect();
            let is_joined = solid.len() >= JOINED;
            // A part of it may have as much white space as letters.
            if !is_joined || solid != all {
                exact.add(all);
            }
            if is_joined {
                joined.add(solid);
            }
        }
        exact.sort();
        joined.sort();
        Self { exact, joined, too_many: false }
    }

    /// Returns the spans to redact, in order and without overlaps.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.too_many && !text.is_empty() {
            found.push(0..text.len());
        }
        let lengths = self.exact.by_length.keys().chain(self.joined.by_length.keys());
        let Some(shortest) = lengths.min().copied() else { return found };
        let boundary = |at: usize| {
            (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let (mut start, mut end) = (0, 0);
        while end < text.len() {
            end = boundary(start + PIECE);
            let mut spans = Vec::new();
            match self.search(Layer::of(&text[start..end]), shortest, &mut spans) {
                Ok(()) => found.extend(spans.iter().map(|it| start + it.start..start + it.end)),
                Err(OutOfBounds) => found.push(start..end),
            }
            start = boundary(end.saturating_sub(OVERLAP));
        }
        found.sort_unstable_by_key(|span| span.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for span in found {
            match merged.last_mut().filter(|last| last.end >= span.start) {
                Some(last) => last.end = last.end.max(span.end),
                None => merged.push(span),
            }
        }
        merged
    }

    /// Finds spans in a text and in all layers that rows of the table make of it.
    fn search(
        &self,
        text: Layer,
        shortest: usize,
        found: &mut Vec<Range<usize>>,
    ) -> Result<(), OutOfBounds> {
        let mut left = text.symbols.len() * LAYERS + EXTRA_SYMBOLS;
        let (mut seen, mut layers) = (HashSet::new(), vec![text]);
        while let Some(layer) = layers.pop() {
            for decoded in ENCODINGS.iter().flat_map(|encoding| layer.decoded(encoding)) {
                // No row makes a text longer.
                if decoded.symbols.len() < shortest || !seen.insert(hash_of(&decoded.symbols)) {
                    continue;
                }
                if decoded.level > LEVELS {
                    return Err(OutOfBounds);
                }
                left = left.checked_sub(decoded.symbols.len()).ok_or(OutOfBounds)?;
                layers.push(decoded);
            }
            let Layer { mut symbols, is_of_runs, .. } = layer;
            symbols.iter_mut().for_each(|it| it.is = folded(it.is));
            self.exact.find(&symbols, is_of_runs, &mut left, found)?;
            symbols.retain(|it| !is_passed_over(it.is));
            self.joined.find(&symbols, is_of_runs, &mut left, found)?;
        }
        Ok(())
    }
}

impl Windows {
    fn add(&mut self, needle: Vec<char>) {
        let scheme = length_of_scheme(&needle);
        let (length, skipped) = match needle.len() - scheme {
            _ if needle.is_empty() => return,
            rest if rest < LONG => (needle.len(), 0),
            rest => ((rest / 3).clamp(LONG - 3, 16), scheme),
        };
        let windows = needle.windows(length).enumerate().skip(skipped).map(|(first, window)| {
            let hash = window.iter().fold(0, |hash, it| hashed(hash, *it));
            Window { hash, needle: self.needles.len(), first }
        });
        self.by_length.entry(length).or_default().extend(windows);
        self.needles.push(needle);
    }

    fn sort(&mut self) {
        let needles = &self.needles;
        for (length, windows) in &mut self.by_length {
            let key = |it: &Window| (it.hash, &needles[it.needle][it.first..it.first + length]);
            windows.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
            windows.dedup_by(|one, other| key(one) == key(other));
        }
    }

    fn find(
        &self,
        symbols: &[Symbol],
        is_of_runs: bool,
        left: &mut usize,
        found: &mut Vec<Range<usize>>,
    ) -> Result<(), OutOfBounds> {
        for (&length, windows) in &self.by_length {
            let is_short = length < SHORT;
            if is_short && is_of_runs {
                continue;
            }
            let first = (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
            let mut hash = 0;
            for (at, symbol) in symbols.iter().enumerate() {
                hash = hashed(hash, symbol.is);
                let Some(from) = (at + 1).checked_sub(length) else { continue };
                if let Some(before) = from.checked_sub(1) {
                    hash = hash.wrapping_sub(hashed(0, symbols[before].is).wrapping_mul(first));
                }
                let beside = [from.checked_sub(1), Some(at + 1)].into_iter().flatten();
                let mut beside = beside.filter_map(|at| symbols.get(at));
                let place = windows.partition_point(|it| it.hash < hash);
                for window in windows[place..].iter().take_while(|it| it.hash == hash) {
                    *left = left.checked_sub(1).ok_or(OutOfBounds)?;
                    let expected = &self.needles[window.needle][window.first..];
                    let mut pairs = symbols[from..=at].iter().zip(expected);
                    if pairs.all(|(it, expected)| fits(it.is, *expected))
                        && !(is_short && beside.any(|it| it.is.is_alphanumeric()))
                    {
                        found.push(symbols[from].start as usize..symbol.end as usize);
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The number of characters of `https://` at the beginning of a URL; zero for any other text.
fn length_of_scheme(needle: &[char]) -> usize {
    let begins = |scheme: &&str| needle.iter().copied().take(scheme.len()).eq(scheme.chars());
    SCHEMES.iter().find(|scheme| begins(scheme)).map_or(0, |scheme| scheme.len())
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a window that is longer by a character. All characters that fit one another have the
/// same.
fn hashed(hash: u64, character: char) -> u64 {
    let class = if character.is_ascii() { character } else { LOST };
    hash.wrapping_mul(BASE).wrapping_add(u64::from(class).wrapping_add(1))
}

/// The hash of a layer, by which one that is decoded in several ways is searched once.
fn hash_of(symbols: &[Symbol]) -> u64 {
    let mut hasher = DefaultHasher::new();
    symbols.iter().for_each(|it| (it.is, it.start).hash(&mut hasher));
    hasher.finish()
}

/// Characters that may be inserted into a text: line breaks, places where a line may be broken, the
/// zero bytes of UTF-16 that is read as UTF-8, and quotes, which SQL, CSV and YAML double, and a
/// shell closes and opens.
fn is_passed_over(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '"' | '\'' | '\\' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
}

/// The character in lower case; a plus is a blank, as in the query of a URL.
fn folded(character: char) -> char {
    match character {
        '+' => ' ',
        _ => character.to_lowercase().next().unwrap_or(character),
    }
}

fn fits(read: char, expected: char) -> bool {
    read == expected || (read == LOST && !expected.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(secrets: &[&str], text: &str) -> Vec<(usize, usize)> {
        let found = Needles::of(secrets.iter().copied()).spans(text);
        found.into_iter().map(|span| (span.start, span.end)).collect()
    }

    fn is_found(secret: &str, text: &str) -> bool {
        !spans(&[secret], text).is_empty()
    }

    /// A secret of this length, of which no part repeats.
    fn secret(length: usize) -> String {
        (0..length).map(|at| char::from(b'a' + (at * at % 23 + at) as u8 % 26)).collect()
    }

    #[test]
    fn a_long_secret_is_found_by_each_of_its_parts() {
        for (length, part) in [(4, 4), (11, 11), (12, 9), (29, 9), (30, 10), (48, 16), (90, 16)] {
            let secret = secret(length);
            for first in 0..=length - part {
                let text = format!("<{}>", &secret[first..first + part]);
                assert_eq!(spans(&[&secret], &text), [(1, part + 1)], "{first} of {length}");
            }
            assert!(!is_found(&secret, &format!("<{}>", &secret[..part - 1])), "{length}");
            assert!(!is_found(&secret, &format!("<{}>", &secret[length - part + 1..])), "{length}");
        }
    }

    #[test]
    fn the_scheme_of_a_url_is_found_only_with_a_short_rest() {
        let long = "https://hunter-22.io";
        assert_eq!(spans(&[long], "https://hunter-22.com"), [(8, 18)]);
        assert!(spans(&[long], "https://huntress.com").is_empty());
        let short = "https://hunter.com1";
        assert_eq!(spans(&[short], "https://hunter.com1!"), [(0, 19)]);
        assert!(spans(&[short], "http://hunter.com1").is_empty());
        let long = "postgresql://hunter-22.io";
        assert!(spans(&[long], "postgresql://huntress.com").is_empty());
        // No scheme: a part may begin with its first characters.
        assert_eq!(spans(&["https:/+hunter-22.io"], "https:/+huntress"), [(0, 12)]);
        assert_eq!(spans(&["https://"], "<https://>"), [(1, 9)]);
    }

    #[test]
    fn a_short_secret_is_found_as_a_word_and_not_across_a_line() {
        for (secret, text, found) in [
            ("abc", "x abc.", true),
            ("abc", "abc", true),
            ("abc", "xabc", false),
            ("abc", "abcx", false),
            ("abc", "abc7", false),
            ("abc", "YWJj 616263 97 98 99 100", false),
            ("abcd", "xabcdx", true),
            ("abcd", "WWFiY2RZ", true),
            ("abcde", "abc\nde", false),
            ("abcdef", "abc\ndef", true),
            ("abcdef", "abc \t'\"\\\u{200b}\u{feff}\u{0}def", true),
            ("abcdef", "abc-def", false),
            ("a b c", "a b c", true),
            ("a b c", "a  b c", false),
            ("a bcdef", "abcdef", true),
            ("a bcdef", "a\tb cdef", true),
            ("a b cde", "<a b cde>", true),
            ("a b c d e f g h i j k l", "<e f g h i>", true),
        ] {
            assert_eq!(is_found(secret, text), found, "{secret}: {text:?}");
        }
    }

    #[test]
    fn characters_fit_in_both_cases_and_where_they_were_lost() {
        for (secret, text, found) in [
            ("hunter", "HUNTER", true),
            ("HUNTER", "hunter", true),
            ("hunté r", "HUNTÉ+R", true),
            ("hunté-ñ", "hunt\u{fffd}-\u{fffd}", true),
            ("hunte-ñ", "hunt\u{fffd}-\u{fffd}", false),
            ("hunté-ñ", "huntè-ñ", false),
        ] {
            assert_eq!(is_found(secret, text), found, "{secret}: {text:?}");
        }
    }

    #[test]
    fn spans_that_meet_are_one() {
        assert_eq!(spans(&["hunter", "terrace"], "a hunterrace, hunter"), [(2, 12), (14, 20)]);
        assert_eq!(spans(&["hunter", "22-22-22"], "hunter22-22-22 "), [(0, 14)]);
        assert_eq!(spans(&["hunter"], "hunter hunter"), [(0, 6), (7, 13)]);
        assert_eq!(spans(&["hunter"], "hunterhunter"), [(0, 12)]);
        assert!(spans(&[""], "hunter").is_empty());
        assert!(spans(&[], "hunter").is_empty());
    }

    #[test]
    fn a_text_of_several_pieces_is_searched_across_their_ends() {
        let secret = secret(40);
        for filling in ["-", "é", "🦀"] {
            for before in [PIECE - 40, PIECE - 20, PIECE - 1, PIECE, 2 * PIECE - OVERLAP - 20] {
                let filled = filling.repeat(before / filling.len());
                let text = format!("{filled}{secret}{filling}");
                assert_eq!(
                    spans(&[&secret], &text),
                    [(filled.len(), filled.len() + 40)],
                    "{before}"
                );
            }
        }
        // Of an encoding that is longer than the overlap, too.
        let escaped: String = secret.bytes().map(|it| format!("\\U{it:08x}")).collect();
        let at = PIECE - escaped.len() / 2;
        let text = format!("{}{escaped}{}", "-".repeat(at), "-".repeat(OVERLAP));
        assert_eq!(spans(&[&secret], &text), [(at, at + escaped.len())]);
    }

    #[test]
    fn each_layer_is_searched_once() {
        // Found in the second of two layers, as long as the first, and as long as the secret.
        assert!(is_found("hunter", "%2e =68unter"));
        assert!(is_found("hunter", "%68unter"));
        // The same layers come from each order in which four rows decode it.
        let escaped = r"\x61 %61 &#97; =61 ".repeat(PIECE / 20);
        assert!(spans(&["hunter"], &escaped).is_empty());
    }

    #[test]
    fn a_text_is_withheld_only_if_searching_it_would_take_too_long() {
        let escaped = |levels: usize| format!("-----%{}61-----", "25".repeat(levels - 1));
        assert!(spans(&["hunter"], &escaped(LEVELS)).is_empty());
        let above = escaped(LEVELS + 1);
        assert_eq!(spans(&["hunter"], &above), [(0, above.len())]);
        // Many symbols in all layers, and many windows.
        let (many, secrets) = (escaped(10).repeat(PIECE / 40), [90, 91, 92].map(secret));
        assert!(spans(&["hunter"], &many).is_empty());
        let secrets = secrets.each_ref().map(String::as_str);
        assert!(spans(&secrets, &"-".repeat(PIECE - 100)).is_empty());
    }

    #[test]
    fn too_many_secrets_withhold_every_text() {
        let secret = "s".repeat(MAX_SECRET_BYTES);
        assert!(spans(&[&secret[1..]], "hunter").is_empty());
        assert!(spans(&[&secret], "hunter").is_empty());
        assert_eq!(spans(&[&secret, "x"], "hunter"), [(0, 6)]);
        assert!(spans(&[&secret, "x"], "").is_empty());
    }
}
