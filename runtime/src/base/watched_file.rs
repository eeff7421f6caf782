//! Files that are read again when they change, such as keys and certificates.

use std::{
    fs::{File, Metadata},
    io::{self, Read as _},
    path::Path,
    time::SystemTime,
};

/// The properties of a file that tell whether it has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    modified: Option<SystemTime>,
    bytes: u64,
    /// The number of the file, which changes if another file takes its name.
    number: u64,
}

impl FileState {
    /// Looks at a file.
    ///
    /// # Errors
    /// If it does not exist, or its directory cannot be read.
    pub(crate) fn of(file: &Path) -> io::Result<Self> {
        file.metadata().map(|found| Self::from(&found))
    }
}

impl From<&Metadata> for FileState {
    fn from(found: &Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(found);
        #[cfg(not(unix))]
        let number = 0;
        Self { modified: found.modified().ok(), bytes: found.len(), number }
    }
}

/// Reads a file of at most `bytes_max` bytes. The state is that of before the content was read, so
/// a change in between is noticed later.
///
/// # Errors
/// If the file cannot be read, is no file or is too large.
pub(crate) fn read(file: &Path, bytes_max: u64) -> io::Result<(Vec<u8>, FileState)> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", file.display()));
    let bad = |why: &str| {
        io::Error::new(io::ErrorKind::InvalidData, format!("`{}` {why}", file.display()))
    };
    // Opening a pipe would wait for a program that writes to it.
    if !file.metadata().map_err(named)?.is_file() {
        return Err(bad("is no file"));
    }
    let opened = File::open(file).map_err(named)?;
    let found = opened.metadata().map_err(named)?;
    let mut content = vec![];
    opened.take(bytes_max + 1).read_to_end(&mut content).map_err(named)?;
    if content.len() as u64 > bytes_max {
        return Err(bad(&format!("has more than {bytes_max} bytes")));
    }
    Ok((content, FileState::from(&found)))
}

/// The problem of a file that was reported last, so that each is logged once.
#[derive(Debug, Default)]
pub(crate) struct LastReport(Option<String>);

impl LastReport {
    /// Records that the file is good.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }

    /// Records a problem, and returns whether it is another one than before.
    pub(crate) fn is_new(&mut self, problem: String) -> bool {
        let is_new = self.0.as_ref() != Some(&problem);
        self.0 = Some(problem);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "abc").unwrap();
        assert_eq!(read(&path("file"), 3).unwrap().0, b"abc");
        assert!(read(&path("file"), 2).unwrap_err().to_string().ends_with("more than 2 bytes"));
        // A pipe without a writer would block whoever opens it.
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), mode).unwrap();
        for name in ["pipe", ""] {
            assert!(read(&path(name), 9).unwrap_err().to_string().ends_with("is no file"));
        }
    }
}
