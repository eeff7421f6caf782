//! [`SessionFolder`]: sessions in files, one file each. A thread writes the files, so that no
//! worker waits for the disk.
//!
//! A file is named after the digest of the secret, so no text of a client becomes a path. It is
//! written under another name, synced and renamed: after a crash it is whole or not there. The time
//! of its last change is the last use of the session. Files that others have made are no sessions
//! ([`session_file`](super::session_file)).

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use tokio::sync::{mpsc, oneshot};

use crate::{
    base::{
        error::{Error, text},
        grant_secret::SecretDigest,
        limits,
    },
    model::value::seconds_now,
    plan::grant::Grant,
    store::{
        session_file::{SessionFileKey, name_of, time},
        sqlite::secret,
    },
};

/// The ending of a file that is being written.
const NEW: &str = "new";

/// The name of the file that a process locks while it uses the folder.
const LOCK: &str = "lock";

/// The bits of the mode of a folder with which its group or others can write into it.
#[cfg(unix)]
const OTHERS_WRITE: u32 = 0o022;

/// The value of `Retry-After`, in seconds, while the disk is slower than sessions begin.
const RETRY_SECONDS: u16 = 2;

/// A folder for the files of sessions, beside a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionFolder {
    path: PathBuf,
    database: PathBuf,
}

/// The open folder. No other process can open it until this is dropped.
pub(super) struct SessionFiles {
    key: SessionFileKey,
    work: Option<mpsc::Sender<FileWork>>,
    thread: Option<JoinHandle<()>>,
}

/// A change of files that waits for the thread.
enum FileWork {
    Save { name: String, content: Vec<u8>, used_at: i64, done: oneshot::Sender<io::Result<()>> },
    Remove { names: Vec<String>, done: oneshot::Sender<io::Result<()>> },
    Touch { name: String, used_at: i64 },
}

/// The thread that writes the files.
struct FileWriter {
    folder: SessionFolder,
    /// The locked file. It is unlocked when this is dropped.
    lock: File,
}

/// A change of files that is under way.
pub(super) struct PendingFiles(oneshot::Receiver<io::Result<()>>);

impl SessionFolder {
    /// The folder beside a database file.
    pub(super) fn beside(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push(".sessions");
        Self { path: path.into(), database: database.to_owned() }
    }

    /// Opens the folder, creating it if it does not exist. Returns its sessions, too.
    pub(super) fn open(&self) -> Result<(SessionFiles, Vec<(SecretDigest, Grant)>), Error> {
        let failed = |cause: io::Error| {
            tracing::error!(target: "nouns", folder = %self.path.display(), %cause, "the sessions cannot be read");
            unavailable(cause)
        };
        let lock = self.lock().map_err(failed)?;
        let key = secret(&self.database).map_err(|cause| failed(io::Error::other(cause)))?;
        let key = SessionFileKey::new(key);
        let sessions = self.load(&key).map_err(failed)?;
        let (work, inbox) = mpsc::channel(limits::SESSION_FILES_WAITING_MAX);
        let writer = FileWriter { folder: self.clone(), lock };
        let run = move || writer.write(inbox);
        let thread = thread::Builder::new().name("nouns-sessions".into()).spawn(run);
        let thread = thread.map_err(failed)?;
        Ok((SessionFiles { key, work: Some(work), thread: Some(thread) }, sessions))
    }

    fn lock(&self) -> io::Result<File> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.check()?;
        let lock = create(&self.path.join(LOCK), false)?;
        lock.try_lock().map_err(|error| {
            let cause = io::Error::from(error);
            io::Error::new(
                cause.kind(),
                format!("another process uses the folder, and `store: database` lets several do so ({cause})"),
            )
        })?;
        Ok(lock)
    }

    /// Checks that nobody but the owner of the database can write into the folder. Somebody else
    /// could remove sessions, or keep files of ended ones and put them back.
    #[cfg(unix)]
    fn check(&self) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt as _;

        let refused = |what: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        let folder = fs::symlink_metadata(&self.path)?;
        let owners = [0, fs::metadata(&self.database)?.uid()];
        if !folder.is_dir() {
            return refused("it is no folder, or a link");
        }
        if folder.mode() & OTHERS_WRITE != 0 {
            return refused("others can write into the folder; run `chmod go-w` on it");
        }
        if !owners.contains(&folder.uid()) {
            return refused("the folder belongs to another user than the database");
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn check(&self) -> io::Result<()> {
        Ok(())
    }

    /// Reads the sessions. Removes files that were not written to their end, and expired sessions.
    fn load(&self, key: &SessionFileKey) -> io::Result<Vec<(SecretDigest, Grant)>> {
        let (mut sessions, now) = (vec![], seconds_now());
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name == LOCK {
                continue;
            }
            if path.extension().is_some_and(|ending| ending == NEW) {
                fs::remove_file(&path)?;
                continue;
            }
            match key.read(&path) {
                Some((_, grant)) if grant.expires_at.is_some_and(|end| end <= now) => {
                    fs::remove_file(&path)?;
                }
                Some(session) => sessions.push(session),
                None => {
                    tracing::warn!(target: "nouns", file = %path.display(), "the file is no session");
                }
            }
        }
        Ok(sessions)
    }
}

