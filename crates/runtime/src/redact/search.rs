//! Bounded search for secrets in a text, in all encodings.
//!
//! A text is searched in pieces that overlap. Each piece is decoded by every row of the table of
//! [encodings](super::encodings), and each layer that results again, until no row applies. In each layer, the
//! *windows* of all secrets are found by a rolling hash: a short secret is one window, a long one has a window
//! at each position, so that the windows found cover any part of it.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::encodings::{ENCODINGS, Layer, Symbol};

/// A secret shorter than this is only redacted as a separate word: redacting every `a` of a text would
/// reveal the secret.
const SHORT: usize = 4;

/// A secret shorter than this is not searched for across white space.
const JOINED: usize = 6;

/// Parts of a secret this long are redacted, too: a service may truncate what it echoes.
const LONG: usize = 12;

/// If the secrets' total length exceeds this, whole texts are redacted instead: searching would take
/// too long.
const MOST: usize = 256 * 1024;

/// The length of a piece, in bytes, and that of its overlap with the next: more than the encoding of a window
/// that is decoded within the bound.
const PIECE: usize = 32 * 1024;
const OVERLAP: usize = 4 * 1024;

/// The maximum number of symbols in all layers of a piece. A piece that has more consists of escapes upon
/// escapes, which no message does, and is withheld.
const LAYERS: usize = 48;
const SYMBOLS_OF_ANY: usize = 100_000;

/// Replaces a character that was not UTF-8.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// Secrets, prepared for searching.
#[derive(Default)]
pub(super) struct Needles {
    needles: Vec<Vec<char>>,
    /// The windows of short secrets, and of those that may have white space inserted, by their length.
    exact: BTreeMap<usize, Vec<Window>>,
    joined: BTreeMap<usize, Vec<Window>>,
    /// There are too many to search for.
    too_many: bool,
}

/// Adds a needle with its windows.
fn add(
    needle: Vec<char>,
    needles: &mut Vec<Vec<char>>,
    windows: &mut BTreeMap<usize, Vec<Window>>,
) {
    let length = match needle.len() {
        0 => return,
        length if length < LONG => length,
        length => (length / 3).clamp(LONG - 3, 16),
    };
    let all = needle.windows(length).enumerate().map(|(first, window)| {
        let hash = window.iter().fold(0, |hash, it| hashed(hash, *it));
        Window { hash, needle: needles.len(), first }
    });
    windows.entry(length).or_default().extend(all);
    needles.push(needle);
}

/// A piece of a needle.
struct Window {
    hash: u64,
    needle: usize,
    first: usize,
}

