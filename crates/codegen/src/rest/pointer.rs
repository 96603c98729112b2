//! JSON pointers such as `#/paths/~1a/get`, and the escapes of URLs in which they occur.

use percent_encoding::percent_decode_str;

/// Appends keys to a JSON pointer.
pub(in crate::rest) fn joined<T: AsRef<str>>(place: &str, keys: &[T]) -> String {
    keys.iter().fold(place.to_owned(), |place, key| {
        format!("{place}/{}", key.as_ref().replace('~', "~0").replace('/', "~1"))
    })
}

/// The keys of a pointer.
pub(in crate::rest) fn keys(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(unescaped).collect()
}

/// A segment of a pointer without its escapes.
pub(in crate::rest) fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A part of a URL without its escapes; unchanged if they are not UTF-8.
pub(in crate::rest) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), |it| it.into_owned())
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn valid_escapes_are_decoded() {
        assert_eq!(decoded("/a%20b%7E1%C3%BC"), "/a b~1ü");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%FF%+5"), "%zz%FF%+5");
    }
}
