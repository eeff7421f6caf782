//! What the threads of a server take over from it.

use std::iter;

use super::{
    Server,
    listen::{ListenAddress, Listeners, SocketFile},
    security::Security,
    worker::WorkerListener,
};

/// The address of a server, the listeners of each worker, the files of Unix sockets, and the admin
/// listener.
pub(super) type ServerParts =
    (ListenAddress, Vec<Vec<WorkerListener>>, Vec<SocketFile>, Option<Listeners>);

impl Server {
    /// The address, the listeners of each worker, the files of Unix sockets, and the admin
    /// listener.
    pub(super) fn into_parts(self) -> ServerParts {
        let address = self.listeners.address.clone();
        let mut workers: Vec<_> = (0..self.workers.get()).map(|_| vec![]).collect();
        let mut files = vec![];
        let secure = address.tcp().filter(|_| self.security.is_encrypted());
        let of_plain = secure.map_or(Security::Nothing, |one| Security::Elsewhere(one.port()));
        let plain = self.plain.map(|plain| (plain, of_plain));
        for (listeners, security) in iter::once((self.listeners, self.security)).chain(plain) {
            let is_loopback = listeners.address.is_loopback();
            files.extend(listeners.file);
            for (worker, socket) in workers.iter_mut().zip(listeners.sockets) {
                let (security, is_inherited) = (security.clone(), self.is_inherited);
                worker.push(WorkerListener { socket, security, is_inherited, is_loopback });
            }
        }
        (address, workers, files, self.admin)
    }
}
