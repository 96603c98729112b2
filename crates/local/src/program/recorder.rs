//! Recorder: keeps the session of a service in a file, while it runs and at its end.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;
use tokio::time::sleep;

use crate::LocalService;
use crate::router::Session;

/// Interval at which the file is written while there are changes: what a killed program loses.
const INTERVAL: Duration = Duration::from_secs(10);

/// The file of a session.
pub(super) struct Recorder(PathBuf);

impl Recorder {
    /// Checks that the file is new, empty or an earlier session, and can be written.
    pub(super) fn new(path: PathBuf) -> Result<Self, String> {
        // The file behind a link is written, and not the link.
        let recorder = Self(fs::canonicalize(&path).unwrap_or(path));
        match fs::metadata(&recorder.0) {
            // Writing replaces the file, which would remove a device or a pipe.
            Ok(found) if !found.is_file() => {
                let path = recorder.0.display();
                return Err(format!("{path} is not a file: pass the name of one, or a new name"));
            }
            Ok(found) if found.len() == 0 => {}
            Ok(_) => drop(read(&recorder.0)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(recorder.named(&error)),
        }
        recorder.temporary().map_err(|error| recorder.named(&error))?;
        Ok(recorder)
    }

    /// Writes the session after changes. Only a first failure is printed: the next write may succeed.
    pub(super) async fn follow(&self, local: &LocalService, program: &str) {
        let mut changes = local.changes();
        let mut has_failed = false;
        loop {
            changes.catch_up();
            if let Err(error) = self.write(local).await
                && !std::mem::replace(&mut has_failed, true)
            {
                let _ = writeln!(io::stderr(), "{program}: warning: failed to record: {error}");
            }
            sleep(INTERVAL).await;
            changes.changed().await;
        }
    }

    /// Writes the session as it is now: the file has a whole session at every moment.
    pub(super) async fn write(&self, local: &LocalService) -> Result<(), String> {
        let session = local.record().await;
        let write = || {
            let mut file = self.temporary()?;
            let mut buffer = io::BufWriter::new(&mut file);
            serde_json::to_writer(&mut buffer, &session)?;
            buffer.write_all(b"\n")?;
            // A drop would ignore that the disk is full.
            buffer.flush()?;
            drop(buffer);
            file.persist(&self.0).map_err(|failed| failed.error)?;
            Ok(())
        };
        write().map_err(|error: io::Error| self.named(&error))
    }

    /// A file in the same folder, which only the user can read: inputs and outputs may be private.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty());
        NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
    }

    fn named(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.0.display())
    }
}

/// Reads the file of a session.
pub(super) fn read(path: &Path) -> Result<Session, String> {
    let named = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    Session::parse(&text).map_err(named)
}
