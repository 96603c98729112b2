//! Bounded search for secrets in a text: all of them at once, in one pass.
//!
//! A secret is split into *windows*: a short secret is one window, a long one has a window at each
//! position, so that the windows found cover any part of it. The windows are sorted, and a partial match
//! (`Read`) is a range of windows with a common prefix. So at each position of the text there are at most
//! as many partial matches as a window is long, however similar the secrets are.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::encodings::EncodedText;

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

/// The maximum number of steps for each byte of a text. A text that takes more consists of beginnings of
/// secrets, and is redacted from there on.
const STEPS_PER_BYTE: usize = 24;
const STEPS_OF_ANY: usize = 300_000;

/// Replaces a character that was not UTF-8.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// Secrets, prepared for searching.
#[derive(Default)]
pub(super) struct Needles {
    all: Vec<Needle>,
    /// Sorted by their characters.
    windows: Vec<Window>,
    /// The windows by their first characters.
    by_first: HashMap<char, Vec<Range<usize>>>,
    by_two: HashMap<[char; 2], Vec<Range<usize>>>,
    /// There are too many to search for.
    too_many: bool,
}

struct Needle {
    characters: Vec<char>,
    /// The length of its windows.
    part: usize,
    /// The distance between the beginnings of its windows.
    stride: usize,
    rules: Rules,
}

/// The rules by which a match counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rules {
    /// Only as a separate word.
    alone: bool,
    /// A match may have white space inserted into it.
    joined: bool,
    /// The needle is encoded in digits (Base64, hex), and adjacent digits belong to a match.
    digits: bool,
}

/// A piece of a needle.
#[derive(Clone, Copy)]
struct Window {
    needle: usize,
    first: usize,
}

/// A partial match: the windows with a common prefix that was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    /// The range of these windows.
    low: usize,
    high: usize,
    /// The number of characters.
    depth: usize,
    /// White space was passed over.
    joined: bool,
    /// The position in the text where it began.
    from: usize,
}

