//! Router: the operations of the interface, each from its request to its response.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Extension, Multipart, Path, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName,
    HeaderValue, ORIGIN,
};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::api::types::{self, BatchList, BatchStatus, FileDeleted, FileList};
use super::batches::{BatchFolder, Batches, Request as BatchRequest};
use super::connections::Connection;
use super::error_response::{ErrorResponse, Problem, into_json, shown};
use super::files::{FileLimits, Files, INPUT, LIFETIMES, NewFile, Upload, on_thread};
use super::ids;
use super::keys::{Keys, Owner};
use super::scheduler::Scheduler;
use super::validation::ENDPOINTS;

/// The limit of a body of JSON, in bytes.
const MAX_JSON: usize = 256 * 1024;

/// The limit of a field of a form other than the file, in bytes.
const MAX_FIELD: usize = 4 * 1024;

/// The limit of what the parser of a form holds, as the head of a field, in bytes.
const MAX_UNPARSED: usize = 256 * 1024;

/// The limit of the number of fields of a form.
const MAX_FIELDS: usize = 16;

/// Timeout of a whole body of JSON.
const JSON_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout of a whole upload.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Size of the parts in which a content is sent, in bytes. Each response holds some of them.
const PART: usize = 16 * 1024;

/// The only completion window, and its length in milliseconds.
const WINDOW: (&str, u64) = ("24h", 24 * 60 * 60 * 1_000);

/// Limits of metadata: pairs, and characters of a name and of a value.
const METADATA: (usize, usize, usize) = (16, 64, 512);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

type Reply<T> = Result<Json<T>, ErrorResponse>;

/// State shared by all operations.
pub(super) struct Service {
    scheduler: Arc<Scheduler>,
    keys: Option<Keys>,
    limits: FileLimits,
    /// The last problem of a request, which is not reported again at once.
    reported: Mutex<String>,
}

impl Service {
    pub(super) fn new(scheduler: Arc<Scheduler>, keys: Option<Keys>, limits: FileLimits) -> Self {
        Self { scheduler, keys, limits, reported: Mutex::default() }
    }

    /// Reports what prevented a response, unless that was the last one, too: a full disk prevents
    /// many.
    fn report(&self, problem: String) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if *reported != problem {
            self.scheduler.report(&problem);
            *reported = problem;
        }
    }

    fn folder(&self, owner: &Owner) -> PathBuf {
        self.scheduler.owner(owner.name())
    }

    fn files(&self, owner: &Owner) -> Files {
        Files::of(&self.folder(owner), self.scheduler.now())
    }

    fn batches(&self, owner: &Owner) -> Batches {
        Batches::of(&self.folder(owner))
    }

    /// The batch as clients see it. Blocks.
    fn object(&self, batch: &BatchFolder) -> Result<types::Batch, ErrorResponse> {
        let mut events = batch.events()?;
        let is_counted = events.validated.is_some() && !events.is_final();
        let mut progress = None;
        if is_counted {
            progress = self.scheduler.progress(batch.id());
            progress = progress.or_else(|| batch.progress(self.scheduler.journals()));
            // The journal is removed once the batch has ended.
            events = batch.events()?;
        }
        Ok(events.object(batch.id(), progress.unwrap_or_default()))
    }
}

/// All paths.
pub(super) fn router(service: Service) -> Router {
    let service = Arc::new(service);
    Router::new()
        .route("/v1/files", get(list_files).post(create_file))
        .route("/v1/files/{id}", get(retrieve_file).delete(delete_file))
        .route("/v1/files/{id}/content", get(download_file))
        .route("/v1/batches", get(list_batches).post(create_batch))
        .route("/v1/batches/{id}", get(retrieve_batch))
        .route("/v1/batches/{id}/cancel", post(cancel_batch))
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(map_response(into_json))
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(&service), authorize))
        .with_state(service)
}

/// Finds the owner that the key of a request stands for, and gives the response an id.
async fn authorize(
    State(service): State<Arc<Service>>,
    Extension(connection): Extension<Arc<Connection>>,
    mut request: Request,
    next: Next,
) -> Response {
    let owner = match &service.keys {
        Some(keys) => key(request.headers()).and_then(|key| keys.owner(key)).cloned(),
        // A page in a browser could reach a server on this machine.
        None if !is_local(request.headers()) => {
            let message = "A server without keys serves programs on its own machine only.";
            return ErrorResponse::new(StatusCode::FORBIDDEN, message).into_response();
        }
        None => Some(Owner::without_keys()),
    };
    let mut response = match owner {
        Some(owner) => {
            connection.mark_authenticated(&owner);
            request.extensions_mut().insert(owner);
            next.run(request).await
        }
        None => ErrorResponse::unauthorized().into_response(),
    };
    if let Some(Problem(problem)) = response.extensions_mut().remove() {
        service.report(problem);
    }
    let id = ids::new("req_", service.scheduler.now()).unwrap_or_default();
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

fn key(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// Returns true if a request names this machine, and is not of a page in a browser.
fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_this_machine =
        name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback());
    is_this_machine && !headers.contains_key(ORIGIN)
}

