//! [`SessionFolder`]: sessions in files, one file each. A thread writes the files, so that no
//! worker waits for the disk.
//!
//! A file is named after the digest of the secret, so no text of a client becomes a path. It is
//! written under another name, synced and renamed: after a crash it is whole or not there. The time
//! of its last change is the last use of the session.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::{
    base::{
        error::{Error, text},
        grant_secret::SecretDigest,
        limits,
    },
    model::{GrantKind, value::seconds_now},
    plan::grant::{Grant, GrantScopes, PasswordMark},
};

/// The ending of a file that is being written.
const NEW: &str = "new";

/// The name of the file that a process locks while it uses the folder.
const LOCK: &str = "lock";

/// The value of `Retry-After`, in seconds, while the disk is slower than sessions begin.
const RETRY_SECONDS: u16 = 2;

/// The largest size of a file, in bytes. Longer ones are none of ours.
const FILE_BYTES_MAX: u64 = 16 * 1024;

/// A folder for the files of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionFolder(PathBuf);

/// The open folder. No other process can open it until this is dropped.
pub(super) struct SessionFiles {
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

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct StoredSession {
    id: String,
    account: String,
    password: String,
    persistent: bool,
    created_at: i64,
    expires_at: Option<i64>,
}

impl SessionFolder {
    /// The folder beside a database file.
    pub(super) fn beside(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push(".sessions");
        Self(path.into())
    }

    /// Opens the folder, creating it if it does not exist. Returns its sessions, too.
    pub(super) fn open(&self) -> Result<(SessionFiles, Vec<(SecretDigest, Grant)>), Error> {
        let failed = |cause: io::Error| {
            tracing::error!(target: "nouns", folder = %self.0.display(), %cause, "the sessions cannot be read");
            unavailable(cause)
        };
        let lock = self.lock().map_err(failed)?;
        let sessions = self.load().map_err(failed)?;
        let (work, inbox) = mpsc::channel(limits::SESSION_FILES_WAITING_MAX);
        let writer = FileWriter { folder: self.clone(), lock };
        let run = move || writer.write(inbox);
        let thread = thread::Builder::new().name("nouns-sessions".into()).spawn(run);
        let thread = thread.map_err(failed)?;
        Ok((SessionFiles { work: Some(work), thread: Some(thread) }, sessions))
    }

    fn lock(&self) -> io::Result<File> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let lock = create(&self.0.join(LOCK), false)?;
        lock.try_lock().map_err(|error| {
            let cause = io::Error::from(error);
            io::Error::new(
                cause.kind(),
                format!("another process uses the folder, and `store: database` lets several do so ({cause})"),
            )
        })?;
        Ok(lock)
    }

    /// Reads the sessions. Removes files that were not written to their end, and expired sessions.
    fn load(&self) -> io::Result<Vec<(SecretDigest, Grant)>> {
        let (mut sessions, now) = (vec![], seconds_now());
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name == LOCK {
                continue;
            }
            if path.extension().is_some_and(|ending| ending == NEW) {
                fs::remove_file(&path)?;
                continue;
            }
            match digest_of(name).and_then(|digest| Some((digest, read(&path)?))) {
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
        let stored = StoredSession {
            id: grant.id.clone(),
            account: grant.account.clone(),
            password: hex(&grant.password.0),
            persistent: grant.is_persistent,
            created_at: grant.created_at,
            expires_at: grant.expires_at,
        };
        let content = serde_json::to_vec(&stored).map_err(Error::internal)?;
        let (name, used_at) = (hex(&digest.0), grant.used_at);
        self.put(|done| FileWork::Save { name, content, used_at, done })
    }

    /// Removes the files of sessions.
    pub(super) fn remove(&self, digests: &[SecretDigest]) -> Result<PendingFiles, Error> {
        let names = digests.iter().map(|digest| hex(&digest.0)).collect();
        self.put(|done| FileWork::Remove { names, done })
    }

    /// Sets the last use of a session. It is not written if too many files wait.
    pub(super) fn touch(&self, digest: SecretDigest, used_at: i64) {
        let work = FileWork::Touch { name: hex(&digest.0), used_at };
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
                    let file = File::options().append(true).open(self.folder.0.join(name));
                    file.and_then(|file| file.set_modified(time(used_at))).ok();
                }
            }
        }
    }

    /// Saves a file. If somebody has removed the folder, it is created again.
    fn save(&mut self, name: &str, content: &[u8], used_at: i64) -> io::Result<()> {
        match save(&self.folder.0, name, content, used_at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.lock = self.folder.lock()?;
                save(&self.folder.0, name, content, used_at)
            }
            saved => saved,
        }
    }

    fn remove(&self, names: &[String]) -> io::Result<()> {
        let folder = &self.folder.0;
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

fn read(path: &Path) -> Option<Grant> {
    let metadata = fs::metadata(path).ok().filter(|metadata| metadata.len() <= FILE_BYTES_MAX)?;
    let stored: StoredSession = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let used_at = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Grant {
        kind: GrantKind::Session,
        id: stored.id,
        account: stored.account,
        password: PasswordMark(bytes(&stored.password)?),
        name: None,
        scopes: GrantScopes::ALL,
        is_persistent: stored.persistent,
        created_at: stored.created_at,
        expires_at: stored.expires_at,
        used_at: used_at.cast_signed(),
    })
}

fn digest_of(name: &str) -> Option<SecretDigest> {
    bytes(name).map(SecretDigest)
}

fn time(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.cast_unsigned())
}

fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses 32 bytes as [`hex`] spells them.
fn bytes(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (hex(&bytes) == text).then_some(bytes)
}
