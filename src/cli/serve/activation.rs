//! The listening sockets that another program passes to this one, such as systemd (socket
//! activation).

use std::{io, os::fd::OwnedFd};

use listenfd::ListenFd;

use crate::cli::Failure;

/// The listening sockets that were passed to the program.
#[derive(Default)]
pub(super) struct PassedSockets {
    /// Takes the place of `--listen`.
    pub(super) listen: Option<OwnedFd>,
    /// Takes the place of `--listen-plain`.
    pub(super) listen_plain: Option<OwnedFd>,
}

impl PassedSockets {
    /// Takes the sockets that the variables `LISTEN_FDS` and `LISTEN_PID` announce, if any.
    pub(super) fn take() -> Result<Self, Failure> {
        let mut passed = ListenFd::from_env();
        if passed.len() > 2 {
            return Err(Failure(format!(
                "error: {} sockets were passed to the program, but it takes two, the second for \
                 --listen-plain; leave at most two `ListenStream` in the socket unit",
                passed.len()
            )));
        }
        let mut take = |at| {
            socket(&mut passed, at).map_err(|error| {
                Failure(format!(
                    "error: the socket that was passed to the program is not usable: {error}"
                ))
            })
        };
        Ok(Self { listen: take(0)?, listen_plain: take(1)? })
    }
}

/// A socket of TCP or of Unix.
fn socket(passed: &mut ListenFd, at: usize) -> io::Result<Option<OwnedFd>> {
    match passed.take_tcp_listener(at) {
        Ok(socket) => Ok(socket.map(OwnedFd::from)),
        Err(error) => {
            let unix = passed.take_unix_listener(at);
            unix.map(|socket| socket.map(OwnedFd::from)).map_err(|_| error)
        }
    }
}
