//! The settings of a program for its metrics and times.

use super::Api;

impl Api {
    /// Sets whether the metrics are served at `/-/metrics`. By default they are served to clients
    /// on the same machine: over a listener on a loopback address, and not through a proxy.
    pub fn metrics(mut self, served: bool) -> Self {
        self.metrics = Some(served);
        self
    }

    /// Sets whether clients may ask for `Server-Timing` by `Prefer: server-timing`. By default
    /// clients on the same machine may (see [`metrics`](Self::metrics)). The times may tell what a
    /// client must not know, such as whether a row exists that is hidden from it.
    pub fn server_timing(mut self, sent: bool) -> Self {
        self.server_timing = Some(sent);
        self
    }

    /// Sets the address of the admin listener, which [`settings`](Self::settings) then contains.
    pub fn admin_listen(mut self, address: impl Into<String>) -> Self {
        self.settings.admin_listen = Some(address.into());
        self
    }
}
