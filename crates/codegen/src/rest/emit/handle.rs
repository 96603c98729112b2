//! What has a method for each operation: `Api`, or podqueue's own `Rest`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::print;

/// The handle of this name, with its methods.
pub(super) fn emit(
    name: &str,
    base_path: &str,
    methods: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let name = format_ident!("{name}");
    let added = match base_path {
        "" => String::new(),
        path => format!(
            " If that URL has no path, `{path}` is added, where the paths of the description begin; \
             to an [`exact_rest_url`](::podqueue::ClientBuilder::exact_rest_url) nothing is."
        ),
    };
    let new = print::docs(&format!(
        "Calls the service at the client's [`rest_url`](::podqueue::ClientBuilder::rest_url), with the \
         client's key.{added}"
    ));
    quote! {
        /// The operations of the description. Cheap to clone.
        #[derive(Clone, Debug)]
        pub struct #name {
            target: ::podqueue::rest::call::Target,
        }

        // Nobody calls all of a service.
        #[allow(dead_code, bindings_with_variant_name)]
        impl #name {
            #new
            pub fn new(client: &::podqueue::Client) -> Self {
                Self { target: ::podqueue::rest::call::Target::of(client, #base_path) }
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

            #(#methods)*
        }
    }
}
