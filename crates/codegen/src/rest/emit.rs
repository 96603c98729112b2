//! Emitted calls: `Api` with a method for each operation, a builder for each, and their
//! documentation.

mod request;
mod response;

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Type;

use super::model::{Content, Operation, Parameter, ParameterLocation, PartKind};
use super::shorten::within_types;
use super::signatures::Signature;
use super::types::constructor;
use crate::syntax::{argument, is_named};
use crate::{naming, print};

/// Type names that the builders use, and those of handles.
const RESERVED: [&str; 10] =
    ["Api", "Rest", "String", "Option", "Vec", "Box", "Into", "IntoIterator", "Send", "Clone"];

/// The docs of the method that sends.
const SEND: &str =
    "Sends the request and reads the response. Awaiting the call itself does the same.";

/// The docs of the method that sends, where a response may have another type.
const BY_STATUS: &str = "A success whose status is that of a response of another type is an error; \
                         [`by_status`](Self::by_status) reads each as its own type.";

/// The docs of the one setter that every builder has.
const TIMEOUT: &str = "How long one attempt at this call may take until its response is read, in place of \
                       the timeout of the service or client. A shorter timeout of the whole call is \
                       raised to it.";

/// Emitted calls.
pub(super) struct Calls {
    /// In the order of the operations.
    pub(super) calls: Vec<Call>,
    /// Types of errors and of headers, for the module `types`.
    pub(super) types: TokenStream,
}

/// The code of one operation.
pub(super) struct Call {
    /// The method of the handle.
    pub(super) method: TokenStream,
    /// The builder that the method returns.
    pub(super) builder: TokenStream,
}

/// Emits the method and the builder of each operation. `types` are the names that the module `types`
/// has.
pub(super) fn calls(
    handle: &str,
    operations: &[(Operation, Signature)],
    types: HashSet<String>,
) -> Calls {
    let mut taken: HashSet<String> = RESERVED.iter().map(|name| (*name).to_owned()).collect();
    let mut builders: Vec<_> = operations
        .iter()
        .map(|(operation, signature)| {
            let name = naming::pascal(&operation.name);
            let name = if RESERVED.contains(&name.as_str()) { format!("{name}Call") } else { name };
            let name = naming::unique_pascal(&mut taken, name);
            Builder {
                handle,
                name,
                responses: None,
                errors: None,
                headers: None,
                operation,
                signature,
            }
        })
        .collect();
    let mut own =
        ErrorAndHeaderTypes { taken: types, known: HashMap::new(), code: TokenStream::new() };
    for builder in &mut builders {
        builder.responses = (!builder.operation.successes.is_empty())
            .then(|| naming::unique_pascal(&mut taken, format!("{}Response", builder.name)));
        builder.errors = own.errors(builder);
        builder.headers = own.headers(builder);
    }
    let calls = builders.iter().map(|it| Call { method: it.method(), builder: it.emit() });
    Calls { calls: calls.collect(), types: own.code }
}

/// Types of errors and headers. Those of many operations are equal, and become one type with a name
/// for each operation.
struct ErrorAndHeaderTypes {
    taken: HashSet<String>,
    /// The names of the types, by what they consist of.
    known: HashMap<String, String>,
    code: TokenStream,
}

impl ErrorAndHeaderTypes {
    /// The name of the type of the operation's errors, if any has a body of JSON.
    fn errors(&mut self, builder: &Builder<'_>) -> Option<String> {
        let errors = &builder.signature.errors;
        let errors: Vec<(&str, Type)> =
            errors.iter().map(|(status, ty)| (status.as_str(), within_types(ty))).collect();
        let of = |ty: &Type| ty.to_token_stream().to_string();
        let first = of(&errors.first()?.1);
        let docs = format!("The body of an error response of {}.", builder.path());
        let texts = &builder.operation.error_texts;
        let is_one_type = texts.is_empty() && errors.iter().all(|(_, ty)| of(ty) == first);
        let key = match is_one_type {
            true => first.clone(),
            false => {
                let types = errors.iter().map(|(status, ty)| format!("{status} {};", of(ty)));
                let texts = texts.iter().map(|(status, it)| format!("{status} {it:?};"));
                types.chain(texts).collect()
            }
        };
        if is_one_type {
            self.known.insert(key.clone(), first);
        }
        let description = |status: &str| {
            let errors = &builder.operation.errors;
            errors.iter().find(|(it, _)| it == status).map_or("", |(_, text)| text.as_str())
        };
        let cases: Vec<_> = errors
            .iter()
            .map(|(status, ty)| response::Case {
                status,
                description: description(status),
                content: Some(Content::Json),
                ty: Some(ty),
            })
            .chain(texts.iter().map(|(status, content)| response::Case {
                status,
                description: description(status),
                content: Some(*content),
                ty: None,
            }))
            .collect();
        let emit = |name: &str| response::by_status(name, &docs, &cases);
        Some(self.named(format!("{}Error", builder.name), &docs, key, emit))
    }

