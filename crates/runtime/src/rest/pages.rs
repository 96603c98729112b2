//! Pages of a list: the call of the next page is made of the one before and of its response, until
//! there is no next page.
//!
//! A description rarely states how its lists are paged, so [`Paging`] is decided when code is
//! generated, from names that are certain or by a line in the build script. Pages are requested one
//! after the other, each when the stream is polled for it, with the retries and the limits of any
//! other call.
//!
//! Three invariants hold whatever a service says. A page is never requested twice, the first one
//! included: a service that leads back to an earlier page ends the stream with an error, and so does
//! one that ignores the number of the page and responds with the same items again. No link leads the
//! authorization to another origin. And what has arrived is not lost by what comes later: an error
//! follows the page that leads to it, and the items before the one that cannot be read.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use reqwest::Url;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::{Response, RestCall, Result, refuse_other_types};
use crate::error::{Error, ErrorKind};
use crate::json::of_another_type;
use crate::lenient::{self, Lenient, Reading};
use crate::redact::secrets_named;
use crate::response_headers::Headers;
use crate::transport::Reply;
use crate::url::escaped;

/// The rules by which the pages of a list follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// The value that leads to the next page.
    pub next: Next,
    /// The place of the items within a page; empty if the page is the list.
    pub items: FieldPath,
}

/// The fields that lead to a value within a response.
pub type FieldPath = &'static [&'static str];

/// The value that leads to the next page.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// A header with its URL: `Link` with `rel="next"` (RFC 8288), or the URL alone in another one.
    Header(&'static str),
    /// The URL of the next page, at this place in a page.
    Link(FieldPath),
    /// A cursor in the page.
    Cursor {
        /// The part of a request that has the cursor.
        parameter: Sent,
        /// The place of the cursor; there is no next page where it is missing, null or empty.
        place: FieldPath,
        /// The place of the boolean that says whether there is a next page, if there is one.
        more: Option<FieldPath>,
    },
    /// The id of a page's last item.
    LastItem {
        /// The part of a request that has the id.
        parameter: Sent,
        /// The field of an item that has its id.
        id: &'static str,
        /// The place of the boolean that says whether there is a next page.
        more: FieldPath,
    },
    /// The number of items before the page. A page without items is the last one, and so is the page
    /// before a 404.
    Offset {
        /// The part of a request that has the offset.
        parameter: Sent,
    },
    /// The number of the page. A page without items is the last one, and so is the page before a
    /// 404.
    Number {
        /// The part of a request that has the number.
        parameter: Sent,
        /// The number of the first page.
        first: u64,
    },
}

/// The part of a request that says which page is requested.
#[derive(Clone, Copy, Debug)]
pub enum Sent {
    /// The query parameter of this name.
    Query(&'static str),
    /// The field at this place of the JSON body.
    Body(FieldPath),
}

/// The pages of a list, in order, each as the call itself would return it.
///
/// A page is requested when the stream is polled for it; nothing is requested ahead. The stream ends
/// after the last page, or after one error as its last item. The error follows all that has arrived.
/// Of pages by number or offset, a 404 to a later page than the first is their end.
///
/// Errors: those of the call; [`Decode`](ErrorKind::Decode) also if a page does not say what leads to
/// the next one, leads to an earlier one, or to another origin, where the authorization must not be
/// sent, and if the same page comes again although another one was requested by its number or its
/// offset.
#[must_use = "pages are requested only when it is polled"]
pub struct Pages<T, E = Error> {
    pages: PageCalls,
    read: fn(&Response<'_>) -> Result<T>,
    error: PhantomData<fn() -> E>,
}

/// The items of all pages of a list, in order.
///
/// The next page is requested when the stream is polled after the last item of the page before. The
/// stream ends after the last item, or after one error as its last item, as [`Pages`] does.
#[must_use = "items are requested only when it is polled"]
pub struct Items<T, E = Error> {
    pages: PageCalls,
    waiting: VecDeque<T>,
    /// The error to yield after the items that wait.
    failure: Option<Error>,
    error: PhantomData<fn() -> E>,
}

impl RestCall {
    /// The pages that follow each other from this call on.
    pub fn pages<T, E>(
        self,
        paging: &'static Paging,
        read: fn(&Response<'_>) -> Result<T>,
    ) -> Pages<T, E> {
        Pages { pages: PageCalls::new(self, paging), read, error: PhantomData }
    }

    /// The items of the pages that follow each other from this call on.
    pub fn items<T: Lenient, E>(self, paging: &'static Paging) -> Items<T, E> {
        let pages = PageCalls::new(self, paging);
        Items { pages, waiting: VecDeque::new(), failure: None, error: PhantomData }
    }
}

impl<T, E: From<Error>> Stream for Pages<T, E> {
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(page) = ready!(self.pages.poll_page(context)) else { return Poll::Ready(None) };
        let read = page.and_then(|page| {
            let value = (self.read)(&Response::of(&page.reply));
            value.map_err(|error| page.reply.classify_decode_error(error))
        });
        if read.is_err() {
            self.pages.end();
        }
        Poll::Ready(Some(read.map_err(E::from)))
    }
}

impl<T: Lenient + Unpin, E: From<Error>> Stream for Items<T, E> {
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            if let Some(error) = self.failure.take() {
                self.pages.end();
                return Poll::Ready(Some(Err(error.into())));
            }
            let Some(page) = ready!(self.pages.poll_page(context)) else {
                return Poll::Ready(None);
            };
            let place = self.pages.paging.items;
            (self.waiting, self.failure) = match page {
                Ok(page) => page.items(place),
                Err(error) => (VecDeque::new(), Some(error)),
            };
        }
    }
}

