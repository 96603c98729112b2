//! YAML parser whose nodes have positions. JSON is a subset of YAML.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use serde_json::{Map, Number, Value};

/// A line and a column, both counted from 1.
pub(super) type LineColumn = (usize, usize);

/// A parse error and its position.
pub(super) struct SyntaxError {
    pub(super) place: LineColumn,
    pub(super) message: String,
}

/// A node of the document.
pub(super) struct Node {
    pub(super) place: LineColumn,
    pub(super) content: Content,
    /// The number of nodes and the depth, with those of aliases counted at each use.
    size: usize,
    depth: usize,
}

pub(super) enum Content {
    Scalar(Value),
    List(Vec<Rc<Node>>),
    Map(Vec<Entry>),
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The position of the key.
    pub(super) place: LineColumn,
    pub(super) value: Rc<Node>,
}

/// The maximum depth of lists and maps, with aliases expanded.
const DEPTH: usize = 255;

/// The maximum growth of a text by expanding its aliases.
const GROWTH: usize = 100;

/// Parses the single document of a text; an empty text is null.
pub(super) fn parse(text: &str) -> Result<Rc<Node>, SyntaxError> {
    let mut reader =
        Reader { events: Parser::new_from_str(text), anchors: HashMap::new(), nodes: 0 };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentEnd => {}
            Event::DocumentStart(..) if root.is_some() => {
                return Err(fault(&span, "there is more than one document in this file"));
            }
            Event::DocumentStart(..) => {
                let (event, span) = reader.next()?;
                root = Some(reader.node(event, &span)?);
            }
            _ => return Err(fault(&span, "a value stands outside of the document")),
        }
    }
    let root = root.unwrap_or_else(|| Rc::new(Node::new((1, 1), Content::Scalar(Value::Null))));
    if root.size > GROWTH.saturating_mul(reader.nodes.max(1)) {
        let message = "its aliases repeat too much of it".to_owned();
        return Err(SyntaxError { place: root.place, message });
    }
    Ok(root)
}

struct Reader<'a> {
    events: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Rc<Node>>,
    /// The number of nodes read.
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        match self.events.next() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(SyntaxError::from(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// The node that an event begins.
    fn node(&mut self, event: Event<'a>, span: &Span) -> Result<Rc<Node>, SyntaxError> {
        self.nodes += 1;
        let (content, anchor) = match event {
            Event::Alias(anchor) => {
                let found = self.anchors.get(&anchor).cloned();
                return found
                    .ok_or_else(|| fault(span, "this alias refers to a node that contains it"));
            }
            Event::Scalar(text, style, anchor, tag) => {
                (Content::Scalar(scalar(&text, style, tag.as_deref())), anchor)
            }
            Event::SequenceStart(_, anchor, _) => (Content::List(self.items()?), anchor),
            Event::MappingStart(_, anchor, _) => (Content::Map(self.entries()?), anchor),
            _ => return Err(fault(span, "a value is missing here")),
        };
        let node = Node::new(place(span), content);
        if node.depth > DEPTH {
            return Err(fault(span, "lists and maps are nested too deeply here"));
        }
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn items(&mut self) -> Result<Vec<Rc<Node>>, SyntaxError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, &span)?),
            }
        }
    }

    fn entries(&mut self) -> Result<Vec<Entry>, SyntaxError> {
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(merged(entries));
            }
            // A key is text, as it is written: `+1` and `1` are two names.
            let written = match &event {
                Event::Scalar(text, ..) => Some(text.to_string()),
                _ => None,
            };
            let key = self.node(event, &span)?;
            let (event, value_span) = self.next()?;
            let flag = written.as_deref().and_then(|key| flag(key, &event));
            let value = match flag {
                Some(flag) => {
                    self.nodes += 1;
                    let flag = Content::Scalar(Value::Bool(flag));
                    Rc::new(Node::new(place(&value_span), flag))
                }
                None => self.node(event, &value_span)?,
            };
            if let Some(key) = written.or_else(|| key.as_key()) {
                entries.push(Entry { key, place: place(&span), value });
            }
        }
    }
}

/// The keywords of a description that are booleans.
const FLAGS: [&str; 10] = [
    "required",
    "explode",
    "nullable",
    "deprecated",
    "readOnly",
    "writeOnly",
    "allowReserved",
    "allowEmptyValue",
    "additionalProperties",
    "unevaluatedProperties",
];

