//! Model of the operations that are emitted: the output of normalization and the input of the
//! emitter.

use serde_json::{Value, json};

/// One call.
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
    /// The keys that lead to it from the top of the description.
    pub(crate) keys: Vec<String>,
    /// Its first tag.
    pub(crate) tag: Option<String>,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) deprecated: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// Query parameters within the path.
    pub(crate) path_query: Vec<(String, PathValue)>,
    pub(crate) body: Option<Body>,
    /// Content of the success response; `None` if no success has content.
    pub(crate) response: Option<ExpectedResponse>,
    /// True if each success has a status that permits no content.
    pub(crate) has_no_content: bool,
    /// The success responses by status; empty if they have the same type.
    pub(crate) successes: Vec<Success>,
    /// The name under which the signatures have the type of an event's data, if a response may be a
    /// stream of events.
    pub(crate) events: Option<String>,
    /// The name under which the signatures have the type of a line, if the response has a JSON value
    /// in each line.
    pub(crate) lines: Option<String>,
    /// The call of the same operation with another body, and the media type of that body.
    pub(crate) other_body: Option<(String, String)>,
    /// The server of the operation, if that is not the one that all others have.
    pub(crate) server: Option<String>,
    /// The documented errors: status and description.
    pub(crate) errors: Vec<(String, String)>,
    /// The errors whose body is JSON: status, and the name under which the signatures have its
    /// type.
    pub(crate) error_bodies: Vec<(String, String)>,
    /// The errors whose body is not JSON, within a range of statuses whose body is: status and content.
    pub(crate) error_texts: Vec<(String, Content)>,
    /// The headers that are described for the response of success.
    pub(crate) headers: Vec<Header>,
    /// Set if the response is a page of a list, with the name under which the signatures have the
    /// type of an item.
    pub(crate) paging: Option<(Paging, String)>,
}

/// A header of a response.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// The name on the wire.
    pub(crate) wire: String,
    pub(crate) kind: HeaderKind,
    pub(crate) description: String,
}

/// The type of a header's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    Text,
    Integer,
    Unsigned,
    Number,
    Boolean,
}

/// The order in which the pages of a list follow each other. Places are the fields that lead to a
/// value.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    pub(crate) next: Next,
    /// The place of the items within a page; empty if the page is the list.
    pub(crate) items: Vec<String>,
}

/// The step from a page to the next one. The runtime documents each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Header(String),
    Link(Vec<String>),
    Cursor { parameter: Sent, place: Vec<String>, more: Option<Vec<String>> },
    LastItem { parameter: Sent, id: String, more: Vec<String> },
    Offset { parameter: Sent },
    Number { parameter: Sent, first: u64 },
}

impl Paging {
    /// The paging as the fake reads it, `x-podqueue-pages` of an operation.
    pub(crate) fn json(&self) -> Value {
        let sent = |sent: &Sent| match sent {
            Sent::Query(name) => ("query", json!(name)),
            Sent::Body(place) => ("body", json!(place)),
        };
        let (parameter, mut stated) = match &self.next {
            Next::Header(name) => (None, json!({ "by": "header", "header": name })),
            Next::Link(place) => (None, json!({ "by": "link", "place": place })),
            Next::Cursor { parameter, place, more } => {
                let more = more.as_deref().unwrap_or_default();
                (Some(sent(parameter)), json!({ "by": "cursor", "place": place, "more": more }))
            }
            Next::LastItem { parameter, id, more } => {
                (Some(sent(parameter)), json!({ "by": "lastItem", "id": id, "more": more }))
            }
            Next::Offset { parameter } => (Some(sent(parameter)), json!({ "by": "offset" })),
            Next::Number { parameter, first } => {
                (Some(sent(parameter)), json!({ "by": "number", "first": first }))
            }
        };
        stated["items"] = json!(self.items);
        if let Some((key, value)) = parameter {
            stated[key] = value;
        }
        stated
    }
}

/// The part of a request that says which page is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The query parameter of this name.
    Query(String),
    /// The field at this place of a JSON body.
    Body(Vec<String>),
}

impl Next {
    /// The part of the request that it sets, unless it is a URL.
    pub(crate) fn sent_mut(&mut self) -> Option<&mut Sent> {
        match self {
            Self::Header(_) | Self::Link(_) => None,
            Self::Cursor { parameter, .. }
            | Self::LastItem { parameter, .. }
            | Self::Offset { parameter }
            | Self::Number { parameter, .. } => Some(parameter),
        }
    }
}

