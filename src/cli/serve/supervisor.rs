//! [`Supervisor`]: the program that has started this one, such as systemd, and wants to know its
//! state (`sd_notify`).

use std::{env, io, os::unix::net::UnixDatagram, path::Path};

use rustix::time::{ClockId, clock_gettime};

/// The socket on which a supervisor reads the state of this program, if there is one.
#[derive(Debug)]
pub(super) struct Supervisor(Option<UnixDatagram>);

impl Supervisor {
    /// The supervisor that the environment variable `NOTIFY_SOCKET` names.
    pub(super) fn of_environment() -> Self {
        let Some(address) = env::var_os("NOTIFY_SOCKET") else { return Self(None) };
        let connected = connect(Path::new(&address)).inspect_err(|error| {
            tracing::warn!(target: "nouns", %error, "the supervisor cannot be told that the server is ready");
        });
        Self(connected.ok())
    }

    /// Says that the server is ready, for the first time or after a reload.
    pub(super) fn ready(&self) {
        self.send("READY=1");
    }

    /// Says that a reload begins. It ends with [`ready`](Self::ready).
    pub(super) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
    }

    /// Says that the server is stopping.
    pub(super) fn stopping(&self) {
        self.send("STOPPING=1");
    }

    fn send(&self, state: &str) {
        let Some(socket) = &self.0 else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::debug!(target: "nouns", %error, state, "the supervisor was not told");
        }
    }
}

/// Connects to a socket. A name that begins with `@` is not in the file system, on Linux.
fn connect(address: &Path) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = address.as_os_str().as_encoded_bytes().strip_prefix(b"@") {
        use std::os::{linux::net::SocketAddrExt as _, unix::net::SocketAddr};
        socket.connect_addr(&SocketAddr::from_abstract_name(name)?)?;
        return Ok(socket);
    }
    socket.connect(address)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supervisor_reads_the_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let reader = UnixDatagram::bind(&path).unwrap();
        let supervisor = Supervisor(Some(connect(&path).unwrap()));
        supervisor.ready();
        supervisor.reloading();
        supervisor.stopping();
        let mut bytes = [0; 100];
        let mut read = || {
            let count = reader.recv(&mut bytes).unwrap();
            String::from_utf8(bytes[..count].to_vec()).unwrap()
        };
        assert_eq!(read(), "READY=1");
        assert!(read().starts_with("RELOADING=1\nMONOTONIC_USEC="));
        assert_eq!(read(), "STOPPING=1");
    }
}
