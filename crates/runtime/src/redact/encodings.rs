//! Table of encodings: the ways in which a text may repeat other text.
//!
//! A row decodes a whole [`Layer`] by one level. An *escape* leaves the characters beside it
//! unchanged, so that a text of which only a part is escaped is decoded, too. *Runs* of digits, of
//! numbers or of single characters become layers of their own. A text that was encoded several
//! times is decoded by several rows, each applied to the layer of the row before.

use std::ops::RangeInclusive;

/// A character, and the range of the text that it was read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) is: char,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A text, or the result of rows of the table that decoded it.
pub(super) struct Layer {
    pub(super) symbols: Vec<Symbol>,
    /// The number of rows that decoded it.
    pub(super) level: usize,
    /// True if it comes from runs, which may contain a short secret by chance.
    pub(super) is_of_runs: bool,
}

pub(super) enum Encoding {
    /// The mark of an escape, and the reader of what follows it.
    Escape(char, EscapeReader),
    /// The number of bits of a digit, and its value.
    Digits(u32, fn(char) -> Option<u8>),
    List(fn(&[Symbol], &mut Vec<Symbol>)),
}

/// Returns a character, `None` for a line break that is no part of the text, and the number of
/// symbols that were read.
type EscapeReader = fn(&[Symbol]) -> Option<(Option<char>, usize)>;

pub(super) const ENCODINGS: [Encoding; 9] = [
    // JSON, GraphQL, Rust, Python, JavaScript, Go, C.
    Encoding::Escape('\\', string_literal),
    // LDAP: `\4b`.
    Encoding::Escape('\\', |rest| Some((Some(code(rest, 2, 16)?), 2))),
    // URLs: `%4B`, `%u004b`.
    Encoding::Escape('%', |rest| match rest {
        [u, rest @ ..] if u.is == 'u' => Some((Some(code(rest, 4, 16)?), 5)),
        rest => Some((Some(code(rest, 2, 16)?), 2)),
    }),
    Encoding::Escape('&', html),
    Encoding::Escape('=', quoted_printable),
    // Hex.
    Encoding::Digits(4, hex),
    // Base64, in both alphabets.
    Encoding::Digits(6, base64),
    Encoding::List(numbers),
    Encoding::List(characters),
];

/// Separates symbols that are not adjacent.
const GAP: Symbol = Symbol { is: '\u{ffff}', start: 0, end: 0 };

/// An escape is decoded with the text around it: its cell, and the cells beside that. The text is
/// divided into cells of [`BYTES_OF_CELL`], and the layer into cells of [`SYMBOLS_OF_CELL`],
/// because a symbol that was escaped several times takes many bytes. Any text further away from all
/// escapes is in the layer before.
const BYTES_OF_CELL: usize = 128;
const SYMBOLS_OF_CELL: usize = 32;

/// The maximum number of levels that are decoded. A level that leaves the text as long as it is
/// escapes one character in many; any other, as that of a backslash, soon exceeds every text.
pub(super) const LEVELS: usize = 20;

/// The minimum length of a run of digits and of a list.
const FEWEST_DIGITS: usize = 8;
const FEWEST_NUMBERS: usize = 4;
/// The maximum length of a separator in a list: a comma, a line break and indentation.
const LONGEST_SEPARATOR: usize = 200;
/// The radix, the prefix and the number of digits of a number.
const NUMBERS: [(u32, &str, RangeInclusive<usize>); 4] =
    [(10, "", 1..=7), (16, "0x", 1..=6), (8, "0o", 1..=4), (2, "0b", 7..=8)];
/// The suffixes of a number that name its type.
const NUMBER_TYPES: [&str; 4] = ["_u8", "u8", "_u32", "u32"];
/// The maximum length of a number with its prefix and suffix.
const LONGEST_NUMBER: usize = 14;

impl Layer {
    pub(super) fn of(text: &str) -> Self {
        let symbols = text.char_indices().map(|(at, is)| Symbol {
            is,
            start: at as u32,
            end: (at + is.len_utf8()) as u32,
        });
        Self { symbols: in_utf8(symbols.collect()), level: 0, is_of_runs: false }
    }

