//! Model of a description: its operations, as far as the emitter needs them.

/// One call of the interface.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The name of the Rust function: `get_pod`.
    pub(crate) name: String,
    /// Its operationId, if it has one.
    pub(crate) id: Option<String>,
    /// The HTTP method, in capitals.
    pub(crate) method: String,
    /// The path as the description writes it: `/pods/{podId}`.
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) deprecated: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// Query parameters that the path itself has.
    pub(crate) path_query: Vec<(String, PathValue)>,
    pub(crate) body: Option<Body>,
    /// How a successful response is read; not at all where none has content.
    pub(crate) answer: Option<Answer>,
    /// What the responses of success are by status, where they are not of one type.
    pub(crate) successes: Vec<Success>,
    /// A response can be a stream of events; by this name the signatures have the type of an
    /// event's data.
    pub(crate) events: Option<String>,
    /// The call of the same operation with another body, and the media type of that.
    pub(crate) other_body: Option<(String, String)>,
    /// Documented errors: status and what it means.
    pub(crate) errors: Vec<(String, String)>,
}

/// The value of a query parameter that the path itself has.
#[derive(Clone, Debug)]
pub(crate) enum PathValue {
    Fixed(String),
    /// The wire name of a path parameter.
    Parameter(String),
}

/// One parameter of a call.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The name in Rust, unique within its operation.
    pub(crate) name: String,
    /// The name on the wire.
    pub(crate) wire: String,
    pub(crate) place: Place,
    pub(crate) required: bool,
    /// How a query parameter is encoded that is no scalar and no list with a pair per element.
    pub(crate) style: Option<Style>,
    /// How a path parameter is written that is more than plain text.
    pub(crate) path_style: Option<PathStyle>,
    /// The media type of a part, where the description names one.
    pub(crate) media: Option<String>,
    pub(crate) description: String,
}

/// Where a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    /// A part of a multipart body.
    Part(PartKind),
}

/// What a part of a multipart body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    File,
    Files,
    /// A value, or a list of values with a part each.
    Value,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    pub(crate) description: String,
    pub(crate) content: Content,
    /// The media type that goes out.
    pub(crate) media: String,
    /// How fields of a form are encoded that are no plain ones.
    pub(crate) styles: Vec<(String, Style)>,
}

/// What a body or a response holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Json,
    Form,
    /// Its parts are among the parameters.
    Multipart,
    Text,
    Bytes,
    /// Server-sent events.
    Events,
}

/// How a field of a form, or a query parameter, encodes a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Json,
    Exploded,
    /// The separator as it is sent.
    Joined(&'static str),
    Deep,
}

/// How a path parameter is written, by RFC 6570.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStyle {
    Json,
    Simple { exploded: bool },
    Label { exploded: bool },
    Matrix { exploded: bool },
}

/// How a successful response is read.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) content: Content,
    /// Some success has no content.
    pub(crate) may_be_empty: bool,
    /// The media types to ask for, where JSON alone is not what is required_fields.
    pub(crate) accept: Option<String>,
}

/// One of several responses of success.
#[derive(Clone, Debug)]
pub(crate) struct Success {
    /// `201`, or `2XX` for all that have no response of their own.
    pub(crate) status: String,
    pub(crate) description: String,
    /// None for a response without content.
    pub(crate) content: Option<Content>,
    /// Its type is that of the call's response, or it has no content.
    pub(crate) is_first: bool,
    /// The media types to ask for.
    pub(crate) accept: Vec<String>,
    /// By this name the signatures have its type, if it is JSON of another type.
    pub(crate) name: Option<String>,
}

impl Operation {
    /// The path cut into what stays as it is and what a parameter replaces.
    pub(crate) fn path_pieces(&self) -> Vec<Piece<'_>> {
        pieces(split(&self.path).0)
    }
}

/// Cuts what is no path off a path: `?a=b`, whose pairs are returned, and `#c`, which is never sent.
pub(crate) fn split(path: &str) -> (&str, Vec<(&str, &str)>) {
    let path = split_once(path, '#').0;
    let (path, query) = split_once(path, '?');
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    (path, pairs.map(|pair| split_once(pair, '=')).collect())
}

/// Cuts at a character that is not part of a parameter's name.
fn split_once(text: &str, at: char) -> (&str, &str) {
    let mut place = 0;
    for piece in pieces(text) {
        match piece {
            Piece::Parameter(name) => place += "{}".len() + name.len(),
            Piece::Literal(literal) => match literal.find(at) {
                Some(found) => {
                    let (before, after) = text.split_at(place + found);
                    return (before, &after[at.len_utf8()..]);
                }
                None => place += literal.len(),
            },
        }
    }
    (text, "")
}

/// A part of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Literal(&'a str),
    /// The wire name of a parameter.
    Parameter(&'a str),
}

/// Cuts a path at its `{…}`. A brace that is never closed is literal.
pub(crate) fn pieces(path: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            pieces.push(Piece::Literal(before));
        }
        pieces.push(Piece::Parameter(name));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_cut_at_its_parameters() {
        assert_eq!(
            pieces("/pods/{podId}/logs/{a}.{b}"),
            [
                Piece::Literal("/pods/"),
                Piece::Parameter("podId"),
                Piece::Literal("/logs/"),
                Piece::Parameter("a"),
                Piece::Literal("."),
                Piece::Parameter("b"),
            ]
        );
        assert_eq!(pieces("/odd/{open"), [Piece::Literal("/odd/{open")]);
    }

    #[test]
    fn a_query_and_a_fragment_are_no_path() {
        assert_eq!(split("/a/{b}"), ("/a/{b}", vec![]));
        assert_eq!(split("/a?b={c}&d#e?f"), ("/a", vec![("b", "{c}"), ("d", "")]));
        assert_eq!(split("/{?a}/{b#c}?{d=e}=f"), ("/{?a}/{b#c}", vec![("{d=e}", "f")]));
        assert_eq!(split("/{a?b=c"), ("/{a", vec![("b", "c")]));
    }
}
