//! [`ListenAddress`]: where a server listens.

use std::{
    fmt, io,
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    str::FromStr,
};

/// The beginning of an address that names a Unix socket.
const UNIX: &str = "unix:";

/// The address that a server listens on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The file of a Unix socket.
    Unix(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = io::Error;

    /// Resolves a text such as `host:port` or `unix:/run/nouns.sock` to an address.
    ///
    /// # Errors
    /// If the text does not have this form, or the host has no address.
    fn from_str(listen: &str) -> io::Result<Self> {
        if let Some(path) = listen.strip_prefix(UNIX) {
            let bad = || io::Error::new(io::ErrorKind::InvalidInput, "the file has no name");
            return if path.is_empty() { Err(bad()) } else { Ok(Self::Unix(path.into())) };
        }
        let first = listen.to_socket_addrs()?.next().map(Self::Tcp);
        first.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
    }
}

impl ListenAddress {
    /// The IP address and the port. `None` for a Unix socket.
    #[must_use]
    pub const fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// Whether it is an IP address that only programs on the same machine can reach.
    pub(crate) fn is_loopback(&self) -> bool {
        self.tcp().is_some_and(|address| address.ip().to_canonical().is_loopback())
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Unix(path) => write!(out, "{UNIX}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_port_or_a_file() {
        let resolve = str::parse::<ListenAddress>;
        let tcp = resolve("127.0.0.1:80").unwrap();
        assert_eq!(tcp.tcp(), Some(([127, 0, 0, 1], 80).into()));
        let unix = resolve("unix:/run/nouns.sock").unwrap();
        assert_eq!(unix, ListenAddress::Unix("/run/nouns.sock".into()));
        assert_eq!((unix.to_string(), unix.tcp()), ("unix:/run/nouns.sock".into(), None));
        for bad in ["unix:", "127.0.0.1", ":80x", "/run/nouns.sock"] {
            assert!(resolve(bad).is_err(), "{bad}");
        }
    }
}