impl Needles {
    pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<_> = secrets.filter(|secret| !secret.is_empty()).collect();
        secrets.sort_unstable();
        secrets.dedup();
        let length: usize = secrets.iter().map(|secret| secret.len()).sum();
        let mut needles = Self { too_many: length > MOST, ..Self::default() };
        if needles.too_many {
            return needles;
        }
        for secret in secrets {
            needles.all.push(Needle::plain(secret));
            let without: String = secret.chars().filter(|it| !is_passed_over(*it)).collect();
            if without != secret && !without.is_empty() {
                needles.all.push(Needle::plain(&without));
            }
            needles.all.extend(digits::needles(secret));
        }
        needles.arrange();
        needles
    }

    /// Sorts and indexes the windows.
    fn arrange(&mut self) {
        let mut windows = Vec::new();
        for (needle, it) in self.all.iter().enumerate() {
            let last = it.characters.len() - it.part;
            let firsts = (0..last).step_by(it.stride).chain([last]);
            windows.extend(firsts.map(|first| Window { needle, first }));
        }
        let key = |window: &Window| (self.characters(*window), self.all[window.needle].rules);
        windows.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
        windows.dedup_by(|one, other| key(one) == key(other));
        self.windows = windows;
        for place in 0..self.windows.len() {
            let characters = self.characters(self.windows[place]);
            let (first, second) = (characters[0], characters.get(1).copied());
            for first in variants(first) {
                note(self.by_first.entry(first).or_default(), place);
                for second in second.into_iter().flat_map(variants) {
                    note(self.by_two.entry([first, second]).or_default(), place);
                }
            }
        }
    }

    fn characters(&self, window: Window) -> &[char] {
        let needle = &self.all[window.needle];
        &needle.characters[window.first..window.first + needle.part]
    }

    /// The spans to redact, in order and without overlaps.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Found::default();
        if self.too_many && !text.is_empty() {
            found.0.push(0..text.len());
        }
        if self.windows.is_empty() {
            return found.0;
        }
        let encoded = EncodedText::of(text);
        let mut reading: BTreeMap<usize, Vec<Read>> = BTreeMap::new();
        let mut steps = text.len().saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS_OF_ANY);
        for (at, _) in text.char_indices() {
            let mut partial = reading.remove(&at).unwrap_or_default();
            // Of several partial matches of the same windows, the one that began first is enough.
            partial.sort_unstable();
            partial.dedup_by_key(|read| Read { from: 0, ..*read });
            let plain = encoded.plain(at);
            let readings = if plain.is_none() { Some(encoded.at(at)) } else { None };
            for &(character, next) in
                plain.as_slice().iter().chain(readings.iter().flat_map(|them| them.iter()))
            {
                let cost = partial.len() + 1;
                if cost > steps {
                    found.redact_from(at, text.len());
                    return found.0;
                }
                steps -= cost;
                let character = folded(character);
                let further = match partial.is_empty() {
                    true => None,
                    false => Some(reading.entry(next).or_default()),
                };
                if let Some(further) = further {
                    for read in &partial {
                        self.step(read, character, |read| {
                            self.end(text, read, next, &mut found);
                            further.push(read);
                        });
                        if is_passed_over(character) {
                            further.push(Read { joined: true, ..*read });
                        }
                    }
                }
                self.begin(&encoded, character, at..next, &mut reading, |read| {
                    self.end(text, read, next, &mut found);
                });
            }
        }
        found.0
    }

    /// Advances a partial match to the windows whose next character this is.
    fn step(&self, read: &Read, character: char, mut each: impl FnMut(Read)) {
        let next_of = |window: &Window| self.characters(*window).get(read.depth).copied();
        let depth = read.depth + 1;
        // Most often only one window is left.
        if read.high - read.low == 1 {
            if next_of(&self.windows[read.low]).is_some_and(|it| fits(character, it)) {
                each(Read { depth, ..*read });
            }
            return;
        }
        let mut low = read.low;
        let with = |expected: char, low: usize| {
            let windows = &self.windows[low..read.high];
            let from = windows.partition_point(|it| next_of(it) < Some(expected));
            let to = windows.partition_point(|it| next_of(it) <= Some(expected));
            low + from..low + to
        };
        if character != LOST {
            let range = with(character, low);
            if !range.is_empty() {
                each(Read { low: range.start, high: range.end, depth, ..*read });
            }
            return;
        }
        while low < read.high {
            let Some(expected) = next_of(&self.windows[low]) else {
                low += 1;
                continue;
            };
            let range = with(expected, low);
            low = range.end;
            if fits(character, expected) {
                each(Read { low: range.start, high: range.end, depth, ..*read });
            }
        }
    }

    /// Adds the windows that were read to their end, which are sorted before longer ones.
    fn end(&self, text: &str, read: Read, end: usize, found: &mut Found) {
        for window in &self.windows[read.low..read.high] {
            let needle = &self.all[window.needle];
            if needle.part != read.depth {
                return;
            }
            // A short secret is not searched for in lists of numbers, where it would match by chance.
            let is_listed = needle.rules.alone
                && text[read.from..end].starts_with(char::is_alphanumeric)
                && end - read.from > needle.characters.iter().map(|it| it.len_utf8()).sum();
            if (!read.joined || needle.rules.joined) && !is_listed {
                found.add(text, needle.rules, read.from..end);
            }
        }
    }

    /// Begins a partial match with each window that has the text's next two characters.
    fn begin(
        &self,
        encoded: &EncodedText<'_>,
        character: char,
        place: Range<usize>,
        reading: &mut BTreeMap<usize, Vec<Read>>,
        mut each: impl FnMut(Read),
    ) {
        let Some(first) = self.by_first.get(&character) else { return };
        let from = place.start;
        let read = |range: &Range<usize>| Read {
            low: range.start,
            high: range.end,
            depth: 1,
            joined: false,
            from,
        };
        first.iter().for_each(|range| each(read(range)));
        let begin = |second: char, reading: &mut BTreeMap<usize, Vec<Read>>| {
            let second = folded(second);
            let ranges = match is_passed_over(second) {
                true => Some(first),
                false => self.by_two.get(&[character, second]),
            };
            if let Some(ranges) = ranges {
                reading.entry(place.end).or_default().extend(ranges.iter().map(read));
            }
        };
        match encoded.plain(place.end) {
            Some((second, _)) => begin(second, reading),
            None => encoded.at(place.end).iter().for_each(|&(second, _)| begin(second, reading)),
        }
    }
}

/// Adds an index to sorted ranges.
fn note(ranges: &mut Vec<Range<usize>>, index: usize) {
    match ranges.last_mut() {
        Some(last) if last.end == index => last.end += 1,
        _ => ranges.push(index..index + 1),
    }
}

