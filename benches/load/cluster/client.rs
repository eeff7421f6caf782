//! An HTTP client of several nodes, each of which may end at any time.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// The time that the client waits for a response before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The parts of a response that the trials look at.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) tag: Option<String>,
    pub(super) body: Vec<u8>,
    /// Whether the node closes the connection after it.
    is_last: bool,
}

impl Response {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Whether the write of this response may or may not have been done.
    pub(super) fn is_in_doubt(&self) -> bool {
        let body = String::from_utf8_lossy(&self.body);
        self.status == 503 && (body.contains("is not known") || body.contains("is unknown"))
    }
}

/// The error for a response that nothing explains.
pub(super) fn unexpected(what: &str, response: &Response) -> io::Error {
    let body = String::from_utf8_lossy(&response.body);
    io::Error::other(format!("{what}: {} {body}", response.status))
}

/// Keep-alive connections to nodes.
#[derive(Default)]
pub(super) struct Client(HashMap<SocketAddr, BufReader<TcpStream>>);

impl Client {
    /// Sends a request and reads its whole response. It is an error if the connection ends earlier.
    pub(super) fn ask(
        &mut self,
        node: SocketAddr,
        (method, target): (&str, &str),
        fields: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Response> {
        let result = self.try_ask(node, (method, target), fields, body);
        if result.as_ref().map_or(true, |response| response.is_last) {
            self.0.remove(&node);
        }
        result
    }

    fn try_ask(
        &mut self,
        node: SocketAddr,
        (method, target): (&str, &str),
        fields: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Response> {
        let connection = match self.0.entry(node) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => new.insert(connect(node)?),
        };
        let mut request = format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n");
        for (name, value) in fields {
            request += &format!("{name}: {value}\r\n");
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            request += "content-type: application/json\r\n";
        }
        request += &format!("content-length: {}\r\n\r\n{body}", body.len());
        connection.get_mut().write_all(request.as_bytes())?;
        read(connection)
    }

    /// Sends a GET, with the tag of an earlier response if there is one.
    pub(super) fn get(
        &mut self,
        node: SocketAddr,
        target: &str,
        tag: Option<&str>,
    ) -> io::Result<Response> {
        let fields: Vec<_> = tag.map(|tag| ("if-none-match", tag)).into_iter().collect();
        self.ask(node, ("GET", target), &fields, None)
    }
}

fn connect(node: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(node)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Response> {
    let line = line(connection)?;
    let status = line.get(9..12).and_then(|digits| digits.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    let mut response = Response { status, tag: None, body: vec![], is_last: false };
    let mut length = 0;
    loop {
        let line = self::line(connection)?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| io::ErrorKind::InvalidData)?,
            "connection" => response.is_last = value == "close",
            "etag" => response.tag = Some(value.to_owned()),
            _ => {}
        }
    }
    if status != 304 {
        response.body = vec![0; length];
        connection.read_exact(&mut response.body)?;
    }
    Ok(response)
}

fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let whole = line.strip_suffix("\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(whole.to_owned())
}
