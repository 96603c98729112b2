// tests/corpus/rest/merge.yaml:14:12: GET /lines: all is a querystring parameter, which cannot be sent
/// What the calls send and answer with.
pub mod types {
    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    pub struct FindThingBody {
        /// The field `text`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
    }

    /// Merged.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `c`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
    }
}

impl Rest {
    /// Prepares a call.
    ///
    /// `COPY /thing`
    pub fn copy_thing(&self) -> CopyThing {
        CopyThing {
            rest: self.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `QUERY /thing`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn find_thing(&self, body: impl Into<types::FindThingBody>) -> FindThing {
        FindThing {
            rest: self.clone(),
            timeout: None,
            body: body.into(),
            changes: crate::rest::call::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing {
            rest: self.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /lines`
    pub fn lines(&self) -> Lines {
        Lines {
            rest: self.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Rest::copy_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct CopyThing {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl CopyThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("copy_thing", "COPY")
            .literal("/thing")
            .timeout(self.timeout);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for CopyThing {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::find_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindThing {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
    body: types::FindThingBody,
    changes: crate::rest::call::Changes,
}

impl FindThing {
    /// Sends null for a field of the body, where `None` would omit it.
    ///
    /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
    /// fails where the body has no such place.
    pub fn null(self, place: impl Into<String>) -> Self {
        self.set(place, ())
    }

    /// Sets a field of the body to any value: an empty list, which would be omitted, or a
    /// field that the type does not have. The place is written as for [`null`](Self::null).
    pub fn set(
        mut self,
        place: impl Into<String>,
        value: impl ::podqueue::__private::serde::Serialize,
    ) -> Self {
        self.changes.set(place, value);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("find_thing", "QUERY")
            .literal("/thing")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for FindThing {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::get_thing`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetThing {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl GetThing {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("get_thing", "GET")
            .literal("/thing")
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::lines`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Lines {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl Lines {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<String> {
        let call = crate::rest::call::RestCall::new("lines", "GET")
            .literal("/lines")
            .accept("application/jsonl")
            .timeout(self.timeout);
        call.send_text(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Lines {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