/// The calls of pages. Not generic, so that it is compiled once.
struct PageCalls {
    paging: &'static Paging,
    /// The call of the next page.
    next: Option<RestCall>,
    running: Option<Running>,
    /// The error to yield after the page that leads to it.
    failure: Option<Error>,
    /// The links, cursors, offsets or numbers of the pages so far.
    seen: HashSet<String>,
    /// A hash of the items of the page before, where its number or its offset asks for the next one.
    before: Option<u64>,
}

type Running = Pin<Box<dyn Future<Output = Result<(Page, RestCall)>> + Send>>;

struct Page {
    reply: Reply,
    body: Json,
}

/// The change that makes the request of the next page from that of the page before.
enum Step {
    /// A text or a number, and where it is sent.
    Parameter(Sent, Json),
    /// The digits of a number that no number of Rust is equal to, and where they are sent.
    Digits(Sent, String),
    Link(Url),
}

impl PageCalls {
    fn new(call: RestCall, paging: &'static Paging) -> Self {
        let (failure, before) = (None, None);
        // A call whose URL is invalid has no first page.
        let seen = first(&call, paging.next).into_iter().collect();
        Self { paging, next: Some(call), running: None, failure, seen, before }
    }

    fn end(&mut self) {
        self.next = None;
        self.running = None;
        self.failure = None;
    }

