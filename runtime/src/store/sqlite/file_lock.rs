//! The lock for replacing a database file: no other process has the database open.
//!
//! Every connection to a database in WAL mode holds a lock on its file while it is open. In other
//! modes every transaction does. An exclusive lock on the whole file excludes all of them, whatever
//! the file contains.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

/// The lock on a file, until this is dropped. The process that takes it must not have the database
/// open: its own locks would not be seen, and would be lost.
pub(super) struct FileLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

/// Why a file is not locked.
pub(super) enum LockError {
    /// The program that has the file open.
    InUse(String),
    System(io::Error),
}

impl FileLock {
    /// Takes the lock. The error names the program that has the file open.
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

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// The holder of a lock on a file, as far as the system knows it.
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
