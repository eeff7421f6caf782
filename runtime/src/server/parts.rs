//! The parts of a server that its threads take over.

use std::iter;

use super::{
    Server,
    listen::{ListenAddress, Listeners, SocketFile},
    security::Security,
    worker::WorkerListener,
};

/// The parts of a server that its threads take over.
pub(super) struct ServerParts {
    pub(super) address: ListenAddress,
    /// The address of the listeners without TLS, while the others have it.
    pub(super) plain_address: Option<ListenAddress>,
    /// The listeners of each worker.
    pub(super) workers: Vec<Vec<WorkerListener>>,
    /// The files of Unix sockets.
    pub(super) files: Vec<SocketFile>,
    pub(super) admin: Option<Listeners>,
}

impl Server {
    /// The listeners of each worker, and what else the threads take over.
    pub(super) fn into_parts(self) -> ServerParts {
        let address = self.listeners.address.clone();
        let plain_address = self.plain.as_ref().map(|plain| plain.address.clone());
        let mut workers: Vec<_> = (0..self.workers.get()).map(|_| vec![]).collect();
        let mut files = vec![];
        let secure = address.tcp().filter(|_| self.security.is_encrypted());
        let of_plain = secure.map_or(Security::Nothing, |one| Security::Elsewhere(one.port()));
        let plain = self.plain.map(|plain| (plain, of_plain));
        for (listeners, security) in iter::once((self.listeners, self.security)).chain(plain) {
            let (is_loopback, is_inherited) =
                (listeners.address.is_loopback(), listeners.is_inherited);
            files.extend(listeners.file);
            for (worker, socket) in workers.iter_mut().zip(listeners.sockets) {
                let security = security.apart();
                worker.push(WorkerListener { socket, security, is_inherited, is_loopback });
            }
        }
        ServerParts { address, plain_address, workers, files, admin: self.admin }
    }
}
