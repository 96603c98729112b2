/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use super::__runtime;

    /// \<
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ThingC {
        /// `x`.
        X,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ThingC {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::X => "x",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ThingC {
        fn from(value: &str) -> Self {
            match value {
                "x" => Self::X,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ThingC);

    /// A \<Thing\<T\>\> with \[fields\], see \[`Gone`\] and \[Thing::gone\].
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// `code` and \<b\>bold\</b\>
        ///
        /// - one
        /// - two
        ///
        /// tab
        pub a: Option<String>,
        /// <http://bare.example/path_>(with)_parens
        pub b: Option<String>,
        /// \<
        pub c: Option<ThingC>,
        /// The field `d`.
        pub d: Option<String>,
        /// ```text
        /// fn not_closed() {
        /// ```
        pub e: Option<String>,
    }

    __runtime::__private::object! {
        Thing {
            0 "a" a text optional;
            1 "b" b text optional;
            2 "c" c text optional;
            3 "d" d text optional;
            4 "e" e text optional;
        }
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    service: __runtime::__private::Service,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls a service, such as `&service`, or a client's REST interface: `&client`. If the REST URL of a client has no path, `/v1` is added, where the paths of the description begin.
    pub fn new(service: impl Into<__runtime::__private::Service>) -> Self {
        Self {
            service: service.into().below("/v1"),
        }
    }

    /// Calls the service at another URL, to which paths are appended unchanged. The
    /// authorization of the given service or client is not sent there: `authorization` says
    /// what is. Timeouts, retries and all other settings are shared.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](__runtime::ErrorKind::InvalidRequest): the URL is invalid, is
    /// plain http to another machine, or has a query or credentials; or the authorization
    /// cannot be sent in a header.
    pub fn at(
        service: impl Into<__runtime::__private::Service>,
        url: impl Into<String>,
        authorization: __runtime::Authorization,
    ) -> __runtime::Result<Self> {
        let service = service.into().at(url, authorization)?;
        Ok(Self { service })
    }

    /// Reads \<all\> of \[them\].
    ///
    /// See <https://docs.example/a?b=c> and \<<https://docs.example>\>.
    ///
    /// let indented = code;
    ///
    /// ```text
    /// fenced [code] <here>
    /// ```
    ///
    /// ~~~text
    /// let fenced = [otherwise];
    /// ```
    /// ~~~
    ///
    /// | A | B |
    /// |---|---|
    /// | `x` | never `closed |`
    ///
    /// * A list
    /// * within
    /// 1) and another
    ///    \<br/\> \<script\>alert(1)\</script\> & "quotes" \ backslash */ `[link](target)` \[link\](target) \[Vec\<T\>\]
    ///    # A heading
    ///    :::note
    ///    @see \[#1\] !important
    ///
    /// `GET /a`
    pub fn read(&self) -> Read {
        Read {
            service: self.service.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Read {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Thing> {
        __runtime::__private::rest::RestCall::new("read", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = __runtime::Result<types::Thing>;
    type IntoFuture = __runtime::__private::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
