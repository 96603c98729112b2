//! Messages of serde, without the values of a response that they quote.

/// The message of a serde error without the values that it quotes:
/// `invalid type: string …, expected f64`.
pub fn without_values(message: &str) -> String {
    for unknown in ["unknown variant `", "unknown field `"] {
        // The name is quoted as received, with any character in it.
        let rest = message.strip_prefix(unknown);
        let end = rest.and_then(|rest| rest.rfind("`, expected").or(rest.rfind("`, there are")));
        if let (Some(rest), Some(end)) = (rest, end) {
            return format!("{unknown}…{}", &rest[end..]);
        }
    }
    // The text after `expected`, and the names of missing fields, come from the type.
    let found_ends = if message.starts_with("invalid ") { usize::MAX } else { 0 };
    let mut shown = String::with_capacity(message.len());
    let (mut within, mut escaped, mut found) = (None, false, found_ends > 0);
    for (at, character) in message.char_indices() {
        found &= within.is_some() || !message[at..].starts_with(", expected");
        match (character, within) {
            _ if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (_, Some(quote)) if character == quote => {
                within = None;
                shown.push('…');
            }
            (_, Some(_)) => {}
            ('"', None) => within = Some('"'),
            ('`', None) if found => within = Some('`'),
            _ => shown.push(character),
        }
    }
    shown
}
