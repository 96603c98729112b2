//! Object-storage settings for the worker.

use std::fmt;

use reqwest::Url;
use serde::Serialize;

use super::body::is_http_url;
use crate::error::{Error, Result};
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::redact::credentials;
use podqueue_runtime::SecretString;

/// Object-storage settings that are passed on to the worker ([s3Config
/// object](crate#the-interface)). The worker must implement their use itself; any S3-compatible
/// storage works.
///
/// The credentials are never shown:
///
/// ```
/// use podqueue::S3Config;
///
/// let storage = S3Config::new("id", "s3cret", "results", "https://storage.example");
/// assert!(!format!("{storage:?}").contains("s3cret"));
/// ```
///
/// `S3Config` does not implement [`Serialize`](serde::Serialize): only a submission writes them.
#[derive(Clone, PartialEq, Eq)]
pub struct S3Config(Sent);

/// The settings as they are sent.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    #[serde(serialize_with = "SecretString::send")]
    access_id: SecretString,
    #[serde(serialize_with = "SecretString::send")]
    access_secret: SecretString,
    bucket_name: String,
    endpoint_url: String,
}

impl S3Config {
    /// Creates the settings from the credentials, the bucket's name and the storage's http or https
    /// URL. A submission with any other URL is refused, such as a URL without a scheme
    /// (`minio:9000`).
    pub fn new(
        access_id: impl Into<SecretString>,
        access_secret: impl Into<SecretString>,
        bucket_name: impl Into<String>,
        endpoint_url: impl Into<String>,
    ) -> Self {
        Self(Sent {
            access_id: access_id.into(),
            access_secret: access_secret.into(),
            bucket_name: bucket_name.into(),
            endpoint_url: endpoint_url.into(),
        })
    }

    /// The serialized form.
    pub(super) fn sent(&self) -> &Sent {
        &self.0
    }

    pub(super) fn check(&self, attempted: &Attempted) -> Result<()> {
        if is_http_url(&self.0.endpoint_url) {
            return Ok(());
        }
        let rule =
            "must be an http or https URL, with its scheme and host, and without white space";
        Err(Error::refused(attempted, "s3Config.endpointUrl", rule))
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = SecretString> {
        let given = [self.0.access_id.clone(), self.0.access_secret.clone()];
        given.into_iter().chain(credentials::in_url(&self.0.endpoint_url))
    }
}

impl fmt::Debug for S3Config {
    /// Shows the URL without what may authorize a request to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sent { access_id, access_secret, bucket_name, endpoint_url } = &self.0;
        let host = Url::parse(endpoint_url).ok();
        let host = host.as_ref().and_then(Url::host_str);
        f.debug_struct("S3Config")
            .field("access_id", access_id)
            .field("access_secret", access_secret)
            .field("bucket_name", bucket_name)
            .field("endpoint_host", &host)
            .finish()
    }
}
