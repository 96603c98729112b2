//! Object storage: an object, or a folder of objects, by its URL.
//!
//! Credentials come from the environment, and are known to the storage's client alone. An error is
//! made of the failure's kind, its status and its code: the text of a storage is not passed on,
//! because it may repeat parts of a signed request.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    Error as StorageError, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions,
};
use tokio::time::sleep;

use crate::error::{Error, ErrorKind, Result};
use crate::inputs::source_changed;

/// Time for which a call is repeated that the storage does not answer, or answers with 5xx.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(3 * 60);

/// Timeout of a request with its body, such as a part over a slow line, unless the environment has
/// another.
#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
const TIMEOUT: &str = "5min";

/// Number of attempts of a write that is interrupted, and the pause between them.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// Largest number of bytes of an error's text that are shown.
const SHOWN: usize = 400;

/// An object of object storage, or a folder of objects: a common prefix of their names that ends
/// where a `/` does.
///
/// ```
/// use podqueue_batch::{Inputs, Object};
///
/// # fn main() -> podqueue_batch::Result<()> {
/// let inputs = Inputs::object(Object::parse("file:///data/prompts.jsonl")?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Object {
    url: String,
    store: Arc<dyn ObjectStore>,
    name: Path,
}

/// The content of an object at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// The entity tag.
    pub(crate) etag: String,
    /// Number of bytes.
    pub(crate) size: u64,
}

impl Object {
    /// An object by its URL: `s3://bucket/name` with the feature `s3`, `gs://bucket/name` with
    /// `gcs`, `az://container/name` with `azure`, and `file:///folder/name`. Names stand there as
    /// they are, without escapes.
    ///
    /// Credentials, region and endpoint come from the environment: from `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL` and so on;
    /// from `GOOGLE_APPLICATION_CREDENTIALS` and other `GOOGLE_…`; from
    /// `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY` and other `AZURE_…`; or from the
    /// identity of the machine.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if it is no such URL, if the feature of its scheme is off, or if the
    /// settings in the environment contradict each other.
    pub fn parse(url: &str) -> Result<Self> {
        Self::with_settings(url, [("", ""); 0])
    }

    /// Like [`parse`](Self::parse), with settings that take precedence over the environment, by the
    /// names of its variables.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse).
    pub fn with_settings<N, V>(
        url: &str,
        settings: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self>
    where
        N: AsRef<str>,
        V: Into<String>,
    {
        let settings = settings.into_iter();
        let settings = settings.map(|(name, value)| (name.as_ref().to_owned(), value.into()));
        Self::with_outage_timeout(url, settings.collect(), OUTAGE_TIMEOUT)
    }

    /// Like [`with_settings`](Self::with_settings), with the time for which calls are repeated; for
    /// tests.
    #[doc(hidden)]
    pub fn with_outage_timeout(
        url: &str,
        settings: Vec<(String, String)>,
        outage_timeout: Duration,
    ) -> Result<Self> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let (bucket, name) = rest.split_once('/').unwrap_or((rest, ""));
        // A signed URL, or one with a password, would be recorded and shown.
        if rest.contains(['?', '#']) || bucket.contains(['@', ':']) {
            return Err(refused(
                "has a query, a user or a port: credentials and endpoint belong into the environment",
            ));
        }
        if (scheme == "file") != bucket.is_empty() {
            return Err(refused("is not understood"));
        }
        let Ok(name) = Path::parse(name) else {
            return Err(refused("has an empty part, or one that is . or .."));
        };
        let store = open(scheme, bucket, settings, outage_timeout)?;
        let slash = if name.as_ref().is_empty() { "" } else { "/" };
        Ok(Self { url: format!("{scheme}://{bucket}{slash}{name}"), store, name })
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The last part of the name; empty for a whole bucket.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.name.filename().unwrap_or_default()
    }

    /// An object in this folder.
    pub(crate) fn child(&self, name: &str) -> Result<Self> {
        let Ok(path) = Path::parse(format!("{}/{name}", self.name)) else {
            let message = format!("{name:?} cannot be the name of an object");
            return Err(Error::new(ErrorKind::Storage, message));
        };
        let url = format!("{}/{name}", self.url);
        Ok(Self { url, store: Arc::clone(&self.store), name: path })
    }

    /// The version that is there now.
    pub(crate) async fn version(&self) -> Result<Version> {
        let found = self.store.head(&self.name).await;
        let found =
            found.map_err(|error| self.failed(ErrorKind::Inputs, "read the inputs", &error))?;
        let etag = found.e_tag.ok_or_else(|| {
            let message = format!("the storage states no version (ETag) of {}", self.url);
            Error::new(ErrorKind::Inputs, message)
        })?;
        Ok(Version { etag, size: found.size })
    }

