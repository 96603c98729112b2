//! Text from files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::interrupt::blocking;

/// More than anything that the program reads could use: a device such as `/dev/zero` never ends.
const LONGEST: u64 = 128 * 1024 * 1024;

pub fn of_file(path: &Path) -> io::Result<String> {
    // A pipe may never be written to.
    blocking(|| of(File::open(path)?))
}

/// Reads to the end.
pub fn of(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    source.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        let message = format!("it has more than {} MiB", LONGEST / 1024 / 1024);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}
