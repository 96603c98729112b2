//! Hygiene of generated code: it compiles under strict lints, without a prelude, and beside items
//! with names of the standard library or of the generated code itself.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, rust_2018_idioms)]
#![deny(missing_debug_implementations, missing_copy_implementations)]
#![forbid(unsafe_code)]

extern crate own_rest as _;

mod std {}
mod core {}
mod serde {}

mod empty {
    ::podqueue::include_rest!("empty");
}

#[allow(dead_code, non_snake_case)]
mod gallery {
    mod std {}
    mod types {}
    struct String;
    struct Option;
    struct Vec;
    struct Box;
    struct Result;
    struct GetPicture;
    trait Into {}
    trait Send {}
    fn Ok() {}
    fn Some() {}

    ::podqueue::include_rest!("gallery");
}

mod meter {
    ::podqueue::include_rest!("meter");
}

#[::std::prelude::v1::test]
fn all_of_it_can_be_used() {
    let client = ::podqueue::Client::builder().api_key("key").rest_url("https://rest.example");
    let ::std::result::Result::Ok(client) = client.build() else { ::std::panic!("a client") };
    let _ = empty::Api::new(&client);
    let _ = gallery::Api::new(&client).get_picture("a");
    let _ = meter::Api::new(&client).read_total();
}
