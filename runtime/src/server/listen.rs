//! Listening sockets. One server binds several sockets to a port, but two servers cannot share a
//! port.

mod address;
mod socket_file;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    num::NonZero,
    os::unix::net::UnixListener,
};

use socket2::{Domain, Protocol, SockRef, Socket, Type};
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
                Ok(Self { address: ListenAddress::Tcp(address), sockets, file: None })
            }
            ListenAddress::Unix(path) => {
                let (socket, file) = SocketFile::bind(path, BACKLOG)?;
                let clones = (1..workers.get()).map(|_| socket.try_clone());
                let mut sockets = clones.collect::<io::Result<Vec<_>>>()?;
                sockets.push(socket);
                let sockets = sockets.into_iter().map(ListenSocket::Unix).collect();
                Ok(Self { address: address.clone(), sockets, file: Some(file) })
            }
        }
    }
}

impl Listeners {
    /// Uses a socket that another program has opened. All workers accept from it.
    pub(super) fn inherited(socket: TcpListener, workers: NonZero<usize>) -> io::Result<Self> {
        let address = ListenAddress::Tcp(socket.local_addr()?);
        socket.set_nonblocking(true)?;
        #[cfg(target_os = "linux")]
        SockRef::from(&socket).set_tcp_notsent_lowat(limits::UNSENT_BYTES_MAX)?;
        let clones = (1..workers.get()).map(|_| socket.try_clone());
        let mut sockets = clones.collect::<io::Result<Vec<_>>>()?;
        sockets.push(socket);
        let sockets = sockets.into_iter().map(ListenSocket::Tcp).collect();
        Ok(Self { address, sockets, file: None })
    }
}

impl ListenSocket {
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

/// Lets the process have as many open files as the connections need, if the system allows it. The
/// usual limit of 1,024 is for programs that use `select`.
pub(super) fn allow_open_files(connections: usize) {
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
