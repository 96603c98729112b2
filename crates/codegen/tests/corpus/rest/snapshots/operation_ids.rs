/// What the calls send and answer with.
pub mod types {}
impl Rest {
    /// Prepares a call.
    ///
    /// `GET /g`
    pub fn default(&self) -> Default {
        Default { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `DELETE /c/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: A part of the path.
    pub fn delete_c_id(&self, id: impl Into<String>) -> DeleteCId {
        DeleteCId {
            rest: self.clone(),
            id: id.into(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /f`
    pub fn get_f(&self) -> GetF {
        GetF { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /d`
    pub fn list_things(&self) -> ListThings {
        ListThings { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /a`
    pub fn read(&self) -> Read {
        Read { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /b`
    pub fn read_2(&self) -> Read2 {
        Read2 { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /h`
    pub fn read_3(&self) -> Read3 {
        Read3 { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /e`
    pub fn type_(&self) -> Type {
        Type { rest: self.clone() }
    }

    /// Prepares a call.
    ///
    /// `GET /i`
    pub fn x(&self) -> X {
        X { rest: self.clone() }
    }
}

/// The call that [`Rest::default`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Default {
    rest: Rest,
}

impl Default {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("default", "GET").literal("/g");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Default {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::delete_c_id`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct DeleteCId {
    rest: Rest,
    id: String,
}

impl DeleteCId {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("delete_c_id", "DELETE")
            .literal("/c/")
            .parameter("id", &self.id);
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for DeleteCId {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::get_f`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetF {
    rest: Rest,
}

impl GetF {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("get_f", "GET").literal("/f");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for GetF {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::list_things`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ListThings {
    rest: Rest,
}

impl ListThings {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("list_things", "GET").literal("/d");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for ListThings {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read {
    rest: Rest,
}

impl Read {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<String> {
        let call = crate::rest::call::RestCall::new("read", "GET").literal("/a");
        call.send(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Read {
    type Output = ::podqueue::Result<String>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read_2`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read2 {
    rest: Rest,
}

impl Read2 {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<i64> {
        let call = crate::rest::call::RestCall::new("read_2", "GET").literal("/b");
        let answer: ::podqueue::__private::lenient::shape::Answer<
            ::podqueue::__private::lenient::shape::Integer<i64>,
        > = call.send(&self.rest).await?;
        Ok(answer.0)
    }
}

impl ::std::future::IntoFuture for Read2 {
    type Output = ::podqueue::Result<i64>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::read_3`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Read3 {
    rest: Rest,
}

impl Read3 {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("read_3", "GET").literal("/h");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Read3 {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::type_`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Type {
    rest: Rest,
}

impl Type {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("type_", "GET").literal("/e");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for Type {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The call that [`Rest::x`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct X {
    rest: Rest,
}

impl X {
    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub async fn send(self) -> ::podqueue::Result<()> {
        let call = crate::rest::call::RestCall::new("x", "GET").literal("/i");
        call.send_empty(&self.rest).await
    }
}

impl ::std::future::IntoFuture for X {
    type Output = ::podqueue::Result<()>;
    type IntoFuture = ::std::pin::Pin<
        Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
    >;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
