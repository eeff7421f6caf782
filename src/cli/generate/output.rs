//! The destination of a generated text: standard output, or a file. With `--check`, the file is
//! only compared with the text.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::cli::{Failure, print};

/// The destination of the text.
#[derive(Args, Debug)]
pub(super) struct Output {
    /// The file to write if its content changes [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write nothing, and exit with 1 if the file is not up to date.
    #[arg(long, requires = "output")]
    check: bool,
}

impl Output {
    pub(super) fn deliver(self, text: &str) -> Result<(), Failure> {
        match self.output {
            None => print(text),
            Some(file) if self.check => compare(&file, text)?,
            Some(file) => write(&file, text)?,
        }
        Ok(())
    }
}

/// Returns an error if the file differs from the generated text.
fn compare(file: &Path, text: &str) -> Result<(), String> {
    let shown = file.display();
    let again = "generate it again without `--check`";
    match fs::read(file) {
        Ok(found) if found == text.as_bytes() => Ok(()),
        Ok(found) => {
            let hint = difference(&String::from_utf8_lossy(&found), text);
            Err(format!("error: `{shown}` is stale; {again}\n{hint}"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("error: `{shown}` is missing; {again}"))
        }
        Err(error) => Err(format!("error: `{shown}` cannot be read: {error}")),
    }
}

/// A text about the first line in which the file and the generated text differ.
fn difference(found: &str, wanted: &str) -> String {
    let (mut found, mut wanted) = (found.split('\n'), wanted.split('\n'));
    let mut number = 0;
    loop {
        number += 1;
        match (found.next(), wanted.next()) {
            (None, None) => return String::new(),
            (found, wanted) if found == wanted => {}
            (found, wanted) => {
                let line = |sign, line: Option<&str>| line.map(|line| format!("\n  {sign} {line}"));
                let (found, wanted) = (line('-', found), line('+', wanted));
                let (found, wanted) = (found.unwrap_or_default(), wanted.unwrap_or_default());
                return format!("  the first difference is in line {number}:{found}{wanted}");
            }
        }
    }
}

/// Writes a file atomically, unless it already has this content.
fn write(file: &Path, text: &str) -> Result<(), String> {
    if fs::read(file).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    // A symbolic link is kept; the file that it points to is replaced.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    replace(&target, text)
        .map_err(|error| format!("error: `{}` cannot be written: {error}", file.display()))
}

/// Replaces a file atomically with a new file. The new file has the same permissions.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let name = file.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
    let new = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let replaced = fs::write(&new, text).and_then(|()| {
        if let Ok(old) = fs::metadata(file) {
            fs::set_permissions(&new, old.permissions())?;
        }
        fs::rename(&new, file)
    });
    if replaced.is_err() {
        drop(fs::remove_file(&new));
    }
    replaced
}
