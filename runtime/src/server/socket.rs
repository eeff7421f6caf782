//! The socket of a connection: it notes the progress of writing, and knows how it must be closed.
//!
//! A client takes the end of a connection for the end of a content whose length was not announced (RFC 9112 §6.3), as in
//! HTTP/1.0. So before such a content its socket is set to be reset when it is closed, however that comes about, and is set
//! back when the content has come to its end.

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

/// The socket of a connection.
#[derive(Debug)]
pub(super) struct Socket {
    io: TokioIo<TcpStream>,
    deadlines: Deadlines,
    /// Whether a write waits for the client.
    is_waiting: bool,
    /// Whether the socket is reset when it is closed.
    is_resetting: bool,
    /// Whether all that was to be written is written.
    is_ended: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, deadlines: Deadlines) -> Self {
        Self { io: TokioIo::new(stream), deadlines, is_waiting: false, is_resetting: false, is_ended: false }
    }

    /// Sets the socket to be reset before the first byte of a content of unannounced length.
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
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.prepare();
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.prepare();
        let written = Pin::new(&mut self.io).poll_write_vectored(context, buffers);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// hyper flushes when it has written all that it holds.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_waiting {
            self.is_waiting = false;
            self.deadlines.progress().end();
        }
        Pin::new(&mut self.io).poll_flush(context)
    }

    /// hyper shuts down what has come to its end, and nothing that was cut off.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_resetting {
            SockRef::from(self.io.inner()).set_linger(None)?;
            self.is_resetting = false;
        }
        self.is_ended = true;
        Pin::new(&mut self.io).poll_shutdown(context)
    }
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
