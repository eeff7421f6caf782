//! [`Security`]: what protects the connections of a listener.

#[cfg(feature = "tls")]
use super::tls::Tls;

/// What protects the connections of a listener.
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
    /// Whether connections begin with a handshake.
    pub(super) const fn is_encrypted(&self) -> bool {
        !matches!(self, Self::Nothing | Self::Elsewhere(_))
    }
}
