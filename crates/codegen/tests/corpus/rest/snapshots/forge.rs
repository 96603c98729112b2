/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// The reaction, `+1` or `-1`; see [the docs](<https://docs.example/x>).
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ReactionContent {
        /// `+1`.
        Plus1,
        /// `-1`.
        Minus1,
        /// `laugh`.
        Laugh,
        /// `confused`.
        Confused,
        /// `heart`.
        Heart,
        /// `hooray`.
        Hooray,
        /// `rocket`.
        Rocket,
        /// `eyes`.
        Eyes,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ReactionContent {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Plus1 => "+1",
                Self::Minus1 => "-1",
                Self::Laugh => "laugh",
                Self::Confused => "confused",
                Self::Heart => "heart",
                Self::Hooray => "hooray",
                Self::Rocket => "rocket",
                Self::Eyes => "eyes",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ReactionContent {
        fn from(value: &str) -> Self {
            match value {
                "+1" => Self::Plus1,
                "-1" => Self::Minus1,
                "laugh" => Self::Laugh,
                "confused" => Self::Confused,
                "heart" => Self::Heart,
                "hooray" => Self::Hooray,
                "rocket" => Self::Rocket,
                "eyes" => Self::Eyes,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ReactionContent);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ReactionSingle {
        /// `only`.
        Only,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ReactionSingle {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Only => "only",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ReactionSingle {
        fn from(value: &str) -> Self {
            match value {
                "only" => Self::Only,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ReactionSingle);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ReactionsListForIssueContent {
        /// `+1`.
        Plus1,
        /// `-1`.
        Minus1,
        /// `laugh`.
        Laugh,
        /// `❤️`.
        X,
        /// `🎉`.
        X2,
        /// `ok?`.
        Ok,
        /// `100%`.
        V100,
        /// `#`.
        Hash,
        /// `<`.
        Less,
        /// `<=`.
        LessEqual,
        /// `a-b`.
        AB3,
        /// `a_b`.
        AB,
        /// `A_B`.
        AB2,
        /// `a b`.
        AB4,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ReactionsListForIssueContent {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Plus1 => "+1",
                Self::Minus1 => "-1",
                Self::Laugh => "laugh",
                Self::X => "❤\u{fe0f}",
                Self::X2 => "🎉",
                Self::Ok => "ok?",
                Self::V100 => "100%",
                Self::Hash => "#",
                Self::Less => "<",
                Self::LessEqual => "<=",
                Self::AB3 => "a-b",
                Self::AB => "a_b",
                Self::AB2 => "A_B",
                Self::AB4 => "a b",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ReactionsListForIssueContent {
        fn from(value: &str) -> Self {
            match value {
                "+1" => Self::Plus1,
                "-1" => Self::Minus1,
                "laugh" => Self::Laugh,
                "❤\u{fe0f}" => Self::X,
                "🎉" => Self::X2,
                "ok?" => Self::Ok,
                "100%" => Self::V100,
                "#" => Self::Hash,
                "<" => Self::Less,
                "<=" => Self::LessEqual,
                "a-b" => Self::AB3,
                "a_b" => Self::AB,
                "A_B" => Self::AB2,
                "a b" => Self::AB4,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ReactionsListForIssueContent);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ReactionsListForIssueSort {
        /// `created`.
        Created,
        /// `updated`.
        Updated,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl ReactionsListForIssueSort {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Created => "created",
                Self::Updated => "updated",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for ReactionsListForIssueSort {
        fn from(value: &str) -> Self {
            match value {
                "created" => Self::Created,
                "updated" => Self::Updated,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(ReactionsListForIssueSort);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommit {
        /// The field `commit`.
        pub commit: Option<FileCommitCommit>,
        /// The field `content`.
        pub content: Option<FileCommitContent>,
        /// The field `simple`.
        pub simple: Option<SimpleUser>,
    }

    __runtime::__private::object! {
        FileCommit {
            0 "commit" commit plain optional;
            1 "content" content plain optional;
            2 "simple" simple plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommitCommit {
        /// The field `author`.
        pub author: Option<FileCommitCommitAuthor>,
        /// The field `parents`.
        pub parents: Vec<FileCommitCommitParentsItem>,
    }

    __runtime::__private::object! {
        FileCommitCommit {
            0 "author" author plain optional;
            1 "parents" parents list optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommitCommitAuthor {
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        FileCommitCommitAuthor {
            0 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommitCommitParentsItem {
        /// The field `sha`.
        pub sha: Option<String>,
    }

    __runtime::__private::object! {
        FileCommitCommitParentsItem {
            0 "sha" sha text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommitContent {
        /// The field `_links`.
        pub links: Option<FileCommitContentLinks>,
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        FileCommitContent {
            0 "_links" links plain optional;
            1 "name" name text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct FileCommitContentLinks {
        /// The field `html`.
        pub html: Option<String>,
        /// The field `self`.
        pub self_: Option<String>,
    }

    __runtime::__private::object! {
        FileCommitContentLinks {
            0 "html" html text optional;
            1 "self" self_ text optional;
        }
    }

    /// Simple User
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NullableSimpleUser {
        /// The field `id`.
        pub id: Option<i64>,
        /// The field `login`.
        pub login: Option<String>,
    }

    __runtime::__private::object! {
        NullableSimpleUser {
            0 "id" id integer optional;
            1 "login" login text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Reaction {
        /// The field `a"b\c`.
        pub a_b_c: Option<String>,
        /// The reaction, `+1` or `-1`; see [the docs](<https://docs.example/x>).
        pub content: Option<ReactionContent>,
        /// The field `created_at`.
        pub created_at: Option<String>,
        /// The field `empty_enum`.
        pub empty_enum: Option<String>,
        /// The field `flag_enum`.
        pub flag_enum: Option<bool>,
        /// The field `huge`.
        pub huge: Option<u64>,
        /// The field `id`.
        pub id: Option<i64>,
        /// The field `label`.
        pub label: Option<ReactionLabel>,
        /// The field `level`.
        pub level: Option<i64>,
        /// The field `map_of_lists`.
        pub map_of_lists: HashMap<String, Vec<SimpleUser2>>,
        /// The field `map_of_maps`.
        pub map_of_maps: HashMap<String, HashMap<String, i64>>,
        /// The field `matrix`.
        pub matrix: Vec<Vec<Vec<Option<f64>>>>,
        /// The field `-1`.
        pub minus1: Option<i64>,
        /// The field `mixed`.
        pub mixed: Option<__runtime::__private::serde_json::Value>,
        /// The field `nullable_items`.
        pub nullable_items: Vec<Option<String>>,
        /// Simple User
        pub nullable_ref: Option<NullableSimpleUser>,
        /// A user. \<b\>Bold\</b\> & Vec\<String\>, see <https://example.com/users>.
        pub nullable_user: Option<SimpleUser2>,
        /// The field `permissions`.
        pub permissions: Option<ReactionPermissions>,
        /// The field `+1`.
        pub plus1: Option<i64>,
        /// The field `ratio`.
        pub ratio: Option<f64>,
        /// The field `single`.
        pub single: Option<ReactionSingle>,
        /// The field `size`.
        pub size: Option<i64>,
        /// The field `string_or_number`.
        pub string_or_number: Option<StringOrInteger>,
        /// The field `string_or_object`.
        pub string_or_object: Option<ReactionStringOrObject>,
        /// The field `total_count`.
        pub total_count: Option<i64>,
        /// The field `URL`.
        pub url_2: Option<String>,
        /// The field `Url`.
        pub url_3: Option<String>,
        /// The field `url`.
        pub url: Option<String>,
        /// A user. \<b\>Bold\</b\> & Vec\<String\>, see <https://example.com/users>.
        pub user: Option<SimpleUser2>,
        /// The field `👍`.
        pub x: Option<i64>,
        /// The field `1_st`.
        pub x1_st: Option<String>,
        /// The field `1st`.
        pub x1st: Option<String>,
        /// The field `x-y.z/w`.
        pub x_y_z_w: Option<String>,
        /// The field `日本`.
        pub 日本: Option<String>,
    }

    impl ::std::fmt::Debug for Reaction {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Reaction")
                .field("a_b_c", &self.a_b_c)
                .field("content", &self.content)
                .field("created_at", &self.created_at)
                .field("empty_enum", &self.empty_enum)
                .field("flag_enum", &self.flag_enum)
                .field("huge", &self.huge)
                .field("id", &self.id)
                .field("label", &self.label)
                .field("level", &self.level)
                .field("map_of_lists", &self.map_of_lists)
                .field("map_of_maps", &self.map_of_maps)
                .field("matrix", &self.matrix)
                .field("minus1", &self.minus1)
                .field("mixed", &__runtime::__private::Untyped(&self.mixed))
                .field("nullable_items", &self.nullable_items)
                .field("nullable_ref", &self.nullable_ref)
                .field("nullable_user", &self.nullable_user)
                .field("permissions", &self.permissions)
                .field("plus1", &self.plus1)
                .field("ratio", &self.ratio)
                .field("single", &self.single)
                .field("size", &self.size)
                .field("string_or_number", &self.string_or_number)
                .field("string_or_object", &self.string_or_object)
                .field("total_count", &self.total_count)
                .field("url_2", &self.url_2)
                .field("url_3", &self.url_3)
                .field("url", &self.url)
                .field("user", &self.user)
                .field("x", &self.x)
                .field("x1_st", &self.x1_st)
                .field("x1st", &self.x1st)
                .field("x_y_z_w", &self.x_y_z_w)
                .field("日本", &self.日本)
                .finish()
        }
    }

    __runtime::__private::object! {
        Reaction {
            0 "a\"b\\c" a_b_c text optional;
            1 "content" content text optional;
            2 "created_at" created_at text optional;
            3 "empty_enum" empty_enum text optional;
            4 "flag_enum" flag_enum boolean optional;
            5 "huge" huge integer optional;
            6 "id" id integer optional;
            7 "label" label plain optional;
            8 "level" level integer optional;
            9 "map_of_lists" map_of_lists shaped < lenient::shape::Dictionary < lenient::shape::List < lenient::shape::Plain < SimpleUser2 >>> > optional;
            10 "map_of_maps" map_of_maps shaped < lenient::shape::Dictionary < lenient::shape::Dictionary < lenient::shape::Integer < i64 >>> > optional;
            11 "matrix" matrix shaped < lenient::shape::List < lenient::shape::List < lenient::shape::List < lenient::shape::Nullable < lenient::shape::Number >>>> > optional;
            12 "-1" minus1 integer optional;
            13 "mixed" mixed plain optional;
            14 "nullable_items" nullable_items shaped < lenient::shape::List < lenient::shape::Nullable < lenient::shape::Text < String >>> > optional;
            15 "nullable_ref" nullable_ref plain optional;
            16 "nullable_user" nullable_user plain optional;
            17 "permissions" permissions plain optional;
            18 "+1" plus1 integer optional;
            19 "ratio" ratio number optional;
            20 "single" single text optional;
            21 "size" size integer optional;
            22 "string_or_number" string_or_number plain optional;
            23 "string_or_object" string_or_object plain optional;
            24 "total_count" total_count integer optional;
            25 "URL" url_2 text optional;
            26 "Url" url_3 text optional;
            27 "url" url text optional;
            28 "user" user plain optional;
            29 "👍" x integer optional;
            30 "1_st" x1_st text optional;
            31 "1st" x1st text optional;
            32 "x-y.z/w" x_y_z_w text optional;
            33 "日本" 日本 text optional;
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum ReactionLabel {
        /// A list.
        Array(Vec<ReactionLabelItem>),
        /// An object.
        Object {
            /// The field `name`.
            #[serde(skip_serializing_if = "Option::is_none")]
            name: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ReactionLabel {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Array(value_0) => f.debug_tuple("Array").field(value_0).finish(),
                Self::Object { name: value_0 } => {
                    f.debug_struct("Object").field("name", value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<Vec<ReactionLabelItem>> for ReactionLabel {
        fn from(value: Vec<ReactionLabelItem>) -> Self {
            Self::Array(value)
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum ReactionLabelItem {
        /// An object.
        Object {
            /// The field `name`.
            #[serde(skip_serializing_if = "Option::is_none")]
            name: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ReactionLabelItem {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object { name: value_0 } => {
                    f.debug_struct("Object").field("name", value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq,
        Default
    )]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ReactionPermissions {
        /// The field `admin`.
        #[serde(
            default,
            deserialize_with = "lenient::boolean",
            skip_serializing_if = "Option::is_none"
        )]
        pub admin: Option<bool>,
        /// The field `push`.
        #[serde(
            default,
            deserialize_with = "lenient::boolean",
            skip_serializing_if = "Option::is_none"
        )]
        pub push: Option<bool>,
        /// All that has no field of its own. What is not of this type is left out.
        #[serde(
            flatten,
            deserialize_with = "lenient::shape::further::<lenient::shape::Boolean,_>"
        )]
        pub extra: HashMap<String, bool>,
    }

    impl ::std::fmt::Debug for ReactionPermissions {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ReactionPermissions")
                .field("admin", &self.admin)
                .field("push", &self.push)
                .field("extra", &__runtime::__private::Untyped(&self.extra))
                .finish()
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum ReactionStringOrObject {
        /// An object.
        Object {
            /// The field `id`.
            #[serde(
                default,
                deserialize_with = "lenient::integer",
                skip_serializing_if = "Option::is_none"
            )]
            id: Option<i64>,
            /// The field `name`.
            #[serde(
                default,
                deserialize_with = "lenient::text",
                skip_serializing_if = "Option::is_none"
            )]
            name: Option<String>,
        },
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ReactionStringOrObject {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object { id: value_0, name: value_1 } => {
                    f.debug_struct("Object")
                        .field("id", value_0)
                        .field("name", value_1)
                        .finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ReposCreateOrUpdateFileContentsBody {
        /// The field `committer`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub committer: Option<ReposCreateOrUpdateFileContentsBodyCommitter>,
        /// The field `content`.
        pub content: String,
        /// The field `crate`.
        #[serde(
            rename = "crate",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub crate_: Option<String>,
        /// The field `message`.
        pub message: String,
        /// The field `r#try`.
        #[serde(
            rename = "r#try",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub r_try: Option<String>,
        /// The field `$schema`.
        #[serde(
            rename = "$schema",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub schema: Option<String>,
        /// The field `self`.
        #[serde(
            rename = "self",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub self_: Option<String>,
        /// The field `sha`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub sha: Option<String>,
        /// The field `super`.
        #[serde(
            rename = "super",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub super_: Option<String>,
        /// The field `type`.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        pub type_: Option<__runtime::__private::serde_json::Value>,
        /// The field `_`.
        #[serde(
            rename = "_",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub x: Option<String>,
        /// The field `__`.
        #[serde(
            rename = "__",
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub x_2: Option<String>,
    }

    impl ReposCreateOrUpdateFileContentsBody {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(content: impl Into<String>, message: impl Into<String>) -> Self {
            fn make(
                content: String,
                message: String,
            ) -> ReposCreateOrUpdateFileContentsBody {
                ReposCreateOrUpdateFileContentsBody {
                    content,
                    message,
                    committer: ::std::default::Default::default(),
                    crate_: ::std::default::Default::default(),
                    r_try: ::std::default::Default::default(),
                    schema: ::std::default::Default::default(),
                    self_: ::std::default::Default::default(),
                    sha: ::std::default::Default::default(),
                    super_: ::std::default::Default::default(),
                    type_: ::std::default::Default::default(),
                    x: ::std::default::Default::default(),
                    x_2: ::std::default::Default::default(),
                }
            }
            make(content.into(), message.into())
        }
    }

    impl ::std::fmt::Debug for ReposCreateOrUpdateFileContentsBody {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("ReposCreateOrUpdateFileContentsBody")
                .field("committer", &self.committer)
                .field("content", &self.content)
                .field("crate_", &self.crate_)
                .field("message", &self.message)
                .field("r_try", &self.r_try)
                .field("schema", &self.schema)
                .field("self_", &self.self_)
                .field("sha", &self.sha)
                .field("super_", &self.super_)
                .field("type_", &__runtime::__private::Untyped(&self.type_))
                .field("x", &self.x)
                .field("x_2", &self.x_2)
                .finish()
        }
    }

    /// An object of the interface.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        Debug,
        PartialEq
    )]
    #[serde(crate = "__runtime::__private::serde")]
    pub struct ReposCreateOrUpdateFileContentsBodyCommitter {
        /// The field `date`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub date: Option<String>,
        /// The field `name`.
        pub name: String,
    }

    impl ReposCreateOrUpdateFileContentsBodyCommitter {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(name: impl Into<String>) -> Self {
            fn make(name: String) -> ReposCreateOrUpdateFileContentsBodyCommitter {
                ReposCreateOrUpdateFileContentsBodyCommitter {
                    name,
                    date: ::std::default::Default::default(),
                }
            }
            make(name.into())
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct SimpleUser {
        /// The field `Login`.
        pub login: Option<String>,
    }

    __runtime::__private::object! {
        SimpleUser {
            0 "Login" login text optional;
        }
    }

    /// A user. \<b\>Bold\</b\> & Vec\<String\>, see <https://example.com/users>.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct SimpleUser2 {
        /// The field `id`.
        pub id: Option<i64>,
        /// The field `login`.
        pub login: Option<String>,
        /// The field `reactions`.
        pub reactions: Vec<Reaction>,
        /// The field `starred_at`.
        pub starred_at: Option<String>,
    }

    __runtime::__private::object! {
        SimpleUser2 {
            0 "id" id integer optional;
            1 "login" login text optional;
            2 "reactions" reactions list optional;
            3 "starred_at" starred_at text optional;
        }
    }

    /// One of several shapes.
    #[derive(
        __runtime::__private::serde::Deserialize,
        __runtime::__private::serde::Serialize,
        Clone,
        PartialEq
    )]
    #[serde(untagged)]
    #[non_exhaustive]
    #[serde(crate = "__runtime::__private::serde")]
    pub enum StringOrInteger {
        /// A whole number.
        Integer(i64),
        /// A string.
        String(String),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrInteger {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Integer(value_0) => {
                    f.debug_tuple("Integer").field(value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<i64> for StringOrInteger {
        fn from(value: i64) -> Self {
            Self::Integer(value)
        }
    }
}

/// The operations of the description. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    service: __runtime::__private::Service,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Api {
    /// Calls a service, such as `&service`, or a client's REST interface: `&client`. If the REST URL of a client has no path, `/v1` is added, where the paths of the description begin.
    pub fn new(service: impl Into<__runtime::__private::Service>) -> Self {
        Self {
            service: service.into().below("/v1"),
        }
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

    /// Prepares a call.
    ///
    /// `GET /repos/{owner}/{repo}/issues/{issue_number}/reactions`, the operation `reactions/list-for-issue`
    ///
    /// # Arguments
    ///
    /// - `owner`: A part of the path.
    /// - `repo`: A part of the path.
    /// - `issue_number`: A part of the path.
    ///
    /// # Errors
    ///
    /// - 404: Resource not found
    /// - 410: Gone
    pub fn reactions_list_for_issue(
        &self,
        owner: impl Into<String>,
        repo: impl Into<String>,
        issue_number: i64,
    ) -> ReactionsListForIssue {
        ReactionsListForIssue {
            service: self.service.clone(),
            timeout: None,
            owner: owner.into(),
            repo: repo.into(),
            issue_number,
            content: None,
            per_page: None,
            labels: None,
            sort: None,
            since: None,
            _2fa: None,
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /repos/{owner}/{repo}/contents/{path}`, the operation `repos/create-or-update-file-contents`
    ///
    /// # Arguments
    ///
    /// - `owner`: A part of the path.
    /// - `repo`: A part of the path.
    /// - `path`: A part of the path.
    /// - `body`: The body of the request.
    ///
    /// # Errors
    ///
    /// - 409: Conflict
    /// - 422: Wrong
    pub fn repos_create_or_update_file_contents(
        &self,
        owner: impl Into<String>,
        repo: impl Into<String>,
        path: impl Into<String>,
        body: impl Into<types::ReposCreateOrUpdateFileContentsBody>,
    ) -> ReposCreateOrUpdateFileContents {
        ReposCreateOrUpdateFileContents {
            service: self.service.clone(),
            timeout: None,
            owner: owner.into(),
            repo: repo.into(),
            path: path.into(),
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::reactions_list_for_issue`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReactionsListForIssue {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    owner: String,
    repo: String,
    issue_number: i64,
    content: Option<types::ReactionsListForIssueContent>,
    per_page: Option<i64>,
    labels: Option<Vec<String>>,
    sort: Option<types::ReactionsListForIssueSort>,
    since: Option<String>,
    _2fa: Option<bool>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReactionsListForIssue {
    /// Sent as the query parameter `content`.
    pub fn content(
        mut self,
        content: impl Into<types::ReactionsListForIssueContent>,
    ) -> Self {
        self.content = Some(content.into());
        self
    }

    /// Sent as the query parameter `per_page`.
    pub fn per_page(mut self, per_page: i64) -> Self {
        self.per_page = Some(per_page);
        self
    }

    /// Sent as the query parameter `labels[]`.
    pub fn labels(
        mut self,
        labels: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.labels = Some(labels.into_iter().map(Into::into).collect());
        self
    }

    /// Sent as the query parameter `sort`.
    pub fn sort(mut self, sort: impl Into<types::ReactionsListForIssueSort>) -> Self {
        self.sort = Some(sort.into());
        self
    }

    /// Sent as the query parameter `since`.
    pub fn since(mut self, since: impl Into<String>) -> Self {
        self.since = Some(since.into());
        self
    }

    /// Sent as the query parameter `2fa`.
    pub fn _2fa(mut self, _2fa: bool) -> Self {
        self._2fa = Some(_2fa);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::Reaction>> {
        __runtime::__private::rest::RestCall::new("reactions_list_for_issue", "GET")
            .literal("/repos/")
            .parameter("owner", &self.owner)
            .literal("/")
            .parameter("repo", &self.repo)
            .literal("/issues/")
            .parameter("issue_number", &self.issue_number)
            .literal("/reactions")
            .query("content", &self.content)
            .query("per_page", &self.per_page)
            .query("labels[]", &self.labels)
            .query("sort", &self.sort)
            .query("since", &self.since)
            .query("2fa", &self._2fa)
            .timeout(self.timeout)
            .send_shaped::<
                __runtime::__private::lenient::shape::List<
                    __runtime::__private::lenient::shape::Plain<types::Reaction>,
                >,
                _,
            >(self.service)
    }
}

impl ::std::future::IntoFuture for ReactionsListForIssue {
    type Output = __runtime::Result<Vec<types::Reaction>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::Reaction>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::repos_create_or_update_file_contents`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct ReposCreateOrUpdateFileContents {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    owner: String,
    repo: String,
    path: String,
    body: types::ReposCreateOrUpdateFileContentsBody,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl ReposCreateOrUpdateFileContents {
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

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::FileCommit> {
        __runtime::__private::rest::RestCall::new(
                "repos_create_or_update_file_contents",
                "PUT",
            )
            .literal("/repos/")
            .parameter("owner", &self.owner)
            .literal("/")
            .parameter("repo", &self.repo)
            .literal("/contents/")
            .parameter("path", &self.path)
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for ReposCreateOrUpdateFileContents {
    type Output = __runtime::Result<types::FileCommit>;
    type IntoFuture = __runtime::__private::Sending<types::FileCommit>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
