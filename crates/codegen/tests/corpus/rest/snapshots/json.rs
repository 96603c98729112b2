/// What the calls send and answer with.
pub mod types {
    use ::podqueue::__private::lenient;

    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Thing {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// The field `price`.
        #[serde(
            default,
            deserialize_with = "lenient::number",
            skip_serializing_if = "Option::is_none"
        )]
        pub price: Option<f64>,
    }
}

impl Rest {
    /// Prepares a call.
    ///
    /// `GET /things`
    #[deprecated]
    pub fn list_things(&self) -> ListThings {
        ListThings {
            rest: self.clone(),
            timeout: None,
        }
    }
}

/// The call that [`Rest::list_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListThings {
    rest: Rest,
    timeout: Option<::std::time::Duration>,
}

impl ListThings {
    /// How long one attempt at this call may take until its response is read, in place of the client's [`timeout`](::podqueue::ClientBuilder::timeout). A [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<Vec<types::Thing>> {
        let call = crate::rest::call::RestCall::new("list_things", "GET")
            .literal("/things")
            .timeout(self.timeout);
        let answer: ::podqueue::__private::lenient::shape::Answer<
            ::podqueue::__private::lenient::shape::List<
                ::podqueue::__private::lenient::shape::Plain<types::Thing>,
            >,
        > = call.send(&self.rest).await?;
        Ok(answer.0)
    }
}

impl ::std::future::IntoFuture for ListThings {
    type Output = ::podqueue::Result<Vec<types::Thing>>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
