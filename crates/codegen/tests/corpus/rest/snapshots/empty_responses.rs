// tests/corpus/rest/empty_responses.yaml:7:11: GET /both: its response 201 is text/plain, not read
// tests/corpus/rest/empty_responses.yaml:7:11: GET /both: its response 202 is read as that of 200
/// What the calls send and answer with.
pub mod types {
    /// An object of the interface.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct GetThingResponse {
        /// The field `id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
    }
}

impl Rest {
    /// Prepares a call.
    ///
    /// `POST /things`
    pub fn find_things(&self) -> FindThings {
        FindThings { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /both`
    pub fn get_both(&self) -> GetBoth {
        GetBoth { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /null`
    pub fn get_null(&self) -> GetNull {
        GetNull { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /thing`
    pub fn get_thing(&self) -> GetThing {
        GetThing { rest: self.clone() }
    }
}

/// The call that [`Rest::find_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindThings {
    rest: Rest,
}

impl FindThings {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<Option<Vec<i64>>> {
        let call = crate::rest::call::RestCall::new("find_things", "POST")
            .literal("/things");
        let answer: Option<
            ::podqueue::__private::lenient::shape::Answer<
                ::podqueue::__private::lenient::shape::List<
                    ::podqueue::__private::lenient::shape::Integer<i64>,
                >,
            >,
        > = call.send_optional(&self.rest).await?;
        Ok(answer.map(|answer| answer.0))
    }
}

impl ::std::future::IntoFuture for FindThings {
    type Output = ::podqueue::Result<Option<Vec<i64>>>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::get_both`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetBoth {
    rest: Rest,
}

impl GetBoth {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<String> {
        let call = crate::rest::call::RestCall::new("get_both", "GET").literal("/both");
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetBoth {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::get_null`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetNull {
    rest: Rest,
}

impl GetNull {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<Option<String>> {
        let call = crate::rest::call::RestCall::new("get_null", "GET").literal("/null");
        call.send_optional(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetNull {
    type Output = ::podqueue::Result<Option<String>>;
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
}

impl GetThing {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<Option<types::GetThingResponse>> {
        let call = crate::rest::call::RestCall::new("get_thing", "GET")
            .literal("/thing");
        call.send_optional(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetThing {
    type Output = ::podqueue::Result<Option<types::GetThingResponse>>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
