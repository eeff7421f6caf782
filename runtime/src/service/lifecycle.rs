//! The life of a service: the services that follow it, and whether its server is stopping.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{Exposure, Service, ServiceState};
use crate::{
    base::error::{Error, text},
    request::action::ActionKind,
    store::Store,
};

/// The value of `Retry-After` in seconds while the server stops. Another process may serve then.
const RETRY_SECONDS: u16 = 5;

/// Whether the server of a service is stopping. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle(Arc<AtomicBool>);

impl Service {
    /// Returns the same service with its own cache, for one worker. Only the memory for large
    /// responses and the metrics are shared, so that workers do not wait for each other.
    pub(crate) fn apart(&self) -> Self {
        self.with_store(self.0.store.clone())
    }

    /// Returns the same service with another handle of its store, such as one with another model
    /// ([`Store::with_model`]). It begins with an empty cache, of the same size.
    ///
    /// [`RunningServer::replace`](crate::server::RunningServer::replace) has an example.
    #[must_use]
    pub fn with_store(&self, store: Store) -> Self {
        let ServiceState { model, cache, memory, rates, lifecycle, metrics, exposure, .. } =
            &*self.0;
        let metrics = match Arc::ptr_eq(model, store.model()) {
            true => Arc::clone(metrics),
            false => metrics.with_model(store.model()),
        };
        let (bytes, memory) = (cache.bytes_max(), Arc::clone(memory));
        Self::of(store, bytes, memory, Arc::clone(rates), lifecycle.clone(), metrics, *exposure)
    }

    /// Returns the same service with its own cache, which serves this part of the interface.
    pub(crate) fn exposing(&self, exposure: Exposure) -> Self {
        let ServiceState { store, cache, memory, rates, lifecycle, metrics, .. } = &*self.0;
        let (bytes, memory, metrics) = (cache.bytes_max(), Arc::clone(memory), Arc::clone(metrics));
        Self::of(
            store.clone(),
            bytes,
            memory,
            Arc::clone(rates),
            lifecycle.clone(),
            metrics,
            exposure,
        )
    }

    /// Returns whether the server of this service stops.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.0.lifecycle
    }
}

impl Lifecycle {
    /// Records that the server stops.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Refuses to say that the server is ready, if it is stopping. Other requests go on.
    pub(super) fn check(&self, action: &ActionKind) -> Result<(), Error> {
        match matches!(action, ActionKind::Ready) && self.0.load(Ordering::Relaxed) {
            true => Err(Error::unavailable(text!("The server is stopping."), RETRY_SECONDS)),
            false => Ok(()),
        }
    }
}
