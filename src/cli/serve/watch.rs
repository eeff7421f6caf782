//! [`Watch`]: notices when the schema file or the templates change.
//!
//! The files are looked at several times a second. So it does not matter how an editor writes them:
//! in place, or as a new file with the name of the old one. Every file system can be watched, too.

use std::{
    fs, future,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use nouns_runtime::{limits, pages::Pages};

/// The time between two looks at the files. A change is noticed once they stay the same for this
/// time, since an editor may write a file in parts.
const INTERVAL: Duration = Duration::from_millis(100);

/// The files that are watched, or none. Clones watch the same files.
#[derive(Clone)]
pub(super) struct Watch(Option<Arc<Mutex<WatchedFiles>>>);

struct WatchedFiles {
    schema: WatchedPath,
    /// The directory of templates, if there is one.
    templates: Option<WatchedPath>,
}

/// A file, or a directory with its files.
struct WatchedPath {
    path: PathBuf,
    /// The stamps at the last look.
    stamps: Vec<Stamp>,
    /// Whether the stamps differ from those of `content`.
    is_pending: bool,
    /// A hash of the content that was noticed last.
    content: u64,
}

/// The properties of a file that change when it is written.
#[derive(Clone, PartialEq)]
struct Stamp {
    path: PathBuf,
    modified: Option<SystemTime>,
    bytes: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(path: PathBuf) -> Option<Self> {
        let metadata = fs::metadata(&path).ok()?;
        Some(Self {
            path,
            modified: metadata.modified().ok(),
            bytes: metadata.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&metadata),
        })
    }
}

/// Returns the stamps of a file, or of a directory and its files.
fn stamps(path: &Path) -> Vec<Stamp> {
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let files = entries.filter(|entry| !Pages::is_left_out(&entry.file_name().to_string_lossy()));
    let mut paths: Vec<_> = files.map(|entry| entry.path()).take(limits::TEMPLATES_MAX).collect();
    paths.push(path.to_owned());
    paths.sort();
    paths.into_iter().filter_map(Stamp::of).collect()
}

/// The maximum number of bytes of a file that is watched. No schema is as large.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Returns a hash of the content of files. What is no regular file is left out, since a read of it
/// could wait, and what is too large.
fn content(stamps: &[Stamp]) -> u64 {
    let mut hash = DefaultHasher::new();
    for Stamp { path, .. } in stamps {
        let metadata = fs::metadata(path).ok();
        let may_be_read = |of: &fs::Metadata| of.is_file() && of.len() <= FILE_BYTES_MAX;
        let content = metadata.filter(may_be_read).and_then(|_| fs::read(path).ok());
        (path, content).hash(&mut hash);
    }
    hash.finish()
}

impl Watch {
    /// Watches a file as it is now, or nothing.
    pub(super) fn of(path: Option<&Path>) -> Self {
        let files =
            path.map(|path| WatchedFiles { schema: WatchedPath::of(path), templates: None });
        Self(files.map(|files| Arc::new(Mutex::new(files))))
    }

    /// Watches a directory of templates, too, as it is now if it is another than before.
    pub(super) fn follow(&self, folder: Option<&Path>) {
        let Some(files) = &self.0 else { return };
        let templates = &mut files.lock().unwrap_or_else(PoisonError::into_inner).templates;
        if templates.as_ref().map(|known| &*known.path) != folder {
            *templates = folder.map(WatchedPath::of);
        }
    }

    /// Waits until the content of the files has changed. Without files, it waits forever.
    pub(super) async fn changed(&self) {
        let Some(files) = &self.0 else { return future::pending().await };
        loop {
            tokio::time::sleep(INTERVAL).await;
            if files.lock().unwrap_or_else(PoisonError::into_inner).look() {
                return;
            }
        }
    }
}

impl WatchedFiles {
    fn look(&mut self) -> bool {
        let templates = self.templates.as_mut().is_some_and(WatchedPath::look);
        self.schema.look() || templates
    }
}

impl WatchedPath {
    fn of(path: &Path) -> Self {
        let stamps = stamps(path);
        Self { path: path.to_owned(), content: content(&stamps), stamps, is_pending: false }
    }

    /// Looks at the files. Returns true if they have another content than before, and were not
    /// written since the last look.
    fn look(&mut self) -> bool {
        let stamps = stamps(&self.path);
        if stamps != self.stamps {
            (self.stamps, self.is_pending) = (stamps, true);
            return false;
        }
        if !self.is_pending {
            return false;
        }
        self.is_pending = false;
        let content = content(&self.stamps);
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
        let path = folder.path().join("zoo.yaml");
        let of = || content(&stamps(&path));
        fs::write(&path, "one").unwrap();
        let one = of();
        fs::write(&path, "two").unwrap();
        assert_ne!(of(), one);
        fs::File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        let large = of();
        fs::File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 2).unwrap();
        assert_eq!(of(), large);
        fs::remove_file(&path).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(of(), large);
    }

    #[test]
    fn a_directory_changes_with_each_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("page.css"), "one").unwrap();
        let watch = Watch::of(Some(&file("zoo.yaml")));
        watch.follow(Some(folder.path()));
        let look = || {
            watch.follow(Some(folder.path()));
            watch.0.as_ref().unwrap().lock().unwrap().look()
        };
        assert!(!look() && !look());
        fs::write(file("page.css"), "three").unwrap();
        assert!(!look());
        assert!(look());
        fs::write(file(".home.html.swp"), "").unwrap();
        assert!(!look() && !look(), "the file of an editor is no change");
        fs::write(file("home.html"), "").unwrap();
        assert!(!look());
        assert!(look(), "a new file is a change, even an empty one");
        fs::remove_file(file("page.css")).unwrap();
        assert!(!look());
        assert!(look());
        watch.follow(None);
        fs::write(file("page.css"), "four").unwrap();
        let looks = || watch.0.as_ref().unwrap().lock().unwrap().look();
        assert!(!looks() && !looks());
    }

    #[test]
    fn a_change_is_noticed_once_however_the_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zoo.yaml");
        fs::write(&path, "one").unwrap();
        let mut file = WatchedPath::of(&path);
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
