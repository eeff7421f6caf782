//! A client connection that reads complete responses, with a timeout.

use std::{
    io::{self, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use socket2::SockRef;

use crate::client::{self, status, whole_length};

/// The time that the client waits for a response. This is longer than any timeout of the server.
pub(super) const PATIENCE: Duration = Duration::from_secs(90);

pub(super) struct Connection(TcpStream);

impl Connection {
    pub(super) fn open(server: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    /// Sends bytes that need not be a valid request.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Sends the bytes that the socket accepts without waiting, and returns their number.
    pub(super) fn send_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set_nonblocking(true)?;
        let sent = self.0.write(bytes);
        self.0.set_nonblocking(false)?;
        sent
    }

    /// Whether the socket has an error, such as a reset by the server.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.0.take_error(), Ok(Some(_)) | Err(_))
    }

    /// Reads the bytes that have arrived, up to the length of the buffer, and returns their number.
    /// Waits at most `patience` for the first byte.
    pub(super) fn read_some(&mut self, buffer: &mut [u8], patience: Duration) -> io::Result<usize> {
        self.0.set_read_timeout(Some(patience))?;
        client::read_some(&mut self.0, buffer)
    }

    /// Sends a request and reads its response. Returns the status and the complete response.
    pub(super) fn ask(&mut self, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        self.send(request)?;
        self.receive()
    }

    pub(super) fn receive(&mut self) -> io::Result<(u16, Vec<u8>)> {
        let mut response = vec![];
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = client::read_some(&mut self.0, &mut buffer)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            response.extend_from_slice(&buffer[..read]);
            if whole_length(&response).is_some_and(|length| response.len() >= length) {
                return Ok((status(&response), response));
            }
        }
    }

    /// Closes the connection with a TCP reset, as when a process ends with unread bytes.
    pub(super) fn reset(self) -> io::Result<()> {
        SockRef::from(&self.0).set_linger(Some(Duration::ZERO))
    }
}
