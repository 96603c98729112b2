//! JSON pointers: their steps, and their form in the fragment of a URL.

/// A JSON pointer as the fragment of a URL.
pub(crate) fn escaped(pointer: &str) -> String {
    const KEPT: percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'~')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.');
    percent_encoding::utf8_percent_encode(pointer, &KEPT).to_string()
}

/// A key as a step of a JSON pointer.
pub(crate) fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The JSON pointer of a local reference.
pub(crate) fn pointer_of(reference: &str) -> Option<String> {
    let pointer = percent_encoding::percent_decode_str(reference.strip_prefix('#')?);
    Some(pointer.decode_utf8_lossy().into_owned())
}