    /// Returns what a row decodes: nothing if it does not apply.
    pub(super) fn decoded(&self, encoding: &Encoding) -> Vec<Self> {
        let mut symbols = Vec::new();
        match encoding {
            Encoding::Escape(mark, read) => unescape(&self.symbols, *mark, *read, &mut symbols),
            Encoding::Digits(bits, value) => digits(&self.symbols, *bits, *value, &mut symbols),
            Encoding::List(read) => read(&self.symbols, &mut symbols),
        }
        let is_of_runs = self.is_of_runs || !matches!(encoding, Encoding::Escape(..));
        let is_of_digits = matches!(encoding, Encoding::Digits(..));
        let layer = |symbols| Self { symbols, level: self.level + 1, is_of_runs };
        let parts = symbols.split(|it| *it == GAP).filter(|part| !part.is_empty());
        if is_of_digits {
            return parts.flat_map(texts).map(in_utf8).map(layer).collect();
        }
        parts.map(|part| layer(in_utf8(part.to_vec()))).collect()
    }
}

/// Joins the bytes of UTF-8 that were read as a character each, whether by an escape of bytes or by
/// a program that took the text for Latin-1.
fn in_utf8(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    // Repeated, for text that was misdecoded several times.
    while join_bytes(&mut symbols) {}
    symbols
}

fn join_bytes(symbols: &mut Vec<Symbol>) -> bool {
    let (mut at, mut length) = (0, 0);
    while let Some(&symbol) = symbols.get(at) {
        let joined = character_of_bytes(&symbols[at..]);
        let read = joined.map_or(1, char::len_utf8);
        symbols[length] = match joined {
            Some(is) => Symbol { is, end: symbols[at + read - 1].end, ..symbol },
            None => symbol,
        };
        at += read;
        length += 1;
    }
    symbols.truncate(length);
    length < at
}

/// The character whose UTF-8, of several bytes that were read as a character each, the text begins
/// with.
fn character_of_bytes(text: &[Symbol]) -> Option<char> {
    let count = match text.first()?.is {
        '\u{c2}'..='\u{df}' => 2,
        '\u{e0}'..='\u{ef}' => 3,
        '\u{f0}'..='\u{f4}' => 4,
        _ => return None,
    };
    let mut bytes = [0; 4];
    for (byte, symbol) in bytes.iter_mut().zip(text.get(..count)?) {
        *byte = u8::try_from(symbol.is).ok()?;
    }
    std::str::from_utf8(&bytes[..count]).ok()?.chars().next()
}

/// Splits decoded digits where they are not text: the digits of an image, or words that look like
/// digits. Before bytes are joined: afterwards, a letter of Latin-1 that was UTF-8 looks like a
/// byte.
fn texts(read: &[Symbol]) -> Vec<Vec<Symbol>> {
    let (mut parts, mut at, mut follows_binary) = (vec![Vec::new()], 0, false);
    while at < read.len() {
        let length = character_of_bytes(&read[at..]).map_or(1, char::len_utf8);
        let is_binary = length == 1
            && matches!(read[at].is, '\u{1}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{ff}');
        // A single one may be a letter of Latin-1.
        if is_binary && follows_binary {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.extend_from_slice(&read[at..at + length]);
        }
        (at, follows_binary) = (at + length, is_binary);
    }
    parts
}

