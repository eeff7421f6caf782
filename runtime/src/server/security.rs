//! [`Security`]: what protects the connections of a listener.

#[cfg(feature = "tls")]
use super::tls::Tls;

/// The protection of the connections of a listener.
#[derive(Clone, Debug)]
pub(super) enum Security {
    /// Nothing, or something in front of the server.
    Nothing,
    /// Nothing, but another listener has TLS, on this port.
    Elsewhere(u16),
    #[cfg(feature = "tls")]
    Tls(Tls),
}

impl Security {
    /// The same for another worker.
    pub(super) fn apart(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Elsewhere(port) => Self::Elsewhere(*port),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => Self::Tls(tls.apart()),
        }
    }

    /// Whether connections begin with a handshake.
    pub(super) const fn is_encrypted(&self) -> bool {
        !matches!(self, Self::Nothing | Self::Elsewhere(_))
    }
}
