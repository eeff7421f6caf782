//! The lock that is taken before a database file is replaced. The lock proves that no other process
//! has the database open.
//!
//! In WAL mode every connection holds a lock on the database file while it is open. In other modes
//! every transaction does. So an exclusive lock on the whole file excludes all other connections,
//! whatever the file contains.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

/// An exclusive lock on a database file, until this is dropped. The calling process must not have
/// the database open: the locks of this process would not be detected, and would be lost when the
/// file is closed.
pub(super) struct FileLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

/// The reason why a file was not locked.
pub(super) enum LockError {
    /// Another process has the file open. The text names that process.
    InUse(String),
    System(io::Error),
}

impl FileLock {
    /// Takes the lock on the file at a path. If another process has the file open, the error names
    /// that process.
    pub(super) fn take(path: &Path) -> Result<Self, LockError> {
        let file =
            OpenOptions::new().read(true).write(true).open(path).map_err(LockError::System)?;
        match lock(&file) {
            Ok(()) => Ok(Self(file)),
            Err(error) if is_held(&error) => Err(LockError::InUse(holder(&file))),
            Err(error) => Err(LockError::System(error)),
        }
    }
}

fn is_held(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::PermissionDenied)
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_lock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?)
}

/// Takes no lock: systems other than Unix do not replace an open file.
#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// Describes the process that holds a lock on a file. If the system does not tell its id, the text
/// is "another program".
fn holder(file: &File) -> String {
    #[cfg(unix)]
    {
        use rustix::process::{FlockType, fcntl_getlk};
        let held = fcntl_getlk(file, &FlockType::WriteLock.into()).ok().flatten();
        if let Some(id) = held.and_then(|lock| lock.pid) {
            let id = id.as_raw_nonzero();
            let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            return match name.trim() {
                "" => format!("process {id}"),
                name => format!("`{name}` (process {id})"),
            };
        }
    }
    let _ = file;
    "another program".into()
}