fn unescape(layer: &[Symbol], mark: char, read: EscapeReader, out: &mut Vec<Symbol>) {
    let Some(mut at) = layer.iter().position(|it| it.is == mark) else { return };
    let cells = |start: u32, at: usize| [start as usize / BYTES_OF_CELL, at / SYMBOLS_OF_CELL];
    let last = layer.iter().map(|it| it.start).max().unwrap_or_default();
    let mut is_near = cells(last, layer.len()).map(|last| vec![false; last + 3]);
    let mut decoded: Vec<_> = (0..at).map(|at| (layer[at], cells(layer[at].start, at))).collect();
    while let Some(&symbol) = layer.get(at) {
        let cells = cells(symbol.start, at);
        at += 1;
        let escape = (symbol.is == mark).then(|| read(&layer[at..])).flatten();
        match escape {
            Some((character, length)) => {
                at += length;
                let end = layer[at - 1].end;
                decoded.extend(character.map(|is| (Symbol { is, end, ..symbol }, cells)));
                for (is_near, cell) in is_near.iter_mut().zip(cells) {
                    is_near[cell..=cell + 2].fill(true);
                }
            }
            None => decoded.push((symbol, cells)),
        }
    }
    let is_near =
        |cells: [usize; 2]| is_near.iter().zip(cells).any(|(is_near, cell)| is_near[cell + 1]);
    out.extend(decoded.into_iter().map(|(it, cells)| if is_near(cells) { it } else { GAP }));
}

/// Returns the character whose code is written in this number of digits at the beginning.
fn code(rest: &[Symbol], digits: usize, radix: u32) -> Option<char> {
    char::from_u32(number(rest, digits, radix)?)
}

fn number(rest: &[Symbol], digits: usize, radix: u32) -> Option<u32> {
    let mut digits = rest.get(..digits)?.iter().map(|it| it.is.to_digit(radix));
    digits.try_fold(0_u32, |number, digit| number.checked_mul(radix)?.checked_add(digit?))
}

fn string_literal(rest: &[Symbol]) -> Option<(Option<char>, usize)> {
    let simple = |meaning: char| Some((Some(meaning), 1));
    match (rest.first()?.is, rest.get(1).map(|it| it.is)) {
        ('u' | 'x', Some('{')) => {
            let length = rest.iter().take(9).position(|it| it.is == '}')?;
            Some((Some(code(&rest[2..], length - 2, 16)?), length + 1))
        }
        ('u', _) => {
            let high = number(&rest[1..], 4, 16)?;
            if let Some(character) = char::from_u32(high) {
                return Some((Some(character), 5));
            }
            // A pair of surrogates.
            let low = rest.get(5..7).filter(|it| it[0].is == '\\' && it[1].is == 'u');
            let low = low.and_then(|_| number(&rest[7..], 4, 16))?;
            let pair = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
            Some((Some(char::decode_utf16(pair).next()?.ok()?), 11))
        }
        ('U', _) => Some((Some(code(&rest[1..], 8, 16)?), 9)),
        ('x', _) => Some((Some(code(&rest[1..], 2, 16)?), 3)),
        ('0'..='3', _) if code(rest, 3, 8).is_some() => Some((code(rest, 3, 8), 3)),
        ('0', _) => simple('\0'),
        ('n', _) => simple('\n'),
        ('r', _) => simple('\r'),
        ('t', _) => simple('\t'),
        ('b', _) => simple('\u{8}'),
        ('f', _) => simple('\u{c}'),
        ('v', _) => simple('\u{b}'),
        ('a', _) => simple('\u{7}'),
        // The line was broken between two backslashes: the other one is an escape, too.
        ('\r' | '\n', _) => None,
        (other, _) => simple(other),
    }
}

/// An entity: a name and a semicolon, or a number, which a browser reads without one as well.
fn html(rest: &[Symbol]) -> Option<(Option<char>, usize)> {
    let name_of = |from: usize, most: usize, is_part: fn(char) -> bool| -> String {
        rest[from..].iter().take(most).map(|it| it.is).take_while(|it| is_part(*it)).collect()
    };
    let (meaning, length) = match (rest.first()?.is, rest.get(1).map(|it| it.is)) {
        ('#', Some('x' | 'X')) => {
            let digits = name_of(2, LONGEST_ENTITY, |it| it.is_ascii_hexdigit());
            (char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?, digits.len() + 2)
        }
        ('#', _) => {
            let digits = name_of(1, LONGEST_ENTITY, |it| it.is_ascii_digit());
            (char::from_u32(digits.parse().ok()?)?, digits.len() + 1)
        }
        _ => {
            let name = name_of(0, LONGEST_ENTITY, |it| it.is_ascii_alphanumeric());
            rest.get(name.len()).filter(|it| it.is == ';')?;
            (named(&name)?, name.len())
        }
    };
    let has_semicolon = rest.get(length).is_some_and(|it| it.is == ';');
    Some((Some(meaning), length + usize::from(has_semicolon)))
}

