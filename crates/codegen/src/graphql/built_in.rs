//! What every schema has without saying so, and the validation wants said.

/// The scalars.
pub(crate) const SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];

/// The directives, and their definitions.
pub(crate) const DIRECTIVES: [(&str, &str); 4] = [
    ("include", "directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("skip", "directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    ("deprecated", "directive @deprecated(reason: String) on FIELD_DEFINITION | ENUM_VALUE"),
    ("specifiedBy", "directive @specifiedBy(url: String!) on SCALAR"),
];
