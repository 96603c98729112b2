//! JSON pointers such as `#/paths/~1a/get`.

/// A JSON pointer with more keys.
pub(in crate::rest) fn joined<T: AsRef<str>>(place: &str, keys: &[T]) -> String {
    keys.iter().fold(place.to_owned(), |place, key| {
        format!("{place}/{}", key.as_ref().replace('~', "~0").replace('/', "~1"))
    })
}

/// The keys of a pointer.
pub(in crate::rest) fn keys(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(unescaped).collect()
}

/// A part of a pointer as it was before it became one.
pub(in crate::rest) fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}
