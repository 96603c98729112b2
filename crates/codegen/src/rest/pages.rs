//! Pages of a list, as a build script or an option of the program states them.
//!
//! The operations that have pages are found by `normalize/paging.rs`; the generated code follows
//! them by the runtime's `rest/pages.rs`.

use std::str::FromStr;

use super::model::{Next, Sent};

/// The order in which the pages of a list follow each other, for
/// [`Build::pages`](crate::Build::pages).
///
/// A place is a field of the response, or fields within each other: `meta.next_cursor`.
///
/// The position of the next page is sent as a query parameter, or else as a field of the JSON body,
/// such as the cursor of a search by POST: a field, or fields within each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    /// None for a call without pages.
    pub(super) next: Option<Next>,
    pub(super) items: Option<Vec<String>>,
}

impl Pages {
    /// The next page is at the URL with `rel="next"` in the header `Link` (RFC 8288).
    pub fn link_header() -> Self {
        Self::header("link")
    }

    /// The next page is at the URL in a header of this name.
    pub fn header(name: impl Into<String>) -> Self {
        Self::of(Next::Header(name.into()))
    }

    /// The next page is at the URL at a place of the response.
    pub fn link(place: &str) -> Self {
        Self::of(Next::Link(fields(place)))
    }

    /// A cursor at a place of the response is sent as `parameter`. There is no next page where it is
    /// missing, null or empty.
    pub fn cursor(parameter: impl Into<String>, place: &str) -> Self {
        let parameter = Sent::Query(parameter.into());
        Self::of(Next::Cursor { parameter, place: fields(place), more: None })
    }

    /// The field `id` of the last item is sent as `parameter`, as long as the boolean at the place
    /// `more` is true.
    pub fn last_item(parameter: impl Into<String>, id: impl Into<String>, more: &str) -> Self {
        let (parameter, id, more) = (Sent::Query(parameter.into()), id.into(), fields(more));
        Self::of(Next::LastItem { parameter, id, more })
    }

    /// The number of items before the page is sent as `parameter`, up to a page without items.
    pub fn offset(parameter: impl Into<String>) -> Self {
        Self::of(Next::Offset { parameter: Sent::Query(parameter.into()) })
    }

    /// The number of the page is sent as `parameter`, up to a page without items. The first page has
    /// the number `first`.
    pub fn number(parameter: impl Into<String>, first: u64) -> Self {
        Self::of(Next::Number { parameter: Sent::Query(parameter.into()), first })
    }

    /// The response is no page of a list, whatever its names suggest.
    pub fn none() -> Self {
        Self { next: None, items: None }
    }

    /// The place of the items, where the response has several lists.
    #[must_use]
    pub fn items(self, place: &str) -> Self {
        Self { items: Some(fields(place)), ..self }
    }

    fn of(next: Next) -> Self {
        Self { next: Some(next), items: None }
    }
}

pub(super) fn fields(place: &str) -> Vec<String> {
    place.split('.').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// The notation of an option: a call of a constructor, and one of `items`, without quotes.
///
/// ```
/// # fn main() -> Result<(), String> {
/// use podqueue_codegen::Pages;
///
/// let pages: Pages = "cursor(from, page.last).items(shops)".parse()?;
/// # let _ = pages;
/// # Ok(())
/// # }
/// ```
impl FromStr for Pages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "{text:?} states no pages: write one of link_header(), header(name), link(place), \
                 cursor(parameter, place), last_item(parameter, id, more), offset(parameter), \
                 number(parameter, first) and none(), and .items(place) after it if need be"
            )
        };
        let closed = text.trim().strip_suffix(')').ok_or_else(refused)?;
        let (constructor, items) = match closed.split_once(").items(") {
            Some((constructor, items)) => (constructor, Some(items)),
            None => (closed, None),
        };
        let (name, arguments) = constructor.split_once('(').ok_or_else(refused)?;
        let is_nested = |text: &str| text.contains(['(', ')']);
        if is_nested(arguments) || items.is_some_and(is_nested) {
            return Err(refused());
        }
        let arguments: Vec<_> = arguments.split(',').map(str::trim).collect();
        let pages = match (name.trim(), arguments.as_slice()) {
            ("link_header", [""]) => Self::link_header(),
            ("header", [name]) => Self::header(*name),
            ("link", [place]) => Self::link(place),
            ("cursor", [parameter, place]) => Self::cursor(*parameter, place),
            ("last_item", [parameter, id, more]) => Self::last_item(*parameter, *id, more),
            ("offset", [parameter]) => Self::offset(*parameter),
            ("number", [parameter, first]) => {
                Self::number(*parameter, first.parse().map_err(|_| refused())?)
            }
            ("none", [""]) => Self::none(),
            _ => return Err(refused()),
        };
        Ok(match items {
            Some(place) => pages.items(place.trim()),
            None => pages,
        })
    }
}