async fn unknown_path(method: Method, uri: Uri) -> ErrorResponse {
    let message = format!("There is nothing at {method} {}.", shown(uri.path()));
    ErrorResponse::new(StatusCode::NOT_FOUND, message).code("unknown_url")
}

async fn unknown_method(method: Method, uri: Uri) -> ErrorResponse {
    let message = format!("{method} is not supported at {}.", shown(uri.path()));
    ErrorResponse::new(StatusCode::METHOD_NOT_ALLOWED, message).code("method_not_supported")
}

#[derive(Deserialize)]
struct FileQuery {
    purpose: Option<String>,
    limit: Option<String>,
    order: Option<String>,
    after: Option<String>,
}

async fn list_files(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    query: Result<Query<FileQuery>, QueryRejection>,
) -> Reply<FileList> {
    let Query(query) = query.map_err(invalid_query)?;
    let limit = limit(query.limit.as_deref(), 10_000, 10_000)?;
    check_after(query.after.as_deref(), ids::FILE)?;
    let ascending = match query.order.as_deref() {
        None | Some("desc") => false,
        Some("asc") => true,
        Some(_) => {
            return Err(ErrorResponse::invalid("'order' is 'asc' or 'desc'.").param("order"));
        }
    };
    let files = service.files(&owner);
    let list =
        move || files.list(query.purpose.as_deref(), query.after.as_deref(), limit, ascending);
    let page = on_thread(list).await?;
    Ok(Json(FileList {
        object: Some("list".to_owned()),
        first_id: page.items.first().and_then(|file| file.id.clone()),
        last_id: page.items.last().and_then(|file| file.id.clone()),
        has_more: Some(page.has_more),
        data: page.items,
    }))
}

fn invalid_query(error: QueryRejection) -> ErrorResponse {
    ErrorResponse::invalid(format!("The query is invalid: {}.", error.body_text()))
}

fn limit(given: Option<&str>, default: usize, most: usize) -> Result<usize, ErrorResponse> {
    let Some(given) = given else { return Ok(default) };
    match given.parse() {
        Ok(limit) if (1..=most).contains(&limit) => Ok(limit),
        _ => {
            let message =
                format!("'limit' is '{}': expected a number from 1 to {most}.", shown(given));
            Err(ErrorResponse::invalid(message).param("limit").code("invalid_value"))
        }
    }
}

/// Refuses what cannot be the id that a page follows. One that was deleted meanwhile is accepted.
fn check_after(after: Option<&str>, prefix: &str) -> Result<(), ErrorResponse> {
    match after {
        Some(after) if !ids::is_id(prefix, after) => {
            let message = format!(
                "'after' is '{}': expected the id of the last item of the page before, '{prefix}…'.",
                shown(after)
            );
            Err(ErrorResponse::invalid(message).param("after").code("invalid_value"))
        }
        _ => Ok(()),
    }
}