    fn poll_page(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Page>>> {
        let items = self.paging.items;
        if let Some(call) = self.next.take() {
            self.running = Some(Box::pin(async move {
                let reply = call.clone().exchange().await?;
                let reply = refuse_other_types(reply, call.only)?;
                let body = match reply.status() {
                    204 => without_items(items),
                    _ => reply.decode().map_err(|error| reply.classify_decode_error(error))?,
                };
                Ok((Page { reply, body }, call))
            }));
        }
        let Some(running) = &mut self.running else {
            return Poll::Ready(self.failure.take().map(Err));
        };
        let arrived = ready!(running.as_mut().poll(context));
        self.running = None;
        if arrived.as_ref().is_err_and(|error| self.is_after_the_last(error)) {
            return Poll::Ready(None);
        }
        let page = arrived.and_then(|(page, call)| {
            self.refuse_repetition(&page).map_err(|error| page.reply.explain(error))?;
            match self.after(&page, call) {
                Ok(next) => self.next = next,
                Err(error) => self.failure = Some(page.reply.explain(error)),
            }
            Ok(page)
        });
        Poll::Ready(Some(page))
    }

    /// Returns true if there is no page of the number or the offset that comes after those of the
    /// pages so far: some services respond to it with 404 instead of a page without items.
    fn is_after_the_last(&self, error: &Error) -> bool {
        let is_counted = matches!(self.paging.next, Next::Offset { .. } | Next::Number { .. });
        is_counted && self.seen.len() > 1 && error.status() == Some(404)
    }

    /// Refuses a page that was requested by its number or its offset, and has the items of the one
    /// before.
    fn refuse_repetition(&mut self, page: &Page) -> Result<()> {
        let (Next::Offset { parameter } | Next::Number { parameter, .. }) = self.paging.next else {
            return Ok(());
        };
        // Pages of one number or text may follow each other; others have something of their own.
        let items = list_at(&page.body, self.paging.items).unwrap_or_default();
        let is_one_value = items.iter().all(|it| !it.is_object() && *it == items[0]);
        if is_one_value {
            return Ok(());
        }
        let mut hasher = DefaultHasher::new();
        items.iter().for_each(|item| item.to_string().hash(&mut hasher));
        let hash = hasher.finish();
        if self.before.replace(hash) != Some(hash) {
            return Ok(());
        }
        let name = match parameter {
            Sent::Query(name) => name.to_owned(),
            Sent::Body(place) => place.join("."),
        };
        let what = format!("the same page came again: the service seems to ignore `{name}`");
        Err(Error::new(ErrorKind::Decode, page.reply.attempted(), what))
    }

    /// The call of the page after this one, which `call` has requested.
    fn after(&mut self, page: &Page, mut call: RestCall) -> Result<Option<RestCall>> {
        let fault = |what: String| Error::new(ErrorKind::Decode, page.reply.attempted(), what);
        let Some(step) = self.step(page, &call).map_err(fault)? else { return Ok(None) };
        let shown = match &step {
            Step::Parameter(_, value) => text(value),
            Step::Digits(_, digits) => digits.clone(),
            Step::Link(url) => identity(url),
        };
        if !self.seen.insert(shown) {
            return Err(fault("the page leads to one that was requested before".to_owned()));
        }
        let mut set_parameter = |name: &str, value: &str| {
            call.call.parts.secrets.extend(secrets_named(name, value));
            set_query(&mut call.call.parts.query, name, value);
        };
        match step {
            Step::Parameter(Sent::Query(name), value) => set_parameter(name, &text(&value)),
            Step::Digits(Sent::Query(name), digits) => set_parameter(name, &digits),
            Step::Digits(Sent::Body(place), _) => {
                return Err(fault(format!(
                    "the cursor for `{}` is a number of more digits than can be sent in JSON",
                    place.join(".")
                )));
            }
            Step::Parameter(Sent::Body(place), value) => {
                let body = &mut call.call.parts.body;
                *body = Some(with_field(body.as_ref(), place, value).map_err(fault)?);
            }
            Step::Link(url) => {
                call.call.parts.query.clear();
                call.link = Some(url);
            }
        }
        Ok(Some(call))
    }

    fn step(&self, page: &Page, call: &RestCall) -> Result<Option<Step>, String> {
        let parameter = |sent, value| Ok(Some(Step::Parameter(sent, value)));
        match self.paging.next {
            Next::Header(name) => {
                let headers = page.reply.headers();
                let link = if name.eq_ignore_ascii_case("link") {
                    next_link(headers)
                } else {
                    headers.get(name)
                };
                link.filter(|link| !link.is_empty()).map(|link| linked(call, link)).transpose()
            }
            Next::Link(place) => match scalar_at(&page.body, place)? {
                Some(link) => linked(call, &text(link)).map(Some),
                None => Ok(None),
            },
            Next::Cursor { parameter: sent, place, more } => {
                let more = more.map_or(Ok(None), |more| flag_at(&page.body, more))?;
                match (more, scalar_at(&page.body, place)?) {
                    (Some(false), _) | (None, None) => Ok(None),
                    (_, Some(cursor)) => Ok(Some(position(page, sent, cursor, place)?)),
                    (Some(true), None) => {
                        Err(format!("there are more pages, but `{}` is not there", place.join(".")))
                    }
                }
            }
            Next::LastItem { parameter: sent, id, more } => {
                if flag_at(&page.body, more)? != Some(true) {
                    return Ok(None);
                }
                let items = list_at(&page.body, self.paging.items)?;
                let last = items.last().ok_or("there are more pages, but this one has no items")?;
                let last_id = scalar_at(last, &[id])?.ok_or_else(|| {
                    format!("there are more pages, but the last item has no `{id}`")
                })?;
                let last = (items.len() - 1).to_string();
                let place = [self.paging.items, &[last.as_str(), id]].concat();
                Ok(Some(position(page, sent, last_id, &place)?))
            }
            Next::Offset { parameter: sent } => {
                match list_at(&page.body, self.paging.items)?.len() {
                    0 => Ok(None),
                    items => parameter(sent, moved(number(call, sent, 0)?, items as u64)?.into()),
                }
            }
            Next::Number { parameter: sent, first } => {
                match list_at(&page.body, self.paging.items)?.is_empty() {
                    true => Ok(None),
                    false => parameter(sent, moved(number(call, sent, first)?, 1)?.into()),
                }
            }
        }
    }
}

impl Page {
    /// The items at this place, up to the first that cannot be read, and why.
    fn items<T: Lenient>(&self, place: FieldPath) -> (VecDeque<T>, Option<Error>) {
        let mismatch = |path: &str, reason: &str| {
            let error = of_another_type(self.reply.attempted(), self.reply.body(), path, reason);
            self.reply.classify_decode_error(self.reply.explain(error))
        };
        let mut read = VecDeque::new();
        let items = match list_at(&self.body, place) {
            Ok(items) => items,
            Err(reason) => return (read, Some(mismatch(&place.join("."), &reason))),
        };
        for (index, item) in items.iter().enumerate() {
            match lenient::item(item, Reading::Lenient) {
                Ok(item) => read.extend(item),
                Err(wrong) => {
                    let wrong = wrong.at(index);
                    let wrong = place.iter().rev().fold(wrong, |it, name| it.within(name));
                    return (read, Some(mismatch(wrong.path(), wrong.reason())));
                }
            }
        }
        (read, None)
    }
}

/// The body of a page of a response without content (204).
fn without_items(place: FieldPath) -> Json {
    if place.is_empty() { Json::Array(Vec::new()) } else { Json::Object(Map::new()) }
}

/// The link, cursor, offset or number of the first page, as a later page may lead back to it.
fn first(call: &RestCall, next: Next) -> Option<String> {
    let sent = |sent, otherwise: Option<u64>| match sent_value(call, sent) {
        Ok(Some(value)) => Some(value),
        Ok(None) => otherwise.map(|it| it.to_string()),
        Err(_) => None,
    };
    match next {
        Next::Header(_) | Next::Link(_) => {
            let (mut url, _) = call.url().ok()?;
            let query = Some(call.call.parts.query.as_str()).filter(|it| !it.is_empty());
            if query.is_some() {
                url.set_query(query);
            }
            Some(identity(&url))
        }
        Next::Cursor { parameter, .. } | Next::LastItem { parameter, .. } => sent(parameter, None),
        Next::Offset { parameter } => sent(parameter, Some(0)),
        Next::Number { parameter, first } => sent(parameter, Some(first)),
    }
}

/// The URL with the parameters of its query in order and in one spelling: a service may write them in
/// another one, such as `+` for `%20`.
fn identity(url: &Url) -> String {
    let mut pairs: Vec<_> = url.query_pairs().into_owned().collect();
    pairs.sort_unstable();
    let mut url = url.clone();
    url.set_query(None);
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    url.into()
}

/// The offset or the number of the next page.
fn moved(from: u64, by: u64) -> Result<u64, String> {
    from.checked_add(by).ok_or_else(|| format!("there is no page after {from}"))
}

/// A cursor as what leads to the next page. A number that no number of Rust is equal to has the
/// digits that the service has written.
fn position(page: &Page, sent: Sent, cursor: &Json, place: &[&str]) -> Result<Step, String> {
    let is_double = cursor.as_number().is_some_and(|it| it.is_f64());
    if !is_double {
        return Ok(Step::Parameter(sent, cursor.clone()));
    }
    let written = cursor.to_string();
    match digits_at(page.reply.body(), place) {
        Some(digits) if digits != written => Ok(Step::Digits(sent, digits)),
        _ => Ok(Step::Parameter(sent, cursor.clone())),
    }
}

/// The text of the value at a place of JSON, of which a step may be the index of an item.
fn digits_at(json: &[u8], place: &[&str]) -> Option<String> {
    let mut value: &RawValue = serde_json::from_slice(json).ok()?;
    for step in place {
        let fields = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(value.get());
        value = match fields {
            Ok(fields) => *fields.get(*step)?,
            Err(_) => {
                let items: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
                *items.get(step.parse::<usize>().ok()?)?
            }
        };
    }
    Some(value.get().to_owned())
}

/// The value at a place; none if it, or an object around it, is missing or null.
fn at<'a>(body: &'a Json, place: &[&str]) -> Option<&'a Json> {
    let found = place.iter().try_fold(body, |value, name| value.get(name));
    found.filter(|value| !value.is_null())
}

