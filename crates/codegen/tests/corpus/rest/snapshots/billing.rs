// tests/corpus/rest/billing.yaml:51:414: #/components/schemas/Line/properties/quantity: the default 1.5 does not conform to its schema
/// What the calls send and answer with.
#[allow(dead_code, bindings_with_variant_name)]
pub mod types {
    #[allow(unused_imports)]
    use ::std::prelude::v1::*;
    use ::std::collections::HashMap;
    use super::__runtime;
    use __runtime::__private::lenient;

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Currency {
        /// `CURRENCY_0`.
        Currency0,
        /// `CURRENCY_1`.
        Currency1,
        /// `CURRENCY_2`.
        Currency2,
        /// `CURRENCY_3`.
        Currency3,
        /// `CURRENCY_4`.
        Currency4,
        /// `CURRENCY_5`.
        Currency5,
        /// `CURRENCY_6`.
        Currency6,
        /// `CURRENCY_7`.
        Currency7,
        /// `CURRENCY_8`.
        Currency8,
        /// `CURRENCY_9`.
        Currency9,
        /// `CURRENCY_10`.
        Currency10,
        /// `CURRENCY_11`.
        Currency11,
        /// `CURRENCY_12`.
        Currency12,
        /// `CURRENCY_13`.
        Currency13,
        /// `CURRENCY_14`.
        Currency14,
        /// `CURRENCY_15`.
        Currency15,
        /// `CURRENCY_16`.
        Currency16,
        /// `CURRENCY_17`.
        Currency17,
        /// `CURRENCY_18`.
        Currency18,
        /// `CURRENCY_19`.
        Currency19,
        /// `CURRENCY_20`.
        Currency20,
        /// `CURRENCY_21`.
        Currency21,
        /// `CURRENCY_22`.
        Currency22,
        /// `CURRENCY_23`.
        Currency23,
        /// `CURRENCY_24`.
        Currency24,
        /// `CURRENCY_25`.
        Currency25,
        /// `CURRENCY_26`.
        Currency26,
        /// `CURRENCY_27`.
        Currency27,
        /// `CURRENCY_28`.
        Currency28,
        /// `CURRENCY_29`.
        Currency29,
        /// `CURRENCY_30`.
        Currency30,
        /// `CURRENCY_31`.
        Currency31,
        /// `CURRENCY_32`.
        Currency32,
        /// `CURRENCY_33`.
        Currency33,
        /// `CURRENCY_34`.
        Currency34,
        /// `CURRENCY_35`.
        Currency35,
        /// `CURRENCY_36`.
        Currency36,
        /// `CURRENCY_37`.
        Currency37,
        /// `CURRENCY_38`.
        Currency38,
        /// `CURRENCY_39`.
        Currency39,
        /// `CURRENCY_40`.
        Currency40,
        /// `CURRENCY_41`.
        Currency41,
        /// `CURRENCY_42`.
        Currency42,
        /// `CURRENCY_43`.
        Currency43,
        /// `CURRENCY_44`.
        Currency44,
        /// `CURRENCY_45`.
        Currency45,
        /// `CURRENCY_46`.
        Currency46,
        /// `CURRENCY_47`.
        Currency47,
        /// `CURRENCY_48`.
        Currency48,
        /// `CURRENCY_49`.
        Currency49,
        /// `CURRENCY_50`.
        Currency50,
        /// `CURRENCY_51`.
        Currency51,
        /// `CURRENCY_52`.
        Currency52,
        /// `CURRENCY_53`.
        Currency53,
        /// `CURRENCY_54`.
        Currency54,
        /// `CURRENCY_55`.
        Currency55,
        /// `CURRENCY_56`.
        Currency56,
        /// `CURRENCY_57`.
        Currency57,
        /// `CURRENCY_58`.
        Currency58,
        /// `CURRENCY_59`.
        Currency59,
        /// `CURRENCY_60`.
        Currency60,
        /// `CURRENCY_61`.
        Currency61,
        /// `CURRENCY_62`.
        Currency62,
        /// `CURRENCY_63`.
        Currency63,
        /// `CURRENCY_64`.
        Currency64,
        /// `CURRENCY_65`.
        Currency65,
        /// `CURRENCY_66`.
        Currency66,
        /// `CURRENCY_67`.
        Currency67,
        /// `CURRENCY_68`.
        Currency68,
        /// `CURRENCY_69`.
        Currency69,
        /// `CURRENCY_70`.
        Currency70,
        /// `CURRENCY_71`.
        Currency71,
        /// `CURRENCY_72`.
        Currency72,
        /// `CURRENCY_73`.
        Currency73,
        /// `CURRENCY_74`.
        Currency74,
        /// `CURRENCY_75`.
        Currency75,
        /// `CURRENCY_76`.
        Currency76,
        /// `CURRENCY_77`.
        Currency77,
        /// `CURRENCY_78`.
        Currency78,
        /// `CURRENCY_79`.
        Currency79,
        /// `CURRENCY_80`.
        Currency80,
        /// `CURRENCY_81`.
        Currency81,
        /// `CURRENCY_82`.
        Currency82,
        /// `CURRENCY_83`.
        Currency83,
        /// `CURRENCY_84`.
        Currency84,
        /// `CURRENCY_85`.
        Currency85,
        /// `CURRENCY_86`.
        Currency86,
        /// `CURRENCY_87`.
        Currency87,
        /// `CURRENCY_88`.
        Currency88,
        /// `CURRENCY_89`.
        Currency89,
        /// `CURRENCY_90`.
        Currency90,
        /// `CURRENCY_91`.
        Currency91,
        /// `CURRENCY_92`.
        Currency92,
        /// `CURRENCY_93`.
        Currency93,
        /// `CURRENCY_94`.
        Currency94,
        /// `CURRENCY_95`.
        Currency95,
        /// `CURRENCY_96`.
        Currency96,
        /// `CURRENCY_97`.
        Currency97,
        /// `CURRENCY_98`.
        Currency98,
        /// `CURRENCY_99`.
        Currency99,
        /// `CURRENCY_100`.
        Currency100,
        /// `CURRENCY_101`.
        Currency101,
        /// `CURRENCY_102`.
        Currency102,
        /// `CURRENCY_103`.
        Currency103,
        /// `CURRENCY_104`.
        Currency104,
        /// `CURRENCY_105`.
        Currency105,
        /// `CURRENCY_106`.
        Currency106,
        /// `CURRENCY_107`.
        Currency107,
        /// `CURRENCY_108`.
        Currency108,
        /// `CURRENCY_109`.
        Currency109,
        /// `CURRENCY_110`.
        Currency110,
        /// `CURRENCY_111`.
        Currency111,
        /// `CURRENCY_112`.
        Currency112,
        /// `CURRENCY_113`.
        Currency113,
        /// `CURRENCY_114`.
        Currency114,
        /// `CURRENCY_115`.
        Currency115,
        /// `CURRENCY_116`.
        Currency116,
        /// `CURRENCY_117`.
        Currency117,
        /// `CURRENCY_118`.
        Currency118,
        /// `CURRENCY_119`.
        Currency119,
        /// `CURRENCY_120`.
        Currency120,
        /// `CURRENCY_121`.
        Currency121,
        /// `CURRENCY_122`.
        Currency122,
        /// `CURRENCY_123`.
        Currency123,
        /// `CURRENCY_124`.
        Currency124,
        /// `CURRENCY_125`.
        Currency125,
        /// `CURRENCY_126`.
        Currency126,
        /// `CURRENCY_127`.
        Currency127,
        /// `CURRENCY_128`.
        Currency128,
        /// `CURRENCY_129`.
        Currency129,
        /// `CURRENCY_130`.
        Currency130,
        /// `CURRENCY_131`.
        Currency131,
        /// `CURRENCY_132`.
        Currency132,
        /// `CURRENCY_133`.
        Currency133,
        /// `CURRENCY_134`.
        Currency134,
        /// `CURRENCY_135`.
        Currency135,
        /// `CURRENCY_136`.
        Currency136,
        /// `CURRENCY_137`.
        Currency137,
        /// `CURRENCY_138`.
        Currency138,
        /// `CURRENCY_139`.
        Currency139,
        /// `CURRENCY_140`.
        Currency140,
        /// `CURRENCY_141`.
        Currency141,
        /// `CURRENCY_142`.
        Currency142,
        /// `CURRENCY_143`.
        Currency143,
        /// `CURRENCY_144`.
        Currency144,
        /// `CURRENCY_145`.
        Currency145,
        /// `CURRENCY_146`.
        Currency146,
        /// `CURRENCY_147`.
        Currency147,
        /// `CURRENCY_148`.
        Currency148,
        /// `CURRENCY_149`.
        Currency149,
        /// `usd`.
        Usd2,
        /// `USD`.
        Usd3,
        /// `Usd`.
        Usd,
        /// An empty text.
        Empty,
        /// `N/A`.
        NA,
        /// `n/a`.
        NA2,
        /// `*`.
        Star,
        /// `1`.
        V1,
        /// `1.0`.
        V1_0,
        /// `true`.
        True,
        /// `null`.
        Null,
        /// `NULL`.
        Null2,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl Currency {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Currency0 => "CURRENCY_0",
                Self::Currency1 => "CURRENCY_1",
                Self::Currency2 => "CURRENCY_2",
                Self::Currency3 => "CURRENCY_3",
                Self::Currency4 => "CURRENCY_4",
                Self::Currency5 => "CURRENCY_5",
                Self::Currency6 => "CURRENCY_6",
                Self::Currency7 => "CURRENCY_7",
                Self::Currency8 => "CURRENCY_8",
                Self::Currency9 => "CURRENCY_9",
                Self::Currency10 => "CURRENCY_10",
                Self::Currency11 => "CURRENCY_11",
                Self::Currency12 => "CURRENCY_12",
                Self::Currency13 => "CURRENCY_13",
                Self::Currency14 => "CURRENCY_14",
                Self::Currency15 => "CURRENCY_15",
                Self::Currency16 => "CURRENCY_16",
                Self::Currency17 => "CURRENCY_17",
                Self::Currency18 => "CURRENCY_18",
                Self::Currency19 => "CURRENCY_19",
                Self::Currency20 => "CURRENCY_20",
                Self::Currency21 => "CURRENCY_21",
                Self::Currency22 => "CURRENCY_22",
                Self::Currency23 => "CURRENCY_23",
                Self::Currency24 => "CURRENCY_24",
                Self::Currency25 => "CURRENCY_25",
                Self::Currency26 => "CURRENCY_26",
                Self::Currency27 => "CURRENCY_27",
                Self::Currency28 => "CURRENCY_28",
                Self::Currency29 => "CURRENCY_29",
                Self::Currency30 => "CURRENCY_30",
                Self::Currency31 => "CURRENCY_31",
                Self::Currency32 => "CURRENCY_32",
                Self::Currency33 => "CURRENCY_33",
                Self::Currency34 => "CURRENCY_34",
                Self::Currency35 => "CURRENCY_35",
                Self::Currency36 => "CURRENCY_36",
                Self::Currency37 => "CURRENCY_37",
                Self::Currency38 => "CURRENCY_38",
                Self::Currency39 => "CURRENCY_39",
                Self::Currency40 => "CURRENCY_40",
                Self::Currency41 => "CURRENCY_41",
                Self::Currency42 => "CURRENCY_42",
                Self::Currency43 => "CURRENCY_43",
                Self::Currency44 => "CURRENCY_44",
                Self::Currency45 => "CURRENCY_45",
                Self::Currency46 => "CURRENCY_46",
                Self::Currency47 => "CURRENCY_47",
                Self::Currency48 => "CURRENCY_48",
                Self::Currency49 => "CURRENCY_49",
                Self::Currency50 => "CURRENCY_50",
                Self::Currency51 => "CURRENCY_51",
                Self::Currency52 => "CURRENCY_52",
                Self::Currency53 => "CURRENCY_53",
                Self::Currency54 => "CURRENCY_54",
                Self::Currency55 => "CURRENCY_55",
                Self::Currency56 => "CURRENCY_56",
                Self::Currency57 => "CURRENCY_57",
                Self::Currency58 => "CURRENCY_58",
                Self::Currency59 => "CURRENCY_59",
                Self::Currency60 => "CURRENCY_60",
                Self::Currency61 => "CURRENCY_61",
                Self::Currency62 => "CURRENCY_62",
                Self::Currency63 => "CURRENCY_63",
                Self::Currency64 => "CURRENCY_64",
                Self::Currency65 => "CURRENCY_65",
                Self::Currency66 => "CURRENCY_66",
                Self::Currency67 => "CURRENCY_67",
                Self::Currency68 => "CURRENCY_68",
                Self::Currency69 => "CURRENCY_69",
                Self::Currency70 => "CURRENCY_70",
                Self::Currency71 => "CURRENCY_71",
                Self::Currency72 => "CURRENCY_72",
                Self::Currency73 => "CURRENCY_73",
                Self::Currency74 => "CURRENCY_74",
                Self::Currency75 => "CURRENCY_75",
                Self::Currency76 => "CURRENCY_76",
                Self::Currency77 => "CURRENCY_77",
                Self::Currency78 => "CURRENCY_78",
                Self::Currency79 => "CURRENCY_79",
                Self::Currency80 => "CURRENCY_80",
                Self::Currency81 => "CURRENCY_81",
                Self::Currency82 => "CURRENCY_82",
                Self::Currency83 => "CURRENCY_83",
                Self::Currency84 => "CURRENCY_84",
                Self::Currency85 => "CURRENCY_85",
                Self::Currency86 => "CURRENCY_86",
                Self::Currency87 => "CURRENCY_87",
                Self::Currency88 => "CURRENCY_88",
                Self::Currency89 => "CURRENCY_89",
                Self::Currency90 => "CURRENCY_90",
                Self::Currency91 => "CURRENCY_91",
                Self::Currency92 => "CURRENCY_92",
                Self::Currency93 => "CURRENCY_93",
                Self::Currency94 => "CURRENCY_94",
                Self::Currency95 => "CURRENCY_95",
                Self::Currency96 => "CURRENCY_96",
                Self::Currency97 => "CURRENCY_97",
                Self::Currency98 => "CURRENCY_98",
                Self::Currency99 => "CURRENCY_99",
                Self::Currency100 => "CURRENCY_100",
                Self::Currency101 => "CURRENCY_101",
                Self::Currency102 => "CURRENCY_102",
                Self::Currency103 => "CURRENCY_103",
                Self::Currency104 => "CURRENCY_104",
                Self::Currency105 => "CURRENCY_105",
                Self::Currency106 => "CURRENCY_106",
                Self::Currency107 => "CURRENCY_107",
                Self::Currency108 => "CURRENCY_108",
                Self::Currency109 => "CURRENCY_109",
                Self::Currency110 => "CURRENCY_110",
                Self::Currency111 => "CURRENCY_111",
                Self::Currency112 => "CURRENCY_112",
                Self::Currency113 => "CURRENCY_113",
                Self::Currency114 => "CURRENCY_114",
                Self::Currency115 => "CURRENCY_115",
                Self::Currency116 => "CURRENCY_116",
                Self::Currency117 => "CURRENCY_117",
                Self::Currency118 => "CURRENCY_118",
                Self::Currency119 => "CURRENCY_119",
                Self::Currency120 => "CURRENCY_120",
                Self::Currency121 => "CURRENCY_121",
                Self::Currency122 => "CURRENCY_122",
                Self::Currency123 => "CURRENCY_123",
                Self::Currency124 => "CURRENCY_124",
                Self::Currency125 => "CURRENCY_125",
                Self::Currency126 => "CURRENCY_126",
                Self::Currency127 => "CURRENCY_127",
                Self::Currency128 => "CURRENCY_128",
                Self::Currency129 => "CURRENCY_129",
                Self::Currency130 => "CURRENCY_130",
                Self::Currency131 => "CURRENCY_131",
                Self::Currency132 => "CURRENCY_132",
                Self::Currency133 => "CURRENCY_133",
                Self::Currency134 => "CURRENCY_134",
                Self::Currency135 => "CURRENCY_135",
                Self::Currency136 => "CURRENCY_136",
                Self::Currency137 => "CURRENCY_137",
                Self::Currency138 => "CURRENCY_138",
                Self::Currency139 => "CURRENCY_139",
                Self::Currency140 => "CURRENCY_140",
                Self::Currency141 => "CURRENCY_141",
                Self::Currency142 => "CURRENCY_142",
                Self::Currency143 => "CURRENCY_143",
                Self::Currency144 => "CURRENCY_144",
                Self::Currency145 => "CURRENCY_145",
                Self::Currency146 => "CURRENCY_146",
                Self::Currency147 => "CURRENCY_147",
                Self::Currency148 => "CURRENCY_148",
                Self::Currency149 => "CURRENCY_149",
                Self::Usd2 => "usd",
                Self::Usd3 => "USD",
                Self::Usd => "Usd",
                Self::Empty => "",
                Self::NA => "N/A",
                Self::NA2 => "n/a",
                Self::Star => "*",
                Self::V1 => "1",
                Self::V1_0 => "1.0",
                Self::True => "true",
                Self::Null => "null",
                Self::Null2 => "NULL",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for Currency {
        fn from(value: &str) -> Self {
            match value {
                "CURRENCY_0" => Self::Currency0,
                "CURRENCY_1" => Self::Currency1,
                "CURRENCY_2" => Self::Currency2,
                "CURRENCY_3" => Self::Currency3,
                "CURRENCY_4" => Self::Currency4,
                "CURRENCY_5" => Self::Currency5,
                "CURRENCY_6" => Self::Currency6,
                "CURRENCY_7" => Self::Currency7,
                "CURRENCY_8" => Self::Currency8,
                "CURRENCY_9" => Self::Currency9,
                "CURRENCY_10" => Self::Currency10,
                "CURRENCY_11" => Self::Currency11,
                "CURRENCY_12" => Self::Currency12,
                "CURRENCY_13" => Self::Currency13,
                "CURRENCY_14" => Self::Currency14,
                "CURRENCY_15" => Self::Currency15,
                "CURRENCY_16" => Self::Currency16,
                "CURRENCY_17" => Self::Currency17,
                "CURRENCY_18" => Self::Currency18,
                "CURRENCY_19" => Self::Currency19,
                "CURRENCY_20" => Self::Currency20,
                "CURRENCY_21" => Self::Currency21,
                "CURRENCY_22" => Self::Currency22,
                "CURRENCY_23" => Self::Currency23,
                "CURRENCY_24" => Self::Currency24,
                "CURRENCY_25" => Self::Currency25,
                "CURRENCY_26" => Self::Currency26,
                "CURRENCY_27" => Self::Currency27,
                "CURRENCY_28" => Self::Currency28,
                "CURRENCY_29" => Self::Currency29,
                "CURRENCY_30" => Self::Currency30,
                "CURRENCY_31" => Self::Currency31,
                "CURRENCY_32" => Self::Currency32,
                "CURRENCY_33" => Self::Currency33,
                "CURRENCY_34" => Self::Currency34,
                "CURRENCY_35" => Self::Currency35,
                "CURRENCY_36" => Self::Currency36,
                "CURRENCY_37" => Self::Currency37,
                "CURRENCY_38" => Self::Currency38,
                "CURRENCY_39" => Self::Currency39,
                "CURRENCY_40" => Self::Currency40,
                "CURRENCY_41" => Self::Currency41,
                "CURRENCY_42" => Self::Currency42,
                "CURRENCY_43" => Self::Currency43,
                "CURRENCY_44" => Self::Currency44,
                "CURRENCY_45" => Self::Currency45,
                "CURRENCY_46" => Self::Currency46,
                "CURRENCY_47" => Self::Currency47,
                "CURRENCY_48" => Self::Currency48,
                "CURRENCY_49" => Self::Currency49,
                "CURRENCY_50" => Self::Currency50,
                "CURRENCY_51" => Self::Currency51,
                "CURRENCY_52" => Self::Currency52,
                "CURRENCY_53" => Self::Currency53,
                "CURRENCY_54" => Self::Currency54,
                "CURRENCY_55" => Self::Currency55,
                "CURRENCY_56" => Self::Currency56,
                "CURRENCY_57" => Self::Currency57,
                "CURRENCY_58" => Self::Currency58,
                "CURRENCY_59" => Self::Currency59,
                "CURRENCY_60" => Self::Currency60,
                "CURRENCY_61" => Self::Currency61,
                "CURRENCY_62" => Self::Currency62,
                "CURRENCY_63" => Self::Currency63,
                "CURRENCY_64" => Self::Currency64,
                "CURRENCY_65" => Self::Currency65,
                "CURRENCY_66" => Self::Currency66,
                "CURRENCY_67" => Self::Currency67,
                "CURRENCY_68" => Self::Currency68,
                "CURRENCY_69" => Self::Currency69,
                "CURRENCY_70" => Self::Currency70,
                "CURRENCY_71" => Self::Currency71,
                "CURRENCY_72" => Self::Currency72,
                "CURRENCY_73" => Self::Currency73,
                "CURRENCY_74" => Self::Currency74,
                "CURRENCY_75" => Self::Currency75,
                "CURRENCY_76" => Self::Currency76,
                "CURRENCY_77" => Self::Currency77,
                "CURRENCY_78" => Self::Currency78,
                "CURRENCY_79" => Self::Currency79,
                "CURRENCY_80" => Self::Currency80,
                "CURRENCY_81" => Self::Currency81,
                "CURRENCY_82" => Self::Currency82,
                "CURRENCY_83" => Self::Currency83,
                "CURRENCY_84" => Self::Currency84,
                "CURRENCY_85" => Self::Currency85,
                "CURRENCY_86" => Self::Currency86,
                "CURRENCY_87" => Self::Currency87,
                "CURRENCY_88" => Self::Currency88,
                "CURRENCY_89" => Self::Currency89,
                "CURRENCY_90" => Self::Currency90,
                "CURRENCY_91" => Self::Currency91,
                "CURRENCY_92" => Self::Currency92,
                "CURRENCY_93" => Self::Currency93,
                "CURRENCY_94" => Self::Currency94,
                "CURRENCY_95" => Self::Currency95,
                "CURRENCY_96" => Self::Currency96,
                "CURRENCY_97" => Self::Currency97,
                "CURRENCY_98" => Self::Currency98,
                "CURRENCY_99" => Self::Currency99,
                "CURRENCY_100" => Self::Currency100,
                "CURRENCY_101" => Self::Currency101,
                "CURRENCY_102" => Self::Currency102,
                "CURRENCY_103" => Self::Currency103,
                "CURRENCY_104" => Self::Currency104,
                "CURRENCY_105" => Self::Currency105,
                "CURRENCY_106" => Self::Currency106,
                "CURRENCY_107" => Self::Currency107,
                "CURRENCY_108" => Self::Currency108,
                "CURRENCY_109" => Self::Currency109,
                "CURRENCY_110" => Self::Currency110,
                "CURRENCY_111" => Self::Currency111,
                "CURRENCY_112" => Self::Currency112,
                "CURRENCY_113" => Self::Currency113,
                "CURRENCY_114" => Self::Currency114,
                "CURRENCY_115" => Self::Currency115,
                "CURRENCY_116" => Self::Currency116,
                "CURRENCY_117" => Self::Currency117,
                "CURRENCY_118" => Self::Currency118,
                "CURRENCY_119" => Self::Currency119,
                "CURRENCY_120" => Self::Currency120,
                "CURRENCY_121" => Self::Currency121,
                "CURRENCY_122" => Self::Currency122,
                "CURRENCY_123" => Self::Currency123,
                "CURRENCY_124" => Self::Currency124,
                "CURRENCY_125" => Self::Currency125,
                "CURRENCY_126" => Self::Currency126,
                "CURRENCY_127" => Self::Currency127,
                "CURRENCY_128" => Self::Currency128,
                "CURRENCY_129" => Self::Currency129,
                "CURRENCY_130" => Self::Currency130,
                "CURRENCY_131" => Self::Currency131,
                "CURRENCY_132" => Self::Currency132,
                "CURRENCY_133" => Self::Currency133,
                "CURRENCY_134" => Self::Currency134,
                "CURRENCY_135" => Self::Currency135,
                "CURRENCY_136" => Self::Currency136,
                "CURRENCY_137" => Self::Currency137,
                "CURRENCY_138" => Self::Currency138,
                "CURRENCY_139" => Self::Currency139,
                "CURRENCY_140" => Self::Currency140,
                "CURRENCY_141" => Self::Currency141,
                "CURRENCY_142" => Self::Currency142,
                "CURRENCY_143" => Self::Currency143,
                "CURRENCY_144" => Self::Currency144,
                "CURRENCY_145" => Self::Currency145,
                "CURRENCY_146" => Self::Currency146,
                "CURRENCY_147" => Self::Currency147,
                "CURRENCY_148" => Self::Currency148,
                "CURRENCY_149" => Self::Currency149,
                "usd" => Self::Usd2,
                "USD" => Self::Usd3,
                "Usd" => Self::Usd,
                "" => Self::Empty,
                "N/A" => Self::NA,
                "n/a" => Self::NA2,
                "*" => Self::Star,
                "1" => Self::V1,
                "1.0" => Self::V1_0,
                "true" => Self::True,
                "null" => Self::Null,
                "NULL" => Self::Null2,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(Currency);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum AddressCountry {
        /// `de`.
        De,
        /// `fr`.
        Fr,
        /// `NO`.
        No,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl AddressCountry {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::De => "de",
                Self::Fr => "fr",
                Self::No => "NO",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for AddressCountry {
        fn from(value: &str) -> Self {
            match value {
                "de" => Self::De,
                "fr" => Self::Fr,
                "NO" => Self::No,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(AddressCountry);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum NewInvoiceMetadata {
        /// An empty text.
        Empty,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl NewInvoiceMetadata {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Empty => "",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for NewInvoiceMetadata {
        fn from(value: &str) -> Self {
            match value {
                "" => Self::Empty,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(NewInvoiceMetadata);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum InvoiceObject {
        /// `invoice`.
        Invoice,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl InvoiceObject {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Invoice => "invoice",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for InvoiceObject {
        fn from(value: &str) -> Self {
            match value {
                "invoice" => Self::Invoice,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(InvoiceObject);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum InvoiceSettingsNestedStatus {
        /// `on`.
        On,
        /// `off`.
        Off,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl InvoiceSettingsNestedStatus {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::On => "on",
                Self::Off => "off",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for InvoiceSettingsNestedStatus {
        fn from(value: &str) -> Self {
            match value {
                "on" => Self::On,
                "off" => Self::Off,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(InvoiceSettingsNestedStatus);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum InvoiceStatus {
        /// `draft`.
        Draft,
        /// `open`.
        Open,
        /// `paid`.
        Paid,
        /// `void`.
        Void,
        /// `uncollectible`.
        Uncollectible,
        /// `Err`.
        Err,
        /// `Ok`.
        Ok,
        /// `Error`.
        Error,
        /// `Self`.
        Self_,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl InvoiceStatus {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Draft => "draft",
                Self::Open => "open",
                Self::Paid => "paid",
                Self::Void => "void",
                Self::Uncollectible => "uncollectible",
                Self::Err => "Err",
                Self::Ok => "Ok",
                Self::Error => "Error",
                Self::Self_ => "Self",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for InvoiceStatus {
        fn from(value: &str) -> Self {
            match value {
                "draft" => Self::Draft,
                "open" => Self::Open,
                "paid" => Self::Paid,
                "void" => Self::Void,
                "uncollectible" => Self::Uncollectible,
                "Err" => Self::Err,
                "Ok" => Self::Ok,
                "Error" => Self::Error,
                "Self" => Self::Self_,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(InvoiceStatus);

    /// One of several values.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum GetInvoiceExpandItem {
        /// `customer`.
        Customer,
        /// `charge`.
        Charge,
        /// A value that was not known when this was generated.
        Other(String),
    }

    impl GetInvoiceExpandItem {
        /// The value as it stands on the wire.
        pub fn as_str(&self) -> &str {
            match self {
                Self::Customer => "customer",
                Self::Charge => "charge",
                Self::Other(value) => value,
            }
        }
    }

    impl From<&str> for GetInvoiceExpandItem {
        fn from(value: &str) -> Self {
            match value {
                "customer" => Self::Customer,
                "charge" => Self::Charge,
                other => Self::Other(other.to_owned()),
            }
        }
    }

    __runtime::__private::open_enum!(GetInvoiceExpandItem);

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Address {
        /// The field `country`.
        pub country: Option<AddressCountry>,
        /// The field `geo`.
        pub geo: Vec<f64>,
        /// The field `Line1`.
        pub line1_2: Option<String>,
        /// The field `line1`.
        pub line1: Option<String>,
        /// The field `line_1`.
        pub line_1: Option<String>,
    }

    __runtime::__private::object! {
        Address {
            0 "country" country text optional;
            1 "geo" geo shaped < lenient::shape::List < lenient::shape::Number > > optional;
            2 "Line1" line1_2 text optional;
            3 "line1" line1 text optional;
            4 "line_1" line_1 text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Company {
        /// The field `address`.
        pub address: Option<Address>,
        /// The field `owners`.
        pub owners: Vec<Party>,
        /// The field `type`.
        pub type_: Option<String>,
        /// The field `vat`.
        pub vat: Option<String>,
    }

    impl Company {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(vat: impl Into<String>) -> Self {
            fn make(vat: Option<String>) -> Company {
                Company {
                    vat,
                    address: ::std::default::Default::default(),
                    owners: ::std::default::Default::default(),
                    type_: ::std::default::Default::default(),
                }
            }
            make(Some(vat.into()))
        }
    }

    __runtime::__private::object! {
        Company {
            0 "address" address plain optional;
            1 "owners" owners list optional;
            2 "type" type_ text optional;
            3 "vat" vat text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Deleted {
        /// The field `deleted`.
        pub deleted: Option<bool>,
        /// The field `id`.
        pub id: Option<String>,
    }

    __runtime::__private::object! {
        Deleted {
            0 "deleted" deleted boolean optional;
            1 "id" id text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub struct Invoice {
        /// The field `custom:field`.
        pub custom_field: Option<String>,
        /// The field `customer`.
        pub customer: Option<StringOrDeletedOrParty>,
        /// The field `due`.
        pub due: Option<String>,
        /// The field `env`.
        pub env: HashMap<String, String>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `lines`.
        pub lines: Vec<Line>,
        /// The field `lines_page`.
        pub lines_page: Option<PageOfLine>,
        /// The field `number`.
        pub number: Option<String>,
        /// The field `object`.
        pub object: Option<InvoiceObject>,
        /// The field `paid_at`.
        pub paid_at: Option<i64>,
        /// The field `read_only`.
        pub read_only: Option<String>,
        /// The field `Settings`.
        pub settings_2: Option<InvoiceSettings>,
        /// The field `settings`.
        pub settings: Option<InvoiceSettings2>,
        /// The field `status`.
        pub status: Option<InvoiceStatus>,
        /// The field `statusCode`.
        pub status_code: Option<i64>,
        /// The field `total`.
        pub total: Option<Money>,
        /// The field `totals`.
        pub totals: HashMap<String, Money>,
        /// The field `value`.
        pub value: Option<String>,
    }

    impl ::std::fmt::Debug for Invoice {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.debug_struct("Invoice")
                .field("custom_field", &self.custom_field)
                .field("customer", &self.customer)
                .field("due", &self.due)
                .field("env", &format_args!("[redacted]"))
                .field("id", &self.id)
                .field("lines", &self.lines)
                .field("lines_page", &self.lines_page)
                .field("number", &self.number)
                .field("object", &self.object)
                .field("paid_at", &self.paid_at)
                .field("read_only", &self.read_only)
                .field("settings_2", &self.settings_2)
                .field("settings", &self.settings)
                .field("status", &self.status)
                .field("status_code", &self.status_code)
                .field("total", &self.total)
                .field("totals", &self.totals)
                .field("value", &self.value)
                .finish()
        }
    }

    __runtime::__private::object! {
        Invoice {
            0 "custom:field" custom_field text optional;
            1 "customer" customer plain optional;
            2 "due" due text optional;
            3 "env" env shaped < lenient::shape::Dictionary < lenient::shape::Text < String >> > optional;
            4 "id" id text optional;
            5 "lines" lines list optional;
            6 "lines_page" lines_page plain optional;
            7 "number" number text optional;
            8 "object" object text optional;
            9 "paid_at" paid_at integer optional;
            10 "read_only" read_only text optional;
            11 "Settings" settings_2 plain optional;
            12 "settings" settings plain optional;
            13 "status" status text optional;
            14 "statusCode" status_code integer optional;
            15 "total" total plain optional;
            16 "totals" totals map optional;
            17 "value" value text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct InvoiceSettings {
        /// The field `x`.
        pub x: Option<i64>,
    }

    __runtime::__private::object! {
        InvoiceSettings {
            0 "x" x integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct InvoiceSettings2 {
        /// The field `footer`.
        pub footer: Option<String>,
        /// The field `nested`.
        pub nested: Option<InvoiceSettings2Nested>,
    }

    __runtime::__private::object! {
        InvoiceSettings2 {
            0 "footer" footer text optional;
            1 "nested" nested plain optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct InvoiceSettings2Nested {
        /// The field `footer`.
        pub footer: Option<String>,
        /// The field `status`.
        pub status: Option<InvoiceSettingsNestedStatus>,
    }

    __runtime::__private::object! {
        InvoiceSettings2Nested {
            0 "footer" footer text optional;
            1 "status" status text optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Line {
        /// The field `byId`.
        pub by_id: HashMap<String, Line>,
        /// The field `children`.
        pub children: Vec<Line>,
        /// The field `id`.
        pub id: Option<String>,
        /// The field `parent`.
        pub parent: Option<Box<Line>>,
        /// The price.
        pub price: Option<Money>,
        /// The field `quantity`.
        pub quantity: Option<i64>,
        /// The field `tax`.
        pub tax: Option<f64>,
    }

    __runtime::__private::object! {
        Line {
            0 "byId" by_id map optional;
            1 "children" children list optional;
            2 "id" id text optional;
            3 "parent" parent plain optional;
            4 "price" price plain optional;
            5 "quantity" quantity integer optional;
            6 "tax" tax number optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Money {
        /// The field `amount`.
        pub amount: Option<String>,
        /// The field `currency`.
        pub currency: Option<Currency>,
        /// The field `minor`.
        pub minor: Option<i64>,
    }

    impl Money {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(amount: impl Into<String>) -> Self {
            fn make(amount: Option<String>) -> Money {
                Money {
                    amount,
                    currency: ::std::default::Default::default(),
                    minor: ::std::default::Default::default(),
                }
            }
            make(Some(amount.into()))
        }
    }

    __runtime::__private::object! {
        Money {
            0 "amount" amount text optional;
            1 "currency" currency text optional;
            2 "minor" minor integer optional;
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
    pub struct NewInvoice {
        /// The field `auto`.
        #[serde(
            default,
            deserialize_with = "lenient::boolean",
            skip_serializing_if = "Option::is_none"
        )]
        pub auto: Option<bool>,
        /// The field `currency`.
        pub currency: Currency,
        /// The field `customer`.
        pub customer: String,
        /// The field `due`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub due: Option<StringOrInteger>,
        /// The field `lines`.
        #[serde(default, deserialize_with = "lenient::list")]
        pub lines: Vec<Line>,
        /// The field `memo`.
        #[serde(
            default,
            deserialize_with = "lenient::text",
            skip_serializing_if = "Option::is_none"
        )]
        pub memo: Option<String>,
        /// The field `metadata`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub metadata: Option<NewInvoiceMetadata2>,
        /// The field `party`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub party: Option<Party>,
    }

    impl NewInvoice {
        /// Creates one from the fields that are required; the others are omitted.
        #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
        pub fn new(
            currency: Currency,
            customer: impl Into<String>,
            lines: impl IntoIterator<Item = Line>,
        ) -> Self {
            fn make(
                currency: Currency,
                customer: String,
                lines: Vec<Line>,
            ) -> NewInvoice {
                NewInvoice {
                    currency,
                    customer,
                    lines,
                    auto: ::std::default::Default::default(),
                    due: ::std::default::Default::default(),
                    memo: ::std::default::Default::default(),
                    metadata: ::std::default::Default::default(),
                    party: ::std::default::Default::default(),
                }
            }
            make(currency, customer.into(), lines.into_iter().collect())
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
    pub enum NewInvoiceMetadata2 {
        /// An object.
        Object(HashMap<String, String>),
        /// One of the shapes.
        NewInvoiceMetadata(NewInvoiceMetadata),
        /// A value of a shape that was not known when this was generated.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for NewInvoiceMetadata2 {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Object(value_0) => f.debug_tuple("Object").field(value_0).finish(),
                Self::NewInvoiceMetadata(value_0) => {
                    f.debug_tuple("NewInvoiceMetadata").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl ::std::convert::From<HashMap<String, String>> for NewInvoiceMetadata2 {
        fn from(value: HashMap<String, String>) -> Self {
            Self::Object(value)
        }
    }

    impl ::std::convert::From<NewInvoiceMetadata> for NewInvoiceMetadata2 {
        fn from(value: NewInvoiceMetadata) -> Self {
            Self::NewInvoiceMetadata(value)
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct PageOfInvoice {
        /// The field `data`.
        pub data: Vec<Invoice>,
        /// The field `total`.
        pub total: Option<i64>,
    }

    __runtime::__private::object! {
        PageOfInvoice {
            0 "data" data list optional;
            1 "total" total integer optional;
        }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct PageOfLine {
        /// The field `data`.
        pub data: Vec<Line>,
        /// The field `total`.
        pub total: Option<i64>,
    }

    __runtime::__private::object! {
        PageOfLine {
            0 "data" data list optional;
            1 "total" total integer optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum Party {
        /// Where `type` is `person`.
        Person(Person),
        /// Where `type` is `company`.
        Company(Company),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for Party {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Person(value_0) => f.debug_tuple("Person").field(value_0).finish(),
                Self::Company(value_0) => {
                    f.debug_tuple("Company").field(value_0).finish()
                }
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Person> for Party {
        fn from(value: Person) -> Self {
            Self::Person(value)
        }
    }

    impl From<Company> for Party {
        fn from(value: Company) -> Self {
            Self::Company(value)
        }
    }

    __runtime::__private::union! {
        Party Other { 0 Person[{ "type"[Text("person")];;; }] []; 1 Company[{
        "type"[Text("company")];;; }] ["vat"]; }
    }

    /// An object of the interface.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Person {
        /// The field `address`.
        pub address: Option<Address>,
        /// The field `born`.
        pub born: Option<String>,
        /// The field `firstName`.
        pub first_name: Option<String>,
        /// The field `type`.
        pub type_: Option<String>,
    }

    __runtime::__private::object! {
        Person {
            0 "address" address plain optional;
            1 "born" born text optional;
            2 "firstName" first_name text optional;
            3 "type" type_ text optional;
        }
    }

    /// One of several types.
    #[derive(Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    #[non_exhaustive]
    pub enum StringOrDeletedOrParty {
        /// One of the types.
        Party(Party),
        /// Where `deleted` is `true`.
        Deleted(Deleted),
        /// A value that is no object, or a map.
        String(String),
        /// A value of none of these types, as it came.
        Other(__runtime::__private::serde_json::Value),
    }

    impl ::std::fmt::Debug for StringOrDeletedOrParty {
        #[allow(deprecated)]
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Party(value_0) => f.debug_tuple("Party").field(value_0).finish(),
                Self::Deleted(value_0) => {
                    f.debug_tuple("Deleted").field(value_0).finish()
                }
                Self::String(value_0) => f.debug_tuple("String").field(value_0).finish(),
                Self::Other(_) => {
                    f.debug_tuple("Other").field(&format_args!("[redacted]")).finish()
                }
            }
        }
    }

    impl From<Party> for StringOrDeletedOrParty {
        fn from(value: Party) -> Self {
            Self::Party(value)
        }
    }

    impl From<Deleted> for StringOrDeletedOrParty {
        fn from(value: Deleted) -> Self {
            Self::Deleted(value)
        }
    }

    impl From<String> for StringOrDeletedOrParty {
        fn from(value: String) -> Self {
            Self::String(value)
        }
    }

    __runtime::__private::union! {
        StringOrDeletedOrParty Other { 0 Party[{ ;;; } { ; "vat";; "vat" }] []; 1
        Deleted[{ "deleted"[Flag(true)]; "deleted";; "deleted" }] []; 2 String[] []; }
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
    /// `POST /invoices`
    ///
    /// # Arguments
    ///
    /// - `body`: The body of the request.
    pub fn create_invoice(&self, body: impl Into<types::NewInvoice>) -> CreateInvoice {
        CreateInvoice {
            service: self.service.clone(),
            timeout: None,
            body: body.into(),
            changes: __runtime::__private::rest::Changes::default(),
        }
    }

    /// Reads an invoice \[beta\] `unbalanced`
    ///
    /// # Heading
    ///
    /// A list:
    /// * one \<b\>bold\</b\>
    /// * two, see <https://example.com/a_b?c=d> and \<<https://example.com>\>
    ///   indented code
    /// 1. three
    ///
    /// ```text
    /// {"a": 1}
    /// ```
    ///
    /// | a | b |
    /// |---|---|
    /// | 1 | 2 |
    ///
    /// Uses `Vec<T>` and Map\<String, i32\>, \[Invoice\], \[nope\]\[missing\], \\[x\], */ and /* and "quotes" and \ and $x.
    /// \<details\>\<summary\>More\</summary\>text\</details\>
    ///
    /// ```text
    /// never closed
    /// ```
    ///
    /// `GET /invoices/{id}`
    ///
    /// # Arguments
    ///
    /// - `id`: The id,
    ///
    ///   indented
    ///
    ///   - a
    ///   - b \<id\>
    ///
    /// # Errors
    ///
    /// - 402: Pay first.
    ///   Now.
    pub fn get_invoice(&self, id: impl Into<String>) -> GetInvoice {
        GetInvoice {
            service: self.service.clone(),
            timeout: None,
            id: id.into(),
            expand: None,
            amount: None,
        }
    }
}

/// The call that [`Api::create_invoice`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct CreateInvoice {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    body: types::NewInvoice,
    changes: __runtime::__private::rest::Changes,
}

#[allow(dead_code, bindings_with_variant_name)]
impl CreateInvoice {
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
    pub fn send(self) -> __runtime::__private::Sending<types::PageOfInvoice> {
        __runtime::__private::rest::RestCall::new("create_invoice", "POST")
            .literal("/invoices")
            .json(Some(&self.body), &self.changes)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for CreateInvoice {
    type Output = __runtime::Result<types::PageOfInvoice>;
    type IntoFuture = __runtime::__private::Sending<types::PageOfInvoice>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

/// The call that [`Api::get_invoice`] prepares. It is sent when it is awaited.
#[derive(Clone)]
#[must_use = "a call is sent only when it is awaited"]
pub struct GetInvoice {
    service: __runtime::__private::Service,
    timeout: Option<::std::time::Duration>,
    id: String,
    expand: Option<Vec<types::GetInvoiceExpandItem>>,
    amount: Option<f64>,
}

#[allow(dead_code, bindings_with_variant_name)]
impl GetInvoice {
    /// Sent as the query parameter `expand`.
    pub fn expand(
        mut self,
        expand: impl IntoIterator<Item = types::GetInvoiceExpandItem>,
    ) -> Self {
        self.expand = Some(expand.into_iter().collect());
        self
    }

    /// Sent as the query parameter `amount`.
    pub fn amount(mut self, amount: f64) -> Self {
        self.amount = Some(amount);
        self
    }

    /// How long one attempt at this call may take until its response is read, in place of the timeout of the service or client. A shorter timeout of the whole call is raised to it.
    pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the request and reads the response. Awaiting the call itself does the same.
    pub fn send(self) -> __runtime::__private::Sending<types::Invoice> {
        __runtime::__private::rest::RestCall::new("get_invoice", "GET")
            .literal("/invoices/")
            .parameter("id", &self.id)
            .query("expand", &self.expand)
            .query("amount", &self.amount)
            .timeout(self.timeout)
            .send(self.service)
    }
}

impl ::std::future::IntoFuture for GetInvoice {
    type Output = __runtime::Result<types::Invoice>;
    type IntoFuture = __runtime::__private::Sending<types::Invoice>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
