//! [`CurrentService`]: the service of a worker, which another one may replace while connections are
//! open.
//!
//! A connection takes the service for each request. So after a reload, no connection has to end,
//! and a request that is in progress keeps the service that it began with.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use super::host_rule::HostRule;
use crate::service::Service;

/// The service of a worker. Its connections share it.
#[derive(Debug)]
pub(super) struct CurrentService(ArcSwap<PreparedService>);

/// A service, and what its model needs to know of a connection.
#[derive(Debug)]
pub(super) struct PreparedService {
    pub(super) service: Service,
    /// Whether the peer may be a trusted proxy, so that the head of a request names the client.
    pub(super) has_proxies: bool,
    /// Whether the peer of a Unix socket is a trusted proxy.
    pub(super) trusts_unix: bool,
    /// Whether accounts, user code or a list of proxies need the address of the peer.
    pub(super) needs_address: bool,
    /// Whether the schema file is watched, so that pages show its mistakes to local readers.
    pub(super) is_watched: bool,
    /// The hosts that are served on a loopback address.
    pub(super) local_hosts: HostRule,
}

impl CurrentService {
    pub(super) fn new(service: Service) -> Self {
        Self(ArcSwap::from_pointee(PreparedService::new(service)))
    }

    /// Replaces the service. Later requests get the new one.
    pub(super) fn replace(&self, service: Service) {
        self.0.store(Arc::new(PreparedService::new(service)));
    }

    /// The service for a request that begins now.
    #[inline]
    pub(super) fn get(&self) -> Guard<Arc<PreparedService>> {
        self.0.load()
    }
}

impl PreparedService {
    fn new(service: Service) -> Self {
        let model = service.store().model();
        let has_proxies = !model.proxies.is_empty();
        let needs_address = has_proxies
            || model.has_code()
            || model.accounts.is_some()
            || model.api.server.rate_limit.client.is_some();
        let (trusts_unix, local_hosts) = (model.proxies.trusts_unix(), HostRule::of(&service));
        let is_watched = model.watch.is_watched();
        Self { service, has_proxies, trusts_unix, needs_address, is_watched, local_hosts }
    }
}
