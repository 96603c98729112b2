//! Committed code: the generated files of a folder, written or compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use podqueue_codegen::__private::{MARK, committed, is_root};
use podqueue_codegen::{Build, Diagnostic, Source};

use crate::Error;

/// The advice for a file that differs from what is generated.
const AGAIN: &str = "run podqueue-regenerate with the same arguments, without --check";

/// The generated code of REST descriptions, for a folder of a crate that needs no build script.
#[derive(Clone, Debug)]
pub struct Committed {
    folder: PathBuf,
    files: Vec<(PathBuf, String)>,
    warnings: Vec<Diagnostic>,
}

impl Committed {
    /// Generates the code of a build's descriptions for a folder such as `src/generated`: what a
    /// build script with the same settings generates.
    ///
    /// # Errors
    ///
    /// A description cannot be read, a selector selects nothing, or stated pages do not fit.
    pub fn generate(build: &Build, folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let made = committed(build)?;
        Ok(Self { folder: folder.into(), files: made.files, warnings: made.warnings })
    }

    /// The constructs of the descriptions that are left out or ignored.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Compares with the files of the folder: a diagnostic for each file that is stale, missing, or
    /// no longer generated, with the position of the first difference.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn differences(&self) -> Result<Vec<Diagnostic>, Error> {
        let mut found = Vec::new();
        for (file, code) in &self.files {
            let path = self.folder.join(file);
            let name = Source::name_of(&path);
            if !path.exists() {
                found.push(Diagnostic::of_file(name, format!("this file is missing; {AGAIN}")));
            } else if let Some((line, column)) = difference(&read(&path)?, code) {
                let message = format!("this is not what the description generates now; {AGAIN}");
                found.push(Diagnostic::new(name, line, column, message));
            }
        }
        for path in self.extra()? {
            let message = format!("this file is no longer generated; {AGAIN}, or remove it");
            found.push(Diagnostic::of_file(Source::name_of(&path), message));
        }
        Ok(found)
    }

    /// Writes the files, unless they are unchanged, and removes those that are no longer generated.
    /// Returns the paths of the files that were written or removed.
    ///
    /// Another run that writes the same folder at once, with other settings, waits: the files are those
    /// of one run, never a mixture.
    ///
    /// # Errors
    ///
    /// A file cannot be written; or one has other content than generated code, or is of an output whose
    /// folder is within this one or around it: then nothing is written.
    pub fn write(&self) -> Result<Vec<PathBuf>, Error> {
        let _lock = self.lock();
        let mut stale = Vec::new();
        for (file, code) in &self.files {
            let path = self.folder.join(file);
            let there = if path.exists() { Some(read(&path)?) } else { None };
            // Writing that was interrupted leaves an empty file.
            if there.as_ref().is_some_and(|there| !there.is_empty() && !is_generated(there)) {
                let message = "this file was not generated, and is not overwritten; remove it, or \
                               choose another folder";
                return Err(Diagnostic::of_file(Source::name_of(&path), message).into());
            }
            if there.as_ref().is_some_and(|it| !it.is_empty() && is_root(it) != is_root(code)) {
                let message = "this file is of another output, whose folder this one is within or \
                               around, and is not overwritten; choose another folder";
                return Err(Diagnostic::of_file(Source::name_of(&path), message).into());
            }
            if there.is_none_or(|there| difference(&there, code).is_some()) {
                stale.push((path, code));
            }
        }
        let extra = self.extra()?;
        let failed = |participle: &str, path: &Path, error: io::Error| {
            let message = format!("cannot be {participle}: {error}");
            Error::from(Diagnostic::of_file(Source::name_of(path), message))
        };
        for path in &extra {
            match fs::remove_file(path) {
                // Another run has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(|error| failed("removed", path, error))?,
            }
            // Fails where there are other files.
            _ = path.parent().map(fs::remove_dir);
        }
        // The root comes last: as long as it is the former one, it declares what is to be removed.
        let root = self.folder.join("mod.rs");
        let (roots, others): (Vec<_>, Vec<_>) = stale.iter().partition(|(path, _)| *path == root);
        for (path, code) in others.into_iter().chain(roots) {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(|error| failed("created", folder, error))?;
            replace(path, code).map_err(|error| failed("written", path, error))?;
        }
        Ok(stale.into_iter().map(|(path, _)| path).chain(extra).collect())
    }

    /// Makes the folder, and locks it until the file is dropped. Where a system cannot lock a folder,
    /// runs at once are left to the user.
    fn lock(&self) -> Option<fs::File> {
        fs::create_dir_all(&self.folder).ok()?;
        let folder = fs::File::open(&self.folder).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    /// The generated files that are not generated now: of the folders of the descriptions, and of
    /// those that the former `mod.rs` declares. Generated files elsewhere are of another output.
    fn extra(&self) -> Result<Vec<PathBuf>, Error> {
        let known: BTreeSet<_> =
            self.files.iter().map(|(file, _)| self.folder.join(file)).collect();
        let folders = known.iter().filter_map(|file| file.parent()).map(Path::to_owned);
        let mut folders: BTreeSet<_> = folders.filter(|it| *it != self.folder).collect();
        let root = self.folder.join("mod.rs");
        let former = if root.exists() { read(&root)? } else { String::new() };
        if is_root(&former) {
            let names = former.lines().filter_map(|line| line.strip_prefix("pub mod "));
            folders.extend(names.map(|name| self.folder.join(name.trim_end_matches(';'))));
        }
        let mut extra = Vec::new();
        for folder in folders.iter().filter(|it| it.is_dir()) {
            for path in Source::find(folder, &["rs"])? {
                let is_own = path.parent() == Some(folder) && !known.contains(&path);
                if is_own && is_generated(&read(&path)?) {
                    extra.push(path);
                }
            }
        }
        Ok(extra)
    }
}

/// Writes a file at once, so that another run never reads a part of it.
fn replace(path: &Path, code: &str) -> io::Result<()> {
    let partial = path.with_extension(format!("rs.{}", std::process::id()));
    let written = fs::write(&partial, code).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        _ = fs::remove_file(&partial);
    }
    written
}

fn read(path: &Path) -> Result<String, Error> {
    Ok(Source::read(path)?.text)
}

fn is_generated(text: &str) -> bool {
    text.lines().next() == Some(MARK)
}

/// The line and the column of the first difference. How lines end does not matter: version control
/// may change it.
fn difference(there: &str, code: &str) -> Option<(usize, usize)> {
    let (mut ours, mut theirs) = (code.lines(), there.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (theirs.next(), ours.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if one == other => {}
            (one, other) => {
                let pairs = one.unwrap_or_default().chars().zip(other.unwrap_or_default().chars());
                return Some((line, pairs.take_while(|(one, other)| one == other).count() + 1));
            }
        }
    }
}