/// The value of a query parameter within the path.
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
    pub(crate) place: ParameterLocation,
    pub(crate) required: bool,
    /// The notation of a query parameter; of a part only whether it needs items.
    pub(crate) encoding: Encoding,
    /// The style of a path parameter or a header; none for plain text.
    pub(crate) path_style: Option<PathStyle>,
    /// True if its value is secret by its format.
    pub(crate) is_secret: bool,
    /// The media type of a part, if the description specifies one.
    pub(crate) media: Option<String>,
    pub(crate) description: String,
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Header,
    /// A part of a multipart body.
    Part(PartKind),
}

/// The content of a part of a multipart body.
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
    /// The media type that is sent.
    pub(crate) media: String,
    /// The encoding of each field of a form that differs from the default.
    pub(crate) encodings: Vec<(String, Encoding)>,
}

/// The kind of content of a body or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// JSON.
    Json,
    /// A form, as URLs encode it.
    Form,
    /// Parts, which are among the parameters of the call.
    Multipart,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// Server-sent events.
    Events,
}

/// The notation of a query parameter or of a field of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// None for a scalar, and for a list with a pair for each item.
    pub(crate) style: Option<Style>,
    /// True if reserved characters need not be escaped.
    pub(crate) allows_reserved: bool,
    /// True for a list that must not be empty, since it would not be sent.
    pub(crate) needs_items: bool,
}

/// Style of a list or an object in a form or a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Json,
    Exploded,
    /// The separator as it is sent.
    Joined(&'static str),
    Deep,
}

/// Style of a path parameter (RFC 6570), or of a header, which is JSON or simple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStyle {
    Json,
    Simple { exploded: bool },
    Label { exploded: bool },
    Matrix { exploded: bool },
}

/// Content of a success response.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedResponse {
    pub(crate) content: Content,
    /// True if some success has no content.
    pub(crate) may_be_empty: bool,
    /// The media types in `Accept`, if that is not `application/json` alone.
    pub(crate) accept: Option<String>,
}

/// One of several responses of success.
#[derive(Clone, Debug)]
pub(crate) struct Success {
    /// `201`, or `2XX` for all statuses without a response of their own.
    pub(crate) status: String,
    pub(crate) description: String,
    /// None for a response without content.
    pub(crate) content: Option<Content>,
    /// True if its type is that of the call's response, or it has no content.
    pub(crate) is_first: bool,
    /// The media types in `Accept`.
    pub(crate) accept: Vec<String>,
    /// The name under which the signatures have its type, if it is JSON of another type.
    pub(crate) name: Option<String>,
}

impl Operation {
    /// The path, split into literals and parameters.
    pub(crate) fn path_pieces(&self) -> Vec<Piece<'_>> {
        pieces(split(&self.path).0)
    }
}

/// Splits a path from its query `?a=b`, whose pairs are returned, and from its fragment `#c`, which
/// is never sent.
pub fn split(path: &str) -> (&str, Vec<(&str, &str)>) {
    let path = split_once(path, '#').0;
    let (path, query) = split_once(path, '?');
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    (path, pairs.map(|pair| split_once(pair, '=')).collect())
}

/// Splits at the first such character that is not part of a parameter's name.
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
pub enum Piece<'a> {
    /// Text that is sent as it is written.
    Literal(&'a str),
    /// The wire name of a parameter.
    Parameter(&'a str),
}

/// Splits a path into literals and its `{…}`. A brace that is never closed is literal.
pub fn pieces(path: &str) -> Vec<Piece<'_>> {
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
    fn a_path_is_split_at_its_parameters() {
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
    fn a_query_and_a_fragment_are_split_off() {
        assert_eq!(split("/a/{b}"), ("/a/{b}", vec![]));
        assert_eq!(split("/a?b={c}&d#e?f"), ("/a", vec![("b", "{c}"), ("d", "")]));
        assert_eq!(split("/{?a}/{b#c}?{d=e}=f"), ("/{?a}/{b#c}", vec![("{d=e}", "f")]));
        assert_eq!(split("/{a?b=c"), ("/{a", vec![("b", "c")]));
    }
}
