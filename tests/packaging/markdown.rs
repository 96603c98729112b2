//! Markdown parser for links and headings: inline links, reference definitions,
//! headings with `#`; not what is code.

use std::collections::HashMap;

/// The places that a text links to, as they are written, with their lines.
pub fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        if let Some((name, target)) = line.split_once("]: ")
            && name.starts_with('[')
        {
            found.push((number, target.split(' ').next().unwrap().to_owned()));
        }
        for (_, rest) in line.match_indices("](").map(|(at, it)| (at, &line[at + it.len()..])) {
            let target = rest.split([')', ' ']).next().unwrap();
            found.push((number, target.trim_matches(['<', '>']).to_owned()));
        }
    }
    found
}

/// The anchors of a text's headings, as a repository's page gives them: lower case, hyphens for
/// spaces, no punctuation, and a number behind one that has been there before.
pub fn anchors(text: &str) -> Vec<String> {
    let mut counts = HashMap::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        title.strip_prefix(' ').filter(|_| title.len() < line.len())
    });
    headings
        .map(|title| {
            let kept =
                title.trim().chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
            let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
            let count = counts.entry(anchor.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
        })
        .collect()
}

/// The numbered lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|it| start.starts_with(it));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => return Some((index + 1, line)),
            _ => {}
        }
        None
    })
}

/// A line with its code spans taken out.
fn without_code(line: &str) -> String {
    let mut parts: Vec<_> = line.split('`').collect();
    // A backtick without a second one is just a character.
    if parts.len() % 2 == 0 {
        parts.pop();
    }
    parts.into_iter().step_by(2).collect()
}

#[test]
fn links_are_found_in_prose_only() {
    let text = "\
        see [a](one.md), [`b`](two.md#part \"title\") and ![c](<three.png>)\n\
        `[d](none.md)` and [e][f]\n\
        ```text\n\
        [g](none.md)\n\
        ```\n\
        [f]: four.md\n";
    let found = links(text);
    let found: Vec<_> = found.iter().map(|(line, target)| (*line, target.as_str())).collect();
    assert_eq!(found, [(1, "one.md"), (1, "two.md#part"), (1, "three.png"), (6, "four.md")]);
}

#[test]
fn anchors_are_made_as_the_pages_of_repositories_make_them() {
    let text = "# The `main` job, and more\n## Who may call it?\n## Who may call it\n#no\n\
        ```sh\n# a comment\n```\n";
    assert_eq!(anchors(text), ["the-main-job-and-more", "who-may-call-it", "who-may-call-it-1"]);
}
