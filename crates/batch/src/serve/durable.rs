//! Durable changes of a folder: folders that appear complete, and files that are created once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;

use crate::files::{private, sync_folder};

/// The beginning of the names of folders and files that are not complete, or are being removed.
const HIDDEN: &str = ".";

/// The age from which what is incomplete is considered abandoned: longer than any upload takes.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates a folder that only its owner can read, and its parents.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    make_folder(path)?;
    sync_folder(path)
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// A folder that is being prepared under a hidden name; removed on drop unless it is published.
pub(super) struct NewFolder {
    path: PathBuf,
    is_published: bool,
}

impl NewFolder {
    /// Begins a folder beside those that are complete. Nothing is synced before it is published:
    /// uploads that are begun and not completed do not keep the disk busy.
    pub(super) fn begin(parent: &Path) -> io::Result<Self> {
        let path = parent.join(hidden_name("new")?);
        make_folder(&path)?;
        Ok(Self { path, is_published: false })
    }

    /// The path of a file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates a file in it, which is to be synced.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        create(&self.file(name))
    }

    /// Writes a file of JSON in it, durably.
    pub(super) fn write(&self, name: &str, record: &impl Serialize) -> io::Result<()> {
        write(&self.file(name), record)
    }

    /// Gives it its name, durably, unless there is such a folder already. Its files must be synced.
    pub(super) fn publish(mut self, name: &str) -> io::Result<()> {
        let Some(parent) = self.path.parent() else { return Ok(()) };
        let published = parent.join(name);
        sync_folder(&self.file(name))?;
        sync_folder(parent)?;
        // The folder may be the first of its owner, whose folder was made for it, too.
        parent.parent().map_or(Ok(()), sync_folder)?;
        match fs::rename(&self.path, &published) {
            Ok(()) => self.is_published = true,
            Err(_) if published.exists() => return Ok(()),
            Err(error) => return Err(error),
        }
        sync_folder(&published)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        let path = std::mem::take(&mut self.path);
        // If it fails, the folder is removed once it is old.
        let remove = move || drop(fs::remove_dir_all(path));
        // Removing a large file takes long, so no thread that serves connections does it.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

/// Removes a folder: at once for readers, and durably. Returns false if there is none.
pub(super) fn remove_folder(path: &Path) -> io::Result<bool> {
    let Some(parent) = path.parent() else { return Ok(false) };
    let hidden = parent.join(hidden_name("gone")?);
    match fs::rename(path, &hidden) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        renamed => renamed?,
    }
    sync_folder(path)?;
    fs::remove_dir_all(hidden)?;
    Ok(true)
}

/// Removes what processes that died have left in a folder.
pub(super) fn sweep(folder: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_hidden = entry.file_name().to_string_lossy().starts_with(HIDDEN);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = modified
            .is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > ABANDONED));
        if is_hidden && is_old {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let remove = if is_folder { fs::remove_dir_all } else { fs::remove_file };
            let _ = remove(entry.path());
        }
    }
}

/// The names of the complete folders in a folder, sorted; empty if there is no such folder.
pub(super) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let kind = entry.file_type()?;
        // A file is not of this crate, and a name of this crate is UTF-8.
        if kind.is_dir() || kind.is_symlink() {
            let name = entry.file_name().into_string();
            names.extend(name.ok().filter(|name| !name.starts_with(HIDDEN)));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Creates a file of JSON, complete and durable, unless it exists. Returns false if it exists.
pub(super) fn write_once(path: &Path, record: &impl Serialize) -> io::Result<bool> {
    let Some(parent) = path.parent() else { return Ok(false) };
    let hidden = parent.join(hidden_name("new")?);
    write(&hidden, record)?;
    let linked = fs::hard_link(&hidden, path);
    fs::remove_file(&hidden)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        linked => linked.and_then(|()| sync_folder(path)).map(|()| true),
    }
}

/// Reads a file of JSON, if it exists.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => {
            let record = serde_json::from_slice(&text?);
            record.map(Some).map_err(|error| {
                let message = format!("{} is damaged: {error}", path.display());
                io::Error::new(io::ErrorKind::InvalidData, message)
            })
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    options.open(path)
}

fn write(path: &Path, record: &impl Serialize) -> io::Result<()> {
    let mut file = create(path)?;
    file.write_all(&serde_json::to_vec(record)?)?;
    file.sync_all()
}

fn hidden_name(what: &str) -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(format!("{HIDDEN}{what}-{:016x}", u64::from_be_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_complete_and_only_once() {
        let parent = tempfile::tempdir().expect("a folder");
        let begin = || NewFolder::begin(parent.path()).expect("a folder");
        let (first, second, third) = (begin(), begin(), begin());
        first.write("a.json", &1).expect("a file");
        second.write("a.json", &2).expect("a file");
        assert_eq!(names(parent.path()).expect("names"), [] as [&str; 0]);
        first.publish("x").expect("published");
        second.publish("x").expect("left out");
        drop(third);
        assert_eq!(fs::read_dir(parent.path()).expect("a folder").count(), 1);
        let path = parent.path().join("x");
        assert_eq!(read(&path.join("a.json")).expect("a file"), Some(1));
        assert!(!write_once(&path.join("a.json"), &3).expect("a file"));
        assert_eq!(read(&path.join("a.json")).expect("a file"), Some(1));
        assert_eq!(read::<u64>(&path.join("b.json")).expect("no file"), None);
        assert!(remove_folder(&path).expect("removed"));
        assert!(!remove_folder(&path).expect("nothing"));
        assert_eq!(fs::read_dir(parent.path()).expect("a folder").count(), 0);
    }
}
