//! Connections of HTTP/2 (RFC 9113). They run on the library `h2`, because the HTTP/2 of hyper
//! sends content in response to HEAD, and has neither informational responses nor server push.

mod content;
mod frame_look;
mod header_blocks;
mod huffman;
mod io;
mod lifetime;
mod push;
mod stream;

use std::{pin::pin, sync::Arc};

use bytes::Bytes;
use h2::{Reason, server::Connection};
use tokio::time::{sleep, timeout};

pub(super) use self::lifetime::ConnectionUse;
use self::{
    frame_look::FrameLook,
    header_blocks::BlockFault,
    io::{Io, ReadTurn},
    lifetime::Lifetime,
    push::Pushes,
};
use super::{
    connection::ConnectionService, deadlines::Deadlines, drain::Drain,
    open_connection::OpenConnection, socket::Socket,
};
use crate::{
    base::limits::{
        CONNECTION_WINDOW_BYTES, PING_TIME, READ_AHEAD_BYTES, STREAM_SEND_BYTES_MAX,
        STREAM_WINDOW_BYTES, STREAMS_MAX,
    },
    http::request_head::HeadFault,
    model::def::{Limit, Limits, Timeout},
    service::boxed,
};

/// Serves a connection until it ends.
///
/// # Errors
/// If the client breaks the connection or the protocol, or does not read what is written to it.
pub(super) async fn serve(
    socket: Socket,
    requests: ConnectionService,
    deadlines: Deadlines,
    drain: Drain,
    open: &OpenConnection,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let of_streams = deadlines.clone();
    let turn = ReadTurn::default();
    let limits = requests.limits();
    // As long as a block is not larger than what the library accepts, all of it is known.
    let look = FrameLook::new(2 * header_list(limits));
    let in_progress = ConnectionUse::new();
    let socket = Io::new(socket, turn.clone(), look, Arc::clone(&in_progress));
    let serve = turn.each(async {
        let handshake = builder(limits).handshake(socket);
        let connection = timeout(limits.timeout(Timeout::Head), handshake).await??;
        accept(connection, requests, (in_progress, of_streams), drain, open).await?;
        Ok(())
    });
    deadlines.watch(serve).await?
}

/// The largest size of the header fields of a request.
fn header_list(limits: &Limits) -> usize {
    limits.size(Limit::HeaderBytes) + READ_AHEAD_BYTES
}

fn builder(limits: &Limits) -> h2::server::Builder {
    let header_list = header_list(limits);
    let mut builder = h2::server::Builder::new();
    builder
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(header_list).unwrap_or(u32::MAX))
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buffer_size(STREAM_SEND_BYTES_MAX);
    builder
}

/// Starts a task for each request. Ends when the connection is closed, or when the last response
/// has been sent after a GOAWAY.
async fn accept(
    mut connection: Connection<Io, Bytes>,
    requests: ConnectionService,
    (in_progress, deadlines): (Arc<ConnectionUse>, Deadlines),
    drain: Drain,
    open: &OpenConnection,
) -> Result<(), h2::Error> {
    let limits = requests.limits();
    let most = limits.get(Limit::KeepAliveRequests);
    open.speaks_http2(&in_progress, &deadlines);
    let pushes = requests.model().has_push.then(Pushes::new);
    let mut lifetime = Lifetime::new(&mut connection, Arc::clone(&in_progress), deadlines, limits);
    let mut alarm = pin!(sleep(PING_TIME.min(limits.timeout(Timeout::KeepAliveIdle))));
    let mut ends = pin!(async {
        tokio::select! {
            () = drain.begun() => {}
            () = in_progress.until_slow() => {}
        }
    });
    let (mut count, mut is_ending) = (0_u64, false);
    loop {
        tokio::select! {
            accepted = connection.accept() => {
                let Some(accepted) = accepted else { return Ok(()) };
                let (request, mut respond) = accepted?;
                if lifetime.refuses() {
                    respond.send_reset(Reason::REFUSED_STREAM);
                    continue;
                }
                let fault = in_progress.faults().take(respond.stream_id().as_u32());
                if fault == Some(BlockFault::PseudoField) {
                    respond.send_reset(Reason::PROTOCOL_ERROR);
                    continue;
                }
                let line = fault.map(|_| HeadFault::Fragment);
                count += 1;
                let place = in_progress.begin();
                if let Some(pushes) = &pushes {
                    pushes.allow(connection.max_concurrent_send_streams());
                }
                let (requests, pushes) = (requests.clone(), pushes.clone());
                // The runtime moves a task, and this one has a few kilobytes.
                let answer = || stream::answer((request, line), respond, requests, place, pushes);
                tokio::spawn(boxed(answer));
                if count == most && !is_ending {
                    is_ending = true;
                    alarm.as_mut().reset(lifetime.end(&mut connection).into());
                }
            }
            () = &mut alarm => match lifetime.look(&mut connection) {
                Some(next) => alarm.as_mut().reset(next.into()),
                None => return Ok(()),
            },
            () = &mut ends, if !is_ending => {
                is_ending = true;
                alarm.as_mut().reset(lifetime.end(&mut connection).into());
            }
        }
    }
}
