//! The socket as the library `h2` uses it. It counts the bytes.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::rt::Write as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::server::socket::Socket;

/// The socket of a connection of HTTP/2.
pub(super) struct Io(Socket);

impl Io {
    pub(super) const fn new(socket: Socket) -> Self {
        Self(socket)
    }

    fn socket(self: Pin<&mut Self>) -> Pin<&mut Socket> {
        Pin::new(&mut self.get_mut().0)
    }
}

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let socket = self.get_mut();
        ready!(socket.0.poll_read_plain(context, buffer))?;
        socket.0.traffic().add_read(buffer.filled().len() - before);
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
        self.0.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_shutdown(context)
    }
}
