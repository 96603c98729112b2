//! Values in a path, as RFC 6570 expands them.

use serde_json::Value;

use super::form::escaped_texts;
use crate::path::escaped;

/// How a path parameter is written. Exploded, each value stands for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStyle {
    /// JSON text.
    Json,
    /// `a,b`
    Simple {
        /// Fields of an object are `k=v` rather than `k,v`.
        exploded: bool,
    },
    /// `.a,b`
    Label {
        /// `.a.b`
        exploded: bool,
    },
    /// `;name=a,b`
    Matrix {
        /// `;name=a;name=b`
        exploded: bool,
    },
}

/// The text of a value, escaped; empty where the value has none.
pub(super) fn expanded(name: &str, value: &Value, style: PathStyle) -> String {
    let (before, between, is_exploded) = match style {
        PathStyle::Json => return escaped(&value.to_string()).into_owned(),
        PathStyle::Simple { exploded } => ("", ",", exploded),
        PathStyle::Label { exploded } => (".", ".", exploded),
        PathStyle::Matrix { exploded } => (";", ";", exploded),
    };
    let mut texts = escaped_texts(value, if is_exploded { "=" } else { "," });
    if texts.iter().all(String::is_empty) {
        return String::new();
    }
    let name = escaped(name);
    let is_several = value.is_array() || value.is_object();
    let is_matrix = matches!(style, PathStyle::Matrix { .. });
    if is_matrix && is_exploded && value.is_array() {
        texts.iter_mut().for_each(|text| *text = format!("{name}={text}"));
    }
    let named = is_matrix && !(is_exploded && is_several);
    let before = if named { format!("{before}{name}=") } else { before.to_owned() };
    before + &texts.join(if is_exploded { between } else { "," })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The examples of OpenAPI's table of styles, and what it does not show.
    #[test]
    fn every_style_has_its_form() {
        use PathStyle::{Json, Label, Matrix, Simple};
        let (exploded, whole) = (true, false);
        let text = json!("blue");
        let list = json!(["blue", "black", "brown"]);
        let object = json!({"B": 150, "G": 200, "R": 100});
        for (value, style, expected) in [
            (&text, Simple { exploded }, "blue"),
            (&text, Label { exploded }, ".blue"),
            (&text, Matrix { exploded }, ";color=blue"),
            (&text, Json, "%22blue%22"),
            (&list, Simple { exploded: whole }, "blue,black,brown"),
            (&list, Simple { exploded }, "blue,black,brown"),
            (&list, Label { exploded: whole }, ".blue,black,brown"),
            (&list, Label { exploded }, ".blue.black.brown"),
            (&list, Matrix { exploded: whole }, ";color=blue,black,brown"),
            (&list, Matrix { exploded }, ";color=blue;color=black;color=brown"),
            (&object, Simple { exploded: whole }, "B,150,G,200,R,100"),
            (&object, Simple { exploded }, "B=150,G=200,R=100"),
            (&object, Label { exploded: whole }, ".B,150,G,200,R,100"),
            (&object, Label { exploded }, ".B=150.G=200.R=100"),
            (&object, Matrix { exploded: whole }, ";color=B,150,G,200,R,100"),
            (&object, Matrix { exploded }, ";B=150;G=200;R=100"),
            (&json!(["a,b", null, "c/d"]), Simple { exploded }, "a%2Cb,c%2Fd"),
            (&json!({"a=b": "c;d"}), Matrix { exploded }, ";a%3Db=c%3Bd"),
            (&json!([]), Matrix { exploded }, ""),
            (&json!([""]), Label { exploded }, ""),
            (&json!(null), Simple { exploded }, ""),
        ] {
            assert_eq!(expanded("color", value, style), expected, "{value} {style:?}");
        }
        assert_eq!(expanded("a b", &list, Matrix { exploded: whole }), ";a%20b=blue,black,brown");
    }
}