/// The boolean that a keyword has in YAML 1.1, where `yes` and `on` are true: as a text, `explode: no`
/// would have no effect. Other values named `no` are texts, as in YAML 1.2.
fn flag(key: &str, value: &Event<'_>) -> Option<bool> {
    let Event::Scalar(text, ScalarStyle::Plain, 0, None) = value else { return None };
    let is = |names: [&str; 2]| names.iter().any(|it| text.eq_ignore_ascii_case(it));
    match FLAGS.contains(&key) {
        true if is(["yes", "on"]) => Some(true),
        true if is(["no", "off"]) => Some(false),
        _ => None,
    }
}

/// Adds the entries of merge keys (`<<`) that are not overridden.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    let (merges, mut entries): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| match &entry.value.content {
            _ if entry.key != "<<" => false,
            Content::Map(_) => true,
            Content::List(items) => {
                items.iter().all(|item| matches!(item.content, Content::Map(_)))
            }
            Content::Scalar(_) => false,
        });
    if merges.is_empty() {
        return entries;
    }
    let mut keys: HashSet<String> = entries.iter().map(|entry| entry.key.clone()).collect();
    for merge in &merges {
        let maps = match &merge.value.content {
            Content::List(items) => items.iter().collect(),
            _ => vec![&merge.value],
        };
        for map in maps {
            let Content::Map(more) = &map.content else { continue };
            entries.extend(more.iter().filter(|it| keys.insert(it.key.clone())).cloned());
        }
    }
    entries
}

impl Node {
    fn new(place: LineColumn, content: Content) -> Self {
        let within: Vec<&Rc<Node>> = match &content {
            Content::Scalar(_) => Vec::new(),
            Content::List(items) => items.iter().collect(),
            Content::Map(entries) => entries.iter().map(|it| &it.value).collect(),
        };
        let size = within.iter().fold(1_usize, |size, it| size.saturating_add(it.size));
        let depth = within.iter().map(|it| it.depth + 1).max().unwrap_or_default();
        Self { place, content, size, depth }
    }

