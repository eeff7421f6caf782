//! Listening sockets: several on one port, but never two servers on it.

use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    num::NonZero,
};

use socket2::{Domain, Protocol, Socket, Type};

/// The connections that may wait to be accepted; the system limits it further.
const BACKLOG: i32 = 1024;

/// Resolves the address of `host:port`.
///
/// # Errors
/// If the text is no such pair, or the host has no address.
pub fn resolve(listen: &str) -> io::Result<SocketAddr> {
    let mut addresses = listen.to_socket_addrs()?;
    addresses
        .next()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
}

/// Binds one listener per worker. The system spreads connections over them without a lock between
/// the workers.
pub(super) fn bind(address: SocketAddr, workers: NonZero<usize>) -> io::Result<Vec<TcpListener>> {
    // Shared ports would let a second server start silently; a socket that does not share detects
    // it.
    drop(socket(address, false)?);
    let first = socket(address, true)?;
    let bound = first.local_addr()?;
    let mut listeners = vec![first];
    while listeners.len() < workers.get() {
        listeners.push(socket(bound, true)?);
    }
    Ok(listeners)
}

fn socket(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    // Accepted sockets inherit it.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(crate::base::limits::UNSENT_BYTES_MAX)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
