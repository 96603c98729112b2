// tests/corpus/rest/unions.yaml:68:9: the union of Left and Right is one type with the fields of all: neither a discriminator nor a constant property nor required fields tell them apart
/// Types of requests and responses.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;

    #[allow(unused_imports)]
    use ::std::collections::HashMap;

    #[allow(unused_imports)]
    use super::__runtime;

    /// One of several values.
    #[non_exhaustive]
    pub enum CustomerObject {
        /// `customer`.
        Customer,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        CustomerObject Other { 0 Customer "customer"; }
    }

    /// One of several values.
    #[non_exhaustive]
    pub enum ImageType {
        /// `image`.
        Image,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        ImageType Other { 0 Image "image"; }
    }

    /// One of several values.
    #[non_exhaustive]
    pub enum MakerKind {
        /// `maker`.
        Maker,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        MakerKind Other { 0 Maker "maker"; }
    }

    /// One of several values.
    #[non_exhaustive]
    pub enum StockKind {
        /// `stock`.
        Stock,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        StockKind Other { 0 Stock "stock"; }
    }

    /// One of several values.
    #[non_exhaustive]
    pub enum TextType {
        /// `text`.
        Text,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        TextType Other { 0 Text "text"; }
    }

    /// One of several values.
    #[non_exhaustive]
    pub enum EventsFirstType {
        /// `ping`.
        Ping,
        /// A value that was not known when this was generated.
        Other(String),
    }

    __runtime::__private::open_enum! {
        EventsFirstType Other { 0 Ping "ping"; }
    }

    /// An object of the interface.
    pub struct ByDay {
        /// The field `day`.
        pub day: String,
    }

    __runtime::__private::object! {
        ByDay {
            0 "day" day required;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum ByDayOrByName {
        /// Where it has `name`.
        ByName(ByName),
        /// Where it has `day`.
        ByDay(ByDay),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for ByDayOrByName {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::ByName(value_0) => f.debug_tuple("ByName").field(value_0).finish(),
                Self::ByDay(value_0) => f.debug_tuple("ByDay").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<ByName> for ByDayOrByName {
        fn from(value: ByName) -> Self {
            Self::ByName(value)
        }
    }

    impl From<ByDay> for ByDayOrByName {
        fn from(value: ByDay) -> Self {
            Self::ByDay(value)
        }
    }

    __runtime::__private::discriminated_union! {
        ByDayOrByName Other { 0 ByName[{ ; "name";; "name" }] []; 1 ByDay[{ ; "day";;
        "day" }] []; }
    }

    /// An object of the interface.
    pub struct ByName {
        /// The field `name`.
        pub name: String,
    }

    __runtime::__private::object! {
        ByName {
            0 "name" name required;
        }
    }

    /// An object of the interface.
    pub struct Card {
        /// The field `number`.
        pub number: Option<String>,
        /// The field `password`.
        pub password: Option<String>,
        /// The field `type`.
        pub type_: Option<String>,
    }

    impl Card {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(number: impl Into<String>, type_: impl Into<String>) -> Self {
            Self {
                number: Some(number.into()),
                type_: Some(type_.into()),
                ..Self::default()
            }
        }
    }

    __runtime::__private::object! {
        Card {
            0 "number" number optional;
            1 "password" password optional secret;
            2 "type" type_ optional;
        } default
    }

    /// An object of the interface.
    pub struct Cat {
        /// The field `friend`.
        pub friend: Option<Pet>,
        /// The field `lives`.
        pub lives: Option<i64>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `petType`.
        pub pet_type: Option<String>,
    }

    impl Cat {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::new_without_default)]
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new() -> Self {
            Self {
                pet_type: Some("Cat".into()),
                ..Self::default()
            }
        }
    }

    __runtime::__private::object! {
        Cat {
            0 "friend" friend optional;
            1 "lives" lives optional;
            2 "name" name optional;
            3 "petType" pet_type optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Customer {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `object`.
        pub object: Option<CustomerObject>,
    }

    __runtime::__private::object! {
        Customer {
            0 "id" id optional;
            1 "name" name optional;
            2 "object" object optional;
        } default
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum CustomerOrDeletedCustomer {
        /// Where `object` is `customer`, it has `id`.
        Customer(Customer),
        /// Where `deleted` is `true`, `object` is `customer`, it has `id`.
        DeletedCustomer(DeletedCustomer),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for CustomerOrDeletedCustomer {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Customer(value_0) => {
                    f.debug_tuple("Customer").field(value_0).finish()
                }
                Self::DeletedCustomer(value_0) => {
                    f.debug_tuple("DeletedCustomer").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Customer> for CustomerOrDeletedCustomer {
        fn from(value: Customer) -> Self {
            Self::Customer(value)
        }
    }

    impl From<DeletedCustomer> for CustomerOrDeletedCustomer {
        fn from(value: DeletedCustomer) -> Self {
            Self::DeletedCustomer(value)
        }
    }

    __runtime::__private::discriminated_union! {
        CustomerOrDeletedCustomer Other { 0 Customer[{ "object"[Text("customer")]; "id"
        "object";; "id" "object" }] []; 1 DeletedCustomer[{ "deleted"[Flag(true)]
        "object"[Text("customer")]; "deleted" "id" "object";; "deleted" "id" "object" }]
        []; }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct DeletedCustomer {
        /// The field `deleted`.
        pub deleted: Option<bool>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `object`.
        pub object: Option<CustomerObject>,
    }

    __runtime::__private::object! {
        DeletedCustomer {
            0 "deleted" deleted optional;
            1 "id" id optional;
            2 "object" object optional;
        } default
    }

    /// An object of the interface.
    pub struct Dog {
        /// The field `bark`.
        pub bark: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `petType`.
        pub pet_type: Option<String>,
    }

    impl Dog {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(bark: impl Into<String>) -> Self {
            Self {
                bark: Some(bark.into()),
                pet_type: Some("dog".into()),
                ..Self::default()
            }
        }
    }

    __runtime::__private::object! {
        Dog {
            0 "bark" bark optional;
            1 "name" name optional;
            2 "petType" pet_type optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Events {
        /// The field `all`.
        pub all: Vec<Message>,
        /// The field `around`.
        pub around: Option<EventsAround>,
        /// The field `beside`.
        pub beside: Option<EventsBeside>,
        /// The field `by_name`.
        pub by_name: HashMap<String, Message>,
        /// The field `deleted`.
        pub deleted: Option<CustomerOrDeletedCustomer>,
        /// The field `either`.
        pub either: Option<LeftOrRight>,
        /// The field `first`.
        pub first: Option<EventsFirst>,
        /// The field `part`.
        pub part: Option<PartOrWhole>,
    }

    __runtime::__private::object! {
        Events {
            0 "all" all optional;
            1 "around" around optional;
            2 "beside" beside optional;
            3 "by_name" by_name optional;
            4 "deleted" deleted optional;
            5 "either" either optional;
            6 "first" first optional;
            7 "part" part optional;
        } default
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum EventsAround {
        /// Where `type` is `text`.
        Text(EventsAroundText),
        /// Where `type` is `image`.
        Image(EventsAroundImage),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for EventsAround {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Text(value_0) => f.debug_tuple("Text").field(value_0).finish(),
                Self::Image(value_0) => f.debug_tuple("Image").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<EventsAroundText> for EventsAround {
        fn from(value: EventsAroundText) -> Self {
            Self::Text(value)
        }
    }

    impl From<EventsAroundImage> for EventsAround {
        fn from(value: EventsAroundImage) -> Self {
            Self::Image(value)
        }
    }

    __runtime::__private::discriminated_union! {
        EventsAround Other { 0 Text[{ "type"[Text("text")];;; }] []; 1 Image[{
        "type"[Text("image")];;; }] []; }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct EventsAroundImage {
        /// The field `page`.
        pub page: Option<i64>,
        /// The field `type`.
        pub type_: Option<ImageType>,
        /// The field `url`.
        pub url: Option<String>,
    }

    __runtime::__private::object! {
        EventsAroundImage {
            0 "page" page optional;
            1 "type" type_ optional;
            2 "url" url optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct EventsAroundText {
        /// The field `page`.
        pub page: Option<i64>,
        /// The field `reply`.
        pub reply: Option<Box<Message>>,
        /// The field `text`.
        pub text: Option<String>,
        /// The field `type`.
        pub type_: Option<TextType>,
    }

    __runtime::__private::object! {
        EventsAroundText {
            0 "page" page optional;
            1 "reply" reply optional;
            2 "text" text optional;
            3 "type" type_ optional;
        } default
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum EventsBeside {
        /// Where it has `id` and `name`.
        ByName(EventsBesideByName),
        /// Where it has `day` and `id`.
        ByDay(EventsBesideByDay),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for EventsBeside {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::ByName(value_0) => f.debug_tuple("ByName").field(value_0).finish(),
                Self::ByDay(value_0) => f.debug_tuple("ByDay").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<EventsBesideByName> for EventsBeside {
        fn from(value: EventsBesideByName) -> Self {
            Self::ByName(value)
        }
    }

    impl From<EventsBesideByDay> for EventsBeside {
        fn from(value: EventsBesideByDay) -> Self {
            Self::ByDay(value)
        }
    }

    __runtime::__private::discriminated_union! {
        EventsBeside Other { 0 ByName[{ ; "id" "name";; "id" "name" }] []; 1 ByDay[{ ;
        "day" "id";; "day" "id" }] []; }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct EventsBesideByDay {
        /// The field `day`.
        pub day: Option<String>,
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        EventsBesideByDay {
            0 "day" day optional;
            1 "id" id optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct EventsBesideByName {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
    }

    __runtime::__private::object! {
        EventsBesideByName {
            0 "id" id optional;
            1 "name" name optional;
        } default
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum EventsFirst {
        /// Where `type` is `text` or `image`.
        Message(Message),
        /// Where `type` is `ping`.
        Ping(EventsFirstPing),
        /// A value that is no object, or a map.
        String(String),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for EventsFirst {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Message(value_0) => {
                    f.debug_tuple("Message").field(value_0).finish()
                }
                Self::Ping(value_0) => f.debug_tuple("Ping").field(value_0).finish(),
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Message> for EventsFirst {
        fn from(value: Message) -> Self {
            Self::Message(value)
        }
    }

    impl From<EventsFirstPing> for EventsFirst {
        fn from(value: EventsFirstPing) -> Self {
            Self::Ping(value)
        }
    }

    impl From<String> for EventsFirst {
        fn from(value: String) -> Self {
            Self::String(value)
        }
    }

    __runtime::__private::discriminated_union! {
        EventsFirst Other { 0 Message[{ "type"[Text("text"), Text("image")];;; }] []; 1
        Ping[{ "type"[Text("ping")];;; }] []; 2 String[] []; }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct EventsFirstPing {
        /// The field `at`.
        pub at: Option<i64>,
        /// The field `type`.
        pub type_: Option<EventsFirstType>,
    }

    __runtime::__private::object! {
        EventsFirstPing {
            0 "at" at optional;
            1 "type" type_ optional;
        } default
    }

    /// An object of the interface.
    pub struct Iban {
        /// The field `holder`.
        pub holder: Option<String>,
        /// The field `iban`.
        pub iban: Option<String>,
        /// The field `type`.
        pub type_: Option<String>,
    }

    impl Iban {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(iban: impl Into<String>) -> Self {
            Self {
                iban: Some(iban.into()),
                type_: Some("iban".into()),
                ..Self::default()
            }
        }
    }

    __runtime::__private::object! {
        Iban {
            0 "holder" holder optional;
            1 "iban" iban optional;
            2 "type" type_ optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Image {
        /// The field `type`.
        pub type_: Option<ImageType>,
        /// The field `url`.
        pub url: Option<String>,
    }

    __runtime::__private::object! {
        Image {
            0 "type" type_ optional;
            1 "url" url optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct LeftOrRight {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `left`.
        pub left: Option<String>,
        /// The field `right`.
        pub right: Option<String>,
    }

    __runtime::__private::object! {
        LeftOrRight {
            0 "id" id optional;
            1 "left" left optional;
            2 "right" right optional;
        } default
    }

    /// An object of the interface.
    pub struct Maker {
        /// The field `kind`.
        pub kind: MakerKind,
        /// The field `name`.
        pub name: Option<String>,
    }

    impl Maker {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::new_without_default)]
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new() -> Self {
            Self {
                kind: "maker".into(),
                ..__runtime::__private::lenient::Lenient::blank()
            }
        }
    }

    __runtime::__private::object! {
        Maker {
            0 "kind" kind required;
            1 "name" name optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum MakerOrStock {
        /// Where `kind` is `stock`.
        Stock(Stock),
        /// Where `kind` is `maker`.
        Maker(Maker),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for MakerOrStock {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Stock(value_0) => f.debug_tuple("Stock").field(value_0).finish(),
                Self::Maker(value_0) => f.debug_tuple("Maker").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Stock> for MakerOrStock {
        fn from(value: Stock) -> Self {
            Self::Stock(value)
        }
    }

    impl From<Maker> for MakerOrStock {
        fn from(value: Maker) -> Self {
            Self::Maker(value)
        }
    }

    __runtime::__private::discriminated_union! {
        MakerOrStock Other { 0 Stock[{ "kind"[Text("stock")];;; }] []; 1 Maker[{
        "kind"[Text("maker")];;; }] []; }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum Message {
        /// Where `type` is `text`.
        Text(Text),
        /// Where `type` is `image`.
        Image(Image),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Message {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Text(value_0) => f.debug_tuple("Text").field(value_0).finish(),
                Self::Image(value_0) => f.debug_tuple("Image").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Text> for Message {
        fn from(value: Text) -> Self {
            Self::Text(value)
        }
    }

    impl From<Image> for Message {
        fn from(value: Image) -> Self {
            Self::Image(value)
        }
    }

    __runtime::__private::discriminated_union! {
        Message Other { 0 Text[{ "type"[Text("text")];;; }] []; 1 Image[{
        "type"[Text("image")];;; }] []; }
    }

    /// An object of the interface.
    pub struct Order {
        /// The field `source`.
        pub source: MakerOrStock,
        /// The field `sources`.
        pub sources: Vec<MakerOrStock>,
    }

    impl Order {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(source: MakerOrStock) -> Self {
            Self {
                source,
                ..__runtime::__private::lenient::Lenient::blank()
            }
        }
    }

    __runtime::__private::object! {
        Order {
            0 "source" source required;
            1 "sources" sources optional;
        }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Part {
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        Part {
            0 "id" id optional;
        } default
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum PartOrWhole {
        /// Where it has `id` and `size`.
        Whole(Whole),
        /// Where it has `id`.
        Part(Part),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for PartOrWhole {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Whole(value_0) => f.debug_tuple("Whole").field(value_0).finish(),
                Self::Part(value_0) => f.debug_tuple("Part").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Whole> for PartOrWhole {
        fn from(value: Whole) -> Self {
            Self::Whole(value)
        }
    }

    impl From<Part> for PartOrWhole {
        fn from(value: Part) -> Self {
            Self::Part(value)
        }
    }

    __runtime::__private::discriminated_union! {
        PartOrWhole Other { 0 Whole[{ ; "id"; "size"; "id" "size" }] []; 1 Part[{ ;
        "id";; "id" }] []; }
    }

    /// How it is paid.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum Payment {
        /// Where `type` is `card`, `credit` or `Card`.
        Card(Card),
        /// Where `type` is `iban` or `Iban`.
        Iban(Iban),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Payment {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Card(value_0) => f.debug_tuple("Card").field(value_0).finish(),
                Self::Iban(value_0) => f.debug_tuple("Iban").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Card> for Payment {
        fn from(value: Card) -> Self {
            Self::Card(value)
        }
    }

    impl From<Iban> for Payment {
        fn from(value: Iban) -> Self {
            Self::Iban(value)
        }
    }

    __runtime::__private::discriminated_union! {
        Payment Other { 0 Card[{ "type"[Text("card"), Text("credit"), Text("Card")];;; }]
        ["number" "type"]; 1 Iban[{ "type"[Text("iban"), Text("Iban")];;; }] ["iban"
        "type"]; }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum Pet {
        /// Where `petType` is `Cat`.
        Cat(Box<Cat>),
        /// Where `petType` is `dog` or `Dog`.
        Dog(Dog),
        /// Where `petType` is `Puppy`.
        Puppy(Puppy),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Pet {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Cat(value_0) => f.debug_tuple("Cat").field(value_0).finish(),
                Self::Dog(value_0) => f.debug_tuple("Dog").field(value_0).finish(),
                Self::Puppy(value_0) => f.debug_tuple("Puppy").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Cat> for Pet {
        fn from(value: Cat) -> Self {
            Self::Cat(Box::new(value))
        }
    }

    impl From<Dog> for Pet {
        fn from(value: Dog) -> Self {
            Self::Dog(value)
        }
    }

    impl From<Puppy> for Pet {
        fn from(value: Puppy) -> Self {
            Self::Puppy(value)
        }
    }

    __runtime::__private::discriminated_union! {
        Pet Other { 0 Cat[{ "petType"[Text("Cat")];;; }] ["petType"]; 1 Dog[{
        "petType"[Text("dog"), Text("Dog")];;; }] ["bark" "petType"]; 2 Puppy[{
        "petType"[Text("Puppy")];;; }] ["bark" "petType"]; }
    }

    /// An object of the interface.
    pub struct Puppy {
        /// The field `bark`.
        pub bark: Option<String>,
        /// The field `name`.
        pub name: Option<String>,
        /// The field `petType`.
        pub pet_type: Option<String>,
    }

    impl Puppy {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(bark: impl Into<String>) -> Self {
            Self {
                bark: Some(bark.into()),
                pet_type: Some("Puppy".into()),
                ..Self::default()
            }
        }
    }

    __runtime::__private::object! {
        Puppy {
            0 "bark" bark optional;
            1 "name" name optional;
            2 "petType" pet_type optional;
        } default
    }

    /// An object of the interface.
    pub struct Stock {
        /// The field `kind`.
        pub kind: StockKind,
        /// The field `note`.
        pub note: Option<String>,
        /// The field `shelf`.
        pub shelf: i64,
    }

    impl Stock {
        /// Creates a value from its required fields; optional fields are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(shelf: i64) -> Self {
            Self {
                shelf,
                kind: "stock".into(),
                ..__runtime::__private::lenient::Lenient::blank()
            }
        }
    }

    __runtime::__private::object! {
        Stock {
            0 "kind" kind required;
            1 "note" note optional;
            2 "shelf" shelf required;
        }
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Text {
        /// The field `reply`.
        pub reply: Option<Box<Message>>,
        /// The field `text`.
        pub text: Option<String>,
        /// The field `type`.
        pub type_: Option<TextType>,
    }

    __runtime::__private::object! {
        Text {
            0 "reply" reply optional;
            1 "text" text optional;
            2 "type" type_ optional;
        } default
    }

    /// An object of the interface.
    #[non_exhaustive]
    pub struct Whole {
        /// The field `id`.
        pub id: Option<String>,
        /// The field `size`.
        pub size: Option<i64>,
    }

    __runtime::__private::object! {
        Whole {
            0 "id" id optional;
            1 "size" size;
        } default
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
    /// `POST /pets`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn add_pet(&self, body: impl Into<types::Pet>) -> AddPet {
        AddPet {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `GET /payments`
    pub fn find_payments(&self) -> FindPayments {
        FindPayments {
            service: self.service.clone(),
            timeout: None,
            filter: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /pets`
    pub fn find_pets(&self) -> FindPets {
        FindPets {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `GET /events`
    pub fn get_events(&self) -> GetEvents {
        GetEvents {
            service: self.service.clone(),
            timeout: None,
        }
    }

    /// Prepares a call.
    ///
    /// `POST /payments`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn pay(&self, body: impl Into<types::Order>) -> Pay {
        Pay {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Prepares a call.
    ///
    /// `PUT /payments`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn put_payment(&self, body: impl Into<types::Payment>) -> PutPayment {
        PutPayment {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }
}

/// The call that [`Api::add_pet`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct AddPet {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Pet,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl AddPet {
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
    pub fn send(self) -> __runtime::__private::Sending<types::Pet> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<types::Pet>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "add_pet", "POST")
            .literal("/pets")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for AddPet {
    type Output = __runtime::Result<types::Pet>;
    type IntoFuture = __runtime::__private::Sending<types::Pet>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::find_payments`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindPayments {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    filter: Option<types::ByDayOrByName>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FindPayments {
    /// Sent as the query parameter `filter`.
    pub fn filter(mut self, filter: impl Into<types::ByDayOrByName>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::Payment>> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<Vec<types::Payment>>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "find_payments", "GET")
            .literal("/payments")
            .query_encoded(
                "filter",
                &self.filter,
                __runtime::__private::rest::Encoding::PLAIN
                    .style(__runtime::__private::rest::Style::Json),
            )
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for FindPayments {
    type Output = __runtime::Result<Vec<types::Payment>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::Payment>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::find_pets`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct FindPets {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl FindPets {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<Vec<types::Pet>> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<Vec<types::Pet>>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "find_pets", "GET")
            .literal("/pets")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for FindPets {
    type Output = __runtime::Result<Vec<types::Pet>>;
    type IntoFuture = __runtime::__private::Sending<Vec<types::Pet>>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_events`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetEvents {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetEvents {
    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Events> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<types::Events>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "get_events", "GET")
            .literal("/events")
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for GetEvents {
    type Output = __runtime::Result<types::Events>;
    type IntoFuture = __runtime::__private::Sending<types::Events>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::pay`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct Pay {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Order,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl Pay {
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
    pub fn send(self) -> __runtime::__private::Sending<()> {
        self.call().send(__runtime::__private::rest::no_content)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<()>> {
        self.call().with_headers(__runtime::__private::rest::no_content)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "pay", "POST")
            .literal("/payments")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for Pay {
    type Output = __runtime::Result<()>;
    type IntoFuture = __runtime::__private::Sending<()>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::put_payment`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct PutPayment {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::Payment,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl PutPayment {
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
    pub fn send(self) -> __runtime::__private::Sending<types::Payment> {
        self.call().send(__runtime::__private::rest::whole)
    }

    /// Sends the request and reads the response with its headers.
    pub fn with_headers(
        self,
    ) -> __runtime::__private::Sending<__runtime::WithHeaders<types::Payment>> {
        self.call().with_headers(__runtime::__private::rest::whole)
    }

    fn call(self) -> __runtime::__private::rest::RestCall {
        __runtime::__private::rest::RestCall::new(self.service, "put_payment", "PUT")
            .literal("/payments")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
    }
}

impl ::std::future::IntoFuture for PutPayment {
    type Output = __runtime::Result<types::Payment>;
    type IntoFuture = __runtime::__private::Sending<types::Payment>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
