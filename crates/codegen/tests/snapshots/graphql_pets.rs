/// Input objects, enums and scalars, which all operations share.
#[allow(
    dead_code,
    deprecated,
    non_camel_case_types,
    missing_copy_implementations,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from queries, all of it"
)]
pub mod types {
    use super::__runtime;

    /// A scalar of the service.
    ///
    /// The schema says no more about a scalar than its name, so this is any JSON.
    pub type Date = __runtime::__private::serde_json::Value;

    /// What a pet looks like.
    #[non_exhaustive]
    pub enum Color {
        /// Like snow.
        ///
        /// `WHITE` on the wire.
        White,
        /// `dark_brown`.
        DarkBrown,
        /// `self`.
        Self_,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        Color Other { 0 White "WHITE"; 1 DarkBrown "dark_brown"; 2 Self_ "self"; }
    }

    /// An input of the service.
    #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq, Default)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Filter {
        /// The field `name`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// The field `colors`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub colors: Option<Vec<Color>>,
        /// The field `not`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub not: Option<Box<Filter>>,
    }

    /// A pet to keep.
    #[derive(__runtime::__private::serde::Serialize, Clone, PartialEq, Default)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct PetInput {
        /// What it shall be called.
        pub name: String,
        /// The field `color`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub color: Option<Color>,
        /// The field `password`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub password: Option<String>,
        /// The field `friends`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub friends: Option<Vec<PetInput>>,
        /// The field `parent`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parent: Option<Box<PetInput>>,
    }

    impl ::std::fmt::Debug for PetInput {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("PetInput")
                .field("name", &self.name)
                .field("color", &self.color)
                .field("password", &format_args!("[redacted]"))
                .field("friends", &self.friends)
                .field("parent", &self.parent)
                .finish()
        }
    }
}

/// Literal shapes of input types.
#[doc(hidden)]
#[allow(
    dead_code,
    deprecated,
    non_camel_case_types,
    missing_copy_implementations,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from queries, all of it"
)]
pub mod shapes {
    use super::__runtime;
    use __runtime::graphql::document::{InputField, InputShape, Presence, Shape};

    /// The shape of `Filter`.
    pub static FILTER: InputShape = InputShape {
        name: "Filter",
        fields: &[
            InputField {
                name: "name",
                shape: Shape::String,
                presence: Presence::Optional,
            },
            InputField {
                name: "colors",
                shape: Shape::List(&Shape::Enum),
                presence: Presence::Optional,
            },
            InputField {
                name: "not",
                shape: Shape::Input(&FILTER),
                presence: Presence::Optional,
            },
        ],
    };

    /// The shape of `PetInput`.
    pub static PET_INPUT: InputShape = InputShape {
        name: "PetInput",
        fields: &[
            InputField {
                name: "name",
                shape: Shape::String,
                presence: Presence::Required,
            },
            InputField {
                name: "color",
                shape: Shape::Enum,
                presence: Presence::Optional,
            },
            InputField {
                name: "password",
                shape: Shape::String,
                presence: Presence::Optional,
            },
            InputField {
                name: "friends",
                shape: Shape::List(&Shape::Input(&PET_INPUT)),
                presence: Presence::Optional,
            },
            InputField {
                name: "parent",
                shape: Shape::Input(&PET_INPUT),
                presence: Presence::Optional,
            },
        ],
    };
}

/// Gets a pet and, where asked, its tags.
///
/// Reads a pet.
///
/// Takes [`Variables`](get_pet::Variables), returns [`ResponseData`](get_pet::ResponseData). Written in `queries/pets.graphql`.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
#[derive(Clone, Copy, Debug)]
pub struct GetPet;

impl __runtime::graphql::Operation for GetPet {
    type Variables = get_pet::Variables;
    type Data = get_pet::ResponseData;

    const NAME: &'static str = "GetPet";

    const TEXT: &'static str = "query GetPet($id: ID!, $withTags: Boolean! = false) { pet(id: $id) { ...Looks petName: name tags @include(if: $withTags) { key value } } } fragment Looks on Pet { id color }";

