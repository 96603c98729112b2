//! Links of Markdown files: each has a target, on every site that shows the file.

use std::path::{Component, Path, PathBuf};

use crate::markdown::{anchors, links};
use crate::support::{at, files_ending_in, read};

/// Broken links, each with the reason: `README.md:7: docs/none.md: no such file`.
fn broken(file: &Path) -> Vec<String> {
    let text = read(file);
    let reasons = links(&text).into_iter().filter_map(|(line, link)| {
        let reason = reason(file, &text, &link)?;
        Some(format!("{}:{line}: {link}: {reason}", file.display()))
    });
    reasons.collect()
}

fn reason(file: &Path, text: &str, link: &str) -> Option<&'static str> {
    if let Some((scheme, rest)) = link.split_once("://") {
        let host = rest.split(['/', '#', '?']).next().unwrap();
        let is_good = scheme == "https" && host.contains('.') && !host.ends_with('.');
        return (!is_good).then_some("not an https URL");
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = within_repository(&file.with_file_name(path))
        .filter(|it| !Path::new(path).is_absolute() && (path.is_empty() || at(it).exists()));
    let Some(target) = target else { return Some("no such file in the repository") };
    let text = if path.is_empty() { text.to_owned() } else { read_if_markdown(&target) };
    let is_there = anchor.is_empty() || anchors(&text).iter().any(|it| it == anchor);
    (!is_there).then_some("no such heading")
}

/// A path without `..`; none if it leads out of the repository.
fn within_repository(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::from(".");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir if plain != Path::new(".") => _ = plain.pop(),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(plain)
}

fn read_if_markdown(path: &Path) -> String {
    let is_markdown = path.extension().is_some_and(|it| it == "md");
    if is_markdown { read(path) } else { String::new() }
}

#[test]
fn every_link_in_markdown_leads_somewhere() {
    let files = files_ending_in(".md");
    let count: usize = files.iter().map(|file| links(&read(file)).len()).sum();
    assert!(count > 10, "links were found: {count}");
    let broken: Vec<_> = files.iter().flat_map(|file| broken(file)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let text = "# A heading\n";
    for (link, expected) in [
        ("#a-heading", true),
        ("#none", false),
        ("main.rs", true),
        ("../README.md#test-index-by-section-of-the-interface", true),
        ("../README.md#none", false),
        ("none.md", false),
        ("/Cargo.toml", false),
        ("../../../outside", false),
        ("https://docs.rs/podqueue", true),
        ("http://docs.rs/podqueue", false),
        ("https://nowhere", false),
    ] {
        let reason = reason(Path::new("tests/packaging/any.md"), text, link);
        assert_eq!(reason.is_none(), expected, "{link}: {reason:?}");
    }
}

/// A relative link in a README resolves to a file on the registry's page, but not on docs.rs.
#[test]
fn no_readme_with_relative_links_is_a_page_of_the_docs() {
    let mut shown = Vec::new();
    for root in files_ending_in("lib.rs") {
        let folder = root.parent().unwrap();
        let source = read(&root);
        let Some((_, rest)) = source.split_once("#![doc = include_str!(\"") else { continue };
        let readme = folder.join(rest.split('"').next().unwrap());
        let is_relative = |link: &String| !link.contains("://") && !link.starts_with('#');
        let text = read(readme);
        if links(&text).iter().any(|(_, link)| is_relative(link)) {
            shown.push(root.display().to_string());
        }
    }
    assert_eq!(shown, [""; 0]);
}
