//! Write-ahead log of SQLite: detects that it has lost durable changes.
//!
//! SQLite reads the log up to the first frame that is not valid, and takes the rest for what was
//! being written when the power failed. But a transaction is synced before the next transaction is
//! written. So where a transaction is followed by another, all of its frames were valid once, and
//! an invalid frame is damaged: SQLite would roll back, and the batch would submit inputs twice.
//! The same damage in the last transaction looks like a loss of power.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::files::with_suffix;

/// The log's header, and that of each frame, in bytes.
const HEADER: usize = 32;
const FRAME: usize = 24;

/// Position of the salts of a header: those of a frame are the same as the log's, unless the frame
/// is of an earlier log.
const SALTS: std::ops::Range<usize> = 16..24;
const FRAME_SALTS: std::ops::Range<usize> = 8..16;

/// Returns true if there is a log that is not empty: closing a journal in an orderly way removes
/// it.
pub(super) fn exists(journal: &Path) -> bool {
    found(journal).is_some()
}

/// Returns true if there is a log, possibly an empty log.
pub(super) fn is_there(journal: &Path) -> bool {
    path_of(journal).exists()
}

/// The log, if there is something in it.
pub(super) fn found(journal: &Path) -> Option<Metadata> {
    std::fs::metadata(path_of(journal)).ok().filter(|found| found.len() > 0)
}

/// Returns true if the log of a journal is damaged. No process may be writing it.
pub(super) fn is_damaged(journal: &Path) -> io::Result<bool> {
    match File::open(path_of(journal)) {
        Ok(file) => is_log_damaged(BufReader::with_capacity(256 * 1024, file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn path_of(journal: &Path) -> PathBuf {
    with_suffix(journal, "-wal")
}

fn is_log_damaged(mut log: impl Read) -> io::Result<bool> {
    let mut header = [0; HEADER];
    if !fill(&mut log, &mut header)? {
        return Ok(false);
    }
    let mut sum = Checksum { is_big_endian: header[3] & 1 == 1, sums: (0, 0) };
    sum.add(&header[..24]);
    let has_header = sum.is(&header[24..]);
    let (mut is_valid, mut salts) = (has_header, header[SALTS].to_vec());
    let page = match word(&header[8..], true) {
        size @ 512..=65_536 if size.is_power_of_two() => size as usize,
        _ => 4_096,
    };
    let mut frame = vec![0; FRAME + page];
    let mut is_followed = false;
    while fill(&mut log, &mut frame)? {
        let is_of_this_log = frame[FRAME_SALTS] == salts[..] && salts.iter().any(|it| *it != 0);
        if !has_header {
            // The salts of the first frame identify the log.
            salts.copy_from_slice(&frame[FRAME_SALTS]);
        }
        if is_valid {
            sum.add(&frame[..8]);
            sum.add(&frame[FRAME..]);
            is_valid = is_of_this_log && sum.is(&frame[16..]);
        }
        if !is_valid && is_of_this_log {
            if is_followed {
                return Ok(true);
            }
            // The last frame of a transaction contains the size of the database after it.
            is_followed = word(&frame[4..], true) > 0;
        }
    }
    Ok(false)
}

/// Fills the buffer. Returns false at the end of the file.
fn fill(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn word(bytes: &[u8], is_big_endian: bool) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[..4]);
    if is_big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
}

/// The checksum of a log so far.
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut first, mut second) = self.sums;
        for pair in bytes.chunks_exact(8) {
            first = first.wrapping_add(word(pair, self.is_big_endian)).wrapping_add(second);
            second = second.wrapping_add(word(&pair[4..], self.is_big_endian)).wrapping_add(first);
        }
        self.sums = (first, second);
    }

    fn is(&self, bytes: &[u8]) -> bool {
        self.sums == (word(bytes, true), word(&bytes[4..], true))
    }
}
