//! Values that may be secrets but are too common to redact.

/// Whether redacting a value would do more harm than good: with every `1`, `true` or `small` redacted,
/// a message would be unreadable.
///
/// Trivial are values of fewer than 6 characters, words of fewer than 8 letters, and numbers, dates
/// and addresses of fewer than 12 digits and signs.
pub(super) fn is_trivial(value: &str) -> bool {
    let length = value.chars().count();
    let only = |of: fn(char) -> bool| value.chars().all(of);
    length < 6
        || (length < 8 && only(char::is_alphabetic))
        || (length < 12 && only(|it| it.is_ascii_digit() || ".,:+-_/ ".contains(it)))
}

#[cfg(test)]
mod tests {
    use super::is_trivial;

    #[test]
    fn short_common_values_are_trivial() {
        for trivial in
            ["", "1", "true", "debug", "small", "0.0.0.0:80", "2024-01-01", "8080", "h100"]
        {
            assert!(is_trivial(trivial), "{trivial}");
        }
        for other in ["hunter2", "4111111111111111", "canary-1", "swordfish", "пароль-1"] {
            assert!(!is_trivial(other), "{other}");
        }
    }
}
