//! Code generation for build scripts: writes the Rust code of a schema file to `OUT_DIR`.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), nouns_codegen::build::Failure> {
//!     nouns_codegen::build::rust("schemas/zoo.yaml")
//! }
//! ```
//!
//! The program includes the generated file in a separate module:
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

/// The reason why a build script failed: a sentence, or all rendered mistakes of the schema file.
///
/// `Debug` has the same output as `Display`, because a failed build script prints the `Debug` text.
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

/// Writes the Rust code of a schema file such as `schemas/zoo.yaml` to `$OUT_DIR/zoo.rs`. Cargo
/// reruns the build script when the schema file changes.
///
/// # Errors
/// If `OUT_DIR` is not set, because cargo does not run the program. If the schema file cannot be
/// read or has mistakes, or if the output cannot be written.
pub fn rust(file: impl AsRef<Path>) -> Result<(), Failure> {
    let file = file.as_ref();
    let printed = writeln!(io::stdout(), "cargo::rerun-if-changed={}", file.display());
    printed
        .map_err(|error| Failure(format!("cargo cannot watch `{}`: {error}", file.display())))?;
    let folder = env::var_os("OUT_DIR");
    let folder = folder
        .ok_or_else(|| Failure("`OUT_DIR` is not set; call this from a build script".into()))?;
    rust_in(file, folder).map(drop)
}

/// Writes the Rust code of a schema file into a folder, and returns the path of the new file.
///
/// # Errors
/// If the schema file cannot be read or has mistakes, or if the output cannot be written.
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

/// Removes control characters such as line breaks from a path, so that the path fits in a line
/// comment.
fn one_line(path: &str) -> String {
    path.chars().filter(|character| !character.is_control()).collect()
}
