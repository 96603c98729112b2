//! Where in a text secrets are spelled out.
//!
//! All of them are looked for at once, in one pass: at each position stand the beginnings that have
//! been read so far, and each reading of the next character takes them further or ends them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::spelling::Spelling;

/// A secret shorter than this counts only where it stands alone: to redact each `a` of a text would
/// tell what the secret is, and nothing else.
const SHORT: usize = 4;

/// Of a secret this long, a part gives it away too: a service may cut short what it repeats.
const LONG: usize = 12;

/// What stands for a character that was not UTF-8.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// Secrets in the form in which they are looked for.
pub(super) struct Needles {
    all: Vec<Needle>,
    /// Where in which needle the search may begin, by the first two characters there.
    starts: HashMap<[char; 2], Vec<(usize, usize)>>,
    /// The needles of one character.
    single: HashMap<char, usize>,
}

struct Needle {
    characters: Vec<char>,
    /// The length from which on a part of it is found, too.
    part: usize,
    /// It counts only where it stands alone.
    alone: bool,
    /// It stands for a secret in Base64, whose neighbours are a part of it.
    base64: bool,
}

/// What has been read of a needle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    needle: usize,
    /// The place in the needle that comes next.
    next: usize,
    /// The place in the needle where it began.
    first: usize,
    /// Where that was in the text.
    from: usize,
}

impl Needles {
    pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<_> = secrets.filter(|secret| !secret.is_empty()).collect();
        secrets.sort_unstable();
        secrets.dedup();
        let mut needles = Self { all: Vec::new(), starts: HashMap::new(), single: HashMap::new() };
        for secret in secrets {
            needles.add(Needle::plain(secret));
            base64::needles(secret).into_iter().for_each(|needle| needles.add(needle));
        }
        needles
    }

    fn add(&mut self, needle: Needle) {
        let (place, length) = (self.all.len(), needle.characters.len());
        if let [only] = needle.characters[..] {
            self.single.insert(only, place);
        }
        let starts = needle.characters.windows(2).take(length - needle.part + 1);
        for (at, pair) in starts.enumerate() {
            for first in variants(pair[0]) {
                for second in variants(pair[1]) {
                    self.starts.entry([first, second]).or_default().push((place, at));
                }
            }
        }
        self.all.push(needle);
    }

    /// The places that must not be shown, in order and apart from each other.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Found::default();
        if self.all.is_empty() {
            return found.0;
        }
        let spelling = Spelling::of(text);
        let mut reading: BTreeMap<usize, Vec<Read>> = BTreeMap::new();
        for (at, _) in text.char_indices() {
            let mut under_way = reading.remove(&at).unwrap_or_default();
            // Of several ways to the same place the one that has read the most is enough.
            under_way.sort_unstable();
            under_way.dedup_by_key(|read| (read.needle, read.next));
            let plain = spelling.plain(at);
            let readings = if plain.is_none() { Some(spelling.at(at)) } else { None };
            for &(character, next) in
                plain.as_slice().iter().chain(readings.iter().flat_map(|them| them.iter()))
            {
                let character = folded(character);
                for read in &under_way {
                    let needle = &self.all[read.needle];
                    if !fits(character, needle.characters[read.next]) {
                        continue;
                    }
                    let read = Read { next: read.next + 1, ..*read };
                    if read.next - read.first >= needle.part {
                        found.add(text, needle, read.from..next);
                    }
                    if read.next < needle.characters.len() {
                        reading.entry(next).or_default().push(read);
                    }
                }
                if let Some(&needle) = self.single.get(&character) {
                    found.add(text, &self.all[needle], at..next);
                }
                self.begin(&spelling, character, at..next, &mut reading);
            }
        }
        found.0
    }

    /// Begins with each needle that goes on as the text does.
    fn begin(
        &self,
        spelling: &Spelling<'_>,
        character: char,
        place: Range<usize>,
        reading: &mut BTreeMap<usize, Vec<Read>>,
    ) {
        let begin = |second: char, reading: &mut BTreeMap<usize, Vec<Read>>| {
            if let Some(starts) = self.starts.get(&[character, folded(second)]) {
                reading.entry(place.end).or_default().extend(starts.iter().map(
                    |&(needle, first)| Read { needle, first, next: first + 1, from: place.start },
                ));
            }
        };
        match spelling.plain(place.end) {
            Some((second, _)) => begin(second, reading),
            None => spelling.at(place.end).iter().for_each(|&(second, _)| begin(second, reading)),
        }
    }
}