impl SessionFiles {
    /// Saves the file of a session.
    pub(super) fn save(&self, digest: SecretDigest, grant: &Grant) -> Result<PendingFiles, Error> {
        let content = self.key.content(digest, grant).map_err(Error::internal)?;
        let (name, used_at) = (name_of(digest), grant.used_at);
        self.put(|done| FileWork::Save { name, content, used_at, done })
    }

    /// Removes the files of sessions.
    pub(super) fn remove(&self, digests: &[SecretDigest]) -> Result<PendingFiles, Error> {
        let names = digests.iter().copied().map(name_of).collect();
        self.put(|done| FileWork::Remove { names, done })
    }

    /// Sets the last use of a session. It is not written if too many files wait.
    pub(super) fn touch(&self, digest: SecretDigest, used_at: i64) {
        let work = FileWork::Touch { name: name_of(digest), used_at };
        self.work.as_ref().map(|queue| queue.try_send(work).ok());
    }

    fn put(
        &self,
        work: impl FnOnce(oneshot::Sender<io::Result<()>>) -> FileWork,
    ) -> Result<PendingFiles, Error> {
        let (done, pending) = oneshot::channel();
        let sent = self.work.as_ref().is_some_and(|queue| queue.try_send(work(done)).is_ok());
        let busy = || Error::unavailable(text!("Too many sessions begin or end."), RETRY_SECONDS);
        sent.then_some(PendingFiles(pending)).ok_or_else(busy)
    }
}

impl Drop for SessionFiles {
    /// Waits for the thread, so that the folder can be opened again.
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            thread.join().ok();
        }
    }
}

impl PendingFiles {
    /// Waits until the files are on the disk.
    pub(super) async fn done(self) -> Result<(), Error> {
        let done = self.0.await.map_err(|_| Error::internal("the thread of sessions has ended"))?;
        done.map_err(|cause| {
            tracing::error!(target: "nouns", %cause, "a session cannot be written");
            unavailable(cause)
        })
    }
}

impl FileWriter {
    /// Writes files until nobody can send work any more.
    fn write(mut self, mut inbox: mpsc::Receiver<FileWork>) {
        while let Some(work) = inbox.blocking_recv() {
            match work {
                FileWork::Save { name, content, used_at, done } => {
                    done.send(self.save(&name, &content, used_at)).ok();
                }
                FileWork::Remove { names, done } => {
                    done.send(self.remove(&names)).ok();
                }
                FileWork::Touch { name, used_at } => {
                    let file = File::options().append(true).open(self.folder.path.join(name));
                    file.and_then(|file| file.set_modified(time(used_at))).ok();
                }
            }
        }
    }

    /// Saves a file. If somebody has removed the folder, it is created again.
    fn save(&mut self, name: &str, content: &[u8], used_at: i64) -> io::Result<()> {
        match save(&self.folder.path, name, content, used_at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.lock = self.folder.lock()?;
                save(&self.folder.path, name, content, used_at)
            }
            saved => saved,
        }
    }

    fn remove(&self, names: &[String]) -> io::Result<()> {
        let folder = &self.folder.path;
        let removed =
            names.iter().try_for_each(|name| missing_or(fs::remove_file(folder.join(name))));
        removed.and_then(|()| missing_or(sync(folder)))
    }
}

fn save(folder: &Path, name: &str, content: &[u8], used_at: i64) -> io::Result<()> {
    let new = folder.join(name).with_extension(NEW);
    let saved = create(&new, true).and_then(|mut file| {
        file.write_all(content)?;
        file.set_modified(time(used_at))?;
        file.sync_all()?;
        fs::rename(&new, folder.join(name))?;
        sync(folder)
    });
    saved.inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Ignores that a file is missing, which is to be removed.
fn missing_or(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn unavailable(cause: io::Error) -> Error {
    Error::unavailable(text!("Sessions are not available."), RETRY_SECONDS).with_source(cause)
}

/// Opens a file for writing that other users of the system cannot read.
fn create(path: &Path, truncate: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Syncs the names of a folder to the disk. Other systems than Unix have no such operation.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