    /// The name of the type of the headers of the operation's response, if any is described.
    fn headers(&mut self, builder: &Builder<'_>) -> Option<String> {
        let headers = &builder.operation.headers;
        let key = format!("{:?}", headers.first().map(|_| headers)?);
        let docs = format!("The headers of a response of {}.", builder.path());
        let emit = |name: &str| response::headers(name, &docs, headers);
        Some(self.named(format!("{}Headers", builder.name), &docs, key, emit))
    }

    /// Emits a type, or an alias of an equal one, and returns its name.
    fn named(
        &mut self,
        name: String,
        docs: &str,
        key: String,
        emit: impl Fn(&str) -> TokenStream,
    ) -> String {
        let name = naming::unique_pascal(&mut self.taken, name);
        let code = match self.known.get(&key).map(|it| syn::parse_str::<Type>(it)) {
            Some(Ok(known)) => {
                let (docs, ident) = (print::docs(docs), format_ident!("{name}"));
                quote!(#docs pub type #ident = #known;)
            }
            _ => {
                self.known.insert(key, name.clone());
                emit(&name)
            }
        };
        self.code.extend(code);
        name
    }
}

struct Builder<'a> {
    handle: &'a str,
    name: String,
    /// The name of the enum of its responses, if their types differ by status.
    responses: Option<String>,
    /// The name of the type of its errors.
    errors: Option<String>,
    /// The name of the type of its headers, if any is described.
    headers: Option<String>,
    operation: &'a Operation,
    signature: &'a Signature,
}

/// A part of the request that is an argument or a setter.
struct RequestArgument {
    ident: syn::Ident,
    ty: Type,
    required: bool,
    docs: String,
}