/// A byte, or a soft line break, before which a gateway may have added blanks.
fn quoted_printable(rest: &[Symbol]) -> Option<(Option<char>, usize)> {
    if let Some(byte) = code(rest, 2, 16) {
        return Some((Some(byte), 2));
    }
    let blanks = rest.iter().take_while(|it| matches!(it.is, ' ' | '\t')).count();
    match [rest.get(blanks)?.is, rest.get(blanks + 1).map_or(' ', |it| it.is)] {
        ['\r', '\n'] => Some((None, blanks + 2)),
        ['\r' | '\n', _] => Some((None, blanks + 1)),
        _ => None,
    }
}

fn hex(digit: char) -> Option<u8> {
    u8::try_from(digit.to_digit(16)?).ok()
}

fn base64(digit: char) -> Option<u8> {
    Some(match digit {
        'A'..='Z' => digit as u8 - b'A',
        'a'..='z' => digit as u8 - b'a' + 26,
        '0'..='9' => digit as u8 - b'0' + 52,
        '+' | '-' => 62,
        '/' | '_' => 63,
        _ => return None,
    })
}

/// Decodes runs of digits of `bits` each, which may be wrapped in lines. The text around a run may
/// end or begin with such digits, so bytes are read from each digit at which one can begin. A byte
/// stands for all digits that are written together.
fn digits(layer: &[Symbol], bits: u32, value: fn(char) -> Option<u8>, out: &mut Vec<Symbol>) {
    let (mut run, mut at): (Vec<(u8, Symbol)>, _) = (Vec::new(), 0);
    while layer.get(at).is_some() {
        run.clear();
        loop {
            let line = layer[at..].iter().take_while(|it| value(it.is).is_some()).count();
            if line == 0 {
                break;
            }
            let end = at + line;
            let padding = layer[end..].iter().take_while(|it| it.is == '=').count();
            let whole = Symbol { end: layer[end + padding - 1].end, ..layer[at] };
            run.extend(layer[at..end].iter().filter_map(|it| Some((value(it.is)?, whole))));
            let blank = layer[end..].iter().take_while(|it| it.is.is_whitespace()).count();
            let is_wrapped = layer[end..end + blank].iter().any(|it| matches!(it.is, '\n' | '\r'));
            at = end + padding + blank;
            // A dump separates its groups.
            if !(is_wrapped || (bits == 4 && blank == 1)) {
                break;
            }
        }
        at += usize::from(run.is_empty());
        if run.len() < FEWEST_DIGITS {
            continue;
        }
        // Two digits of hex, and four of Base64, until a byte begins with a digit again.
        for first in 0..if bits == 4 { 2 } else { 4 } {
            let (mut read, mut count, mut start) = (0_u32, 0, None);
            for &(value, digit) in &run[first..] {
                (read, count) = ((read << bits) + u32::from(value), count + bits);
                let from = *start.get_or_insert(digit.start);
                if count >= 8 {
                    count -= 8;
                    let byte = (read >> count & 0xff) as u8;
                    out.push(Symbol { is: byte.into(), start: from, end: digit.end });
                    start = (count > 0).then_some(digit.start);
                }
            }
            out.push(GAP);
        }
    }
}

/// A number in a list.
struct Item {
    number: String,
    start: u32,
    end: u32,
    /// True if it comes after a key, as in `{"0": 75, "1": 113}` or `0 => 75, 1 => 113`.
    is_value: bool,
    /// True if it is a byte with a sign, as in `[75, -61]`.
    is_negative: bool,
}

