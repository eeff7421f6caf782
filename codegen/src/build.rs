//! The door for build scripts: a schema file becomes Rust in the folder that cargo gives them.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), nouns_codegen::build::Failure> {
//!     nouns_codegen::build::rust("schemas/zoo.yaml")
//! }
//! ```
//!
//! The program includes what was written, in a module of its own:
//!
//! ```ignore
//! mod zoo {
//!     include!(concat!(env!("OUT_DIR"), "/zoo.rs"));
//! }
//! ```

use crate::{Style, declare, read_yaml};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Why a build script cannot go on: a sentence, or all mistakes of the schema file, drawn.
///
/// Its `Debug` is its `Display`, for that is what a build script shows whose `main` fails.
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Failure {}

/// Writes the declarations of `schemas/zoo.yaml` to `$OUT_DIR/zoo.rs`, and tells cargo to do so
/// again when the file changes.
///
/// # Errors
/// It is not run by cargo, the schema file cannot be read or has mistakes, or the other cannot be
/// written.
pub fn rust(file: impl AsRef<Path>) -> Result<(), Failure> {
    let file = file.as_ref();
    let told = writeln!(io::stdout(), "cargo::rerun-if-changed={}", file.display());
    told.map_err(|error| {
        Failure(format!("cargo cannot be told of `{}`: {error}", file.display()))
    })?;
    let folder = env::var_os("OUT_DIR");
    let folder = folder
        .ok_or_else(|| Failure("`OUT_DIR` is not set; call this from a build script".into()))?;
    rust_in(file, folder).map(drop)
}

/// Writes the declarations of a schema file into a folder, and gives the path of what it wrote.
///
/// # Errors
/// The schema file cannot be read or has mistakes, or the other cannot be written.
pub fn rust_in(file: impl AsRef<Path>, folder: impl AsRef<Path>) -> Result<PathBuf, Failure> {
    let file = file.as_ref();
    let shown = file.display().to_string();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure(format!("the schema file `{shown}` cannot be read: {error}")))?;
    let schema =
        read_yaml(&shown, &text).map_err(|mistakes| Failure(mistakes.render(Style::Plain)))?;
    let name = file.file_stem().unwrap_or(file.as_os_str());
    let target = folder.as_ref().join(name).with_extension("rs");
    let text = format!(
        "// Generated from `{}` by the build script.\n\n{}",
        one_line(&shown),
        declare::rust(&schema)
    );
    fs::write(&target, text)
        .map_err(|error| Failure(format!("`{}` cannot be written: {error}", target.display())))?;
    Ok(target)
}

/// A path that stays in its comment.
fn one_line(path: &str) -> String {
    path.chars().filter(|character| !character.is_control()).collect()
}
