//! [`TlsStream`]: TLS over TCP, which knows how many bytes the system has taken.

use std::{
    io::{self, IoSlice, Write as _},
    mem,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// A connection with TLS.
#[derive(Debug)]
pub(in crate::server) struct TlsStream(tokio_rustls::server::TlsStream<CountedTcp>);

/// A TCP connection that counts the bytes that are written to it.
#[derive(Debug)]
pub(super) struct CountedTcp {
    stream: TcpStream,
    /// The number of bytes since they were last asked for.
    written: usize,
}

/// Writes to a TCP connection without waiting.
struct WriteNow<'s>(&'s TcpStream);

impl CountedTcp {
    pub(super) const fn new(stream: TcpStream) -> Self {
        Self { stream, written: 0 }
    }

    pub(super) fn into_tcp(self) -> TcpStream {
        self.stream
    }

    fn count(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.written += bytes;
        }
        written
    }
}

impl TlsStream {
    pub(super) const fn new(stream: tokio_rustls::server::TlsStream<CountedTcp>) -> Self {
        Self(stream)
    }

    /// The protocol that client and server have agreed on (RFC 7301).
    pub(in crate::server) fn protocol(&self) -> Option<&[u8]> {
        self.0.get_ref().1.alpn_protocol()
    }

    /// The TCP connection below.
    pub(in crate::server) fn tcp(&self) -> &TcpStream {
        &self.0.get_ref().0.stream
    }

    /// The number of bytes that the system has taken since the last call.
    pub(in crate::server) fn sent(&mut self) -> usize {
        mem::take(&mut self.0.get_mut().0.written)
    }

    /// Writes bytes and the end of the stream as far as the system takes them at once.
    ///
    /// # Errors
    /// If the system does not take all of it.
    pub(in crate::server) fn send_last(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (CountedTcp { stream, .. }, session) = self.0.get_mut();
        session.writer().write_all(bytes)?;
        session.send_close_notify();
        while session.wants_write() {
            session.write_tls(&mut WriteNow(stream))?;
        }
        Ok(bytes.len())
    }

    /// Reads encrypted bytes that nobody needs.
    pub(in crate::server) fn poll_discard(
        &mut self,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0.get_mut().0.stream).poll_read(context, bytes)
    }
}

impl io::Write for WriteNow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for CountedTcp {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, bytes)
    }
}

impl AsyncWrite for CountedTcp {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.count(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.count(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl AsyncRead for TlsStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, bytes)
    }
}

impl AsyncWrite for TlsStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    /// Sends the end of the stream (`close_notify`), by which the client knows that nothing is
    /// missing.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