impl RequestArgument {
    /// The type of the argument, and the expression that converts it into the field's type.
    fn argument(&self) -> (TokenStream, TokenStream) {
        let (ident, ty) = (&self.ident, &self.ty);
        // A value that may be null need not be wrapped in `Some`.
        if is_own(ty) || is_named(ty, "Upload") || is_named(ty, "Option") {
            (quote!(impl Into<#ty>), quote!(#ident.into()))
        } else {
            constructor::given(ty, ident)
        }
    }
}

impl Builder<'_> {
    /// The path of the method, as the docs of a type in `types` link to it.
    fn path(&self) -> String {
        format!("[`{0}::{1}`](super::{0}::{1})", self.handle, self.operation.name)
    }

    fn given(&self) -> Vec<RequestArgument> {
        let typed = |name: &str| {
            // Signatures are made from the normalized description, so every parameter has a type.
            let ty = self.signature.parameters.get(name).cloned();
            ty.unwrap_or_else(|| syn::parse_quote!(String))
        };
        let parameters = self.operation.parameters.iter().map(|parameter| RequestArgument {
            ident: format_ident!("{}", parameter.name),
            ty: match parameter.place {
                ParameterLocation::Part(PartKind::File) => syn::parse_quote!(__runtime::Part),
                ParameterLocation::Part(PartKind::Files) => syn::parse_quote!(Vec<__runtime::Part>),
                _ => typed(&parameter.name),
            },
            required: parameter.required,
            docs: docs_of_parameter(parameter),
        });
        let body = self.operation.body.iter().filter(|it| it.content != Content::Multipart);
        let body = body.map(|body| RequestArgument {
            ident: format_ident!("body"),
            ty: match body.content {
                Content::Bytes => syn::parse_quote!(__runtime::Upload),
                _ => typed("body"),
            },
            required: body.required,
            docs: print::sentence(&body.description, "The body of the request."),
        });
        parameters.chain(body).collect()
    }

    /// `Api::get_pod`.
    fn method(&self) -> TokenStream {
        let given = self.given();
        let (required, optional): (Vec<_>, Vec<_>) = given.iter().partition(|it| it.required);
        let builder = format_ident!("{}", self.name);
        let method = format_ident!("{}", self.operation.name);
        let arguments: Vec<_> =
            required.iter().map(|it| (it.ident.to_string(), it.docs.clone())).collect();
        let docs = docs_of_method(self.operation, self.errors.as_deref(), &arguments);
        let docs = print::docs(&docs);
        let deprecated = self.operation.deprecated.then(|| quote!(#[deprecated]));
        let arguments = required.iter().map(|given| {
            let (ident, (ty, _)) = (&given.ident, given.argument());
            quote!(#ident: #ty)
        });
        let set = required.iter().map(|given| {
            let (ident, (_, value)) = (&given.ident, given.argument());
            let plain = *ident == value.to_string();
            if plain { quote!(#ident) } else { quote!(#ident: #value) }
        });
        let unset = optional.iter().map(|given| {
            let ident = &given.ident;
            quote!(#ident: None)
        });
        let changes = self
            .takes_changes()
            .then(|| quote!(changes: __runtime::__private::rest::Changes::default(),));
        let parts = self.takes_parts().then(|| quote!(parts: Vec::new(),));
        quote! {
            #docs
            #deprecated
            pub fn #method(&self, #(#arguments),*) -> #builder {
                #builder { service: self.service.clone(), timeout: None, #(#set,)* #(#unset,)* #changes #parts }
            }
        }
    }

    /// Emits the builder, its setters, and the methods that send it.
    fn emit(&self) -> TokenStream {
        let given = self.given();
        let builder = format_ident!("{}", self.name);
        let docs = print::docs(&format!(
            "The call that [`{}::{}`] prepares. It is sent when it is awaited.",
            self.handle, self.operation.name
        ));
        let fields = given.iter().map(|given| {
            let (ident, ty) = (&given.ident, &given.ty);
            if given.required { quote!(#ident: #ty) } else { quote!(#ident: Option<#ty>) }
        });
        let setters = given.iter().filter(|given| !given.required).map(|given| {
            let docs = print::docs(&given.docs);
            let (ident, (ty, value)) = (&given.ident, given.argument());
            quote! {
                #docs
                pub fn #ident(mut self, #ident: #ty) -> Self {
                    self.#ident = Some(#value);
                    self
                }
            }
        });
        let of_first = response::of_first(&self.operation.successes);
        let responses = self.responses.as_ref().map(|name| {
            let of = format!("[`{}::{}`]", self.handle, self.operation.name);
            let docs = format!("The response of {of}, which depends on its status.");
            let successes = self.operation.successes.iter().zip(&self.signature.successes);
            let cases: Vec<_> = successes
                .map(|(success, ty)| response::Case {
                    status: &success.status,
                    description: &success.description,
                    content: success.content,
                    ty: ty.as_ref(),
                })
                .collect();
            response::by_status(name, &docs, &cases)
        });
        let changes = self.takes_changes();
        let call = request::call(self.operation, changes);
        let changed = changes.then(|| quote!(changes: __runtime::__private::rest::Changes,));
        let change = changes.then(changing);
        let parts = self.takes_parts();
        let more_parts = parts.then(|| quote!(parts: Vec<(String, __runtime::Part)>,));
        let part = parts.then(adding_parts);
        let by_status = self.by_status();
        let whole = response::whole(self.operation, &self.signature.response);
        let (response, send) = match &whole {
            Some((ty, read)) => {
                (ty.clone(), quote!(self.call() #of_first.send(__runtime::__private::rest::#read)))
            }
            None => self.events(),
        };
        let with_headers = whole.as_ref().map(|(ty, read)| {
            let headers = self.headers.as_ref().map(|name| format_ident!("{name}"));
            let with = match headers {
                Some(headers) => quote!(__runtime::WithHeaders<#ty, types::#headers>),
                None => quote!(__runtime::WithHeaders<#ty>),
            };
            quote! {
                /// Sends the request and reads the response with its headers.
                pub fn with_headers(self) -> __runtime::__private::Sending<#with> {
                    self.call() #of_first.with_headers(__runtime::__private::rest::#read)
                }
            }
        });
        let events = (whole.is_some() && self.operation.events.is_some()).then(|| {
            let (events, send) = self.events();
            quote! {
                /// Sends the request and asks for a stream of events, in place of a whole response.
                pub fn events(self) -> __runtime::__private::Sending<#events> {
                    #send
                }
            }
        });
        let download = self.download(of_first.as_ref());
        let pages = whole.as_ref().and_then(|(ty, read)| self.pages(ty, read, of_first.as_ref()));
        let send_docs = print::docs(&match of_first {
            Some(_) => format!("{SEND} {BY_STATUS}"),
            None => SEND.to_owned(),
        });
        let timeout_docs = print::docs(TIMEOUT);
        quote! {
            #docs
            #[derive(Clone)]
            #[must_use = "a call is sent only when it is awaited"]
            pub struct #builder {
                service: __runtime::__private::Service,
                timeout: Option<::std::time::Duration>,
                #(#fields,)*
                #changed
                #more_parts
            }

            #[allow(dead_code, bindings_with_variant_name)]
            impl #builder {
                #(#setters)*

                #change

                #part

                #timeout_docs
                pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
                    self.timeout = Some(timeout);
                    self
                }

                #send_docs
                pub fn send(self) -> __runtime::__private::Sending<#response> {
                    #send
                }

                #with_headers

                #by_status

                #events

                #download

                #pages

                fn call(self) -> __runtime::__private::rest::RestCall {
                    #call
                }
            }

            impl ::std::future::IntoFuture for #builder {
                type Output = __runtime::Result<#response>;
                type IntoFuture = __runtime::__private::Sending<#response>;

                fn into_future(self) -> Self::IntoFuture {
                    self.send()
                }
            }

            #responses
        }
    }

    /// The method that reads each response as its own type, if these differ by status.
    fn by_status(&self) -> Option<TokenStream> {
        let name = format_ident!("{}", self.responses.as_ref()?);
        let mut accepted: Vec<&str> = Vec::new();
        for media in self.operation.successes.iter().flat_map(|it| &it.accept) {
            if !accepted.contains(&media.as_str()) {
                accepted.push(media);
            }
        }
        let accept = (accepted != ["application/json"]).then(|| {
            let accepted = accepted.join(", ");
            quote!(.accept(#accepted))
        });
        Some(quote! {
            /// Sends the request and reads the response as the type that belongs to its status.
            pub fn by_status(self) -> __runtime::__private::Sending<#name> {
                self.call() #accept.send(__runtime::__private::rest::whole)
            }
        })
    }

    /// The type of a stream of events, and the expression that sends the call for it.
    fn events(&self) -> (TokenStream, TokenStream) {
        match self.signature.event.as_ref().filter(|it| is_own(it)) {
            Some(data) => {
                (quote!(__runtime::TypedEvents<#data>), quote!(self.call().send_typed_events()))
            }
            None => (quote!(__runtime::ServerEvents), quote!(self.call().send_events())),
        }
    }

    /// The streams of a response that is not JSON, and of its lines if each is JSON.
    fn download(&self, of_first: Option<&TokenStream>) -> Option<TokenStream> {
        let content = self.operation.response.as_ref().map(|it| it.content);
        let line = self.signature.line.as_ref();
        let lines = line.map(|ty| {
            quote! {
                /// Sends the request and reads each line of the response as a value, as it arrives.
                pub fn lines(self) -> __runtime::__private::Sending<__runtime::JsonLines<#ty>> {
                    self.call() #of_first.send_lines()
                }
            }
        });
        (content == Some(Content::Bytes) || line.is_some()).then(|| {
            quote! {
                /// Sends the request and reads the bytes of the response as they arrive.
                pub fn download(self) -> __runtime::__private::Sending<__runtime::Download> {
                    self.call() #of_first.send_download()
                }

                #lines
            }
        })
    }

    /// The streams of the pages of a list, and of its items.
    fn pages(
        &self,
        page: &TokenStream,
        read: &TokenStream,
        of_first: Option<&TokenStream>,
    ) -> Option<TokenStream> {
        let (paging, _) = self.operation.paging.as_ref()?;
        let item = self.signature.item.as_ref()?;
        let paging = response::paging(paging);
        Some(quote! {
            const PAGING: &'static __runtime::__private::rest::pages::Paging = &#paging;

            /// The pages of the list from this one on, each requested when the stream is polled for
            /// it.
            pub fn pages(self) -> __runtime::Pages<#page> {
                self.call() #of_first.pages(Self::PAGING, __runtime::__private::rest::#read)
            }

            /// The items of the list from this page on, and of all pages after it, which are
            /// requested when the stream is polled for them.
            pub fn items(self) -> __runtime::Items<#item> {
                self.call() #of_first.items(Self::PAGING)
            }
        })
    }

    /// Returns true if its body consists of parts.
    fn takes_parts(&self) -> bool {
        self.operation.body.as_ref().is_some_and(|it| it.content == Content::Multipart)
    }

    /// Returns true if fields of its body can be set by name.
    fn takes_changes(&self) -> bool {
        let Some(body) = &self.operation.body else { return false };
        let ty = self.signature.parameters.get("body");
        let is_object = ty.is_some_and(|ty| {
            let within = argument(ty).filter(|_| is_named(ty, "Option"));
            let ty = within.unwrap_or(ty);
            is_named(ty, "HashMap") || is_named(ty, "Map") || is_named(ty, "Value") || is_own(ty)
        });
        is_object && matches!(body.content, Content::Json | Content::Form)
    }
}

/// The setter of parts that the description does not name.
fn adding_parts() -> TokenStream {
    quote! {
        /// Adds a part to the body, of any name. Parts of the same name are all sent.
        pub fn part(mut self, name: impl Into<String>, part: __runtime::Part) -> Self {
            self.parts.push((name.into(), part));
            self
        }
    }
}

/// The setters for fields that the type of a body cannot express.
fn changing() -> TokenStream {
    quote! {
        /// Sends null for a field of the body, where `None` would omit it.
        ///
        /// The place is written with the names of the interface: `name`, `env[0].note`. Sending
        /// fails where the body has no such place.
        pub fn null(self, place: impl Into<String>) -> Self {
            self.set(place, ())
        }

        /// Sets a field of the body to any value: an empty list, which would be omitted, or a
        /// field that the type does not have. The place is written as for [`null`](Self::null).
        pub fn set(
            mut self,
            place: impl Into<String>,
            value: impl __runtime::__private::serde::Serialize,
        ) -> Self {
            self.changes.set(place, value);
            self
        }
    }
}

/// Returns true if a type is one of the module `types`.
fn is_own(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.first().is_some_and(|it| it.ident == "types"))
}

/// The docs of a method, with those of its arguments.
pub(super) fn docs_of_method(
    operation: &Operation,
    error_type: Option<&str>,
    required: &[(String, String)],
) -> String {
    let mut docs = print::sentence(&operation.summary, "Prepares a call.");
    if !operation.description.is_empty() {
        docs.push_str("\n\n");
        docs.push_str(&print::prose(&operation.description));
    }
    docs.push_str(&format!("\n\n`{} {}`", operation.method, operation.path));
    let id = operation.id.as_deref();
    if let Some(id) = id.filter(|id| !naming::reads_as(id, &operation.name)) {
        docs.push_str(&format!(", the operation `{id}`"));
    }
    if let Some(server) = &operation.server {
        docs.push_str(&format!(
            "\n\nThe server is `{server}`; `Service::with_server` sets where that is."
        ));
    }
    if let (Some((other, media)), Some(body)) = (&operation.other_body, &operation.body) {
        let own = &body.media;
        docs.push_str(&format!("\n\nThe body is `{own}`; that of `{other}` is `{media}`."));
    }
    if !required.is_empty() {
        docs.push_str("\n\n# Arguments\n");
        for (name, meaning) in required {
            docs.push_str(&format!("\n- `{name}`: {}", meaning.replace('\n', "\n  ")));
        }
    }
    if !operation.errors.is_empty() || error_type.is_some() {
        docs.push_str("\n\n# Errors\n");
        if let Some(error_type) = error_type {
            docs.push_str(&format!(
                "\nThe body of an error response: `error.decode::<types::{error_type}>()`.\n"
            ));
        }
        for (status, meaning) in &operation.errors {
            let meaning = print::prose(meaning).replace('\n', "\n  ");
            docs.push_str(&format!("\n- {status}: {meaning}"));
        }
    }
    docs
}

/// The docs of a parameter.
pub(super) fn docs_of_parameter(parameter: &Parameter) -> String {
    let place = match parameter.place {
        ParameterLocation::Path if naming::reads_as(&parameter.wire, &parameter.name) => {
            return print::sentence(&parameter.description, "A part of the path.");
        }
        ParameterLocation::Path => "the part of the path",
        ParameterLocation::Query => "the query parameter",
        ParameterLocation::Header => "the header",
        ParameterLocation::Part(_) => "the part",
    };
    let meaning = print::sentence(&parameter.description, "");
    format!("{meaning}\n\nSent as {place} `{}`.", parameter.wire).trim_start().to_owned()
}

/// The handle of this name, with its methods. `base_path` is appended to a URL of a service that has
/// no path.
pub(super) fn emit(
    name: &str,
    base_path: &str,
    methods: &[&TokenStream],
    field_visibility: Option<TokenStream>,
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
            #field_visibility service: __runtime::__private::Service,
        }

        // No program calls all operations of a service.
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

/// The method of the handle that starts a fake of the service. `description` is its text, and the
/// foreign servers are faked with it.
pub(crate) fn fake(
    handle: &syn::Ident,
    description: &TokenStream,
    foreign_servers: &[String],
) -> TokenStream {
    quote! {
        impl #handle {
            /// Starts a fake of the described service, for tests. It is there as long as the value.
            ///
            /// # Panics
            ///
            /// If no port of this machine is free.
            pub fn fake() -> __runtime::__private::Fake<Self> {
                __runtime::__private::Fake::__start(#description, &[#(#foreign_servers),*], |service| {
                    Self::new(service)
                })
            }
        }
    }
}