/// Lists of the codes of bytes or characters: `[75, 113]`, `4b:71`, `{0x4B, 0x71}`.
fn numbers(layer: &[Symbol], out: &mut Vec<Symbol>) {
    let is_of_word = |it: &&Symbol| it.is.is_ascii_alphanumeric() || it.is == '_';
    let (mut list, mut at) = (Vec::new(), 0);
    while at < layer.len() {
        let separator = layer[at..].iter().take_while(|it| !is_of_word(it)).count();
        let start = at + separator;
        let length = layer[start..].iter().take_while(is_of_word).count();
        let word = &layer[start..start + length];
        let is_number = match word {
            [] => false,
            [first, ..] => length <= 2 || (length <= LONGEST_NUMBER && first.is.is_ascii_digit()),
        };
        if separator > LONGEST_SEPARATOR || !is_number {
            read_list(&mut list, out);
        }
        if is_number {
            let separator = &layer[at..start];
            let is_value = separator.iter().any(|it| matches!(it.is, ':' | '>'));
            let is_negative = matches!(separator, [.., before, it] if it.is == '-'
                && !before.is.is_ascii_alphanumeric());
            let number = word.iter().map(|it| it.is.to_ascii_lowercase()).collect();
            let (start, end) = (word[0].start, word[length - 1].end);
            list.push(Item { number, start, end, is_value, is_negative });
        }
        at = start + length;
    }
    read_list(&mut list, out);
}

/// Reads the numbers in each radix, and the values of an object.
fn read_list(list: &mut Vec<Item>, out: &mut Vec<Symbol>) {
    if list.len() >= FEWEST_NUMBERS {
        let values = (NUMBERS[0].clone(), true);
        for ((radix, prefix, length), only_values) in
            NUMBERS.map(|it| (it, false)).into_iter().chain([values])
        {
            for item in list.iter().filter(|it| it.is_value || !only_values) {
                let typed = NUMBER_TYPES.iter().find_map(|it| item.number.strip_suffix(it));
                let number = typed.unwrap_or(&item.number);
                let number = number.strip_prefix(prefix).unwrap_or(number);
                let code =
                    length.contains(&number.len()).then(|| u32::from_str_radix(number, radix).ok());
                let code = code.flatten().and_then(|code| match item.is_negative && radix == 10 {
                    true => 256_u32.checked_sub(code),
                    false => Some(code),
                });
                let character = code.and_then(char::from_u32);
                let symbol = |is| Symbol { is, start: item.start, end: item.end };
                out.push(character.map_or(GAP, symbol));
            }
            out.push(GAP);
        }
    }
    list.clear();
}

/// Lists of characters: `["K", "q"]`, `('K', 'q')`, `[K, q]`, `[b'K', b'q']`,
/// `{"0": "K", "1": "q"}`.
fn characters(layer: &[Symbol], out: &mut Vec<Symbol>) {
    let (mut list, mut at, mut after) = (Vec::new(), 0, 0);
    while let Some(&[before, item, next]) = layer.get(at..at + 3) {
        let is_quoted = matches!(before.is, '"' | '\'') && next.is == before.is;
        let is_enclosed = matches!(before.is, '[' | '(' | ',' | ' ')
            && matches!(next.is, ']' | ')' | ',')
            && !matches!(item.is, ' ' | '"' | '\'' | '\\');
        let separator = &layer[after..=at];
        let is_list = separator.len() <= LONGEST_SEPARATOR
            && separator.iter().all(|it| !it.is.is_alphabetic() || it.is == 'b');
        // A separator, or an opening bracket, does not begin a list: `"ab","cd"`, `"["a"`,
        // `"10":"a"`.
        let continues =
            is_list && !list.is_empty() && !separator.iter().any(|it| it.is.is_numeric());
        let is_item = (is_quoted && continues)
            || ((is_quoted || is_enclosed)
                && !matches!(item.is, ',' | ' ' | ':' | '[' | '{' | '('));
        if !is_item {
            at += 1;
            continue;
        }
        if !is_list {
            read_characters(&mut list, out);
        }
        let key = layer[after..at].iter().rev().find(|it| !it.is.is_whitespace());
        list.push((item, key.is_some_and(|it| matches!(it.is, ':' | '>'))));
        after = at + 2;
        at = after + usize::from(is_quoted);
    }
    read_characters(&mut list, out);
}

