//! Listening sockets. One server binds several sockets to a port, but two servers cannot share a
//! port.

mod address;
mod socket_file;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    num::NonZero,
    os::{fd::OwnedFd, unix::net::UnixListener},
    path::Path,
};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpStream, UnixStream};

pub use self::address::ListenAddress;
pub(super) use self::socket_file::SocketFile;
use super::transport::Transport;
use crate::base::limits;

/// The maximum number of connections that wait to be accepted, for each socket. The system may set
/// a lower limit.
const BACKLOG: i32 = 1024;

/// The number of open files that are no connections: databases, listeners, exports.
const FILES_OTHER: usize = 1024;

/// Listening sockets of one address, one for each worker.
#[derive(Debug)]
pub(super) struct Listeners {
    pub(super) address: ListenAddress,
    pub(super) sockets: Vec<ListenSocket>,
    /// The file of a Unix socket, which is removed at the end.
    pub(super) file: Option<SocketFile>,
    /// Whether another program has opened the sockets, which then outlive the server.
    pub(super) is_inherited: bool,
}

/// A listening socket.
#[derive(Debug)]
pub(super) enum ListenSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A listening socket whose worker waits for connections.
pub(super) enum AcceptSocket {
    Tcp(tokio::net::TcpListener),
    Unix(tokio::net::UnixListener),
}

impl Listeners {
    /// Binds one socket for each worker. The system distributes the connections among them, so the
    /// workers share no lock. A Unix socket has only one queue, which the workers share.
    pub(super) fn bind(address: &ListenAddress, workers: NonZero<usize>) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(address) => {
                let (address, sockets) = bind_tcp(*address, workers)?;
                let sockets = sockets.into_iter().map(ListenSocket::Tcp).collect();
                Ok(Self::of(ListenAddress::Tcp(address), sockets))
            }
            ListenAddress::Unix(path) => {
                let (socket, file) = SocketFile::bind(path, BACKLOG)?;
                let sockets = ListenSocket::Unix(socket).shared(workers)?;
                Ok(Self { file: Some(file), ..Self::of(address.clone(), sockets) })
            }
        }
    }

    /// Uses a socket that another program has opened. All workers accept from it. Its file, if it
    /// has one, belongs to that program.
    pub(super) fn inherited(socket: OwnedFd, workers: NonZero<usize>) -> io::Result<Self> {
        let socket = Socket::from(socket);
        socket.set_nonblocking(true)?;
        let (address, socket) = match socket.domain()? {
            Domain::UNIX => {
                let address = socket.local_addr()?;
                let path = address.as_pathname().map(Path::to_owned);
                let no_file = || io::Error::other("a Unix socket needs a file");
                let address = ListenAddress::Unix(path.ok_or_else(no_file)?);
                (address, ListenSocket::Unix(socket.into()))
            }
            _ => {
                #[cfg(target_os = "linux")]
                socket.set_tcp_notsent_lowat(limits::UNSENT_BYTES_MAX)?;
                let socket = TcpListener::from(socket);
                (ListenAddress::Tcp(socket.local_addr()?), ListenSocket::Tcp(socket))
            }
        };
        Ok(Self { is_inherited: true, ..Self::of(address, socket.shared(workers)?) })
    }

    const fn of(address: ListenAddress, sockets: Vec<ListenSocket>) -> Self {
        Self { address, sockets, file: None, is_inherited: false }
    }
}

impl ListenSocket {
    /// The socket for each worker.
    fn shared(self, workers: NonZero<usize>) -> io::Result<Vec<Self>> {
        let clones = (1..workers.get()).map(|_| match &self {
            Self::Tcp(socket) => socket.try_clone().map(Self::Tcp),
            Self::Unix(socket) => socket.try_clone().map(Self::Unix),
        });
        let mut sockets = clones.collect::<io::Result<Vec<_>>>()?;
        sockets.push(self);
        Ok(sockets)
    }

