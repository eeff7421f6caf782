//! The end of the connections of a server that stops.
//!
//! A connection ends in two stages. First each response says that it is the last one, and an idle
//! connection may still bring a request. Then idle connections are closed. If they were closed at
//! once, a request that is under way would meet a closed connection (RFC 9112 §9.3.1, §9.6).

use tokio::sync::watch;

/// The stage of the end of the connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum DrainStage {
    /// Connections stay open.
    #[default]
    Serving,
    /// A connection ends after its next response.
    LastRequest,
    /// A connection ends as soon as no request is in progress.
    Ending,
}

/// The sender of the signal that connections must end.
#[derive(Debug)]
pub(super) struct DrainSignal(watch::Sender<DrainStage>);

/// The signal that connections must end, because the server stops. Each connection has a clone
/// until it has ended.
#[derive(Clone, Debug)]
pub(super) struct Drain(watch::Receiver<DrainStage>);

impl DrainSignal {
    pub(super) fn new() -> (Self, Drain) {
        let (sender, receiver) = watch::channel(DrainStage::Serving);
        (Self(sender), Drain(receiver))
    }

    /// Makes the next response of each connection its last.
    pub(super) fn begin(&self) {
        self.0.send_replace(DrainStage::LastRequest);
    }

    /// Ends idle connections, too.
    pub(super) fn end(&self) {
        self.0.send_replace(DrainStage::Ending);
    }

    /// Waits until each connection has ended.
    pub(super) async fn ended(&self) {
        self.0.closed().await;
    }
}

impl Drain {
    /// Whether the next response is the last one of its connection. This costs a load.
    pub(super) fn has_begun(&self) -> bool {
        // This receiver waits for nothing, so it has seen the first stage only.
        self.0.has_changed().unwrap_or(true)
    }

    /// Waits until the next response is the last one.
    pub(super) async fn begun(&self) {
        self.reached(DrainStage::LastRequest).await;
    }

    /// Waits until idle connections end. By then the runtime has asked the system again for bytes
    /// that have arrived.
    pub(super) async fn ending(&self) {
        self.reached(DrainStage::Ending).await;
        tokio::task::yield_now().await;
    }

    async fn reached(&self, stage: DrainStage) {
        // An error means that the worker has ended.
        self.0.clone().wait_for(|now| *now >= stage).await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_ends_in_two_stages() {
        let (signal, drain) = DrainSignal::new();
        let late = drain.clone();
        assert!(!drain.has_begun());
        signal.begin();
        drain.begun().await;
        assert!(drain.has_begun() && late.has_begun() && drain.clone().has_begun());
        let ending = tokio::time::timeout(std::time::Duration::from_millis(20), drain.ending());
        assert!(ending.await.is_err());
        signal.end();
        drain.ending().await;
        drop((drain, late));
        signal.ended().await;
    }
}