    /// These bytes of a version.
    pub(crate) async fn read(&self, version: &Version, bytes: Range<u64>) -> Result<Bytes> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(bytes.clone())),
            if_match: Some(version.etag.clone()),
            ..GetOptions::default()
        };
        let read = async {
            let found = self.store.get_opts(&self.name, options).await?;
            found.bytes().await
        };
        match read.await {
            Ok(read) if read.len() as u64 == bytes.end - bytes.start => Ok(read),
            Ok(_) | Err(StorageError::Precondition { .. }) => {
                Err(source_changed(&self.url, "while it was copied"))
            }
            Err(error) => Err(self.failed(ErrorKind::Inputs, "read the inputs", &error)),
        }
    }

    /// Writes the object, unless it exists. The digest of an object that exists with another
    /// content is returned; one with this content was written by an attempt whose response was
    /// lost.
    pub(crate) async fn create(&self, content: Bytes, digest: &str) -> Result<Option<String>> {
        let mut attempts = 1;
        loop {
            let options = PutOptions::from(PutMode::Create);
            let written = self.store.put_opts(&self.name, content.clone().into(), options).await;
            let Err(error) = written else { return Ok(None) };
            if is_refusal(&error) {
                return Err(self.failed(ErrorKind::Storage, "write", &error));
            }
            if let Some(found) = self.digest().await? {
                return Ok((found != digest).then_some(found));
            }
            // A client does not repeat a conditional request that was interrupted.
            if attempts == ATTEMPTS {
                return Err(self.failed(ErrorKind::Storage, "write", &error));
            }
            attempts += 1;
            sleep(PAUSE).await;
        }
    }

    /// Writes the object, in place of what is there.
    pub(crate) async fn replace(&self, content: Bytes) -> Result<()> {
        let written = self.store.put(&self.name, content.into()).await;
        written.map(drop).map_err(|error| self.failed(ErrorKind::Storage, "write", &error))
    }

    /// The digest of the object, if it exists.
    async fn digest(&self) -> Result<Option<String>> {
        let failed = |error| self.failed(ErrorKind::Storage, "compare", &error);
        let found = match self.store.get(&self.name).await {
            Err(StorageError::NotFound { .. }) => return Ok(None),
            found => found.map_err(failed)?,
        };
        let (mut hasher, mut content) = (blake3::Hasher::new(), found.into_stream());
        while let Some(bytes) = content.next().await {
            hasher.update(&bytes.map_err(failed)?);
        }
        Ok(Some(hasher.finalize().to_hex().to_string()))
    }

    /// The error of a call, of this kind if it was refused: `what` completes "could not".
    fn failed(&self, kind: ErrorKind, what: &str, error: &StorageError) -> Error {
        let text = error.to_string();
        let code = code(&text).map(|code| format!(" ({code})")).unwrap_or_default();
        let why = match error {
            StorageError::NotFound { .. } => {
                format!("there is no such bucket or object{code}: check the URL")
            }
            StorageError::PermissionDenied { .. } | StorageError::Unauthenticated { .. } => {
                format!(
                    "the storage refused access{code}: check the credentials in the environment, and what they permit"
                )
            }
            _ => format!(
                "{}{code}: check the connection, and the credentials in the environment, and run the batch again",
                shown(&text)
            ),
        };
        let kind = if is_refusal(error) { kind } else { ErrorKind::Unreachable };
        Error::new(kind, format!("could not {what} {}: {why}", self.url))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.url).finish()
    }
}

/// The digest of a content, as parts and the manifest have it.
pub(crate) fn digest(content: impl AsRef<[u8]>) -> String {
    blake3::hash(content.as_ref()).to_hex().to_string()
}

fn refused(why: &str) -> Error {
    let message = format!(
        "the URL of an object {why}; expected s3://bucket/name, gs://bucket/name, az://container/name or file:///folder/name"
    );
    Error::new(ErrorKind::Settings, message)
}

/// Returns true if a repetition would fail alike: the credentials or the bucket are wrong.
fn is_refusal(error: &StorageError) -> bool {
    use StorageError::{NotFound, NotImplemented, NotSupported, PermissionDenied, Unauthenticated};
    matches!(
        error,
        NotFound { .. }
            | PermissionDenied { .. }
            | Unauthenticated { .. }
            | NotImplemented { .. }
            | NotSupported { .. }
    )
}