/// The list at a place; empty if it is missing or null. A value of another type in its place, or in
/// that of an object around it, is an error: it would be taken for the end of the list.
fn list_at<'a>(body: &'a Json, place: &[&str]) -> Result<&'a [Json], String> {
    let mut around = body;
    for (depth, name) in place.iter().enumerate() {
        match around {
            Json::Object(fields) => match fields.get(*name) {
                Some(value) => around = value,
                None => return Ok(&[]),
            },
            Json::Null if depth > 0 => return Ok(&[]),
            _ => return Err(format!("the page has no object at `{}`", shown(&place[..depth]))),
        }
    }
    match Some(around).filter(|it| !it.is_null()) {
        None => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => Err(format!("the page has no list at `{}`", shown(place))),
    }
}

fn flag_at(body: &Json, place: &[&str]) -> Result<Option<bool>, String> {
    match at(body, place) {
        None => Ok(None),
        Some(Json::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(format!("`{}` is not a boolean", shown(place))),
    }
}

/// A text or a number; none for an empty text.
fn scalar_at<'a>(body: &'a Json, place: &[&str]) -> Result<Option<&'a Json>, String> {
    match at(body, place) {
        None => Ok(None),
        Some(Json::String(text)) if text.is_empty() => Ok(None),
        Some(scalar @ (Json::String(_) | Json::Number(_))) => Ok(Some(scalar)),
        // Some services write `false` where there is no next page.
        Some(Json::Bool(false)) => Ok(None),
        Some(_) => Err(format!("`{}` is neither text nor a number", shown(place))),
    }
}

