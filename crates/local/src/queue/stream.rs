//! Stream chunks: their numbers, metrics, and the split of large chunks (interface: "Stream
//! chunk").

use serde_json::{Map, Value, json};

/// The largest chunk that is sent: 1 MB, counted over the whole element with its metrics.
pub(crate) const MAX_CHUNK: usize = 1_000_000;

/// The bytes reserved for the members around the output, and for the stream index.
const ENVELOPE: usize = 64;

/// The shape of the response of `/stream`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamShape {
    /// A JSON array of chunks, as documented.
    #[default]
    Array,
    /// An object with the job's `status` and the chunks in `stream`, which also occurs in practice.
    Object,
}

/// The chunks of a job that were not fetched yet.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    chunks: Vec<Value>,
    emitted: u64,
}

impl Backlog {
    /// Adds an output: as several chunks if it is too large for one chunk, unless it must stay
    /// whole.
    pub(crate) fn push(&mut self, output: Value, metrics: Map<String, Value>, whole: bool) {
        let outputs = if whole {
            vec![output]
        } else {
            let around = ENVELOPE + size(&Value::Object(metrics.clone()));
            split(output, MAX_CHUNK.saturating_sub(around))
        };
        for output in outputs {
            let mut metrics = metrics.clone();
            metrics.entry("stream_index").or_insert_with(|| json!(self.emitted));
            self.emitted += 1;
            self.chunks.push(json!({ "output": output, "metrics": metrics }));
        }
    }

    /// Removes and returns the chunks.
    pub(crate) fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.chunks)
    }

    /// The number of all chunks, fetched or not.
    pub(crate) fn emitted(&self) -> u64 {
        self.emitted
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The metrics of a chunk whose handler reported none of its own, without the stream index.
pub(crate) fn default_chunk_metrics(pending: usize, running: usize) -> Map<String, Value> {
    let metrics = json!({
        "avg_gen_throughput": 0.0,
        "avg_prompt_throughput": 0.0,
        "cpu_kv_cache_usage": 0.0,
        "gpu_kv_cache_usage": 0.0,
        "input_tokens": 0,
        "output_tokens": 1,
        "pending": pending,
        "running": running,
        "swapped": 0,
        "scenario": "stream",
    });
    match metrics {
        Value::Object(metrics) => metrics,
        _ => Map::new(),
    }
}

/// Splits a value into pieces whose JSON is no longer than `budget` bytes.
///
/// A string becomes several strings. An array becomes several arrays, an object several objects,
/// with the items or members distributed in order; an item or member that is too long by itself is
/// split by the same rule, each piece in an array of its own or under the same name. So
/// concatenating the strings, items or members gives the original. A scalar, or a member whose very
/// name exceeds the budget, stays whole.
pub(crate) fn split(value: Value, budget: usize) -> Vec<Value> {
    if size(&value) <= budget {
        return vec![value];
    }
    match value {
        Value::String(text) => split_text(&text, budget).into_iter().map(Value::String).collect(),
        Value::Array(items) => {
            let pieces = items.into_iter().flat_map(|item| {
                split(item, budget.saturating_sub(2)).into_iter().map(|item| (size(&item), item))
            });
            group(pieces, budget).into_iter().map(Value::Array).collect()
        }
        Value::Object(members) => {
            let pieces = members.into_iter().flat_map(|(name, value)| {
                let name_size = size(&Value::String(name.clone())) + 1;
                split(value, budget.saturating_sub(2 + name_size))
                    .into_iter()
                    .map(move |value| (name_size + size(&value), (name.clone(), value)))
            });
            separate_names(group(pieces, budget))
        }
        scalar => vec![scalar],
    }
}

/// Puts sized pieces into groups that fit the budget, brackets and commas included.
fn group<T>(pieces: impl Iterator<Item = (usize, T)>, budget: usize) -> Vec<Vec<T>> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let mut filled = 2;
    for (size, piece) in pieces {
        if !group.is_empty() && filled + size + 1 > budget {
            groups.push(std::mem::take(&mut group));
            filled = 2;
        }
        filled += size + 1;
        group.push(piece);
    }
    groups.push(group);
    groups
}

/// Makes objects of groups of members; two pieces of one member never share an object.
fn separate_names(groups: Vec<Vec<(String, Value)>>) -> Vec<Value> {
    let mut objects = Vec::new();
    for group in groups {
        let mut object = Map::new();
        for (name, value) in group {
            if object.contains_key(&name) {
                objects.push(Value::Object(std::mem::take(&mut object)));
            }
            object.insert(name, value);
        }
        objects.push(Value::Object(object));
    }
    objects
}

fn split_text(text: &str, budget: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut filled = 2;
    for char in text.chars() {
        let size = escaped_size(char);
        if !piece.is_empty() && filled + size > budget {
            pieces.push(std::mem::take(&mut piece));
            filled = 2;
        }
        filled += size;
        piece.push(char);
    }
    pieces.push(piece);
    pieces
}

/// The number of bytes that a character takes inside a JSON string.
fn escaped_size(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

/// The number of bytes of a value's JSON.
fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and a `Value` has only string keys.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_within_the_budget_stays_whole() {
        assert_eq!(split(json!({"a": [1, 2]}), 11), [json!({"a": [1, 2]})]);
    }

    #[test]
    fn a_string_is_split_between_characters() {
        assert_eq!(split(json!("abcé\nf"), 5), [json!("abc"), json!("é"), json!("\nf")]);
    }

    #[test]
    fn an_array_is_split_in_order() {
        assert_eq!(split(json!([1, 2, 3, 4, 5]), 6), [json!([1, 2]), json!([3, 4]), json!([5])]);
    }

    #[test]
    fn a_long_member_is_split_under_its_name() {
        let pieces = split(json!({"n": 7, "text": "aaaaaaaaaa"}), 16);
        let text = pieces.iter().filter_map(|piece| piece["text"].as_str()).collect::<String>();
        assert_eq!(text, "aaaaaaaaaa");
        assert_eq!(pieces.iter().filter(|piece| piece["n"] == 7).count(), 1);
        assert!(pieces.iter().all(|piece| size(piece) <= 16), "{pieces:?}");
    }

    #[test]
    fn a_large_chunk_fits_with_its_metrics() {
        let mut backlog = Backlog::default();
        backlog.push(json!({"text": "x".repeat(2_500_000)}), default_chunk_metrics(0, 1), false);
        let chunks = backlog.take();
        assert_eq!(chunks.len(), 3);
        assert!(chunks.iter().all(|chunk| size(chunk) <= MAX_CHUNK));
        assert_eq!(chunks[2]["metrics"]["stream_index"], 2);
    }
}
