//! The macro that `include_rest!` expands to. It gets the crate whose runtime generated code uses.

/// A macro that brings a description in by its name, or without one where there is only one.
///
/// The generated code gets a module to itself, so that neither names nor lints around it matter.
/// The macro ends in an error for a name that there is not, or not any more: the file of a
/// description that was renamed may still be there.
pub(super) fn index<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.collect();
    let mut arms = String::new();
    if let [only] = names.as_slice() {
        arms.push_str(&format!(
            "    ([$($runtime:tt)*]) => {{ podqueue_rest! {{ [$($runtime)*] {only:?} }} }};\n"
        ));
    }
    for name in &names {
        let file = format!("/podqueue_rest_{name}.rs");
        arms.push_str(&format!(
            "    ([$($runtime:tt)*] {name:?}) => {{
        #[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
        #[allow(unreachable_pub, clippy::all, clippy::nursery, clippy::pedantic)]
        #[allow(clippy::restriction)]
        mod podqueue_rest {{
            #[allow(unused_imports)]
            use ::std::prelude::v1::*;
            use $($runtime)* as __runtime;

            ::std::include!(::std::concat!(::std::env!(\"OUT_DIR\"), {file:?}));
        }}
        #[allow(unreachable_pub, unused_imports)]
        pub use self::podqueue_rest::*;
    }};\n"
        ));
    }
    let choices: Vec<_> = names.iter().map(|name| format!("include_rest!({name:?})")).collect();
    let choices = match choices.as_slice() {
        [only] => format!("write {only}"),
        several => format!("write one of {}", several.join(", ")),
    };
    let several = format!("there are several descriptions; {choices}");
    let unknown = format!("; {choices}");
    format!(
        "#[allow(unused_macro_rules, unused_macros)]\nmacro_rules! podqueue_rest {{\n{arms}\
         \x20   ([$($runtime:tt)*]) => {{ ::std::compile_error!({several:?}); }};\n\
         \x20   ([$($runtime:tt)*] $name:tt) => {{\n        \
         ::std::compile_error!(::std::concat!(\n            \
         \"there is no description of the name \", ::std::stringify!($name), {unknown:?}\n        \
         ));\n    }};\n}}\n"
    )
}