fn shown(place: &[&str]) -> String {
    if place.is_empty() { ".".to_owned() } else { place.join(".") }
}

/// A text or a number as text.
fn text(scalar: &Json) -> String {
    scalar.as_str().map_or_else(|| scalar.to_string(), str::to_owned)
}

/// The value of a parameter or a field of the body that the call has sent, if there is one.
fn sent_value(call: &RestCall, sent: Sent) -> Result<Option<String>, String> {
    Ok(match sent {
        Sent::Query(name) => query_value(&call.call.parts.query, name),
        Sent::Body(place) => at(&json_of(call.call.parts.body.as_ref())?, place).map(text),
    })
}

/// The number that the call has sent, or else `first`.
fn number(call: &RestCall, sent: Sent, first: u64) -> Result<u64, String> {
    let value = sent_value(call, sent)?;
    let parsed = value.map_or(Ok(first), |it| it.parse());
    parsed.map_err(|_| match sent {
        Sent::Query(name) => format!("`{name}` was sent as no whole number"),
        Sent::Body(place) => format!("`{}` was sent as no whole number", place.join(".")),
    })
}

/// The JSON of a call's body; an object where it has none.
fn json_of(body: Option<&Bytes>) -> Result<Json, String> {
    match body {
        None => Ok(Json::Object(Map::new())),
        Some(body) => {
            serde_json::from_slice(body).map_err(|_| "the body that was sent is no JSON".to_owned())
        }
    }
}

/// The body with a field set to a value. Objects around the field that are missing or null are
/// added.
fn with_field(body: Option<&Bytes>, place: FieldPath, value: Json) -> Result<Bytes, String> {
    let mut body = json_of(body)?;
    let mut field = &mut body;
    for name in place {
        if field.is_null() {
            *field = Json::Object(Map::new());
        }
        let object = field.as_object_mut().ok_or_else(|| {
            format!("`{}` cannot be sent: the body has no object for it", shown(place))
        })?;
        field = object.entry(*name).or_insert(Json::Null);
    }
    *field = value;
    Ok(body.to_string().into())
}

/// The URL of a link, which may be relative to that of the call.
fn linked(call: &RestCall, link: &str) -> Result<Step, String> {
    let (base, credential) = call.url().map_err(|error| error.message().to_owned())?;
    let mut url = base.join(link).map_err(|_| "the link to the next page is no URL".to_owned())?;
    let is_same =
        url.origin() == base.origin() && url.username().is_empty() && url.password().is_none();
    if !is_same {
        return Err(
            "the link to the next page leads to another origin, where the authorization must \
                    not be sent"
                .to_owned(),
        );
    }
    url.set_fragment(None);
    // A service can repeat the query of the request, with the key.
    Ok(Step::Link(credential.removed_from(url)))
}

/// The URL with `rel="next"` in the `Link` headers (RFC 8288). A link with an `anchor`, unless that is
/// empty, is one of another document, and says nothing about this page.
fn next_link(headers: &Headers) -> Option<&str> {
    headers.get_all("link").find_map(|header| {
        let mut rest = header;
        loop {
            let (url, after) = rest.split_once('<')?.1.split_once('>')?;
            let end = unquoted(after, b',');
            // An empty URL is that of this page: there is no next one.
            if is_next(&after[..end]) && !url.trim().is_empty() {
                return Some(url);
            }
            rest = &after[end..];
        }
    })
}

/// The length of the text before a byte that is not quoted.
fn unquoted(text: &str, end: u8) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let found = text.bytes().position(|byte| {
        let is_literal = std::mem::take(&mut is_escaped);
        is_escaped = is_quoted && !is_literal && byte == b'\\';
        is_quoted ^= byte == b'"' && !is_literal;
        byte == end && !is_quoted
    });
    found.unwrap_or(text.len())
}

