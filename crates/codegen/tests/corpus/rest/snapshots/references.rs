// tests/corpus/rest/references.yaml:6:3: left out /c: its $ref leads nowhere
// tests/corpus/rest/references.yaml:20:17: the reference # leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:17:16: the reference #/components/schemas/Gone leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:7:109: the reference ./other.yaml#/Thing leads nowhere; it is read as any value
// tests/corpus/rest/references.yaml:18:21: the reference https://schemas.example/thing.json leads nowhere; it is read as any value
/// What the calls send and answer with.
pub mod types {
    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `elsewhere`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub elsewhere: Option<::serde_json::Value>,
        /// The field `gone`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gone: Option<::serde_json::Value>,
        /// The field `same`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub same: Option<::serde_json::Value>,
        /// The field `whole`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub whole: Option<::serde_json::Value>,
    }

    impl ::std::fmt::Debug for Thing {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Thing")
                .field("elsewhere", &format_args!("[redacted]"))
                .field("gone", &format_args!("[redacted]"))
                .field("same", &format_args!("[redacted]"))
                .field("whole", &format_args!("[redacted]"))
                .finish()
        }
    }
}

impl Rest {
    /// Prepares a call.
    ///
    /// `GET /a`
    pub fn read_a(&self) -> ReadA {
        ReadA {
            rest: self.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /b`
    pub fn read_b(&self) -> ReadB {
        ReadB {
            rest: self.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /d`
    pub fn read_d(&self) -> ReadD {
        ReadD {
            rest: self.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Rest::read_a`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadA {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl ReadA {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("read_a", "GET")
            .literal("/a")
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for ReadA {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read_b`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadB {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl ReadB {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<types::Thing> {
        let call = crate::rest::call::RestCall::new("read_b", "GET")
            .literal("/b")
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for ReadB {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read_d`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReadD {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl ReadD {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<::serde_json::Value> {
        let call = crate::rest::call::RestCall::new("read_d", "GET")
            .literal("/d")
            .timeout(self.timeout);
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for ReadD {
    type Output = ::podqueue::Result<::serde_json::Value>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
