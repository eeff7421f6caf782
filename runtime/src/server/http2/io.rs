//! The socket as the library `h2` uses it. It counts the bytes, looks at the frames of the client,
//! and ends a turn of reading.

use std::{
    future::{Future, poll_fn},
    io::{self, IoSlice},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use hyper::rt::Write as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{frame_look::FrameLook, lifetime::ConnectionUse};
use crate::server::socket::Socket;

/// The number of bytes that a connection reads in one turn, before it lets other connections of the
/// worker run. They may be two thousand frames of control, which are handled in about a
/// millisecond.
const READ_TURN_BYTES_MAX: usize = 32 * 1024;

/// The number of bytes that a connection has read in this turn. A turn is one poll of the task of
/// the connection, in which the library may read many times.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadTurn(Arc<AtomicUsize>);

impl ReadTurn {
    /// Polls a connection. Each poll is a turn.
    pub(super) async fn each<C: Future>(self, connection: C) -> C::Output {
        let mut connection = pin!(connection);
        poll_fn(|context| {
            self.0.store(0, Ordering::Relaxed);
            connection.as_mut().poll(context)
        })
        .await
    }

    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= READ_TURN_BYTES_MAX
    }
}

/// The socket of a connection of HTTP/2.
pub(super) struct Io {
    socket: Socket,
    turn: ReadTurn,
    look: FrameLook,
    requests: Arc<ConnectionUse>,
}

impl Io {
    pub(super) const fn new(
        socket: Socket,
        turn: ReadTurn,
        look: FrameLook,
        requests: Arc<ConnectionUse>,
    ) -> Self {
        Self { socket, turn, look, requests }
    }

    fn socket(self: Pin<&mut Self>) -> Pin<&mut Socket> {
        Pin::new(&mut self.get_mut().socket)
    }
}

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { socket, turn, look, requests } = self.get_mut();
        if turn.is_over() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(socket.poll_read_plain(context, buffer))?;
        let (count, faults) = (buffer.filled().len() - before, requests.faults());
        if !faults.is_lost() && look.look(&buffer.filled()[before..], faults).is_err() {
            faults.lose();
        }
        turn.0.fetch_add(count, Ordering::Relaxed);
        socket.traffic().add_read(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut socket = self.socket();
        let count = ready!(socket.as_mut().poll_write(context, bytes))?;
        socket.traffic().add_written(count);
        Poll::Ready(Ok(count))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut socket = self.socket();
        let count = ready!(socket.as_mut().poll_write_vectored(context, buffers))?;
        socket.traffic().add_written(count);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_shutdown(context)
    }
}
