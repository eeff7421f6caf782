//! Connections of HTTP/2 (RFC 9113). They run on the library `h2`, because the HTTP/2 of hyper
//! sends content in response to HEAD, and has neither informational responses nor server push.

mod content;
mod stream;

use std::{pin::pin, time::Instant};

use bytes::Bytes;
use h2::{Reason, server::Connection};
use hyper_util::rt::TokioIo;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{connection::ConnectionService, deadlines::Deadlines, drain::Drain, socket::Socket};
use crate::{
    base::limits::{
        CONNECTION_WINDOW_BYTES, READ_AHEAD_BYTES, STREAM_SEND_BYTES_MAX, STREAM_WINDOW_BYTES,
        STREAMS_MAX,
    },
    model::def::{Limit, Limits, Timeout},
};

type Io = TokioIo<Socket>;

/// Serves a connection until it ends.
///
/// # Errors
/// If the client breaks the connection or the protocol, or does not read what is written to it.
pub(super) async fn serve(
    socket: Socket,
    requests: ConnectionService,
    deadlines: Deadlines,
    drain: Drain,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let serve = async {
        let limits = requests.limits();
        let handshake = builder(limits).handshake(TokioIo::new(socket));
        let connection = timeout(limits.timeout(Timeout::Head), handshake).await??;
        accept(connection, requests, drain).await?;
        Ok(())
    };
    deadlines.watch(serve).await?
}

fn builder(limits: &Limits) -> h2::server::Builder {
    let header_list = limits.size(Limit::HeaderBytes) + READ_AHEAD_BYTES;
    let mut builder = h2::server::Builder::new();
    builder
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(header_list).unwrap_or(u32::MAX))
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buffer_size(STREAM_SEND_BYTES_MAX);
    builder
}

/// Starts a task for each request. Ends when the client closes the connection, or when the last
/// response has been sent after a GOAWAY.
async fn accept(
    mut connection: Connection<Io, Bytes>,
    requests: ConnectionService,
    drain: Drain,
) -> Result<(), h2::Error> {
    let mut drains = pin!(drain.begun());
    let limits = requests.limits();
    let (idle, most) =
        (limits.timeout(Timeout::KeepAliveIdle), limits.get(Limit::KeepAliveRequests));
    let mut looks = interval(idle / 10);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut last_use, mut count, mut is_ending) = (Instant::now(), 0_u64, false);
    loop {
        tokio::select! {
            accepted = connection.accept() => {
                let Some(accepted) = accepted else { return Ok(()) };
                let (request, respond) = accepted?;
                last_use = Instant::now();
                count += 1;
                tokio::spawn(stream::answer(request, respond, requests.clone()));
                if count == most {
                    connection.graceful_shutdown();
                }
            }
            _ = looks.tick() => {
                if connection.has_streams() {
                    last_use = Instant::now();
                } else if last_use.elapsed() >= 2 * idle {
                    return Ok(());
                } else if last_use.elapsed() >= idle {
                    connection.abrupt_shutdown(Reason::NO_ERROR);
                }
            }
            () = &mut drains, if !is_ending => {
                is_ending = true;
                connection.graceful_shutdown();
            }
        }
    }
}