impl Needle {
    fn plain(secret: &str) -> Self {
        let characters: Vec<_> = secret.chars().map(folded).collect();
        let length = characters.len();
        let part = if length < LONG { length } else { (length / 3).clamp(LONG - 3, 16) };
        let rules = Rules { alone: length < SHORT, joined: length >= JOINED, digits: false };
        Self { characters, part, stride: 1, rules }
    }
}

/// Ranges in order that do not touch.
#[derive(Default)]
struct Found(Vec<Range<usize>>);

impl Found {
    fn add(&mut self, text: &str, rules: Rules, mut span: Range<usize>) {
        if self.0.last().is_some_and(|last| last.start <= span.start && last.end >= span.end) {
            return;
        }
        let beside = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        if rules.alone
            && (beside(text[..span.start].chars().next_back())
                || beside(text[span.end..].chars().next()))
        {
            return;
        }
        if rules.digits {
            let (before, after) = (&text[..span.start], &text[span.end..]);
            span.start = before.trim_end_matches(digits::is_digit).len();
            span.end = text.len() - after.trim_start_matches(digits::is_digit).len();
        }
        self.merge(span);
    }

    fn redact_from(&mut self, from: usize, end: usize) {
        self.merge(from..end);
    }

    fn merge(&mut self, mut span: Range<usize>) {
        while let Some(last) = self.0.pop_if(|last| last.end >= span.start) {
            span = last.start.min(span.start)..last.end.max(span.end);
        }
        self.0.push(span);
    }
}

/// Characters that may be inserted into a text: line breaks, places where a line may be broken, and the
/// zero bytes of UTF-16 that is read as UTF-8.
fn is_passed_over(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn folded(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    character.to_lowercase().next().unwrap_or(character)
}

fn fits(read: char, expected: char) -> bool {
    read == expected || (read == LOST && !expected.is_ascii())
}

/// A character, and its replacement if it was not decoded as UTF-8.
fn variants(character: char) -> impl Iterator<Item = char> {
    let lost = (!character.is_ascii() && character != LOST).then_some(LOST);
    std::iter::once(character).chain(lost)
}

/// Encodings of a secret in digits: its bytes, or those of its UTF-16, in Base64, at any offset within
/// other text, or in hex.
mod digits {
    use super::{Needle, Rules, folded};

    /// A shorter secret is not searched for: too many of its digits depend on the adjacent bytes.
    const SHORTEST: usize = 8;

    /// A needle of more digits than this is found in parts, too.
    const PART: usize = 16;

    const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub(super) fn is_digit(character: char) -> bool {
        character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '-' | '_' | '=')
    }

    /// The digits that do not depend on the text around the secret: Base64 at each of the three offsets and in
    /// both alphabets, and hex.
    pub(super) fn needles(secret: &str) -> Vec<Needle> {
        if secret.len() < SHORTEST {
            return Vec::new();
        }
        let utf16 = |bytes: fn(u16) -> [u8; 2]| secret.encode_utf16().flat_map(bytes).collect();
        let texts: [Vec<u8>; 3] = [secret.into(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)];
        let mut found = Vec::new();
        for bytes in texts {
            let hex = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            let hex = hex.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
            found.push(needle(hex, 8));
            for before in 0..3 {
                let digits = base64(&bytes, before);
                if digits.contains(['+', '/']) {
                    found.push(needle(digits.replace('+', "-").replace('/', "_"), 4));
                }
                found.push(needle(digits, 4));
            }
        }
        found
    }

    fn needle(digits: String, stride: usize) -> Needle {
        let characters: Vec<_> = digits.chars().map(folded).collect();
        let part = characters.len().min(PART);
        let rules = Rules { alone: false, joined: true, digits: true };
        Needle { characters, part, stride, rules }
    }

    fn base64(secret: &[u8], before: usize) -> String {
        let whole = (before + secret.len()) * 8 / 6;
        let byte = |at: usize| at.checked_sub(before).map_or(0, |at| secret[at]);
        let bit = |at: usize| byte(at / 8) >> (7 - at % 8) & 1;
        let digit = |place: usize| {
            let value = (place * 6..place * 6 + 6).fold(0, |value, at| value << 1 | bit(at));
            char::from(BASE64[usize::from(value)])
        };
        ((before * 8).div_ceil(6)..whole).map(digit).collect()
    }
}
