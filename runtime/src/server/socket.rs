//! The socket of a connection: it records the progress of writing, and how it must be closed.
//!
//! If the length of a content was not announced, the client takes the end of the connection for its
//! end (RFC 9112 §6.3), as in HTTP/1.0. So before such a content its socket is set to be reset on
//! close, whatever closes it. The setting is undone when the content is complete.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::net::TcpStream;

use super::deadlines::Deadlines;

/// The bytes that a connection writes before the others of its worker get their turn. The system
/// copies them in less than a tenth of a millisecond.
const TURN_BYTES_MAX: usize = 128 * 1024;

/// The least that a write counts for. It limits how many pipelined responses a turn has, however
/// short they are.
const TURN_BYTES_MIN: usize = TURN_BYTES_MAX / 64;

/// The number of buffers that are written at once where not all bytes are.
const BUFFERS_MAX: usize = 16;

/// The socket of a connection.
#[derive(Debug)]
pub(super) struct Socket {
    io: TokioIo<TcpStream>,
    deadlines: Deadlines,
    /// The bytes written in this turn.
    turn_bytes: usize,
    /// Whether a write waits for the client.
    is_waiting: bool,
    /// Whether the socket is reset when it is closed.
    is_resetting: bool,
    /// Whether everything is written.
    is_ended: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, deadlines: Deadlines) -> Self {
        let io = TokioIo::new(stream);
        Self {
            io,
            deadlines,
            turn_bytes: 0,
            is_waiting: false,
            is_resetting: false,
            is_ended: false,
        }
    }

    /// Writes at most the rest of a turn. When nothing is left, the connection yields to the others
    /// of its worker.
    fn write_in_turn(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(
            Pin<&mut TokioIo<TcpStream>>,
            &mut Context<'_>,
            usize,
        ) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let left = TURN_BYTES_MAX.saturating_sub(self.turn_bytes);
        if left == 0 {
            self.turn_bytes = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.prepare();
        let written = write(Pin::new(&mut self.io), context, left);
        match &written {
            Poll::Ready(Ok(bytes)) => self.turn_bytes += bytes.max(&TURN_BYTES_MIN),
            _ => self.turn_bytes = 0,
        }
        self.note(&written);
        written
    }

    /// Sets the socket to be reset before the first byte of a content of unannounced length is
    /// written.
    fn prepare(&mut self) {
        if !self.is_resetting && self.deadlines.progress().is_unannounced() {
            self.reset_on_close();
        }
    }

    fn reset_on_close(&mut self) {
        match self.io.inner().set_zero_linger() {
            Ok(()) => self.is_resetting = true,
            Err(error) => tracing::debug!(target: "nouns", %error, "SO_LINGER"),
        }
    }

    fn note(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending if !self.is_waiting => {
                self.is_waiting = true;
                self.deadlines.progress().wait();
            }
            Poll::Ready(Ok(bytes)) if self.is_waiting => self.deadlines.progress().add(*bytes),
            _ => {}
        }
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        if read.is_pending() {
            self.turn_bytes = 0;
        }
        read
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(context, |io, context, left| {
            io.poll_write(context, &bytes[..bytes.len().min(left)])
        })
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(context, |io, context, left| {
            if buffers.iter().map(|buffer| buffer.len()).sum::<usize>() <= left {
                return io.poll_write_vectored(context, buffers);
            }
            let mut first = [IoSlice::new(&[]); BUFFERS_MAX];
            let count = first_bytes(buffers, left, &mut first);
            io.poll_write_vectored(context, &first[..count])
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// hyper flushes when it has written all that it holds. The turn does not end here: another
    /// pipelined response may follow.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_waiting {
            self.is_waiting = false;
            self.deadlines.progress().end();
        }
        Pin::new(&mut self.io).poll_flush(context)
    }

    /// hyper shuts a connection down only if its content is complete, never if it was cut off.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_resetting {
            SockRef::from(self.io.inner()).set_linger(None)?;
            self.is_resetting = false;
        }
        self.is_ended = true;
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

/// Fills a list with the first bytes of buffers, and returns its length.
fn first_bytes<'b>(buffers: &'b [IoSlice<'_>], mut left: usize, to: &mut [IoSlice<'b>]) -> usize {
    let mut count = 0;
    for (buffer, to) in buffers.iter().zip(to) {
        let bytes = &buffer[..buffer.len().min(left)];
        *to = IoSlice::new(bytes);
        (left, count) = (left - bytes.len(), count + 1);
        if left == 0 {
            break;
        }
    }
    count
}

impl Drop for Socket {
    fn drop(&mut self) {
        let progress = self.deadlines.progress();
        if progress.is_stalled() || progress.is_unannounced() && !self.is_ended {
            self.reset_on_close();
        }
    }
}

#[cfg(test)]
mod tests;
