//! Writes files that do not exist yet.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use super::Failure;

/// Writes a file that does not exist yet.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let created = fs::File::create_new(path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        let shown = path.display();
        Failure(match error.kind() {
            io::ErrorKind::AlreadyExists => format!("error: `{shown}` exists, and is not replaced"),
            _ => format!("error: `{shown}` cannot be written: {error}"),
        })
    })
}
