/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

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

    ::podqueue::__private::open_enum!(ThingC);

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

    ::podqueue::__private::object! {
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
    target: ::podqueue::rest::call::Target,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls the service at the client's [`rest_url`](::podqueue::ClientBuilder::rest_url), with the client's key. If that URL has no path, `/v1` is added, where the paths of the description begin; to an [`exact_rest_url`](::podqueue::ClientBuilder::exact_rest_url) nothing is.
    pub fn new(client: &::podqueue::Client) -> Self {
        Self {
            target: ::podqueue::rest::call::Target::of(client, "/v1"),
        }
    }

    /// Calls the service at another URL, to which paths are appended unchanged. The
    /// client's key is not sent there: `authorization` says what is. Timeouts, retries
    /// and all other settings are the client's.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](::podqueue::ErrorKind::InvalidRequest): the URL is invalid, is
    /// plain http to another machine, or has a query or credentials; or the authorization
    /// cannot be sent in a header.
    pub fn at(
        client: &::podqueue::Client,
        url: impl Into<String>,
        authorization: ::podqueue::Authorization,
    ) -> ::podqueue::Result<Self> {
        let target = ::podqueue::rest::call::Target::at(client, url, authorization)?;
        Ok(Self { target })
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
            rest: self.target.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Api::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    rest: ::podqueue::rest::call::Target,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Read {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> ::podqueue::rest::call::Sending<types::Thing> {
        ::podqueue::rest::call::RestCall::new("read", "GET")
            .literal("/a")
            .timeout(self.timeout)
            .send(self.rest)
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = ::podqueue::Result<types::Thing>;
    type IntoFuture = ::podqueue::rest::call::Sending<types::Thing>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
