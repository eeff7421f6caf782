//! [`Watch`]: notices when the schema file changes.
//!
//! The file is looked at several times a second. So it does not matter how an editor writes it: in
//! place, or as a new file with the name of the old one. Every file system can be watched, too.

use std::{
    fs, future,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The time between two looks at the file. A change is noticed once the file stays the same for
/// this time, since an editor may write it in parts.
const INTERVAL: Duration = Duration::from_millis(100);

/// A file that is watched, or none.
pub(super) struct Watch(Option<WatchedFile>);

struct WatchedFile {
    path: PathBuf,
    /// The stamp of the file at the last look.
    stamp: Option<Stamp>,
    /// Whether the stamp differs from the one of `content`.
    is_pending: bool,
    /// The content that was noticed last. `None` if the file could not be read.
    content: Option<Vec<u8>>,
}

/// What changes when a file is written.
#[derive(Clone, Copy, PartialEq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            modified: metadata.modified().ok(),
            bytes: metadata.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&metadata),
        })
    }
}

/// The maximum number of bytes of a file that is watched. No schema is as large.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads a file. `None` if it is no regular file, which a read could wait for, or too large.
fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::metadata(path).ok()?;
    let may_be_read = metadata.is_file() && metadata.len() <= FILE_BYTES_MAX;
    may_be_read.then(|| fs::read(path).ok()).flatten()
}

impl Watch {
    /// Watches a file as it is now, or nothing.
    pub(super) fn of(path: Option<&Path>) -> Self {
        Self(path.map(|path| WatchedFile {
            path: path.to_owned(),
            stamp: Stamp::of(path),
            is_pending: false,
            content: read(path),
        }))
    }

    /// Waits until the content of the file has changed. Without a file, it waits forever.
    pub(super) async fn changed(&mut self) {
        let Some(file) = &mut self.0 else { return future::pending().await };
        loop {
            tokio::time::sleep(INTERVAL).await;
            if file.look() {
                return;
            }
        }
    }
}

impl WatchedFile {
    /// Looks at the file. Returns true if it has another content than before, and was not written
    /// since the last look.
    fn look(&mut self) -> bool {
        let stamp = Stamp::of(&self.path);
        if stamp != self.stamp {
            (self.stamp, self.is_pending) = (stamp, true);
            return false;
        }
        if !self.is_pending {
            return false;
        }
        self.is_pending = false;
        let content = read(&self.path);
        let is_other = content != self.content;
        self.content = content;
        is_other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_a_usual_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), None, "a folder");
        let path = folder.path().join("zoo.yaml");
        fs::write(&path, "one").unwrap();
        assert_eq!(read(&path).as_deref(), Some(&b"one"[..]));
        fs::File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        assert_eq!(read(&path), None);
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(read(&socket), None);
    }

    #[test]
    fn a_change_is_noticed_once_however_the_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zoo.yaml");
        fs::write(&path, "one").unwrap();
        let mut file = Watch::of(Some(&path)).0.unwrap();
        assert!(!file.look());
        // An editor writes in place, in two parts.
        fs::write(&path, "").unwrap();
        assert!(!file.look());
        fs::write(&path, "three").unwrap();
        assert!(!file.look(), "the file has just changed");
        assert!(file.look());
        assert!(!file.look(), "a change is noticed once");
        // Another renames a new file.
        let new = folder.path().join("new");
        fs::write(&new, "thref").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(!file.look());
        assert!(file.look());
        // The same content is no change.
        fs::write(&new, "thref").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(!file.look() && !file.look() && !file.look());
        fs::remove_file(&path).unwrap();
        assert!(!file.look());
        assert!(file.look(), "a removed file is a change");
        fs::write(&path, "thref").unwrap();
        assert!(!file.look());
        assert!(file.look());
    }
}
