//! The files of the page, which are part of the program.

/// The file that is the page itself.
pub(super) const INDEX: &str = "index.html";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../../page/", $name)).as_slice())),*]
    };
}

const FILES: &[(&str, &[u8])] = &files![
    "api.js",
    "chart.js",
    "clock.js",
    "curl.js",
    "dom.js",
    "endpoints.js",
    "events.js",
    "faults.js",
    "icon.svg",
    "index.html",
    "job.js",
    "jobs.js",
    "json.js",
    "keys.js",
    "list.js",
    "main.js",
    "notice.js",
    "now.js",
    "route.js",
    "status.js",
    "style.css",
    "submit.js",
    "time.js",
    "traffic.js",
    "workers.js",
];

/// A file: its content type, and its content.
pub(super) fn named(name: &str) -> Option<(&'static str, &'static [u8])> {
    let (name, content) = FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    Some((kind, content))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// In bytes: what a browser has to load, and what the program grows by.
    const MAX: usize = 80 * 1024;

    #[test]
    fn every_file_of_the_folder_is_served_and_all_are_small() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let names = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| named(name).is_some()));
        let size: usize = FILES.iter().map(|(_, content)| content.len()).sum();
        assert!(size <= MAX, "{size}");
    }
}