/// Returns true if the parameters of a link make it one to the next page. Of several `rel` the first
/// counts, which may be a list.
fn is_next(mut parameters: &str) -> bool {
    let mut relations = None;
    while !parameters.is_empty() {
        let (parameter, rest) = parameters.split_at(unquoted(parameters, b';'));
        parameters = rest.strip_prefix(';').unwrap_or_default();
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        // Some services write single quotes.
        let value = value.trim().trim_matches(['"', '\'']);
        match name.trim().to_ascii_lowercase().as_str() {
            "anchor" if !value.is_empty() => return false,
            "rel" => _ = relations.get_or_insert(value),
            _ => {}
        }
    }
    let mut relations = relations.unwrap_or_default().split_ascii_whitespace();
    relations.any(|it| it.eq_ignore_ascii_case("next"))
}

/// The value of a parameter in an escaped query.
fn query_value(query: &str, name: &str) -> Option<String> {
    let name = escaped(name);
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&*name)?.strip_prefix('='))?;
    percent_encoding::percent_decode_str(value).decode_utf8().ok().map(Into::into)
}

/// Sets a parameter of an escaped query, in place of an earlier value.
fn set_query(query: &mut String, name: &str, value: &str) {
    let name = escaped(name);
    let mut pairs: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(&*name))
        .collect();
    let pair = format!("{name}={}", escaped(value));
    pairs.push(&pair);
    *query = pairs.join("&");
}

