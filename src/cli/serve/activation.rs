//! The listening socket that another program passes to this one, such as systemd (socket
//! activation).

use std::net::TcpListener;

use listenfd::ListenFd;

use crate::cli::Failure;

/// Returns the socket that the variables `LISTEN_FDS` and `LISTEN_PID` announce, if any.
pub(super) fn listener() -> Result<Option<TcpListener>, Failure> {
    let mut passed = ListenFd::from_env();
    if passed.len() > 1 {
        return Err(Failure(format!(
            "error: {} sockets were passed to the program, but it takes one; leave one \
             `ListenStream` in the socket unit",
            passed.len()
        )));
    }
    passed.take_tcp_listener(0).map_err(|error| {
        Failure(format!("error: the socket that was passed to the program is not usable: {error}"))
    })
}
