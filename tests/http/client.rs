//! A small HTTP/1.1 client for tests. It exposes the status line, every header field and the whole
//! body.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
};

use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// Reads once, as `read` does, but again when it was interrupted. A read with a timeout ends with
/// EINTR after a signal, and also when the process was stopped and went on (signal(7)).
pub(crate) fn read_some(mut from: impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// A keep-alive connection to a server.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A response as the client received it.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status line, such as `HTTP/1.1 200 OK`.
    pub(crate) status_line: String,
    /// The header fields in the order of the response, with names in lower case.
    pub(crate) fields: Vec<(String, String)>,
    /// The content of the response, after chunks were joined.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The status code in the status line.
    pub(crate) fn status(&self) -> u16 {
        self.status_line[9..12].parse().unwrap()
    }

    /// The value of a header field; `None` without the field. Panics if the field occurs twice.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut values =
            self.fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        assert_eq!(values.next(), None, "the response has the field `{name}` twice");
        first
    }

    /// Parses the content as JSON. From a problem document (RFC 9457), it removes the member
    /// `request_id`, after comparing it with the header field `request-id`.
    pub(crate) fn json(&self) -> Value {
        let mut json: Value = serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)));
        if self.field("content-type") == Some("application/problem+json") {
            let id = json.as_object_mut().unwrap().remove("request_id");
            assert_eq!(id.as_ref().and_then(Value::as_str), self.field("request-id"), "{self:?}");
            assert!(id.is_some(), "{self:?}");
        }
        json
    }

    /// The last segment of the type URI in a problem document (RFC 9457). Panics if its media type,
    /// language or status is wrong.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.field("content-type"), Some("application/problem+json"), "{self:?}");
        assert!(
            self.field("vary").is_some_and(|vary| vary.contains("accept-language")),
            "{self:?}"
        );
        assert!(
            self.field("content-language").is_some(),
            "the problem must have a `Content-Language`: {self:?}"
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status());
        problem["type"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    }
}

impl Answer {
    /// Parses the content as JSON. Checks the form of `created_at` and `updated_at`, and replaces
    /// them with `T`.
    pub(crate) fn still(&self) -> Value {
        let mut json = self.json();
        still(&mut json);
        json
    }

    /// The pointer (or parameter) and the code of each error in a problem document, such as `/name
    /// required, /born type`.
    pub(crate) fn faults(&self) -> String {
        self.problem();
        let json = self.json();
        let faults = json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let fault = |fault: &Value| {
            let place = fault["pointer"].as_str().or(fault["parameter"].as_str()).unwrap();
            format!("{place} {}", fault["code"].as_str().unwrap())
        };
        faults.iter().map(fault).collect::<Vec<_>>().join(", ")
    }

    /// The member `detail` of a problem document (RFC 9457).
    pub(crate) fn detail(&self) -> String {
        self.problem();
        self.json()["detail"].as_str().unwrap().to_owned()
    }

    /// The methods in the header field `Allow`, sorted.
    pub(crate) fn allow(&self) -> Vec<&str> {
        let mut methods: Vec<_> = self.field("allow").unwrap().split(", ").collect();
        methods.sort_unstable();
        methods
    }

    /// The target of the link with this relation in the header field `Link`; `None` if there is
    /// none.
    pub(crate) fn link(&self, relation: &str) -> Option<String> {
        let end = format!(">; rel=\"{relation}\"");
        let link = self.field("link")?.split(", ").find_map(|link| link.strip_suffix(&end))?;
        Some(link.strip_prefix('<').unwrap().to_owned())
    }
}

