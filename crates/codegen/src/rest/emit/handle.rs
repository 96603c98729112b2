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
            " If the REST URL of a client has no path, `{path}` is added, where the paths of the \
             description begin."
        ),
    };
    let new = print::docs(&format!(
        "Calls a service, such as `&service`, or a client's REST interface: `&client`.{added}"
    ));
    let at = (!base_path.is_empty()).then(|| quote!(.below(#base_path)));
    quote! {
        /// The operations of the description. Cheap to clone.
        #[derive(Clone, Debug)]
        pub struct #name {
            service: __runtime::__private::Service,
        }

        // Nobody calls all of a service.
        #[allow(dead_code, bindings_with_variant_name)]
        impl #name {
            #new
            pub fn new(service: impl Into<__runtime::__private::Service>) -> Self {
                Self { service: service.into()#at }
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

            #(#methods)*
        }
    }
}
