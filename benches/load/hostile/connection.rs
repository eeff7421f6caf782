//! One connection of a client that reads whole responses, with a bound on how long it waits.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use socket2::SockRef;

use crate::client::{status, whole_length};

/// How long a response is waited for: longer than any limit of the server.
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

    /// Sends bytes, whatever they are.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Sends what the system takes now, and says how much that was.
    pub(super) fn send_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set_nonblocking(true)?;
        let sent = self.0.write(bytes);
        self.0.set_nonblocking(false)?;
        sent
    }

    /// Whether the server has ended the connection with a reset, or its end stands before
    /// everything unread.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.0.take_error(), Ok(Some(_)) | Err(_))
    }

    /// Reads at most some bytes of whatever has come, and waits for so long at most.
    pub(super) fn read_some(&mut self, buffer: &mut [u8], patience: Duration) -> io::Result<usize> {
        self.0.set_read_timeout(Some(patience))?;
        self.0.read(buffer)
    }

    /// Sends a request, and reads its response; the status and all of the response.
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

    /// Ends it with a reset, as the end of a process with unread bytes does.
    pub(super) fn reset(self) -> io::Result<()> {
        SockRef::from(&self.0).set_linger(Some(Duration::ZERO))
    }
}
