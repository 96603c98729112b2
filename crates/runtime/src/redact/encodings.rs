//! Encodings of the characters of a text: each may be escaped for JSON or a string literal, for a URL,
//! HTML or mail, several levels deep, and independently of its neighbors; and a number in a list may be
//! the code of a character.
//!
//! Two tables define them: [`ByteForm`]s, and the [`NUMBERS`] of a list. Names of characters (`entities`)
//! and the escapes of whole code points are read beside them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The number of levels of escaping that are read: a GraphQL literal, in a JSON body, in a line of a log,
/// in JSON, in JSON again, and one more.
const LEVELS: u8 = 6;

/// The capacity of the cache of readings, in positions.
const CACHED: usize = 4_096;

/// The maximum number of readings for each byte of a text. A text with more consists almost entirely of
/// escaped escapes, which no real message does: in the rest of it only one level is read.
const READINGS_PER_BYTE: usize = 32;
const READINGS_OF_ANY: usize = 300_000;

/// A character, and the position in the text after it.
pub(super) type Reading = (char, usize);

/// The readings by position and level.
type ReadingCache = HashMap<(usize, u8), Rc<[Reading]>>;

/// A text with all its possible readings.
pub(super) struct EncodedText<'a> {
    text: &'a str,
    known: RefCell<ReadingCache>,
    /// The number of readings that are left.
    left: Cell<usize>,
}

/// An escape of a byte: a mark and a number of digits.
#[derive(Clone, Copy)]
struct ByteForm {
    mark: &'static str,
    digits: usize,
    radix: u32,
}

/// `%C3`
const PERCENT: ByteForm = ByteForm { mark: "%", digits: 2, radix: 16 };
/// `=C3`, as quoted-printable has it.
const QUOTED: ByteForm = ByteForm { mark: "=", digits: 2, radix: 16 };
/// `\xC3`, in C `\303`, in LDAP `\C3`.
const BACKSLASH: [ByteForm; 3] = [
    ByteForm { mark: "\\x", digits: 2, radix: 16 },
    ByteForm { mark: "\\", digits: 3, radix: 8 },
    ByteForm { mark: "\\", digits: 2, radix: 16 },
];

/// The codes of bytes or characters in lists: a prefix, the number of digits, and the radix.
const NUMBERS: [(&str, RangeInclusive<usize>, u32); 9] = [
    ("", 1..=6, 10),
    ("", 1..=2, 16),
    ("0x", 1..=6, 16),
    ("0X", 1..=6, 16),
    ("0", 3..=3, 8),
    ("", 3..=3, 8),
    ("0o", 1..=3, 8),
    ("", 7..=8, 2),
    ("0b", 7..=8, 2),
];
/// The length of the longest of these.
const LONGEST_NUMBER: usize = 10;
/// The suffixes of a number that name its type.
const NUMBER_TYPES: [&str; 4] = ["_u8", "u8", "_u32", "u32"];
/// The maximum length of a separator in a list, in bytes: a comma, a line break and indentation.
const LONGEST_SEPARATOR: usize = 200;
/// The longest escape of a character of a separator, such as `&comma;`.
const LONGEST_ESCAPE: usize = 10;
/// The maximum number of blanks after a soft line break.
const MOST_BLANKS: usize = 76;

