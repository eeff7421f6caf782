//! What tests against other implementations share: the declarations of the repository, read by a
//! reader that is not ours.

#![forbid(unsafe_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The YAML files of a folder of the repository, in order.
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

/// A YAML text as JSON, merge keys applied; `None` where it is no YAML, or no JSON.
#[must_use]
pub fn json(text: &str) -> Option<Value> {
    let mut value: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    value.apply_merge().ok()?;
    serde_json::to_value(value).ok()
}