impl Needle {
    fn plain(secret: &str) -> Self {
        let characters: Vec<_> = secret.chars().map(folded).collect();
        let length = characters.len();
        let part = if length < LONG { length } else { (length / 3).clamp(LONG - 3, 16) };
        Self { characters, part, alone: length < SHORT, base64: false }
    }

    fn is_at(&self, text: &str, span: &Range<usize>) -> bool {
        let beside = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        !self.alone
            || !(beside(text[..span.start].chars().next_back())
                || beside(text[span.end..].chars().next()))
    }
}

/// Ranges that are in order, and do not touch.
#[derive(Default)]
struct Found(Vec<Range<usize>>);

impl Found {
    fn add(&mut self, text: &str, needle: &Needle, mut span: Range<usize>) {
        if !needle.is_at(text, &span) {
            return;
        }
        if needle.base64 {
            let (before, after) = (&text[..span.start], &text[span.end..]);
            span.start = before.trim_end_matches(base64::is_digit).len();
            span.end = text.len() - after.trim_start_matches(base64::is_digit).len();
        }
        while let Some(last) = self.0.pop_if(|last| last.end >= span.start) {
            span = last.start.min(span.start)..last.end.max(span.end);
        }
        self.0.push(span);
    }
}

fn folded(character: char) -> char {
    character.to_ascii_lowercase()
}

fn fits(read: char, expected: char) -> bool {
    read == expected || (read == LOST && !expected.is_ascii())
}

/// A character, and what it may have become.
fn variants(character: char) -> impl Iterator<Item = char> {
    let lost = (!character.is_ascii() && character != LOST).then_some(LOST);
    std::iter::once(character).chain(lost)
}

/// A secret in the middle of something in Base64.
mod base64 {
    use super::{Needle, folded};

    /// A shorter secret is not looked for: too much of it depends on what stands beside it.
    const SHORTEST: usize = 8;

    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub(super) fn is_digit(character: char) -> bool {
        character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '-' | '_' | '=')
    }

    /// The digits that do not depend on what stands before and behind the secret, for each of the
    /// three ways in which it may lie, and in both alphabets.
    pub(super) fn needles(secret: &str) -> Vec<Needle> {
        if secret.len() < SHORTEST {
            return Vec::new();
        }
        let mut found = Vec::new();
        for before in 0..3 {
            let digits = digits(secret.as_bytes(), before);
            let in_urls = digits.replace('+', "-").replace('/', "_");
            if in_urls != digits {
                found.push(in_urls);
            }
            found.push(digits);
        }
        found.into_iter().map(needle).collect()
    }

    fn needle(digits: String) -> Needle {
        let characters: Vec<_> = digits.chars().map(folded).collect();
        let part = characters.len();
        Needle { characters, part, alone: false, base64: true }
    }

    fn digits(secret: &[u8], before: usize) -> String {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret);
        let whole = bytes.len() * 8 / 6;
        let bit = |at: usize| bytes[at / 8] >> (7 - at % 8) & 1;
        let digit = |place: usize| {
            let value = (place * 6..place * 6 + 6).fold(0, |value, at| value << 1 | bit(at));
            char::from(DIGITS[usize::from(value)])
        };
        ((before * 8).div_ceil(6)..whole).map(digit).collect()
    }
}
