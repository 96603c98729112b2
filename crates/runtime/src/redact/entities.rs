//! The names that HTML has for characters: those of punctuation and of Latin-1, which is what escapes
//! a text by name.

/// The length of the longest name or number, without `&` and `;`.
pub(super) const LONGEST: usize = 10;

/// What stands between `&` and `;`: a name, `#34` or `#x22`.
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