impl<'a> EncodedText<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let left = text.len().saturating_mul(READINGS_PER_BYTE).saturating_add(READINGS_OF_ANY);
        Self { text, known: RefCell::default(), left: Cell::new(left) }
    }

    /// All characters that the text may mean at a position.
    pub(super) fn at(&self, at: usize) -> Rc<[Reading]> {
        self.read(at, if self.left.get() > 0 { LEVELS } else { 1 })
    }

    /// The character at a position, if it can only mean itself.
    pub(super) fn plain(&self, at: usize) -> Option<Reading> {
        let byte = *self.text.as_bytes().get(at)?;
        let plain = byte.is_ascii()
            && !is_mark(char::from(byte))
            && self.number(at).is_none()
            && !self.is_item(at);
        plain.then_some((char::from(byte), at + 1))
    }

    fn read(&self, at: usize, level: u8) -> Rc<[Reading]> {
        if let Some(plain) = self.plain(at) {
            return Rc::new([plain]);
        }
        if let Some(known) = self.known.borrow().get(&(at, level)) {
            self.left.set(self.left.get().saturating_sub(known.len()));
            return Rc::clone(known);
        }
        let mut readings = Vec::new();
        if level == 0 {
            let literal = self.text[at..].chars().next();
            readings.extend(literal.map(|it| (it, at + it.len_utf8())));
            self.listed(at, &mut readings);
        } else {
            let within = level - 1;
            let read = self.read(at, within);
            if !read.iter().any(|(first, _)| is_mark(*first)) {
                return read;
            }
            for &(first, next) in read.iter() {
                readings.push((first, next));
                match first {
                    '\\' => self.backslash(next, within, &mut readings),
                    '%' => self.percent(next, within, &mut readings),
                    '&' => self.entity(next, within, &mut String::new(), &mut readings),
                    '+' => readings.push((' ', next)),
                    '=' => {
                        self.byte(next, within, QUOTED, &mut readings);
                        // A soft line break, which may stand within a character, and behind which a
                        // gateway may have added blanks.
                        let mut ends = vec![next];
                        for _ in 0..=MOST_BLANKS {
                            for end in ["\n", "\r\n", "\r"] {
                                for next in ends.iter().flat_map(|at| self.skip(*at, within, end)) {
                                    readings.extend(self.read(next, within).iter());
                                }
                            }
                            let blank = |at: &usize| {
                                [" ", "\t"].map(|blank| self.skip(*at, within, blank)).concat()
                            };
                            ends = ends.iter().flat_map(blank).collect();
                            if ends.is_empty() {
                                break;
                            }
                        }
                    }
                    '\u{80}'..='\u{ff}' => {
                        let byte = u32::from(first) as u8;
                        self.utf8(&mut vec![byte], next, within, None, &mut readings);
                    }
                    _ => {}
                }
            }
            self.left.set(self.left.get().saturating_sub(readings.len()));
            readings.retain(|reading| self.is_likely(at, *reading));
            readings.sort_unstable();
            readings.dedup();
        }
        let readings: Rc<[Reading]> = readings.into();
        let mut known = self.known.borrow_mut();
        if known.len() >= CACHED {
            known.clear();
        }
        known.insert((at, level), Rc::clone(&readings));
        readings
    }

    /// Each level doubles a backslash, so only powers of two are plausible.
    fn is_likely(&self, at: usize, (character, next): Reading) -> bool {
        let written = &self.text.as_bytes()[at..next];
        character != '\\'
            || written.len().is_power_of_two()
            || written.iter().any(|byte| *byte != b'\\')
    }

    /// The number at a position, if it may belong to a list.
    fn number(&self, at: usize) -> Option<&'a str> {
        let text = self.text.as_bytes();
        let is_within_word = match text[..at] {
            [.., b'\\', b'n' | b'r' | b't'] => false,
            [.., b'%' | b'=', _, _] if self.escaped_separator(at - 3).is_some() => false,
            [.., b'\\', b'x', _, _] if self.escaped_separator(at - 4).is_some() => false,
            [.., b'\\', b'u', _, _, _, _] if self.escaped_separator(at - 6).is_some() => false,
            [.., before] => before.is_ascii_alphanumeric(),
            [] => false,
        };
        if is_within_word || !text.get(at)?.is_ascii_hexdigit() {
            return None;
        }
        let digits = text[at..].iter().take(LONGEST_NUMBER + 1);
        let length = digits.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let number = &self.text[at..at + length];
        // A word is no number.
        let is_number = length <= 2 || number.starts_with(|first: char| first.is_ascii_digit());
        (length <= LONGEST_NUMBER && is_number).then_some(number)
    }

    /// The characters whose code a number in a list is. The list continues with the next number, or behind
    /// its index: `{"0": 75, "1": 113}`.
    fn listed(&self, at: usize, readings: &mut Vec<Reading>) {
        if self.is_item(at) {
            let item = char::from(self.text.as_bytes()[at]);
            readings.push((item, self.behind_separator(at + 1)));
        }
        let Some(number) = self.number(at) else { return };
        let (mut number, mut end) = (number, at + number.len());
        for suffix in NUMBER_TYPES {
            if let Some(without) = number.strip_suffix(suffix) {
                number = without;
            } else if self.text[end..].starts_with(suffix) {
                end += suffix.len();
            }
        }
        let next = self.behind_separator(end);
        let digits = self.text[next..].bytes().take_while(u8::is_ascii_digit).count();
        let value = self.behind_separator(next + digits);
        let is_index = digits > 0 && self.text[next + digits..value].contains(':');
        for (prefix, digits, radix) in NUMBERS {
            let code = number.strip_prefix(prefix).filter(|it| digits.contains(&it.len()));
            let code = code.and_then(|code| u32::from_str_radix(code, radix).ok());
            if let Some(character) = code.and_then(char::from_u32) {
                readings.push((character, next));
                readings.extend(is_index.then_some((character, value)));
            }
        }
    }

    /// Whether a character is an item of a list of characters: `["K", "q"]`, `('K', 'q')`, `[K, q]`.
    fn is_item(&self, at: usize) -> bool {
        let text = self.text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_item =
            |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b',' | b'"' | b'\'' | b'\\');
        text.get(at).is_some_and(is_item)
            && matches!(before, Some(b'"' | b'\'' | b'[' | b'(' | b',' | b' '))
            && matches!(text.get(at + 1), Some(b'"' | b'\'' | b']' | b')' | b','))
    }

    /// The position where the next item of a list may begin, or `from`.
    fn behind_separator(&self, from: usize) -> usize {
        let text = self.text.as_bytes();
        let mut at = from;
        while let Some(byte) = text.get(at).filter(|_| at - from < LONGEST_SEPARATOR) {
            match byte {
                // A line break within JSON.
                b'\\' if matches!(text.get(at + 1), Some(b'n' | b'r' | b't')) => at += 2,
                b'\\' | b'%' | b'&' | b'=' if self.escaped_separator(at).is_some() => {
                    at += self.escaped_separator(at).unwrap_or_default();
                }
                // The quote of a byte of Rust or Python.
                b'b' if text.get(at + 1) == Some(&b'\'') => at += 2,
                byte if byte.is_ascii_alphanumeric() || self.is_item(at) => return at,
                byte if byte.is_ascii() => at += 1,
                _ => break,
            }
        }
        from
    }

    /// The length of an escape here, if it stands for a character that is part of a separator.
    fn escaped_separator(&self, at: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[at..];
        let code = |from: usize, digits: usize| {
            let digits = std::str::from_utf8(rest.get(from..from + digits)?).ok()?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        };
        let (meaning, length) = match rest {
            [b'%' | b'=', ..] => (code(1, 2)?, 3),
            [b'\\', b'u', ..] => (code(2, 4)?, 6),
            [b'\\', b'x', ..] => (code(2, 2)?, 4),
            [b'&', ..] => {
                let end = rest.iter().take(LONGEST_ESCAPE).position(|byte| *byte == b';')?;
                (entities::meaning(std::str::from_utf8(&rest[1..end]).ok()?)?, end + 1)
            }
            _ => return None,
        };
        (!meaning.is_alphanumeric()).then_some(length)
    }

    /// The readings after a backslash in JSON, GraphQL, Rust, Python, JavaScript or Go.
    fn backslash(&self, at: usize, level: u8, readings: &mut Vec<Reading>) {
        self.byte(at, level, BACKSLASH[1], readings);
        self.byte(at, level, BACKSLASH[2], readings);
        for &(letter, next) in self.read(at, level).iter() {
            let control = match letter {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                'a' => '\u{7}',
                '0' => '\0',
                'u' => {
                    self.utf16(next, level, readings);
                    self.braced(next, level, readings);
                    continue;
                }
                'U' => {
                    let codes = self.digits(next, level, 8, 16);
                    readings.extend(codes.into_iter().filter_map(character));
                    continue;
                }
                'x' => {
                    self.byte(next, level, BACKSLASH[0], readings);
                    self.braced(next, level, readings);
                    continue;
                }
                other => other,
            };
            readings.push((control, next));
        }
    }

    /// The readings after `%`.
    fn percent(&self, at: usize, level: u8, readings: &mut Vec<Reading>) {
        self.byte(at, level, PERCENT, readings);
        for &(letter, next) in self.read(at, level).iter() {
            if letter == 'u' {
                readings.extend(self.digits(next, level, 4, 16).into_iter().filter_map(character));
            }
        }
    }

    /// The readings after `&`, up to the semicolon.
    fn entity(&self, at: usize, level: u8, name: &mut String, readings: &mut Vec<Reading>) {
        for &(letter, next) in self.read(at, level).iter() {
            if letter == ';' {
                readings.extend(entities::meaning(name).map(|meaning| (meaning, next)));
            } else if name.starts_with('#') && !letter.is_ascii_alphanumeric() {
                // A browser reads a number without its semicolon.
                readings.extend(entities::meaning(name).map(|meaning| (meaning, at)));
            } else if name.len() < entities::LONGEST
                && (letter.is_ascii_alphanumeric() || (letter == '#' && name.is_empty()))
            {
                name.push(letter);
                self.entity(next, level, name, readings);
                name.pop();
            }
        }
    }

    /// Four digits after `\u`, or a pair of surrogates.
    fn utf16(&self, at: usize, level: u8, readings: &mut Vec<Reading>) {
        for (high, next) in self.digits(at, level, 4, 16) {
            let Some(above) = high.checked_sub(0xd800).filter(|above| *above < 0x400) else {
                readings.extend(character((high, next)));
                continue;
            };
            for next in self.skip(next, level, "\\u") {
                for (low, next) in self.digits(next, level, 4, 16) {
                    let below = low.checked_sub(0xdc00).filter(|below| *below < 0x400);
                    let code = below.map(|below| 0x1_0000 + (above << 10) + below);
                    readings.extend(code.and_then(|code| character((code, next))));
                }
            }
        }
    }

    /// `{1f980}` after `\u` or `\x`.
    fn braced(&self, at: usize, level: u8, readings: &mut Vec<Reading>) {
        for start in self.skip(at, level, "{") {
            for digits in 1..=6 {
                for (code, end) in self.digits(start, level, digits, 16) {
                    let ends = self.skip(end, level, "}");
                    readings.extend(ends.into_iter().filter_map(|next| character((code, next))));
                }
            }
        }
    }

    /// A byte whose mark was read, with the further bytes of its character.
    fn byte(&self, at: usize, level: u8, form: ByteForm, readings: &mut Vec<Reading>) {
        for (byte, next) in self.digits(at, level, form.digits, form.radix) {
            let Ok(byte) = u8::try_from(byte) else { continue };
            readings.push((char::from(byte), next));
            self.utf8(&mut vec![byte], next, level, Some(form), readings);
        }
    }

    /// The character whose UTF-8 begins with these bytes and continues in the same form; without a form, its
    /// bytes were read as Latin-1.
    fn utf8(
        &self,
        bytes: &mut Vec<u8>,
        at: usize,
        level: u8,
        form: Option<ByteForm>,
        readings: &mut Vec<Reading>,
    ) {
        let length = match bytes[0] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return,
        };
        if bytes.len() == length {
            let read = std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next());
            readings.extend(read.map(|read| (read, at)));
            return;
        }
        let further: Vec<_> = match form {
            None => self.read(at, level).iter().map(|&(it, next)| (u32::from(it), next)).collect(),
            Some(ByteForm { mark, digits, radix }) => {
                let starts = self.skip(at, level, mark);
                starts
                    .into_iter()
                    .flat_map(|next| self.digits(next, level, digits, radix))
                    .collect()
            }
        };
        for (byte, next) in further {
            if (0x80..0xc0).contains(&byte) {
                bytes.push(byte as u8);
                self.utf8(bytes, next, level, form, readings);
                bytes.pop();
            }
        }
    }

    /// Numbers with this number of digits.
    fn digits(&self, at: usize, level: u8, digits: usize, radix: u32) -> Vec<(u32, usize)> {
        let mut numbers = vec![(0, at)];
        for _ in 0..digits {
            let mut longer = Vec::new();
            for (number, at) in numbers {
                for &(digit, next) in self.read(at, level).iter() {
                    longer
                        .extend(digit.to_digit(radix).map(|digit| (number * radix + digit, next)));
                }
            }
            longer.sort_unstable();
            longer.dedup();
            numbers = longer;
        }
        numbers
    }

    /// The positions after this mark.
    fn skip(&self, at: usize, level: u8, mark: &str) -> Vec<usize> {
        let mut places = vec![at];
        for expected in mark.chars() {
            let readings = places.into_iter().flat_map(|at| {
                let readings = self.read(at, level);
                readings.iter().filter(|(it, _)| *it == expected).map(|it| it.1).collect::<Vec<_>>()
            });
            places = readings.collect();
        }
        places
    }
}

