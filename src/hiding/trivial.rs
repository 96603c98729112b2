//! Values that could be secrets and are not worth redacting.

/// Whether a value that may be a secret is none, or none worth the damage: to redact `1`, `true` or
/// `small` wherever it stands would leave nothing of a message.
///
/// It is trivial with fewer than 6 characters, as a word of fewer than 8 letters, and as a number, a
/// date or an address of fewer than 12 digits and signs.
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
    fn trivial_values_are_no_secrets() {
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
