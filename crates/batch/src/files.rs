//! Files: private permissions, durable names, and identity.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Lets only the owner read a file that is created.
pub(crate) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// Returns the path with a suffix appended to the name of the file.
pub(crate) fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Makes the name of a new file durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Returns true if these are of the same file; on a system that does not identify files, of the
/// same length.
pub(crate) fn is_same_file(left: &Metadata, right: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (left.dev(), left.ino()) == (right.dev(), right.ino())
    }
    #[cfg(not(unix))]
    {
        left.len() == right.len()
    }
}

/// Returns true if this is the file that the path names.
pub(crate) fn is_in_place(path: &Path, file: &File) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(is_same_file(&found, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates the folder of a file, durably, unless it exists.
pub(crate) fn create_parent(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder)?;
    sync_folder(folder)
}

/// Opens a file that gets its name once it is whole.
pub(crate) fn open_part(part: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    options.open(part)
}

/// Makes a whole file durable, and gives it its name.
pub(crate) fn keep_part(file: &File, part: &Path, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(part, path)?;
    sync_folder(path)
}