/// Whether a character may begin an escape, or is the result of one that may.
fn is_mark(character: char) -> bool {
    matches!(character, '\\' | '%' | '&' | '+' | '=' | '\u{80}'..='\u{ff}')
}

fn character((code, next): (u32, usize)) -> Option<Reading> {
    char::from_u32(code).map(|it| (it, next))
}

/// The names of characters in HTML: punctuation and Latin-1, which is what escaping by name uses.
mod entities {
    /// The length of the longest name or number, without `&` and `;`.
    pub(super) const LONGEST: usize = 10;

    /// The character of the text between `&` and `;`: a name, `#34` or `#x22`.
    pub(super) fn meaning(name: &str) -> Option<char> {
        if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            return code.ok().and_then(char::from_u32);
        }
        let latin1 = || {
            let place = LATIN1.split_ascii_whitespace().position(|known| known == name)?;
            char::from_u32(0xa0 + u32::try_from(place).ok()?)
        };
        PUNCTUATION.iter().find(|(known, _)| *known == name).map(|(_, it)| *it).or_else(latin1)
    }

    const PUNCTUATION: [(&str, char); 49] = [
        ("quot", '"'),
        ("QUOT", '"'),
        ("amp", '&'),
        ("AMP", '&'),
        ("apos", '\''),
        ("lt", '<'),
        ("LT", '<'),
        ("gt", '>'),
        ("GT", '>'),
        ("Tab", '\t'),
        ("NewLine", '\n'),
        ("excl", '!'),
        ("num", '#'),
        ("dollar", '$'),
        ("percnt", '%'),
        ("lpar", '('),
        ("rpar", ')'),
        ("ast", '*'),
        ("midast", '*'),
        ("plus", '+'),
        ("comma", ','),
        ("period", '.'),
        ("sol", '/'),
        ("colon", ':'),
        ("semi", ';'),
        ("equals", '='),
        ("quest", '?'),
        ("commat", '@'),
        ("lsqb", '['),
        ("lbrack", '['),
        ("bsol", '\\'),
        ("rsqb", ']'),
        ("rbrack", ']'),
        ("Hat", '^'),
        ("lowbar", '_'),
        ("UnderBar", '_'),
        ("grave", '`'),
        ("lcub", '{'),
        ("lbrace", '{'),
        ("verbar", '|'),
        ("vert", '|'),
        ("rcub", '}'),
        ("rbrace", '}'),
        ("euro", '€'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("hellip", '…'),
        ("lsquo", '‘'),
        ("rsquo", '’'),
    ];

    /// From U+00A0 on, in order.
    const LATIN1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg \
         macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 \
         iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave \
         Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc \
         Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc \
         euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave \
         uacute ucirc uuml yacute thorn yuml";

    #[cfg(test)]
    mod tests {
        use super::{LATIN1, LONGEST, PUNCTUATION, meaning};

        #[test]
        fn names_and_numbers_are_read() {
            for (name, expected) in [
                ("quot", Some('"')),
                ("#34", Some('"')),
                ("#x22", Some('"')),
                ("#X00022", Some('"')),
                ("nbsp", Some('\u{a0}')),
                ("eacute", Some('é')),
                ("yuml", Some('ÿ')),
                ("#x1F980", Some('🦀')),
                ("#xd800", None),
                ("#", None),
                ("nope", None),
                ("", None),
            ] {
                assert_eq!(meaning(name), expected, "{name}");
            }
            let names = LATIN1.split_ascii_whitespace().chain(PUNCTUATION.map(|it| it.0));
            assert!(names.clone().all(|name| name.len() <= LONGEST));
            assert_eq!(names.count(), 96 + PUNCTUATION.len());
        }
    }
}
