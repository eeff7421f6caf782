//! [`Transport`]: the byte stream of a connection.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use rustix::net::{RecvFlags, recv};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::{TcpStream, UnixStream},
};

#[cfg(feature = "tls")]
use super::tls::TlsStream;

/// The byte stream of a connection.
#[derive(Debug)]
pub(super) enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

/// Calls a function of the stream, whatever its kind is.
macro_rules! each {
    ($transport:expr, $stream:ident => $call:expr) => {
        match $transport {
            Transport::Tcp($stream) => $call,
            Transport::Unix($stream) => $call,
            #[cfg(feature = "tls")]
            Transport::Tls($stream) => $call,
        }
    };
}

impl Transport {
    /// The TCP connection, also below TLS. `None` for a Unix socket.
    fn tcp(&self) -> Option<&TcpStream> {
        match self {
            Self::Tcp(stream) => Some(stream),
            Self::Unix(_) => None,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => Some(stream.tcp()),
        }
    }

    /// Lets the system send each write at once. A response is sent with one write, and otherwise
    /// the system could delay it until the previous one is acknowledged.
    pub(super) fn send_at_once(&self) {
        if let Some(stream) = self.tcp()
            && let Err(error) = stream.set_nodelay(true)
        {
            tracing::debug!(target: "nouns", %error, "TCP_NODELAY could not be set");
        }
    }

    /// Sets whether closing the stream resets the connection. A Unix socket cannot do that.
    pub(super) fn reset_on_close(&self, resets: bool) -> io::Result<()> {
        let time = resets.then_some(Duration::ZERO);
        self.tcp().map_or(Ok(()), |stream| SockRef::from(stream).set_linger(time))
    }

    /// Whether the client notices that a connection did not end as it should.
    pub(super) const fn can_reset(&self) -> bool {
        !matches!(self, Self::Unix(_))
    }

    /// Waits for the first bytes, and leaves them where they are. Below TLS they are encrypted.
    pub(super) async fn peek(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let stream = match self {
            Self::Unix(stream) => stream,
            Self::Tcp(stream) => return stream.peek(bytes).await,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => return stream.tcp().peek(bytes).await,
        };
        loop {
            stream.readable().await?;
            let peek = || Ok(recv(stream, &mut *bytes, RecvFlags::PEEK)?.1);
            match stream.try_io(Interest::READABLE, peek) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// Writes as much as the system takes at once, and returns whether that was all. For the last
    /// bytes of a connection.
    pub(super) fn send_last(&mut self, bytes: &[u8]) -> bool {
        let written = match self {
            Self::Tcp(stream) => stream.try_write(bytes),
            Self::Unix(stream) => stream.try_write(bytes),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.send_last(bytes),
        };
        written.is_ok_and(|count| count == bytes.len())
    }

    /// Reads bytes that nobody needs. Below TLS they are not decrypted.
    pub(super) fn poll_discard(
        &mut self,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, bytes),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.poll_discard(context, bytes),
        }
    }

    /// The number of bytes that the system has taken since the last call, if the stream counts
    /// them: TLS takes bytes before the system does. `taken` is the number of bytes that the stream
    /// has taken in this time.
    pub(super) fn sent(&mut self, taken: usize) -> usize {
        match self {
            Self::Tcp(_) | Self::Unix(_) => taken,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.sent(),
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        each!(self.get_mut(), stream => Pin::new(stream).poll_read(context, bytes))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        each!(self.get_mut(), stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        each!(self.get_mut(), stream => Pin::new(stream).poll_write_vectored(context, buffers))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self.get_mut(), stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self.get_mut(), stream => Pin::new(stream).poll_shutdown(context))
    }
}
