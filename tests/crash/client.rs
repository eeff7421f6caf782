//! An HTTP client whose server may crash at any time. The client treats an incomplete response as
//! an I/O error.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// A request to the server under test.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) body: Option<Value>,
}

/// The parts of a response that the tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) tag: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Value,
}

/// A keep-alive connection to the server.
pub(crate) struct Client(BufReader<TcpStream>);

impl Answer {
    /// Returns the number in the entity tag of the response, which hides a revision: the digits
    /// before its first `-`. `None` if there is no tag.
    pub(crate) fn number(&self) -> Option<u64> {
        self.tag.as_deref()?.trim_matches('"').split('-').next()?.parse().ok()
    }
}

impl Request {
    pub(crate) fn new(method: &'static str, target: String, body: Option<Value>) -> Self {
        let fields = body.iter().map(|_| ("content-type", "application/json".to_owned())).collect();
        Self { method, target, fields, body }
    }

    /// Sets a header field, and removes an earlier value of this field.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.fields.retain(|(earlier, _)| *earlier != name);
        self.fields.push((name, value));
        self
    }
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a request and reads its whole response. It is an error if the connection ends earlier.
    pub(crate) fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        let body = request.body.as_ref().map(Value::to_string).unwrap_or_default();
        let mut head =
            format!("{} {} HTTP/1.1\r\nhost: localhost\r\n", request.method, request.target);
        for (name, value) in &request.fields {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        self.0.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<Answer> {
        let line = self.line()?;
        let status = line
            .get(9..12)
            .and_then(|digits| digits.parse().ok())
            .ok_or(io::ErrorKind::InvalidData)?;
        let mut answer = Answer { status, tag: None, retry_after: None, body: Value::Null };
        let mut length = 0;
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => {
                    length = value.parse().map_err(|_| io::ErrorKind::InvalidData)?;
                }
                "etag" => answer.tag = Some(value.to_owned()),
                "retry-after" => answer.retry_after = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        answer.body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(answer)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let whole = line.strip_suffix("\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(whole.to_owned())
    }
}