    const DOCUMENT: &'static __runtime::graphql::document::Document = &{
        #[allow(clippy::wildcard_imports)]
        use __runtime::graphql::document::*;
        Document {
            kind: Kind::Query,
            parts: &[
                Part::Text("query GetPet { pet"),
                Part::Arguments(
                    &[
                        Part::Entry {
                            name: "id",
                            variable: "id",
                        },
                    ],
                ),
                Part::Text(" { ...Looks petName: name tags @include"),
                Part::Arguments(
                    &[
                        Part::Entry {
                            name: "if",
                            variable: "withTags",
                        },
                    ],
                ),
                Part::Text(" { key value } } } fragment Looks on Pet { id color }"),
            ],
            variables: &[
                Variable {
                    name: "id",
                    shape: Shape::Id,
                    presence: Presence::Required,
                    default: None,
                    secret_places: &[],
                },
                Variable {
                    name: "withTags",
                    shape: Shape::Boolean,
                    presence: Presence::NotNull,
                    default: Some("false"),
                    secret_places: &[],
                },
            ],
        }
    };
}

impl __runtime::__private::graphql_client::GraphQLQuery for GetPet {
    type Variables = get_pet::Variables;
    type ResponseData = get_pet::ResponseData;

    fn build_query(
        variables: Self::Variables,
    ) -> __runtime::__private::graphql_client::QueryBody<Self::Variables> {
        __runtime::__private::graphql_client::QueryBody {
            variables,
            query: <Self as __runtime::graphql::Operation>::TEXT,
            operation_name: <Self as __runtime::graphql::Operation>::NAME,
        }
    }
}

/// Variables and response of [`GetPet`].
#[allow(
    dead_code,
    deprecated,
    non_camel_case_types,
    missing_copy_implementations,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from queries, all of it"
)]
pub mod get_pet {
    use super::__runtime;

    #[doc(no_inline)]
    pub use super::types::Color;

    /// Variables of [`GetPet`](super::GetPet).
    #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq, Default)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Variables {
        /// Which one.
        pub id: String,
        /// The variable `$withTags`.
        #[serde(rename = "withTags", skip_serializing_if = "Option::is_none")]
        pub with_tags: Option<bool>,
    }

    /// A pet.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Looks {
        /// Identifies it.
        pub id: String,
        /// The field `color`.
        pub color: Option<Color>,
    }

    /// Response of [`GetPet`](super::GetPet).
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ResponseData {
        /// Reads a pet.
        pub pet: Option<GetPetPet>,
    }

    /// A pet.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct GetPetPet {
        /// The fields of the fragment `Looks`.
        #[serde(flatten)]
        pub looks: Looks,
        /// What it is called.
        #[serde(rename = "petName")]
        pub pet_name: Option<String>,
        /// The field `tags`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tags: Option<Vec<GetPetPetTags>>,
    }

    /// Selection on `Tag`.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct GetPetPetTags {
        /// The field `key`.
        pub key: Option<String>,
        /// The field `value`.
        pub value: Option<String>,
    }

    impl ::std::fmt::Debug for GetPetPetTags {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("GetPetPetTags")
                .field("key", &self.key)
                .field("value", &format_args!("[redacted]"))
                .finish()
        }
    }
}

/// Changes a pet.
///
/// Takes [`Variables`](save_pet::Variables), returns [`ResponseData`](save_pet::ResponseData). Written in `queries/pets.graphql`.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
#[derive(Clone, Copy, Debug)]
pub struct SavePet;

impl __runtime::graphql::Operation for SavePet {
    type Variables = save_pet::Variables;
    type Data = save_pet::ResponseData;

    const NAME: &'static str = "SavePet";

    const TEXT: &'static str = "mutation SavePet($input: PetInput!) { savePet(input: $input) { id } }";

    const DOCUMENT: &'static __runtime::graphql::document::Document = &{
        #[allow(clippy::wildcard_imports)]
        use __runtime::graphql::document::*;
        Document {
            kind: Kind::Mutation,
            parts: &[
                Part::Text("mutation SavePet { savePet"),
                Part::Arguments(
                    &[
                        Part::Entry {
                            name: "input",
                            variable: "input",
                        },
                    ],
                ),
                Part::Text(" { id } }"),
            ],
            variables: &[
                Variable {
                    name: "input",
                    shape: Shape::Input(&shapes::PET_INPUT),
                    presence: Presence::Required,
                    default: None,
                    secret_places: &[],
                },
            ],
        }
    };
}

impl __runtime::__private::graphql_client::GraphQLQuery for SavePet {
    type Variables = save_pet::Variables;
    type ResponseData = save_pet::ResponseData;

    fn build_query(
        variables: Self::Variables,
    ) -> __runtime::__private::graphql_client::QueryBody<Self::Variables> {
        __runtime::__private::graphql_client::QueryBody {
            variables,
            query: <Self as __runtime::graphql::Operation>::TEXT,
            operation_name: <Self as __runtime::graphql::Operation>::NAME,
        }
    }
}