/// Replaces the values of `created_at` and `updated_at` with `T`, at any depth.
fn still(json: &mut Value) {
    match json {
        Value::Array(items) => items.iter_mut().for_each(still),
        Value::Object(members) => {
            for (name, value) in members {
                if ["created_at", "updated_at", "createdAt", "updatedAt"].contains(&name.as_str()) {
                    let time = value.as_str().unwrap();
                    assert!(
                        time.len() == 27 && time.ends_with('Z') && &time[10..11] == "T",
                        "{time}"
                    );
                    *value = "T".into();
                } else {
                    still(value);
                }
            }
        }
        _ => {}
    }
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).unwrap())
    }

    /// A client at another loopback address.
    pub(crate) fn connect_from(from: [u8; 4], address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
        socket.connect(&address.into()).unwrap();
        Self::of(socket.into())
    }

    fn of(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.request("GET", target, &[], None)
    }

    pub(crate) fn delete(&mut self, target: &str) -> Answer {
        self.request("DELETE", target, &[], None)
    }

    pub(crate) fn post(&mut self, target: &str, body: &Value) -> Answer {
        self.send("POST", target, body)
    }

    pub(crate) fn put(&mut self, target: &str, body: &Value) -> Answer {
        self.send("PUT", target, body)
    }

    pub(crate) fn patch(&mut self, target: &str, body: &Value) -> Answer {
        self.send("PATCH", target, body)
    }

    /// Creates a member, or several from an array. Panics if the status is not 201.
    pub(crate) fn create(&mut self, target: &str, body: &Value) -> Answer {
        let answer = self.post(target, body);
        assert_eq!(answer.status_line, "HTTP/1.1 201 Created", "{answer:?}");
        answer
    }

    /// The names of the members on a page, joined by spaces.
    pub(crate) fn names(&mut self, target: &str) -> String {
        let answer = self.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}: {answer:?}");
        let json = answer.json();
        let names =
            json["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap());
        names.collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn send(&mut self, method: &str, target: &str, body: &Value) -> Answer {
        let fields = [("content-type", "application/json")];
        self.request(method, target, &fields, Some(body.to_string().as_bytes()))
    }

    /// Sends a request with exactly these header fields, plus `Host` and `Content-Length`. Reads
    /// the response.
    pub(crate) fn request(
        &mut self,
        method: &str,
        target: &str,
        fields: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Answer {
        let mut bytes =
            format!("{method} {target} HTTP/1.1\r\nhost: zoo.localhost\r\n").into_bytes();
        for (name, value) in fields {
            bytes.extend(format!("{name}: {value}\r\n").bytes());
        }
        if let Some(body) = body {
            bytes.extend(format!("content-length: {}\r\n", body.len()).bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body.unwrap_or_default());
        self.raw(&bytes, method == "HEAD")
    }

    /// Whether the server closes the connection, without another byte.
    pub(crate) fn is_closed(&mut self) -> bool {
        read_some(&mut self.stream, &mut [0]).unwrap() == 0
    }

    /// Sends these bytes, and does not read a response.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Sends these bytes, and reads one response. `head` is true for a HEAD request, whose response
    /// has no content.
    pub(crate) fn raw(&mut self, bytes: &[u8], head: bool) -> Answer {
        let answer = self.begin(bytes);
        self.content(answer, head)
    }

    /// Sends these bytes, and reads the head of one response.
    pub(crate) fn begin(&mut self, bytes: &[u8]) -> Answer {
        self.write(bytes);
        let status_line = self.line();
        let mut fields = vec![];
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Answer { status_line, fields, body: vec![] }
    }

    /// Reads the content of a response whose head has been read.
    pub(crate) fn content(&mut self, mut answer: Answer, head: bool) -> Answer {
        let empty = head || matches!(answer.status(), 204 | 304);
        if answer.field("transfer-encoding") == Some("chunked") && !empty {
            answer.body = self.chunks().expect("the chunked content is complete");
            return answer;
        }
        let length = answer
            .field("content-length")
            .filter(|_| !empty)
            .map_or(0, |length| length.parse().unwrap());
        answer.body.resize(length, 0);
        self.stream.read_exact(&mut answer.body).unwrap();
        answer
    }

    /// Reads chunked content. Returns `None` if the connection ends before the last chunk.
    pub(crate) fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut content = vec![];
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
            let begun = content.len();
            content.resize(begun + length, 0);
            self.stream.read_exact(&mut content[begun..]).ok()?;
            self.line();
            if length == 0 {
                return Some(content);
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}
