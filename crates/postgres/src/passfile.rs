//! Password lookup: `PGPASSWORD` and the password file, as in libpq.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The password from `PGPASSWORD`, or from the password file.
pub(crate) fn password(host: &str, port: u16, database: &str, user: &str) -> Option<String> {
    if let Ok(password) = env::var("PGPASSWORD") {
        return Some(password);
    }
    let file = match env::var_os("PGPASSFILE") {
        Some(file) => PathBuf::from(file),
        None => env::home_dir()?.join(".pgpass"),
    };
    let text = read(&file)?;
    // libpq stores the password of a Unix socket under this name.
    let host = if host.starts_with('/') { "localhost" } else { host };
    find(&text, &[host, &port.to_string(), database, user])
}

/// Ignores a file that other users can read, as libpq does.
fn read(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(file).ok()?.permissions().mode() & 0o077 != 0 {
            return None;
        }
    }
    fs::read_to_string(file).ok()
}

fn find(text: &str, wanted: &[&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = fields(line).into_iter();
        let matches = wanted
            .iter()
            .all(|value| fields.next().is_some_and(|field| field == "*" || field == **value));
        fields.next().filter(|_| matches)
    })
}

/// The fields of a line, separated by colons; a backslash escapes a colon and itself.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => letters.next(),
            other => Some(other),
        };
        if let Some(last) = fields.last_mut() {
            last.extend(letter);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_first_matching_line_of_the_password_file_wins() {
        let text = "# comment\nh:5432:jobs:ann:one\n*:*:*:bob:t\\:w\\\\o\n*:*:*:*:three:3\n";
        for (wanted, password) in [
            (["h", "5432", "jobs", "ann"], "one"),
            (["h", "5433", "jobs", "ann"], "three:3"),
            (["x", "1", "y", "bob"], "t:w\\o"),
        ] {
            assert_eq!(find(text, &wanted).as_deref(), Some(password), "{wanted:?}");
        }
        assert_eq!(find("h:1:d:u", &["h", "1", "d", "u"]), None);
    }
}
