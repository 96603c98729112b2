//! Fake of a generated API: `Api::fake()`.

use std::ops::Deref;

use podqueue_fake::FakeService;

use crate::{Authorization, Service};

/// A generated API whose calls go to a fake of its service, which runs as long as this value is
/// there. It dereferences to the API: `shop.list_pets()` is a call.
#[derive(Debug)]
pub struct Fake<A> {
    api: A,
    /// The fake: its faults, fixed responses, clock, seed and requests.
    pub fake: FakeService,
}

impl<A> Deref for Fake<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.api
    }
}

impl<A> Fake<A> {
    /// Starts a fake of a description, and makes the API that calls it. Operations with a server of
    /// another origin (`foreign_servers`) go to the same fake.
    ///
    /// # Panics
    ///
    /// If the fake cannot start: no port is free, or the description is not one that the generator
    /// read.
    #[doc(hidden)]
    pub fn __start(
        description: &str,
        foreign_servers: &[&str],
        api: impl FnOnce(&Service) -> A,
    ) -> Self {
        let fake = FakeService::start(description).unwrap_or_else(|error| panic!("{error}"));
        let service = Service::builder(fake.url()).authorization(Authorization::none()).build();
        let service = service.and_then(|service| {
            foreign_servers.iter().try_fold(service, |service, described| {
                service.with_server(*described, fake.url(), Authorization::none())
            })
        });
        let service = service.unwrap_or_else(|error| panic!("{error}"));
        Self { api: api(&service), fake }
    }
}

/// Expands to its items: the feature `fake` is on.
#[doc(hidden)]
#[macro_export]
macro_rules! __when_fake {
    ($($item:item)*) => { $($item)* };
}