    /// An alias as a key, if it is a scalar: keys of JSON are strings.
    fn as_key(&self) -> Option<String> {
        match &self.content {
            Content::Scalar(Value::String(text)) => Some(text.clone()),
            Content::Scalar(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The value as JSON.
    pub(super) fn value(&self) -> Result<Value, SyntaxError> {
        match &self.content {
            Content::Scalar(value) => Ok(value.clone()),
            Content::List(items) => items.iter().map(|it| it.value()).collect(),
            Content::Map(entries) => {
                let mut map = Map::new();
                for Entry { key, place, value } in entries {
                    if map.insert(key.clone(), value.value()?).is_some() {
                        let message = format!("the key `{key}` is already defined");
                        return Err(SyntaxError { place: *place, message });
                    }
                }
                Ok(Value::Object(map))
            }
        }
    }
}

impl From<&ScanError> for SyntaxError {
    fn from(error: &ScanError) -> Self {
        let marker = error.marker();
        Self { place: (marker.line(), marker.col() + 1), message: error.info().to_string() }
    }
}

fn fault(span: &Span, message: &str) -> SyntaxError {
    SyntaxError { place: place(span), message: message.to_owned() }
}

fn place(span: &Span) -> LineColumn {
    (span.start.line(), span.start.col() + 1)
}

/// A scalar by the core schema of YAML 1.2. What is quoted is text unless a tag says otherwise.
pub(super) fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let kind = tag.filter(|tag| tag.is_yaml_core_schema()).map(Tag::suffix);
    let is_text = match kind {
        Some(kind) => kind == "str",
        None => style != ScalarStyle::Plain,
    };
    if is_text {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        // JSON has no number for it.
        ".nan" | ".NaN" | ".NAN" => Value::Null,
        text if is_infinite(text) => Value::Null,
        text => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn is_infinite(text: &str) -> bool {
    [".inf", ".Inf", ".INF"].contains(&text.strip_prefix(['+', '-']).unwrap_or(text))
}

fn number(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.strip_suffix(digits)?, digits),
        None => ("", text),
    };
    // A second sign, and words such as `infinity`, which Rust parses as numbers.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let is_padded = radix == 10
        && digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|it| it.is_ascii_digit());
    if is_padded || digits.starts_with(['+', '-']) {
        return None;
    }
    let sign = sign.trim_start_matches('+');
    if let Ok(whole) = i64::from_str_radix(&format!("{sign}{digits}"), radix) {
        return Some(whole.into());
    }
    if let (Ok(whole), "") = (u64::from_str_radix(digits, radix), sign) {
        return Some(whole.into());
    }
    match radix {
        10 => format!("{sign}{digits}").parse().ok().and_then(Number::from_f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        parse(text).and_then(|root| root.value()).map_err(|fault| {
            let (line, column) = fault.place;
            format!("{line}:{column}: {}", fault.message)
        })
    }

    #[test]
    fn keys_are_text() {
        assert_eq!(
            read(
                "200: a\ntrue: b\n1.50: c\n? [x]\n: d\nnull: e\n+1: f\n'8': g\n&k 9: h\ni: {*k : j}"
            ),
            Ok(json!({
                "200": "a", "true": "b", "1.50": "c", "null": "e", "+1": "f", "8": "g", "9": "h",
                "i": { "9": "j" },
            }))
        );
    }

    #[test]
    fn aliases_are_expanded() {
        assert_eq!(
            read("a: &x {b: &y 1}\nc: *x\nd: [*y, *y]\n"),
            Ok(json!({ "a": { "b": 1 }, "c": { "b": 1 }, "d": [1, 1] }))
        );
    }

    #[test]
    fn merge_keys_add_missing_entries() {
        assert_eq!(
            read("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\ne: {f: 4, <<: [*x, {b: 5, g: 6}]}\n<<: 7"),
            read("a: {b: 1, c: 2}\nd: {b: 1, c: 3}\ne: {f: 4, b: 1, c: 2, g: 6}\n'<<': 7")
        );
    }

    #[test]
    fn keywords_that_are_booleans_may_have_those_of_yaml_1_1() {
        assert_eq!(
            read(
                "required: yes\nexplode: No\nnullable: on\ndeprecated: 'no'\nname: no\n\
                 properties: {required: {type: off}}"
            ),
            Ok(json!({
                "required": true, "explode": false, "nullable": true, "deprecated": "no",
                "name": "no", "properties": { "required": { "type": "off" } },
            }))
        );
    }

    #[test]
    fn json_is_read() {
        assert_eq!(
            read("{\n\t\"a\\/b\": [1, \"\\ud83d\\ude00\", null],\n\t\"c\":{\"d\":true}\n}"),
            Ok(json!({ "a/b": [1, "😀", null], "c": { "d": true } }))
        );
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_change_nothing() {
        assert_eq!(read("\u{feff}a: 1\r\nb:\r\n- c\r\n"), Ok(json!({ "a": 1, "b": ["c"] })));
    }

    #[test]
    fn parse_errors_have_positions() {
        let bomb: String = (1..9)
            .map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(9)))
            .collect();
        let deep: String = (1..400).map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1)).collect();
        for (text, expected) in [
            ("a: 1\nb: 2\na: 3\n", "3:1: the key `a` is already defined"),
            ("a: 1\n---\nb: 2\n", "2:1: there is more than one document in this file"),
            ("a: &x [*x]\n", "1:8: this alias refers to a node that contains it"),
            ("a: *x\n", "1:4: while parsing node, found unknown anchor"),
            (&format!("a0: &a0 x\n{bomb}"), "1:1: its aliases repeat too much of it"),
            (&format!("a0: &a0 x\n{deep}"), "257:13: lists and maps are nested too deeply here"),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()));
        }
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("NULL", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("7", json!(7)),
            ("+7", json!(7)),
            ("-7", json!(-7)),
            ("0x1F", json!(31)),
            ("-0o17", json!(-15)),
            ("0b11", json!(3)),
            ("0xZ", json!("0xZ")),
            ("007", json!("007")),
            ("0", json!(0)),
            ("0.50", json!(0.5)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("9223372036854775807", json!(i64::MAX)),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("-9223372036854775809", json!(-9_223_372_036_854_775_809.0)),
            ("infinity", json!("infinity")),
            ("--1", json!("--1")),
            ("+-1", json!("+-1")),
            ("1_000", json!("1_000")),
            ("1.2.3", json!("1.2.3")),
            ("2020-01-01", json!("2020-01-01")),
            (".inf", json!(null)),
            ("-.Inf", json!(null)),
        ] {
            assert_eq!(scalar(text, ScalarStyle::Plain, None), value, "{text}");
        }
    }

    #[test]
    fn quoted_scalars_are_text_unless_tagged() {
        let core = |kind: &str| Some(Tag::new("tag:yaml.org,2002:", kind));
        for (text, style, tag, value) in [
            ("true", ScalarStyle::SingleQuoted, None, json!("true")),
            ("", ScalarStyle::DoubleQuoted, None, json!("")),
            ("7", ScalarStyle::Literal, None, json!("7")),
            ("7", ScalarStyle::Plain, core("str"), json!("7")),
            ("7", ScalarStyle::DoubleQuoted, core("int"), json!(7)),
            ("7", ScalarStyle::Plain, Some(Tag::new("!", "other")), json!(7)),
        ] {
            assert_eq!(scalar(text, style, tag.as_ref()), value, "{text} {tag:?}");
        }
    }
}
