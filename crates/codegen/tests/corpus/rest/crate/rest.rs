//! What generated calls find around them in podqueue, for calls that are generated elsewhere.

/// The REST interface of one description.
pub trait Interface {
    /// podqueue's own.
    fn rest(&self) -> &podqueue::rest::Rest;
}

/// The one way out.
pub mod call {
    use podqueue::__private::serde::Serialize;
    use podqueue::__private::serde::de::DeserializeOwned;

    use super::Interface;

    /// A call that is put together piece by piece; podqueue's own, for another `Rest`.
    pub struct RestCall(podqueue::rest::call::RestCall);

    impl RestCall {
        /// A call.
        pub fn new(operation: &'static str, method: &'static str) -> Self {
            Self(podqueue::rest::call::RestCall::new(operation, method))
        }

        /// A piece of the path.
        pub fn literal(self, text: &'static str) -> Self {
            Self(self.0.literal(text))
        }

        /// A parameter in the path.
        pub fn parameter(self, name: &'static str, value: &impl ToString) -> Self {
            Self(self.0.parameter(name, value))
        }

        /// A query parameter.
        pub fn query(self, name: &'static str, value: &impl Serialize) -> Self {
            Self(self.0.query(name, value))
        }

        /// A query parameter that holds a list in one text.
        pub fn query_joined(
            self,
            name: &'static str,
            values: &impl Serialize,
            separator: &str,
        ) -> Self {
            Self(self.0.query_joined(name, values, separator))
        }

        /// A header.
        pub fn header(self, name: &'static str, value: &impl ToString) -> Self {
            Self(self.0.header(name, value))
        }

        /// A body.
        pub fn json(self, body: &impl Serialize) -> Self {
            Self(self.0.json(body))
        }

        /// How long an attempt may take.
        pub fn timeout(self, timeout: Option<std::time::Duration>) -> Self {
            Self(self.0.timeout(timeout))
        }

        /// Sends it.
        pub async fn send<T: DeserializeOwned>(self, rest: &impl Interface) -> podqueue::Result<T> {
            self.0.send(rest.rest()).await
        }

        /// Sends it, for an answer without content.
        pub async fn send_empty(self, rest: &impl Interface) -> podqueue::Result<()> {
            self.0.send_empty(rest.rest()).await
        }
    }
}
