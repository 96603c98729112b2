//! What was attempted, as errors name it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What is attempted: `run on endpoint "echo"`. It is written out only where an error says so, since
/// every call carries it and few fail.
#[derive(Clone, Debug)]
pub(crate) struct Attempted {
    what: Cow<'static, str>,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Interface(&'static str),
    Endpoint(Arc<str>),
    Job { job_id: Arc<str>, endpoint_id: Arc<str> },
}

impl Attempted {
    pub(crate) fn on_interface(what: &'static str, interface: &'static str) -> Self {
        Self { what: what.into(), place: Place::Interface(interface) }
    }

    pub(crate) fn on_endpoint(what: &'static str, endpoint_id: &Arc<str>) -> Self {
        Self { what: what.into(), place: Place::Endpoint(Arc::clone(endpoint_id)) }
    }

    pub(crate) fn of_job(
        what: impl Into<Cow<'static, str>>,
        job_id: &Arc<str>,
        endpoint_id: &Arc<str>,
    ) -> Self {
        let (job_id, endpoint_id) = (Arc::clone(job_id), Arc::clone(endpoint_id));
        Self { what: what.into(), place: Place::Job { job_id, endpoint_id } }
    }

    /// The job that it is about.
    pub(crate) fn job_id(&self) -> Option<&str> {
        match &self.place {
            Place::Job { job_id, .. } => Some(job_id),
            Place::Interface(_) | Place::Endpoint(_) => None,
        }
    }

    /// The endpoint that it goes to.
    pub(crate) fn endpoint_id(&self) -> Option<&Arc<str>> {
        match &self.place {
            Place::Endpoint(endpoint_id) | Place::Job { endpoint_id, .. } => Some(endpoint_id),
            Place::Interface(_) => None,
        }
    }
}

impl fmt::Display for Attempted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match &self.place {
            Place::Interface(name) => write!(f, "{what} on the {name} interface"),
            Place::Endpoint(id) => write!(f, "{what} on endpoint {:?}", ShownId(id)),
            Place::Job { job_id, endpoint_id } => {
                let (job_id, endpoint_id) = (ShownId(job_id), ShownId(endpoint_id));
                write!(f, "{what} of job {job_id:?} on endpoint {endpoint_id:?}")
            }
        }
    }
}

/// An id as errors show it: in quotes, and cut off where it is longer than any that the service
/// gives, since it may come from the service, or be anything.
pub(crate) struct ShownId<'a>(pub(crate) &'a str);

impl ShownId<'_> {
    /// In bytes.
    const LONGEST: usize = 256;
}

impl fmt::Debug for ShownId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.0;
        if id.len() <= Self::LONGEST {
            return write!(f, "{id:?}");
        }
        let end = (0..=Self::LONGEST).rfind(|at| id.is_char_boundary(*at)).unwrap_or(0);
        write!(f, "{:?}… ({} bytes)", &id[..end], id.len())
    }
}

impl From<&Attempted> for String {
    fn from(attempted: &Attempted) -> Self {
        attempted.to_string()
    }
}

impl From<Attempted> for String {
    fn from(attempted: Attempted) -> Self {
        attempted.to_string()
    }
}
