//! The right to put another file in the place of a database: nobody else has it open.
//!
//! Every connection to a database with a write-ahead log holds a lock on its file as long as it is
//! open, and so does every transaction on one without. A lock on all of the file is had by nobody
//! beside them, whatever the file holds.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

/// The lock on a file, until this is dropped. The process that takes it must not have the database
/// open: its own locks would not be seen, and be lost.
pub(super) struct FileLock(#[expect(dead_code, reason = "it is what is held")] File);

/// Why a file is not locked.
pub(super) enum LockError {
    /// By whom it is in use.
    InUse(String),
    System(io::Error),
}

impl FileLock {
    /// Takes it, or says who has the file open.
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

/// Elsewhere a file that is open cannot be replaced.
#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// Who holds a lock on a file, as far as the system says.
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