impl Needles {
    pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        let mut length = 0;
        for secret in secrets {
            length += secret.len();
            if length > MOST {
                return Self { too_many: true, ..Self::default() };
            }
            let layer = Layer::of(secret, 0..secret.len());
            let exact: Vec<_> = layer.symbols.iter().map(|it| folded(it.is)).collect();
            let joined: Vec<_> = exact.iter().copied().filter(|it| !is_passed_over(*it)).collect();
            // White space at its ends is found with a window that has it.
            let has_blank_end =
                [exact.first(), exact.last()].into_iter().flatten().any(|it| is_passed_over(*it));
            let is_joined = joined.len() >= JOINED;
            if !is_joined || has_blank_end {
                add(exact, &mut found.needles, &mut found.exact);
            }
            if is_joined {
                add(joined, &mut found.needles, &mut found.joined);
            }
        }
        let needles = &found.needles;
        for (length, windows) in found.exact.iter_mut().chain(&mut found.joined) {
            let key = |it: &Window| (it.hash, &needles[it.needle][it.first..it.first + length]);
            windows.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
            windows.dedup_by(|one, other| key(one) == key(other));
        }
        found
    }

    /// The spans to redact, in order and without overlaps.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.too_many && !text.is_empty() {
            found.push(0..text.len());
        }
        let (mut start, mut end) = (0, 0);
        while end < text.len() && !(self.exact.is_empty() && self.joined.is_empty()) {
            end = text.floor_char_boundary(start + PIECE);
            if self.search(Layer::of(text, start..end), &mut found).is_none() {
                found.push(start..end);
            }
            start = text.floor_char_boundary(end.saturating_sub(OVERLAP));
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

    /// Finds spans in all layers of a text; `None` if they exceed the bound.
    fn search(&self, text: Layer, found: &mut Vec<Range<usize>>) -> Option<()> {
        let mut left = text.symbols.len() * LAYERS + SYMBOLS_OF_ANY;
        let hasher = RandomState::new();
        let mut seen = HashSet::new();
        let mut layers = vec![text];
        while let Some(layer) = layers.pop() {
            let mut symbols = layer.symbols.clone();
            symbols.iter_mut().for_each(|it| it.is = folded(it.is));
            self.find(&self.exact, &symbols, layer.is_of_runs, &mut left, found)?;
            symbols.retain(|it| !is_passed_over(it.is));
            self.find(&self.joined, &symbols, layer.is_of_runs, &mut left, found)?;
            for encoding in &ENCODINGS {
                let decoded = layer.decoded(encoding);
                if !decoded.symbols.is_empty() && seen.insert(hasher.hash_one(&decoded)) {
                    left = left.checked_sub(decoded.symbols.len())?;
                    layers.push(decoded);
                }
            }
        }
        Some(())
    }

    fn find(
        &self,
        windows: &BTreeMap<usize, Vec<Window>>,
        symbols: &[Symbol],
        is_of_runs: bool,
        left: &mut usize,
        found: &mut Vec<Range<usize>>,
    ) -> Option<()> {
        for (&length, windows) in windows {
            let is_short = length < SHORT;
            if is_short && is_of_runs {
                continue;
            }
            let first = (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
            let mut hash = 0;
            for (at, symbol) in symbols.iter().enumerate() {
                hash = hashed(hash, symbol.is);
                let Some(from) = (at + 1).checked_sub(length) else { continue };
                if let Some(gone) = from.checked_sub(1) {
                    hash = hash.wrapping_sub(hashed(0, symbols[gone].is).wrapping_mul(first));
                }
                let place = windows.partition_point(|it| it.hash < hash);
                for window in windows[place..].iter().take_while(|it| it.hash == hash) {
                    *left = left.checked_sub(1)?;
                    let needle = &self.needles[window.needle][window.first..window.first + length];
                    let is_match = symbols[from..=at]
                        .iter()
                        .zip(needle)
                        .all(|(it, expected)| fits(it.is, *expected));
                    let is_beside =
                        |at: usize| symbols.get(at).is_some_and(|it| it.is.is_alphanumeric());
                    let is_within_word =
                        is_short && (is_beside(at + 1) || is_beside(from.wrapping_sub(1)));
                    if is_match && !is_within_word {
                        found.push(symbols[from].start..symbol.end);
                        break;
                    }
                }
            }
        }
        Some(())
    }
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a window that is longer by a character. All characters that fit one another have the same.
fn hashed(hash: u64, character: char) -> u64 {
    let class = if character.is_ascii() { character } else { LOST };
    hash.wrapping_mul(BASE).wrapping_add(u64::from(class).wrapping_add(1))
}

/// Characters that may be inserted into a text: line breaks, places where a line may be broken, and the
/// zero bytes of UTF-16 that is read as UTF-8.
fn is_passed_over(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The character in lower case; a plus is a blank, as in the query of a URL.
fn folded(character: char) -> char {
    match character {
        '+' => ' ',
        _ if character.is_ascii() => character.to_ascii_lowercase(),
        _ => character.to_lowercase().next().unwrap_or(character),
    }
}

fn fits(read: char, expected: char) -> bool {
    read == expected || (read == LOST && !expected.is_ascii())
}