async fn retrieve_file(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Reply<types::File> {
    let files = service.files(&owner);
    let found = on_thread(move || Ok::<_, io::Error>((files.read(&id)?, id))).await?;
    let (Some(file), _) = found else { return Err(ErrorResponse::no_file(&found.1)) };
    Ok(Json(file))
}

async fn delete_file(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Reply<FileDeleted> {
    let files = service.files(&owner);
    let (removed, id) = on_thread(move || Ok::<_, io::Error>((files.remove(&id)?, id))).await?;
    if !removed {
        return Err(ErrorResponse::no_file(&id));
    }
    let object = Some("file".to_owned());
    Ok(Json(FileDeleted { id: Some(id), object, deleted: Some(true) }))
}

async fn download_file(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Response, ErrorResponse> {
    let files = service.files(&owner);
    let opened = on_thread(move || {
        let Some(file) = files.read(&id)? else { return Err(ErrorResponse::no_file(&id)) };
        let content = std::fs::File::open(files.content(&id))?;
        let length = content.metadata()?.len();
        Ok((file, content, length))
    });
    let (file, content, length) = opened.await?;
    let content = tokio::fs::File::from_std(content);
    let parts = unfold(content, |mut content| async {
        let mut part = Vec::with_capacity(PART);
        match content.read_buf(&mut part).await {
            Ok(0) => None,
            Ok(_) => Some((Ok(Bytes::from(part)), content)),
            Err(error) => Some((Err(error), content)),
        }
    });
    let mut response = Body::from_stream(parts).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let name = file.filename.unwrap_or_default().replace(|it: char| !is_plain(it), "_");
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// Returns true if a character needs no escape in a header.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_. ".contains(character)
}

async fn create_file(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    request: Request,
) -> Reply<types::File> {
    let received = timeout(UPLOAD_TIMEOUT, receive_file(&service, &owner, request)).await;
    received.unwrap_or_else(|_| {
        let message = "The upload took too long.";
        Err(ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, message))
    })
}

/// Receives a form with a file, which is written as it comes.
async fn receive_file(service: &Service, owner: &Owner, request: Request) -> Reply<types::File> {
    let unparsed = Unparsed::default();
    let request = request.map(|body| unparsed.limit(body));
    let form = <Multipart as axum::extract::FromRequest<()>>::from_request(request, &()).await;
    let mut form = form.map_err(|_| {
        ErrorResponse::invalid(
            "The body is not a form: send 'file' and 'purpose' as multipart/form-data.",
        )
    })?;
    let files = service.files(owner).folder().to_owned();
    let (mut upload, mut texts) = (None, HashMap::new());
    let mut fields = 0;
    while let Some(field) = form.next_field().await.map_err(broken_form)? {
        fields += 1;
        if fields > MAX_FIELDS {
            let message = format!("The form has more than {MAX_FIELDS} fields.");
            return Err(ErrorResponse::invalid(message));
        }
        unparsed.reset();
        let name = field.name().unwrap_or_default().to_owned();
        if name != "file" {
            let message = format!("The form has '{}' more than once.", shown(&name));
            if texts.insert(name, text(field, &unparsed).await?).is_some() {
                return Err(ErrorResponse::invalid(message));
            }
        } else if upload.is_some() {
            return Err(ErrorResponse::invalid("The form has more than one file.").param("file"));
        } else {
            let filename = shown(field.file_name().unwrap_or_default());
            let content = receive(field, &unparsed, files.clone(), service.limits.largest).await?;
            upload = Some((filename, content));
        }
    }
    let (filename, content) = upload.ok_or_else(|| ErrorResponse::missing("file"))?;
    match texts.get("purpose").map(String::as_str) {
        Some(INPUT) => {}
        Some(_) => {
            let message =
                format!("'purpose' is '{INPUT}': this server has files for batches only.");
            return Err(ErrorResponse::invalid(message).param("purpose").code("invalid_value"));
        }
        None => return Err(ErrorResponse::missing("purpose")),
    }
    let text = |name: &str| texts.get(name).map(String::as_str);
    let (anchor, seconds) = (text("expires_after[anchor]"), text("expires_after[seconds]"));
    let lifetime = match (anchor, seconds) {
        (None, None) => None,
        (anchor, seconds) => {
            let seconds = seconds.and_then(|seconds| seconds.parse().ok());
            Some(lifetime(anchor, seconds, "expires_after")?)
        }
    };
    let now = service.scheduler.now();
    let id = ids::new(ids::FILE, now)?;
    let record = NewFile { id, created_at: now, lifetime, filename, purpose: INPUT };
    Ok(Json(content.finish(record).await?))
}

/// Number of bytes that the parser of a form has received since it last returned something.
///
/// The parser buffers, and searches again with each part of the body, what precedes the first
/// boundary, and the head of a field. Without a limit, a peer that sends no boundary would take
/// all memory and a processor.
#[derive(Clone, Default)]
struct Unparsed(Arc<AtomicUsize>);

impl Unparsed {
    /// The body, which fails beyond the limit.
    fn limit(&self, body: Body) -> Body {
        let unparsed = self.clone();
        Body::from_stream(body.into_data_stream().map(move |part| {
            let part = part?;
            let before = unparsed.0.fetch_add(part.len(), Relaxed);
            if before + part.len() > MAX_UNPARSED {
                return Err(axum::Error::new(io::Error::from(io::ErrorKind::FileTooLarge)));
            }
            Ok(part)
        }))
    }

    /// Records that the parser has returned something.
    fn reset(&self) {
        self.0.store(0, Relaxed);
    }
}

/// The lifetime of a file, in seconds, if it is accepted.
fn lifetime(
    anchor: Option<&str>,
    seconds: Option<u64>,
    param: &'static str,
) -> Result<u64, ErrorResponse> {
    match (anchor, seconds) {
        (Some("created_at"), Some(seconds)) if LIFETIMES.contains(&seconds) => Ok(seconds),
        _ => {
            let message = format!(
                "'{param}' has the anchor 'created_at', and from {} to {} seconds.",
                LIFETIMES.start(),
                LIFETIMES.end()
            );
            Err(ErrorResponse::invalid(message).param(param).code("invalid_value"))
        }
    }
}

/// Receives a file.
async fn receive(
    mut field: Field<'_>,
    unparsed: &Unparsed,
    files: PathBuf,
    largest: u64,
) -> Result<Upload, ErrorResponse> {
    let mut upload = Upload::begin(files).await?;
    while let Some(part) = field.chunk().await.map_err(broken_form)? {
        unparsed.reset();
        if upload.bytes + part.len() as u64 > largest {
            let message = format!("The file is larger than {largest} bytes.");
            return Err(ErrorResponse::new(StatusCode::PAYLOAD_TOO_LARGE, message)
                .param("file")
                .code("file_too_large"));
        }
        upload.write(&part).await?;
    }
    Ok(upload)
}

/// The text of a field.
async fn text(mut field: Field<'_>, unparsed: &Unparsed) -> Result<String, ErrorResponse> {
    let mut text = Vec::new();
    while let Some(part) = field.chunk().await.map_err(broken_form)? {
        unparsed.reset();
        if text.len() + part.len() > MAX_FIELD {
            return Err(ErrorResponse::invalid("A field of the form is too long."));
        }
        text.extend_from_slice(&part);
    }
    String::from_utf8(text).map_err(|_| ErrorResponse::invalid("A field of the form is not text."))
}

fn broken_form(_: MultipartError) -> ErrorResponse {
    ErrorResponse::invalid("The form is not complete, or not valid.")
}

#[derive(Deserialize)]
struct BatchQuery {
    limit: Option<String>,
    after: Option<String>,
}

async fn list_batches(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    query: Result<Query<BatchQuery>, QueryRejection>,
) -> Reply<BatchList> {
    let Query(query) = query.map_err(invalid_query)?;
    let limit = limit(query.limit.as_deref(), 20, 100)?;
    check_after(query.after.as_deref(), ids::BATCH)?;
    let list = move || {
        let page = service.batches(&owner).list(query.after.as_deref(), limit)?;
        let objects: Result<Vec<_>, ErrorResponse> =
            page.items.iter().map(|batch| service.object(batch)).collect();
        Ok::<_, ErrorResponse>((objects?, page.has_more))
    };
    let (data, has_more) = on_thread(list).await?;
    Ok(Json(BatchList {
        object: Some("list".to_owned()),
        first_id: data.first().and_then(|batch| batch.id.clone()),
        last_id: data.last().and_then(|batch| batch.id.clone()),
        has_more: Some(has_more),
        data,
    }))
}

async fn create_batch(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    request: Request,
) -> Reply<types::Batch> {
    let given = new_batch(request).await?;
    let now = service.scheduler.now();
    let request = batch_request(&given, now, service.scheduler.journals().are_shared())?;
    let create = {
        let service = Arc::clone(&service);
        move || {
            let file = service.files(&owner).read(&request.input_file_id)?;
            match file.as_ref().and_then(|file| file.purpose.as_deref()) {
                Some(INPUT) => {}
                Some(_) => {
                    let message = "The input file was not uploaded with the purpose 'batch'.";
                    return Err(ErrorResponse::invalid(message).param("input_file_id"));
                }
                None => {
                    let message = format!("There is no file '{}'.", shown(&request.input_file_id));
                    return Err(ErrorResponse::invalid(message).param("input_file_id"));
                }
            }
            let batch = service.batches(&owner).create(&request)?;
            let object = service.object(&batch)?;
            Ok((batch, object))
        }
    };
    let (batch, object) = on_thread(create).await?;
    service.scheduler.start_or_wake(batch);
    Ok(Json(object))
}

/// The members of a request for a batch, as they were given.
#[derive(Deserialize)]
struct NewBatch {
    #[serde(default)]
    input_file_id: Value,
    #[serde(default)]
    endpoint: Value,
    #[serde(default)]
    completion_window: Value,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    output_expires_after: Value,
}

/// Reads the request for a batch.
async fn new_batch(request: Request) -> Result<NewBatch, ErrorResponse> {
    let body = match timeout(JSON_TIMEOUT, to_bytes(request.into_body(), MAX_JSON)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = format!("The body is not complete, or larger than {MAX_JSON} bytes.");
            return Err(ErrorResponse::invalid(message));
        }
        Err(_) => {
            let message = "The body took too long.";
            return Err(ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, message));
        }
    };
    // serde reads a list as the members of a struct, too.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ErrorResponse::invalid("The body is not a JSON object."));
    }
    serde_json::from_slice(&body)
        .map_err(|error| ErrorResponse::invalid(format!("The body is not valid: {error}.")))
}