/// Variables and response of [`SavePet`].
#[allow(
    dead_code,
    deprecated,
    non_camel_case_types,
    missing_copy_implementations,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from queries, all of it"
)]
pub mod save_pet {
    use super::__runtime;

    #[doc(no_inline)]
    pub use super::types::PetInput;

    /// Variables of [`SavePet`](super::SavePet).
    #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq, Default)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Variables {
        /// What it shall be.
        pub input: PetInput,
    }

    /// Response of [`SavePet`](super::SavePet).
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ResponseData {
        /// Changes a pet.
        #[serde(rename = "savePet")]
        pub save_pet: Option<SavePetSavePet>,
    }

    /// A pet.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct SavePetSavePet {
        /// Identifies it.
        pub id: String,
    }
}

/// The operation `Search`.
///
/// Takes [`Variables`](search::Variables), returns [`ResponseData`](search::ResponseData). Written in `queries/pets.graphql`.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
#[derive(Clone, Copy, Debug)]
pub struct Search;

impl __runtime::graphql::Operation for Search {
    type Variables = search::Variables;
    type Data = search::ResponseData;

    const NAME: &'static str = "Search";

    const TEXT: &'static str = "query Search($filter: Filter, $limit: Int) { pets(filter: $filter, limit: $limit) { id born } animal { __typename ... on Pet { name } ... on Fish { id depth } } }";

    const DOCUMENT: &'static __runtime::graphql::document::Document = &{
        #[allow(clippy::wildcard_imports)]
        use __runtime::graphql::document::*;
        Document {
            kind: Kind::Query,
            parts: &[
                Part::Text("query Search { pets"),
                Part::Arguments(
                    &[
                        Part::Entry {
                            name: "filter",
                            variable: "filter",
                        },
                        Part::Entry {
                            name: "limit",
                            variable: "limit",
                        },
                    ],
                ),
                Part::Text(
                    " { id born } animal { __typename ... on Pet { name } ... on Fish { id depth } } }",
                ),
            ],
            variables: &[
                Variable {
                    name: "filter",
                    shape: Shape::Input(&shapes::FILTER),
                    presence: Presence::Optional,
                    default: None,
                    secret_places: &[],
                },
                Variable {
                    name: "limit",
                    shape: Shape::Int,
                    presence: Presence::Optional,
                    default: None,
                    secret_places: &[],
                },
            ],
        }
    };
}

impl __runtime::__private::graphql_client::GraphQLQuery for Search {
    type Variables = search::Variables;
    type ResponseData = search::ResponseData;

    fn build_query(
        variables: Self::Variables,
    ) -> __runtime::__private::graphql_client::QueryBody<Self::Variables> {
        __runtime::__private::graphql_client::QueryBody {
            variables,
            query: <Self as __runtime::graphql::Operation>::TEXT,
            operation_name: <Self as __runtime::graphql::Operation>::NAME,
        }
    }
}

/// Variables and response of [`Search`].
#[allow(
    dead_code,
    deprecated,
    non_camel_case_types,
    missing_copy_implementations,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated from queries, all of it"
)]
pub mod search {
    use super::__runtime;

    #[doc(no_inline)]
    pub use super::types::{Date, Filter};

    /// Variables of [`Search`](super::Search).
    #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq, Default)]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct Variables {
        /// The variable `$filter`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub filter: Option<Filter>,
        /// The variable `$limit`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<i64>,
    }

    /// Response of [`Search`](super::Search).
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ResponseData {
        /// The field `pets`.
        pub pets: Vec<SearchPets>,
        /// The field `animal`.
        pub animal: Option<SearchAnimal>,
    }

    /// A pet.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct SearchPets {
        /// Identifies it.
        pub id: String,
        /// The field `born`.
        pub born: Option<Date>,
    }

    /// Selection on `Animal`.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde", tag = "__typename")]
    pub enum SearchAnimal {
        /// A pet.
        Pet(SearchAnimalOnPet),
        /// It is of the type `Fish`.
        Fish(SearchAnimalOnFish),
        /// Another type, which was not known when this was generated.
        #[serde(other)]
        Unknown,
    }

    /// A pet.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct SearchAnimalOnPet {
        /// What it is called.
        pub name: Option<String>,
    }

    /// Selection on `Fish`.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct SearchAnimalOnFish {
        /// The field `id`.
        pub id: String,
        /// The field `depth`.
        pub depth: Option<f64>,
    }
}
