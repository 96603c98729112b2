//! Redirect file: opens the page in the browser without its link on a command line.
//!
//! Every user of a machine sees the arguments of every process, and the link of the page has its
//! token. The browser is given a file instead that only its user can read and that leads to the
//! link.
//!
//! The file is in the home directory, with a name that is not hidden, because browsers that are
//! confined to a container see no other directory.

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempPath;

/// Long enough for a browser that has yet to start.
const KEPT: Duration = Duration::from_secs(60);

/// A file that leads to the page. It is removed as it is dropped.
pub(super) struct RedirectFile(TempPath);

impl RedirectFile {
    /// Opens a URL with the program that the user has chosen for pages.
    pub(super) fn open(url: &str) -> io::Result<Self> {
        let home = env::home_dir().filter(|home| home.is_dir());
        let directory = home.unwrap_or_else(env::temp_dir);
        let mut options = tempfile::Builder::new();
        let mut file = options.prefix("podqueue-page-").suffix(".html").tempfile_in(directory)?;
        file.write_all(redirect_to(url).as_bytes())?;
        let path = file.into_temp_path();
        spawn(&path)?;
        Ok(Self(path))
    }

    /// Keeps the file until the browser has read it.
    pub(super) async fn keep(self) {
        tokio::time::sleep(KEPT).await;
        drop(self.0);
    }
}

fn redirect_to(url: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>podqueue</title>\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\">\n\
         <a href=\"{url}\">The page of the local service</a>\n"
    )
}

fn spawn(path: &Path) -> io::Result<()> {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    command.arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}