impl<T, E> fmt::Debug for Pages<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl<T, E> fmt::Debug for Items<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;

    use futures_util::TryStreamExt;
    use reqwest::header::{HeaderMap, HeaderValue, LINK};
    use serde_json::json;

    use super::super::Changes;
    use super::*;
    use crate::service::Service;

    fn link(headers: &[&'static str]) -> Option<String> {
        let headers = headers.iter().map(|it| (LINK, HeaderValue::from_static(it)));
        next_link(&headers.collect::<HeaderMap>().into()).map(str::to_owned)
    }

    #[test]
    fn the_next_link_is_found_among_others() {
        let next = Some("/b?x=1,2".to_owned());
        assert_eq!(link(&[r#"</a>; rel="prev", </b?x=1,2>; rel="next""#]), next);
        assert_eq!(link(&[r#"</b?x=1,2>; title="a, b"; REL=next"#]), next);
        assert_eq!(
            link(&[r#"</a>; title="<c>; rel=next, "; rel=first"#, "</b?x=1,2>;rel=next"]),
            next
        );
        assert_eq!(link(&[r#"</b?x=1,2>; rel="last Next""#]), next);
        assert_eq!(
            link(&[r#"</a>; rel="prev"; rel="next", </b?x=1,2>; rel=next; rel=prev"#]),
            next
        );
        assert_eq!(link(&[r#"</a>; rel=next; anchor="/c", </b?x=1,2>; rel=next"#]), next);
        assert_eq!(link(&[r#"</a>; title="\"; rel=next"; rel=prev, </b?x=1,2>; rel=next"#]), next);
        assert_eq!(link(&[r#"</b?x=1,2>; rel="next"; anchor="""#]), next);
        assert_eq!(link(&["</a>; rel='prev', </b?x=1,2>; rel='last next'"]), next);
        assert_eq!(link(&["<>; rel=next, </b?x=1,2>; rel=next"]), next);
        assert_eq!(link(&["<>; rel=next"]), None);
        assert_eq!(link(&[r#"</a>; rel="prev""#, "next", ""]), None);
        assert_eq!(link(&[]), None);
    }

    #[test]
    fn a_url_is_the_same_in_another_spelling() {
        let same = |one: &str, other: &str| {
            let url = |query: &str| Url::parse(&format!("http://a/b{query}")).expect("it is a URL");
            identity(&url(one)) == identity(&url(other))
        };
        for (one, other, expected) in [
            ("?q=a+b", "?q=a%20b", true),
            ("?x=1&q=%7E", "?q=~&x=1", true),
            ("?", "", true),
            ("?q=", "?q", true),
            ("?q=a+b", "?q=a%2Bb", false),
            ("?q=1&q=2", "?q=2", false),
            ("?q=a%26b", "?q=a&b", false),
        ] {
            assert_eq!(same(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn links_to_another_origin_are_refused() -> Result<()> {
        let service = Service::builder("https://shop.example/v1").build()?;
        let call = RestCall::new(service, "list_pets", "GET").literal("/pets");
        for (link, leads_to) in [
            ("?page=2", Some("https://shop.example/v1/pets?page=2")),
            ("/v2/pets#top", Some("https://shop.example/v2/pets")),
            ("https://shop.example:443/a", Some("https://shop.example/a")),
            ("http://shop.example/v1/pets", None),
            ("https://shop.example:444/v1/pets", None),
            ("//other.example/v1/pets", None),
            ("https://user@shop.example/v1/pets", None),
            ("https://:password@shop.example/v1/pets", None),
            ("https://[", None),
        ] {
            let found = match linked(&call, link) {
                Ok(Step::Link(url)) => Some(url.to_string()),
                Ok(Step::Parameter(..) | Step::Digits(..)) | Err(_) => None,
            };
            assert_eq!(found.as_deref(), leads_to, "{link}");
        }
        Ok(())
    }

    /// The items of all pages of a search, and the bodies that were sent, against a service with
    /// these pages.
    async fn searched<T: Lenient + Unpin>(
        paging: &'static Paging,
        body: Json,
        pages: &[&'static str],
    ) -> Result<(Vec<T>, Vec<String>)> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let pages = pages.to_vec();
        let served = std::thread::spawn(move || {
            let serve = |page: &&str| {
                let (stream, _) = listener.accept().expect("a connection");
                let mut stream = BufReader::new(stream);
                let (mut line, mut length) = (String::new(), 0);
                while line != "\r\n" {
                    line.clear();
                    stream.read_line(&mut line).expect("a header");
                    let value = line.strip_prefix("content-length: ");
                    length = value.map_or(length, |it| it.trim().parse().expect("a number"));
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).expect("a body");
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length:";
                let reply = format!("{head} {}\r\n\r\n{page}", page.len());
                stream.get_mut().write_all(reply.as_bytes()).expect("the client reads");
                String::from_utf8_lossy(&body).into_owned()
            };
            pages.iter().map(serve).collect::<Vec<_>>()
        });
        let service = Service::builder(url).build()?;
        let call = RestCall::new(service, "search", "POST").literal("/search");
        let call = call.json(Some(&body), Changes::NONE);
        let items = call.items::<T, Error>(paging).try_collect().await?;
        Ok((items, served.join().expect("it has served all pages")))
    }

    #[tokio::test]
    async fn a_cursor_in_the_body_leads_to_the_next_page() -> Result<()> {
        static CURSOR: Paging = Paging {
            next: Next::Cursor {
                parameter: Sent::Body(&["page", "after"]),
                place: &["next"],
                more: None,
            },
            items: &["hits"],
        };
        let pages = [r#"{"hits": [1], "next": "a"}"#, r#"{"hits": [2], "next": 7}"#, "{}"];
        let (items, bodies) = searched::<Json>(&CURSOR, json!({ "q": "x" }), &pages).await?;
        assert_eq!(items, [1, 2]);
        let expected = [r#"{"q":"x"}"#, r#"{"page":{"after":"a"},"q":"x"}"#];
        assert_eq!(bodies[..2], expected);
        assert_eq!(bodies[2], r#"{"page":{"after":7},"q":"x"}"#);

        static OFFSET: Paging =
            Paging { next: Next::Offset { parameter: Sent::Body(&["from"]) }, items: &[] };
        let (_, bodies) =
            searched::<Json>(&OFFSET, json!({ "from": 3 }), &["[1, 2]", "[3]", "[]"]).await?;
        assert_eq!(bodies, [r#"{"from":3}"#, r#"{"from":5}"#, r#"{"from":6}"#]);
        Ok(())
    }

    #[tokio::test]
    async fn items_of_a_page_of_another_shape_are_an_error() -> Result<()> {
        static CURSOR: Paging = Paging {
            next: Next::Cursor { parameter: Sent::Query("after"), place: &["next"], more: None },
            items: &["data", "hits"],
        };
        for page in ["{}", r#"{"data": null}"#, r#"{"data": {}}"#, r#"{"data": {"hits": null}}"#] {
            assert_eq!(
                searched::<Json>(&CURSOR, json!({}), &[page]).await?.0,
                Vec::<Json>::new(),
                "{page}"
            );
        }
        for (page, place) in [
            ("[1, 2]", "."),
            ("null", "."),
            (r#""x""#, "."),
            (r#"{"data": [1]}"#, "data"),
            (r#"{"data": {"hits": {"1": 2}}}"#, "data.hits"),
        ] {
            let error = searched::<Json>(&CURSOR, json!({}), &[page]).await.expect_err(page);
            assert!(error.to_string().contains(&format!("at `{place}`")), "{page}: {error}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn the_same_items_again_are_an_error_and_equal_values_are_none() -> Result<()> {
        static NUMBER: Paging = Paging {
            next: Next::Number { parameter: Sent::Body(&["page"]), first: 1 },
            items: &["items"],
        };
        let again = [r#"{"items": [{"id": 1}], "at": 1}"#, r#"{"items": [{"id": 1}], "at": 2}"#];
        let error = searched::<Json>(&NUMBER, json!({}), &again).await.expect_err("it came again");
        assert!(error.to_string().contains("came again: the service seems to ignore `page`"));
        let equal = [r#"{"items": [0, 0]}"#, r#"{"items": [0, 0]}"#, r#"{"items": []}"#];
        assert_eq!(searched::<Json>(&NUMBER, json!({}), &equal).await?.0, vec![json!(0); 4]);
        let last = json!({ "page": u64::MAX });
        let error = searched::<Json>(&NUMBER, last, &equal[..1]).await.expect_err("none follows");
        assert!(error.to_string().contains("there is no page after 18446744073709551615"));
        Ok(())
    }

    #[tokio::test]
    async fn a_cursor_is_followed_without_a_word_about_more() -> Result<()> {
        static CURSOR: Paging = Paging {
            next: Next::Cursor {
                parameter: Sent::Body(&["after"]),
                place: &["next"],
                more: Some(&["more"]),
            },
            items: &["items"],
        };
        let pages = [
            r#"{"items": [1], "next": "a"}"#,
            r#"{"items": [2], "next": "b", "more": null}"#,
            r#"{"items": [3], "next": "c", "more": false}"#,
        ];
        let (items, bodies) = searched::<Json>(&CURSOR, json!({}), &pages).await?;
        assert_eq!(items, [1, 2, 3]);
        assert_eq!(bodies, ["{}", r#"{"after":"a"}"#, r#"{"after":"b"}"#]);
        let fraction = [r#"{"items": [1], "next": 1764273237.123456789}"#];
        let error = searched::<Json>(&CURSOR, json!({}), &fraction).await.expect_err("rounded");
        assert!(error.to_string().contains("more digits than can be sent in JSON"), "{error}");
        Ok(())
    }

    #[tokio::test]
    async fn an_error_names_the_index_of_an_item_among_nulls() -> Result<()> {
        static CURSOR: Paging = Paging {
            next: Next::Cursor { parameter: Sent::Query("after"), place: &["next"], more: None },
            items: &["hits"],
        };
        let page = r#"{"hits": [1, null, "x"]}"#;
        let error = searched::<i64>(&CURSOR, json!({}), &[page]).await.expect_err("no number");
        assert_eq!(error.field(), Some("hits[2]"));
        Ok(())
    }

    #[test]
    fn a_field_of_a_body_is_replaced() {
        let set = |body: Option<&'static str>, place| {
            let set = with_field(body.map(Bytes::from).as_ref(), place, Json::from("x"));
            set.map(|it| String::from_utf8_lossy(&it).into_owned())
        };
        let nested: FieldPath = &["page", "after"];
        assert_eq!(set(None, &["after"]), Ok(r#"{"after":"x"}"#.to_owned()));
        let both = Ok(r#"{"page":{"after":"x","size":2}}"#.to_owned());
        assert_eq!(set(Some(r#"{"page": {"size": 2, "after": "w"}}"#), nested), both);
        let added = Ok(r#"{"page":{"after":"x"},"q":1}"#.to_owned());
        assert_eq!(set(Some(r#"{"q": 1, "page": null}"#), nested), added);
        let refused = "`page.after` cannot be sent: the body has no object for it";
        assert_eq!(set(Some(r#"{"page": 1}"#), nested), Err(refused.to_owned()));
        assert_eq!(set(Some("[]"), nested), Err(refused.to_owned()));
    }

    #[test]
    fn a_parameter_is_replaced() {
        let mut query = "a=1&page=2&page=3&b%26=4".to_owned();
        assert_eq!(query_value(&query, "page").as_deref(), Some("2"));
        assert_eq!(query_value(&query, "b&").as_deref(), Some("4"));
        assert_eq!(query_value(&query, "c"), None);
        set_query(&mut query, "page", "x y");
        assert_eq!(query, "a=1&b%26=4&page=x%20y");
        set_query(&mut query, "b&", "");
        assert_eq!(query, "a=1&page=x%20y&b%26=");
    }
}
