//! [`SocketFile`]: the file of a Unix socket.

use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use socket2::{Domain, SockAddr, Socket, Type};

/// The permissions of the file: its owner and its group may connect. The directory can restrict it
/// further.
const MODE: u32 = 0o660;

/// The time in which another server that starts there has bound its socket.
const LOCK_TIME_MAX: Duration = Duration::from_secs(2);

/// The pause until the lock is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The file of a Unix socket. It is removed when this value is dropped, unless another file has its
/// name by then.
#[derive(Debug)]
pub(in crate::server) struct SocketFile {
    path: PathBuf,
    identity: FileIdentity,
}

/// The properties that tell whether another file has the name now. The time is that of its
/// creation: nobody writes to the file of a socket, and its number may be that of an earlier file.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    number: u64,
    modified: (i64, i64),
}

impl SocketFile {
    /// Creates the file and listens there. A file that a server has left behind is replaced, if
    /// nobody listens there.
    pub(super) fn bind(path: &Path, backlog: i32) -> io::Result<(UnixListener, Self)> {
        // Two servers that start at the same time must not both remove the file.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new(".")))?;
        lock(&folder)?;
        remove_stale(path)?;
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.bind(&SockAddr::unix(path)?)?;
        let file = Self { path: path.to_owned(), identity: FileIdentity::of(path)? };
        // Nobody can connect before `listen`.
        fs::set_permissions(path, Permissions::from_mode(MODE))?;
        socket.listen(backlog)?;
        Ok((socket.into(), file))
    }
}

/// Locks a directory. Another program may hold the lock for as long as it likes.
fn lock(folder: &File) -> io::Result<()> {
    let until = Instant::now() + LOCK_TIME_MAX;
    loop {
        match flock(folder, FlockOperation::NonBlockingLockExclusive) {
            Err(error) if error == Errno::WOULDBLOCK && Instant::now() < until => {
                thread::sleep(LOCK_PAUSE);
            }
            Err(Errno::WOULDBLOCK) => {
                return Err(io::Error::other("another program has locked its directory"));
            }
            locked => return Ok(locked?),
        }
    }
}

/// Removes the file of a socket where nobody listens.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is no socket"));
    }
    let client = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // Otherwise this would wait for a server that does not accept.
    client.set_nonblocking(true)?;
    match client.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Err(io::ErrorKind::AddrInUse.into()),
    }
}

impl FileIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let modified = (found.mtime(), found.mtime_nsec());
        Ok(Self { device: found.dev(), number: found.ino(), modified })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if FileIdentity::of(&self.path).is_ok_and(|found| found == self.identity) {
            fs::remove_file(&self.path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_if_nobody_listens_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nouns.sock");
        let bind = || SocketFile::bind(&path, 8);
        let (listener, file) = bind().unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        assert_eq!(bind().unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        // A server that was killed leaves its file behind.
        std::mem::forget(file);
        let (_listener, file) = bind().unwrap();
        std::os::unix::net::UnixStream::connect(&path).unwrap();
        drop(file);
        assert!(!path.exists(), "the file is removed");
        fs::write(&path, "text").unwrap();
        assert_eq!(bind().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn the_file_of_another_server_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nouns.sock");
        let (_listener, file) = SocketFile::bind(&path, 8).unwrap();
        fs::remove_file(&path).unwrap();
        let _other = SocketFile::bind(&path, 8).unwrap();
        drop(file);
        assert!(path.exists());
    }
}
