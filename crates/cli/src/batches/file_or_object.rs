//! File or object: an argument that names a file, or an object of object storage by its URL.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use podqueue_batch::{FileFormat, Inputs, Object};

use crate::failure::Failure;

/// The argument, which is a URL if it contains `://`.
#[derive(Clone)]
pub struct FileOrObjectArgument(PathBuf);

/// A file or an object, as such an argument names it.
#[derive(Clone)]
pub enum FileOrObject {
    File(PathBuf),
    Object(Object),
}

impl From<OsString> for FileOrObjectArgument {
    // An invalid URL is refused later, since the argument parser would print it.
    fn from(text: OsString) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for FileOrObjectArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Credentials do not belong into a URL, and may be there all the same.
        f.debug_tuple("FileOrObjectArgument")
            .field(&self.url().is_none().then_some(&self.0))
            .finish()
    }
}

impl FileOrObjectArgument {
    fn url(&self) -> Option<&str> {
        self.0.to_str().filter(|text| text.contains("://"))
    }

    pub fn parse(&self) -> Result<FileOrObject, Failure> {
        match self.url() {
            None => Ok(FileOrObject::File(self.0.clone())),
            Some(url) => match Object::parse(url) {
                Ok(object) => Ok(FileOrObject::Object(object)),
                Err(error) => Err(Failure::usage(error.to_string())),
            },
        }
    }
}

impl FileOrObject {
    /// The path, or the URL.
    pub fn shown(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Object(object) => Path::new(object.url()),
        }
    }

    pub fn inputs(&self) -> Inputs {
        match self {
            Self::File(path) => Inputs::file(path),
            Self::Object(object) => Inputs::object(object.clone()),
        }
    }

    /// The file of results for these inputs in the current folder, where only object storage is
    /// named as their destination: `prompts.results.jsonl` for `prompts.jsonl`.
    pub fn default_results(&self) -> PathBuf {
        let path = self.name();
        results_beside(path).file_name().unwrap_or_default().into()
    }

    /// Returns true if each input is a row of a table.
    pub fn is_table(&self) -> bool {
        FileFormat::of(self.name()).is_ok_and(FileFormat::is_table)
    }

    fn name(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Object(object) => Path::new(object.file_name()),
        }
    }
}

/// The file of results of a batch, as its name or the file that they are converted to names it.
pub fn results_of(out: PathBuf) -> PathBuf {
    match FileFormat::of(&out) {
        Ok(format) if !format.is_json_lines() => results_beside(&out),
        // An error of the format is reported where it is written.
        _ => out,
    }
}

/// The file of results in the folder of another file: `answers.results.jsonl` for `answers.csv.gz`.
fn results_beside(path: &Path) -> PathBuf {
    let is_compressed = path
        .extension()
        .is_some_and(|suffix| ["gz", "zst"].iter().any(|it| suffix.eq_ignore_ascii_case(it)));
    let path = if is_compressed { &path.with_extension("") } else { path };
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".results.jsonl");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_after_the_inputs() {
        for (inputs, results) in [
            ("prompts.jsonl", "prompts.results.jsonl"),
            ("/data/a.b.jsonl", "a.b.results.jsonl"),
            ("file:///data/prompts.jsonl", "prompts.results.jsonl"),
            ("prompts.csv.gz", "prompts.results.jsonl"),
        ] {
            let inputs = FileOrObjectArgument(inputs.into()).parse().expect(inputs);
            assert_eq!(inputs.default_results(), Path::new(results));
        }
    }

    #[test]
    fn results_are_beside_the_file_that_they_are_converted_to() {
        for (out, results) in [
            ("answers.jsonl", "answers.jsonl"),
            ("answers", "answers"),
            ("data/answers.csv", "data/answers.results.jsonl"),
        ] {
            assert_eq!(results_of(out.into()), Path::new(results));
        }
    }

    #[test]
    fn a_url_is_never_shown() {
        let argument = FileOrObjectArgument("s3://user:secret@bucket/in.jsonl".into());
        let failure = argument.parse().err().expect("a refusal");
        let text = format!("{argument:?} {failure:?}");
        assert!(!text.contains("secret"), "{text}");
    }
}