/// The request for a batch, if it is valid.
fn batch_request(
    given: &NewBatch,
    now: u64,
    has_shared_journal: bool,
) -> Result<BatchRequest, ErrorResponse> {
    let text = |name: &'static str, value: &Value| match value {
        Value::Null => Err(ErrorResponse::missing(name)),
        Value::String(text) => Ok(text.clone()),
        _ => {
            let message = format!("'{name}' is not a string.");
            Err(ErrorResponse::invalid(message).param(name).code("invalid_type"))
        }
    };
    let input_file_id = text("input_file_id", &given.input_file_id)?;
    let endpoint = text("endpoint", &given.endpoint)?;
    if !ENDPOINTS.contains(&endpoint.as_str()) {
        let message =
            format!("'endpoint' is '{}': expected one of {ENDPOINTS:?}.", shown(&endpoint));
        return Err(ErrorResponse::invalid(message).param("endpoint").code("invalid_value"));
    }
    let completion_window = text("completion_window", &given.completion_window)?;
    if completion_window != WINDOW.0 {
        let window = shown(&completion_window);
        let message = format!("'completion_window' is '{window}': expected '{}'.", WINDOW.0);
        let refused = ErrorResponse::invalid(message).param("completion_window");
        return Err(refused.code("invalid_value"));
    }
    let output_lifetime = match &given.output_expires_after {
        Value::Null => None,
        after => {
            let (anchor, seconds) = (after["anchor"].as_str(), after["seconds"].as_u64());
            Some(lifetime(anchor, seconds, "output_expires_after")?)
        }
    };
    Ok(BatchRequest {
        input_file_id,
        endpoint,
        completion_window,
        metadata: metadata(&given.metadata)?,
        created_at: now,
        expires_at: now.saturating_add(WINDOW.1),
        output_lifetime,
        has_shared_journal,
    })
}