    /// The same socket on the runtime of a worker.
    pub(super) fn into_accept(self) -> io::Result<AcceptSocket> {
        match self {
            Self::Tcp(socket) => tokio::net::TcpListener::from_std(socket).map(AcceptSocket::Tcp),
            Self::Unix(socket) => {
                tokio::net::UnixListener::from_std(socket).map(AcceptSocket::Unix)
            }
        }
    }
}

impl AcceptSocket {
    /// Waits for a connection. The peer of a Unix socket has no address.
    pub(super) async fn accept(&self) -> io::Result<(Transport, Option<SocketAddr>)> {
        match self {
            Self::Tcp(socket) => {
                let (stream, address) = socket.accept().await?;
                Ok((Transport::Tcp(stream), Some(address)))
            }
            Self::Unix(socket) => Ok((Transport::Unix(socket.accept().await?.0), None)),
        }
    }

    /// Accepts the connections that wait at a socket which is about to be closed. The system would
    /// reset them. At most as many are accepted as can wait, so that a flood of them does not delay
    /// the end. The system is asked itself, as the runtime may not know those that came last.
    pub(super) fn into_waiting(self) -> io::Result<Vec<(Transport, Option<SocketAddr>)>> {
        Ok(match self {
            Self::Tcp(socket) => {
                let socket = socket.into_std()?;
                accept_all(|| {
                    let (stream, address) = socket.accept()?;
                    // A blocking stream would block the worker.
                    stream.set_nonblocking(true)?;
                    Ok((Transport::Tcp(TcpStream::from_std(stream)?), Some(address)))
                })
            }
            Self::Unix(socket) => {
                let socket = socket.into_std()?;
                accept_all(|| {
                    let (stream, _) = socket.accept()?;
                    stream.set_nonblocking(true)?;
                    Ok((Transport::Unix(UnixStream::from_std(stream)?), None))
                })
            }
        })
    }
}

/// Accepts until no connection waits.
fn accept_all<C>(accept: impl Fn() -> io::Result<C>) -> Vec<C> {
    let accept = |_| match accept() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        accepted => Some(accepted),
    };
    (0..=BACKLOG).map_while(accept).flatten().collect()
}

fn bind_tcp(
    address: SocketAddr,
    workers: NonZero<usize>,
) -> io::Result<(SocketAddr, Vec<TcpListener>)> {
    // With `SO_REUSEPORT`, a second server could bind the same port without an error. Binding a
    // socket without this option first detects that.
    drop(socket(address, false)?);
    let first = socket(address, true)?;
    let bound = first.local_addr()?;
    let mut listeners = vec![first];
    while listeners.len() < workers.get() {
        listeners.push(socket(bound, true)?);
    }
    Ok((bound, listeners))
}

/// Lets the process have as many open files as the connections need. The usual limit of 1,024 is
/// for programs that use `select`. Returns the number of connections for which there are files, if
/// the system allows fewer: the database needs some, too.
pub(super) fn allow_open_files(connections: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut files = getrlimit(Resource::Nofile);
    let wanted = (connections + FILES_OTHER) as u64;
    let wanted = files.maximum.map_or(wanted, |most| most.min(wanted));
    if files.current.is_some_and(|current| current < wanted) {
        files.current = Some(wanted);
        if let Err(error) = setrlimit(Resource::Nofile, files) {
            tracing::debug!(target: "nouns", %error, "the limit of open files could not be raised");
        }
    }
    let Some(files) = getrlimit(Resource::Nofile).current else { return connections };
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    let most = files.saturating_sub(FILES_OTHER).max(files / 2);
    if most < connections {
        tracing::warn!(target: "nouns", most, "the system allows fewer open files than `limits.connections` needs");
    }
    connections.min(most)
}

fn socket(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    // Accepted sockets inherit this option.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(limits::UNSENT_BYTES_MAX)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