/// The code of an S3 or Azure error, such as `NoSuchBucket`.
fn code(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    (code.len() <= SHOWN && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(code)
}

/// The text of an error without the body of a response.
fn shown(text: &str) -> String {
    let text = text.split(['<', '{', '\n']).next().unwrap_or_default();
    text.chars().take(SHOWN).collect::<String>().trim_end_matches([' ', ':']).to_owned()
}

/// The storage of a bucket.
#[cfg_attr(
    not(any(feature = "s3", feature = "gcs", feature = "azure")),
    expect(unused_variables, reason = "a folder has no settings")
)]
fn open(
    scheme: &str,
    bucket: &str,
    settings: Vec<(String, String)>,
    outage_timeout: Duration,
) -> Result<Arc<dyn ObjectStore>> {
    /// A builder with its settings: those of the environment, those that are given, the bucket.
    #[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
    macro_rules! built {
        ($builder:ty, $with_bucket:ident, $prefix:literal) => {{
            let mut builder = <$builder>::from_env();
            let has_timeout = std::env::var_os(concat!($prefix, "TIMEOUT")).is_some();
            let timeout = (concat!($prefix, "TIMEOUT").to_owned(), TIMEOUT.to_owned());
            let timeout = (!has_timeout).then_some(timeout);
            for (name, value) in timeout.into_iter().chain(settings) {
                if let (true, Ok(key)) =
                    (name.starts_with($prefix), name.to_ascii_lowercase().parse())
                {
                    builder = builder.with_config(key, value);
                }
            }
            let retry =
                object_store::RetryConfig { retry_timeout: outage_timeout, ..Default::default() };
            match builder.$with_bucket(bucket).with_retry(retry).build() {
                Ok(store) => Ok(Arc::new(store) as Arc<dyn ObjectStore>),
                // The text of the error may contain a setting.
                Err(_) => Err(Error::new(
                    ErrorKind::Settings,
                    concat!(
                        "the settings of object storage in the environment (",
                        $prefix,
                        "…) are incomplete or invalid: check them"
                    ),
                )),
            }
        }};
    }
    match scheme {
        "file" => Ok(Arc::new(LocalFileSystem::new().with_fsync(true))),
        #[cfg(feature = "s3")]
        "s3" => built!(object_store::aws::AmazonS3Builder, with_bucket_name, "AWS_"),
        #[cfg(feature = "gcs")]
        "gs" => built!(object_store::gcp::GoogleCloudStorageBuilder, with_bucket_name, "GOOGLE_"),
        #[cfg(feature = "azure")]
        "az" => built!(object_store::azure::MicrosoftAzureBuilder, with_container_name, "AZURE_"),
        _ => {
            let features = [("s3", "s3"), ("gs", "gcs"), ("az", "azure")];
            let feature = features.into_iter().find(|(of, _)| *of == scheme);
            let Some((_, feature)) = feature else { return Err(refused("is not understood")) };
            let message = format!("{scheme}:// needs a build with the feature `{feature}`");
            Err(Error::new(ErrorKind::Settings, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_a_response_is_reduced_to_its_code() {
        let text = "Error performing PUT http://h/b/o in 1ms - Server returned non-2xx status \
                    code: 403 Forbidden: <?xml?><Error><Code>SignatureDoesNotMatch</Code>\
                    <CanonicalRequest>x-amz-security-token:secret</CanonicalRequest></Error>";
        assert_eq!(code(text), Some("SignatureDoesNotMatch"));
        assert_eq!(code("<Code>a secret</Code>"), None);
        let shown = shown(text);
        assert!(shown.ends_with("403 Forbidden") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn urls_that_name_no_object_or_contain_credentials_are_refused() {
        for (url, why) in [
            ("", "not understood"),
            ("in.jsonl", "not understood"),
            ("ftp://host/in.jsonl", "not understood"),
            ("file://host/in.jsonl", "not understood"),
            ("s3:///in.jsonl", "not understood"),
            ("s3://key:secret@bucket/in.jsonl", "has a query, a user"),
            ("s3://bucket/in.jsonl?X-Amz-Signature=secret", "has a query, a user"),
            ("file:///a//b", "an empty part"),
            ("file:///a/../b", "an empty part"),
        ] {
            let error = Object::parse(url).expect_err(url);
            assert_eq!(error.kind(), ErrorKind::Settings);
            let text = format!("{error} {error:?}");
            assert!(text.contains(why) && !text.contains("secret"), "{url}: {text}");
        }
        for (url, name) in [("file:///a/b.jsonl", "b.jsonl"), ("file:///a/b/", "b")] {
            let object = Object::parse(url).expect(url);
            assert_eq!((object.url(), object.file_name()), (url.trim_end_matches('/'), name));
        }
    }
}