fn metadata(given: &Value) -> Result<HashMap<String, String>, ErrorResponse> {
    let (pairs, longest_name, longest_value) = METADATA;
    let refuse = |message: String| {
        Err(ErrorResponse::invalid(message).param("metadata").code("invalid_value"))
    };
    let given = match given {
        Value::Null => return Ok(HashMap::new()),
        Value::Object(given) => given,
        _ => return refuse("'metadata' is not an object.".to_owned()),
    };
    if given.len() > pairs {
        return refuse(format!("'metadata' has at most {pairs} pairs."));
    }
    let mut metadata = HashMap::new();
    for (name, value) in given {
        match value {
            Value::String(value)
                if name.chars().count() <= longest_name
                    && value.chars().count() <= longest_value =>
            {
                metadata.insert(name.clone(), value.clone());
            }
            _ => {
                return refuse(format!(
                    "'metadata' has names of at most {longest_name} and strings of at most {longest_value} characters."
                ));
            }
        }
    }
    Ok(metadata)
}

async fn retrieve_batch(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Reply<types::Batch> {
    let read = move || {
        let batch =
            service.batches(&owner).find(&id).ok_or_else(|| ErrorResponse::no_batch(&id))?;
        service.object(&batch)
    };
    Ok(Json(on_thread(read).await?))
}

async fn cancel_batch(
    State(service): State<Arc<Service>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Reply<types::Batch> {
    let cancel = {
        let service = Arc::clone(&service);
        move || {
            let found = service.batches(&owner).find(&id);
            let batch = found.ok_or_else(|| ErrorResponse::no_batch(&id))?;
            let events = batch.record_cancelling(service.scheduler.now())?;
            match events.status() {
                BatchStatus::Cancelling => Ok((service.object(&batch)?, batch)),
                status => {
                    let message =
                        format!("A batch with the status '{}' cannot be cancelled.", name(&status));
                    Err(ErrorResponse::new(StatusCode::CONFLICT, message))
                }
            }
        }
    };
    let (object, batch) = on_thread(cancel).await?;
    service.scheduler.start_or_wake(batch);
    Ok(Json(object))
}

fn name(status: &BatchStatus) -> String {
    let name = serde_json::to_value(status).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