/// Reads all characters of a list, and those that are the values of an object.
fn read_characters(list: &mut Vec<(Symbol, bool)>, out: &mut Vec<Symbol>) {
    out.extend(list.iter().map(|(item, _)| *item));
    out.push(GAP);
    out.extend(list.iter().filter(|(_, is_value)| *is_value).map(|(item, _)| *item));
    out.push(GAP);
    list.clear();
}

/// The maximum length of the name or number of an entity.
const LONGEST_ENTITY: usize = 16;

/// The characters with a name in HTML: punctuation and Latin-1, which is what escaping by name
/// uses.
fn named(name: &str) -> Option<char> {
    let latin1 = || {
        let place = LATIN1.split_ascii_whitespace().position(|known| known == name)?;
        char::from_u32(0xa0 + u32::try_from(place).ok()?)
    };
    let mut punctuation = PUNCTUATION.split_ascii_whitespace();
    let found = punctuation.find_map(|known| {
        let is = known.strip_prefix(name)?;
        let mut characters = is.chars();
        characters.next().filter(|_| characters.as_str().is_empty())
    });
    match name {
        "Tab" => Some('\t'),
        "NewLine" => Some('\n'),
        _ => found.or_else(latin1),
    }
}

/// Names, each with its character.
const PUNCTUATION: &str = "quot\" QUOT\" amp& AMP& apos' lt< LT< gt> GT> excl! num# dollar$ percnt% lpar( \
     rpar) ast* midast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ \
     rsqb] rbrack] Hat^ lowbar_ UnderBar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace} euro€ ndash– \
     mdash— hellip… lsquo‘ rsquo’";

/// The names from U+00A0 on, in order.
const LATIN1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
     plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute \
     Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
     Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
     atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
     ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

#[cfg(test)]
mod tests {
    use super::*;

    /// The layers that a row reads in a text: each symbol, with the text that it was read from
    /// where that differs.
    fn read(row: usize, text: &str) -> Vec<String> {
        let shown = |it: &Symbol| {
            let from = &text[it.start as usize..it.end as usize];
            match from.chars().eq([it.is]) {
                true => from.to_owned(),
                false => format!("{{{from}|{}}}", it.is.escape_debug()),
            }
        };
        let layers = Layer::of(text).decoded(&ENCODINGS[row]);
        layers.iter().map(|layer| layer.symbols.iter().map(shown).collect()).collect()
    }

