//! Paths through podqueue to the crates that generated types use, so that a user's crate need not
//! depend on them.

use syn::visit_mut::VisitMut;
use syn::{Attribute, Meta, Path, parse_quote};

/// The crates that podqueue hands on.
const CRATES: [&str; 2] = ["serde", "serde_json"];

/// `::serde_json::Value` becomes `__runtime::__private::serde_json::Value`.
pub(super) struct Reexports;

impl VisitMut for Reexports {
    fn visit_path_mut(&mut self, path: &mut Path) {
        let is_handed_on = path.segments.first().is_some_and(|first| {
            path.segments.len() > 1 && CRATES.iter().any(|name| first.ident == name)
        });
        if path.leading_colon.is_some() && is_handed_on {
            let segments = &path.segments;
            *path = parse_quote!(__runtime::__private::#segments);
        }
        syn::visit_mut::visit_path_mut(self, path);
    }

    /// What stands in an attribute is text to the parser.
    fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
        let Meta::List(list) = &mut attribute.meta else { return };
        let mut text = list.tokens.to_string();
        for name in CRATES {
            for start in [format!(":: {name} ::"), format!("\"::{name}::")] {
                let (quote, _) = start.split_at(start.find(':').unwrap_or_default());
                text = text.replace(&start, &format!("{quote}__runtime::__private::{name}::"));
            }
        }
        if let Ok(tokens) = text.parse() {
            list.tokens = tokens;
        }
    }
}
