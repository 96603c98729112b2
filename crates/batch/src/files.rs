//! Files: private permissions, durable names, and identity.

use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
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
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
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
pub(crate) fn is_in_place(path: &Path, file: &fs::File) -> std::io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(is_same_file(&found, &file.metadata()?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
