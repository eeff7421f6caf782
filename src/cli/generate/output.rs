//! Where a generated text goes: to standard output, into a file that it would change, or into a
//! comparison with one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::cli::{Failure, print};

/// Where the text goes.
#[derive(Args, Debug)]
pub(super) struct Output {
    /// The file to write, if that changes it; without it the text is printed.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write nothing, and end with 1 if the file is not what would be written.
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

/// Compares a file with what it should be.
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

/// The first line in which two texts differ.
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

/// Writes a file that differs, all of it or nothing.
fn write(file: &Path, text: &str) -> Result<(), String> {
    if fs::read(file).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    // A link stays one: what it leads to is replaced.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    replace(&target, text)
        .map_err(|error| format!("error: `{}` cannot be written: {error}", file.display()))
}

/// Puts a new file in the place of another, with the same permissions.
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