    /// Each row alone, with the first layer that it reads in a text.
    #[test]
    fn rows_decode_by_one_level() {
        let [string, ldap, url, html, printable, hex, base64, numbers, characters] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8];
        for (row, text, first) in [
            (string, r"\n\r\t\b\f", r"{\n|\n}{\r|\r}{\t|\t}{\b|\u{8}}{\f|\u{c}}"),
            (string, r"\v\a\0\q\\b", r"{\v|\u{b}}{\a|\u{7}}{\0|\0}{\q|q}{\\|\\}b"),
            (string, r"\u00e4\xe4\u{e4}", r"{\u00e4|ä}{\xe4|ä}{\u{e4}|ä}"),
            (string, r"\x{1f980}\U0001f980", r"{\x{1f980}|🦀}{\U0001f980|🦀}"),
            (string, r"\101\08\390", r"{\101|A}{\0|\0}8{\3|3}90"),
            (string, r"\ud83e\udd80", r"{\ud83e\udd80|🦀}"),
            (string, r"\ud83e\u0041\ud83e!", r"\ud83e{\u0041|A}\ud83e!"),
            (string, r"\ud83e\xdd80", r"\ud83e{\xdd|Ý}80"),
            (string, r"\u{12345678}\xe4", r"\u{12345678}{\xe4|ä}"),
            (string, r"\u{110000}\xg1\xe4", r"\u{110000}\xg1{\xe4|ä}"),
            (string, r"\u00c3\u00a4", r"{\u00c3\u00a4|ä}"),
            (string, r"\xe2\x82\xac", r"{\xe2\x82\xac|€}"),
            (string, r"\xf0\x9f\xa6\x80", r"{\xf0\x9f\xa6\x80|🦀}"),
            (string, "a\\\nb\\\rc", ""),
            (ldap, r"a\4b\6X\c3\a4", r"a{\4b|K}\6X{\c3\a4|ä}"),
            (url, "a%4Bb%u004bc%zz%4", "a{%4B|K}b{%u004b|K}c%zz%4"),
            (url, "%C3%83%C2%A4", "{%C3%83%C2%A4|ä}"),
            (url, "%C3%A4%e2%82%ac%f0%9f%a6%80", "{%C3%A4|ä}{%e2%82%ac|€}{%f0%9f%a6%80|🦀}"),
            (html, "&quot;&#75&#75;x", "{&quot;|\\\"}{&#75|K}{&#75;|K}x"),
            (html, "&#x4b;&#X4B&yuml;", "{&#x4b;|K}{&#X4B|K}{&yuml;|ÿ}"),
            (html, "&#x1f980;&#9;x", "{&#x1f980;|🦀}{&#9;|\\t}x"),
            (html, "&Tab;&NewLine;", "{&Tab;|\\t}{&NewLine;|\\n}"),
            (html, "&nope;&amp&#x;&rsquo;&", "&nope;&amp&#x;{&rsquo;|’}&"),
            (printable, "a=4Bb=zz=", "a{=4B|K}b=zz="),
            (printable, "a=\r\nb=\nc=\rd= \t\r\ne= \nf=  g=", "abcdef=  g="),
            (hex, "x4b71377a,", "{4b71377a|K}{4b71377a|q}{4b71377a|7}{4b71377a|z}"),
            (hex, "4b713 77a", "{4b713|K}{4b713|q}{4b713 77a|7}{77a|z}"),
            (hex, "4b713\n  77a", "{4b713|K}{4b713|q}{4b713\n  77a|7}{77a|z}"),
            (hex, "4b713  77a", ""),
            (hex, "4b71377", ""),
            (
                base64,
                "S3E3enE3=.",
                "{S3E3enE3=|K}{S3E3enE3=|q}{S3E3enE3=|7}{S3E3enE3=|z}{S3E3enE3=|q}{S3E3enE3=|7}",
            ),
            (base64, "S3E3\nenEx=", "{S3E3|K}{S3E3|q}{S3E3|7}{enEx=|z}{enEx=|q}{enEx=|1}"),
            (base64, "S3\nE3enEx", "{S3|K}{S3\nE3enEx|q}{E3enEx|7}{E3enEx|z}{E3enEx|q}{E3enEx|1}"),
            (
                base64,
                "PDw-Pj8_Pw==",
                "{PDw-Pj8_Pw==|<}{PDw-Pj8_Pw==|<}{PDw-Pj8_Pw==|>}\
                {PDw-Pj8_Pw==|>}{PDw-Pj8_Pw==|?}{PDw-Pj8_Pw==|?}{PDw-Pj8_Pw==|?}",
            ),
            (
                base64,
                "PDw+Pj8/",
                "{PDw+Pj8/|<}{PDw+Pj8/|<}{PDw+Pj8/|>}{PDw+Pj8/|>}{PDw+Pj8/|?}\
                {PDw+Pj8/|?}",
            ),
            (base64, "S3E3 eng=", ""),
            (base64, "S3E3eng", ""),
            (numbers, "[75, 113, 55, 90]", "{75|K}{113|q}{55|7}{90|Z}"),
            (numbers, "{0x4B, 0x71, 0x37, 0x5a}", "{0x4B|K}{0x71|q}{0x37|7}{0x5a|Z}"),
            (numbers, "75u8, 113u8, 55_u8, 90u32", "{75u8|K}{113u8|q}{55_u8|7}{90u32|Z}"),
            (numbers, "[75, -61, -92, 55, 90]", "{75|K}{61, -92|ä}{55|7}{90|Z}"),
            (
                numbers,
                "01001011 01110001 00110111 01011010",
                "{01001011|K}{01110001|q}\
                {00110111|7}{01011010|Z}",
            ),
            (numbers, "75, 113, 55", ""),
            (numbers, "bytes 75, 113, 55", ""),
            (numbers, "75, 113 bytes 55, 90", ""),
            (characters, r#"["K", "q", "7"]"#, "Kq7"),
            (characters, "[K, q, 7]", "Kq7"),
            (characters, "[b'K', b'q', b'7']", "Kq7"),
            (characters, "0 => 'K', 1 => 'q'", "Kq"),
            (characters, r#"["K","q","7"]"#, "Kq7"),
            (characters, r#"["K", ",", " ", "q"]"#, "K, q"),
            (characters, r#"["K","q"] and ["7","z"]"#, "Kq"),
            (characters, r#""ab","cd""#, ""),
            (characters, r#""--","++""#, ""),
        ] {
            assert_eq!(read(row, text).first().map_or("", String::as_str), first, "{row}: {text}");
        }
    }

    #[test]
    fn runs_are_read_from_each_digit_and_in_each_radix() {
        // The last digits of an odd run, and bytes that begin in the middle of one, split where
        // they are no text.
        let hex = read(5, "4b71375a7831");
        let plain: Vec<String> = hex.iter().map(|it| it.replace("4b71375a7831|", "")).collect();
        assert_eq!(plain[1..], ["{·}", "{\\u{13}}{u}{§}", "{\\u{83}}"]);
        assert_eq!(
            read(7, "4b:71:37:5a"),
            ["{71|G}{37|%}", "{4b|K}{71|q}{37|7}{5a|Z}", "{71|9}{37|\\u{1f}}", "{71|G}{37|%}"],
        );
        assert!(read(7, "c3:a4:6b:4b").contains(&"{c3:a4|ä}{6b|k}{4b|K}".to_owned()));
        for (length, is_one_list) in [(LONGEST_SEPARATOR, true), (LONGEST_SEPARATOR + 1, false)] {
            let (numbers, separator) = (["75", "113", "55", "90"], " ".repeat(length));
            assert_eq!(!read(7, &numbers.join(&separator)).is_empty(), is_one_list, "{length}");
        }
        let values = read(7, r#"{"8": 75, "9": 113, "8": 55, "9": 90}"#);
        assert_eq!(values.last().map(String::as_str), Some("{75|K}{113|q}{55|7}{90|Z}"));
        assert_eq!(read(8, r#"{"0": "K", "1": "q"}"#), ["0K1q", "Kq"]);
    }

    /// Text far from all escapes is in the layer before.
    #[test]
    fn an_escape_is_read_with_the_text_around_it() {
        // In the middle, at the beginning and at the end of a cell.
        for (far, before, after) in [
            (2_000, "", "hunter"),
            (2_000, "hunter", ""),
            (2_000, "hun", "ter"),
            (2_042, "hunter", ""),
            (2_047, "", "hunter"),
        ] {
            let far = "x".repeat(far);
            let text = format!("{far}{before}%2d{after}{far}");
            let layers = Layer::of(&text).decoded(&ENCODINGS[2]);
            assert_eq!(layers.len(), 1);
            let read: String = layers[0].symbols.iter().map(|it| it.is).collect();
            assert!(read.contains(&format!("{before}-{after}")), "{read}");
            let most = 3 * BYTES_OF_CELL.max(SYMBOLS_OF_CELL);
            assert!((2 * BYTES_OF_CELL..=most).contains(&read.len()), "{}", read.len());
            assert_eq!(layers[0].level, 1);
            assert!(!layers[0].is_of_runs);
        }
        // As many symbols where each takes many bytes.
        let far = "x".repeat(200);
        let text = format!("{far}%2d{far}").replace('x', r"\U00000078");
        let layers = Layer::of(&text).decoded(&ENCODINGS[0])[0].decoded(&ENCODINGS[2]);
        assert!(layers[0].symbols.len() >= 2 * SYMBOLS_OF_CELL, "{}", layers[0].symbols.len());
    }
}
