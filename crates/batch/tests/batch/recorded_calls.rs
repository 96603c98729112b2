//! System calls of a process, as `preload.c` records them.

use std::fs;
use std::path::{Path, PathBuf};

/// A recorded call of the process.
#[derive(Debug)]
pub enum Act {
    Create(PathBuf),
    Write(PathBuf, usize, Vec<u8>),
    Truncate(PathBuf, usize),
    Sync(PathBuf),
    SyncFolder(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    Send(String),
}

/// Reads the record.
pub fn read(log: &Path) -> Vec<Act> {
    let bytes = fs::read(log).unwrap();
    let mut rest = bytes.as_slice();
    let mut acts = Vec::new();
    while let Some((kind, after)) = rest.split_first() {
        rest = after;
        let name = PathBuf::from(String::from_utf8(text(&mut rest)).unwrap());
        let number = u64::from_ne_bytes(take(&mut rest)) as usize;
        let bytes = text(&mut rest);
        acts.push(match kind {
            b'C' => Act::Create(name),
            b'W' => Act::Write(name, number, bytes),
            b'T' => Act::Truncate(name, number),
            b'S' => Act::Sync(name),
            b'D' => Act::SyncFolder(name),
            b'R' => Act::Rename(name, PathBuf::from(String::from_utf8(bytes).unwrap())),
            b'U' => Act::Remove(name),
            b'N' => Act::Send(String::from_utf8_lossy(&bytes).into_owned()),
            other => panic!("a record of kind {other}"),
        });
    }
    acts
}

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, after) = rest.split_first_chunk().unwrap();
    *rest = after;
    *taken
}

fn text(rest: &mut &[u8]) -> Vec<u8> {
    let length = u32::from_ne_bytes(take(rest)) as usize;
    let (taken, after) = rest.split_at(length);
    *rest = after;
    taken.to_vec()
}
