//! Listening sockets. One server binds several sockets to a port, but two servers cannot share a
//! port.

use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    num::NonZero,
};

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::base::limits;

/// The maximum number of connections that wait to be accepted, for each socket. The system may set
/// a lower limit.
const BACKLOG: i32 = 1024;

/// The number of open files that are no connections: databases, listeners, exports.
const FILES_OTHER: usize = 1024;

/// Resolves a text such as `host:port` to an address.
///
/// # Errors
/// If the text does not have this form, or the host has no address.
pub fn resolve(listen: &str) -> io::Result<SocketAddr> {
    let mut addresses = listen.to_socket_addrs()?;
    addresses
        .next()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
}

/// Whether only programs on the same machine can reach an address.
pub(super) fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// Binds one listener for each worker. The operating system distributes the connections among the
/// listeners, so the workers share no lock.
pub(super) fn bind(address: SocketAddr, workers: NonZero<usize>) -> io::Result<Vec<TcpListener>> {
    // With `SO_REUSEPORT`, a second server could bind the same port without an error. Binding a
    // socket without this option first detects that.
    drop(socket(address, false)?);
    let first = socket(address, true)?;
    let bound = first.local_addr()?;
    let mut listeners = vec![first];
    while listeners.len() < workers.get() {
        listeners.push(socket(bound, true)?);
    }
    Ok(listeners)
}

/// Lets each worker accept from the same listener.
pub(super) fn share(
    listener: TcpListener,
    workers: NonZero<usize>,
) -> io::Result<Vec<TcpListener>> {
    listener.set_nonblocking(true)?;
    #[cfg(target_os = "linux")]
    SockRef::from(&listener).set_tcp_notsent_lowat(limits::UNSENT_BYTES_MAX)?;
    let others = (1..workers.get()).map(|_| listener.try_clone());
    let mut listeners = others.collect::<io::Result<Vec<_>>>()?;
    listeners.push(listener);
    Ok(listeners)
}

/// Accepts the connections that wait at a listener which is about to be closed. The system would
/// reset them. At most as many are accepted as can wait, so that a flood of them does not delay the
/// end.
pub(super) fn waiting(listener: &TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    let accept = |_| match listener.accept() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        accepted => Some(accepted),
    };
    (0..=BACKLOG).map_while(accept).flatten().filter(|(stream, _)| {
        // A blocking stream would block the worker.
        stream.set_nonblocking(true).is_ok()
    })
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
