//! The password file of libpq: a line `host:port:database:user:password` for each server.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The lines of a password file.
pub(super) struct PasswordFile(String);

impl PasswordFile {
    /// Reads the file with this path, or else the file of the environment or the user. `None` if
    /// there is no such file, or if others than its owner can read it.
    pub(super) fn read(named: Option<&Path>) -> Option<Self> {
        let file = named.map(Path::to_owned).or_else(usual)?;
        let metadata = fs::metadata(&file).ok()?;
        if is_open_to_others(&metadata) {
            let file = file.display();
            tracing::warn!(target: "nouns", %file, "the password file is ignored: others than its owner can read it; set its mode to 0600");
            return None;
        }
        fs::read_to_string(file).ok().map(Self)
    }

    /// Returns the password of the first line that fits.
    pub(super) fn find(&self, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
        let wanted = [host, &port.to_string(), database, user];
        self.0.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let mut parts = parts(line);
            let password = parts.pop()?;
            let fits = |(part, wanted): (&LinePart, &&str)| part.is_any() || part.text == **wanted;
            let is_it = parts.len() == wanted.len() && parts.iter().zip(&wanted).all(fits);
            is_it.then_some(password.text)
        })
    }
}

/// The file that is read if a URL names none.
fn usual() -> Option<PathBuf> {
    let named = env::var_os("PGPASSFILE").filter(|name| !name.is_empty());
    named.map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".pgpass")))
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
const fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// A part of a line.
#[derive(Default)]
struct LinePart {
    text: String,
    is_escaped: bool,
}

impl LinePart {
    /// Whether the part fits every value.
    fn is_any(&self) -> bool {
        self.text == "*" && !self.is_escaped
    }
}

/// Splits a line at its colons. After a backslash, a character stands for itself.
fn parts(line: &str) -> Vec<LinePart> {
    let mut parts = vec![LinePart::default()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = parts.len() - 1;
        match letter {
            // The password may have colons.
            ':' if last < 4 => parts.push(LinePart::default()),
            '\\' => {
                parts[last].is_escaped = true;
                parts[last].text.extend(letters.next());
            }
            letter => parts[last].text.push(letter),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let lines =
            "# a:1:d:u:no\na:1:d:u:one\n*:2:d:u:t:wo\na\\:b:*:*:*:three\n\\*:9:d:u:four\na:1";
        let file = PasswordFile(lines.into());
        assert_eq!(file.find("a", 1, "d", "u").as_deref(), Some("one"));
        assert_eq!(file.find("z", 2, "d", "u").as_deref(), Some("t:wo"));
        assert_eq!(file.find("a:b", 7, "x", "y").as_deref(), Some("three"));
        assert_eq!(file.find("z", 9, "d", "u"), None);
        assert_eq!(file.find("a", 1, "d", "other"), None);
    }
}
