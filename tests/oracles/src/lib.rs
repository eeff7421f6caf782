//! Shared code of the tests that compare Nouns with other implementations. It reads the
//! declarations in this repository with another YAML parser than Nouns.

#![forbid(unsafe_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Lists the YAML files of a folder of the repository, sorted by path.
///
/// # Errors
/// The folder cannot be read.
pub fn declarations(folder: &str) -> io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    Ok(files)
}

/// Parses a YAML text into JSON and applies merge keys. Returns `None` if the text is not valid
/// YAML, or has no equivalent in JSON.
#[must_use]
pub fn json(text: &str) -> Option<Value> {
    let mut value: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    value.apply_merge().ok()?;
    serde_json::to_value(value).ok()
}
