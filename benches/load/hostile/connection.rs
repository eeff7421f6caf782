//! A connection of a client that reads complete responses, with a timeout.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use socket2::SockRef;

use crate::client::{status, whole_length};

/// How long the client waits for a response: longer than any limit of the server.
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

    /// Sends bytes as they are.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Sends what the system accepts now, and returns how much that was.
    pub(super) fn send_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set_nonblocking(true)?;
        let sent = self.0.write(bytes);
        self.0.set_nonblocking(false)?;
        sent
    }

    /// Whether the server has closed the connection, with a reset or before anything unread.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.0.take_error(), Ok(Some(_)) | Err(_))
    }

    /// Reads what has arrived, up to the length of the buffer, and waits no longer than `patience`.
    pub(super) fn read_some(&mut self, buffer: &mut [u8], patience: Duration) -> io::Result<usize> {
        self.0.set_read_timeout(Some(patience))?;
        self.0.read(buffer)
    }

    /// Sends a request and reads its response; the status and the complete response.
    pub(super) fn ask(&mut self, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        self.send(request)?;
        self.receive()
    }

    pub(super) fn receive(&mut self) -> io::Result<(u16, Vec<u8>)> {
        let mut response = vec![];
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = self.0.read(&mut buffer)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            response.extend_from_slice(&buffer[..read]);
            if whole_length(&response).is_some_and(|length| response.len() >= length) {
                return Ok((status(&response), response));
            }
        }
    }

    /// Closes it with a reset, as a process does that ends with unread bytes.
    pub(super) fn reset(self) -> io::Result<()> {
        SockRef::from(&self.0).set_linger(Some(Duration::ZERO))
    }
}
