//! A small HTTP/1.1 client that exposes the status line, every field and the whole body.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
};

use serde_json::Value;

/// One connection, kept open between requests.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A response as it was received.
#[derive(Debug)]
pub(crate) struct Answer {
    /// `HTTP/1.1 200 OK`.
    pub(crate) status_line: String,
    /// The names in lower case, in the order in which they were received.
    pub(crate) fields: Vec<(String, String)>,
    /// The content.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The status code.
    pub(crate) fn status(&self) -> u16 {
        self.status_line[9..12].parse().unwrap()
    }

    /// The only value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut values =
            self.fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        assert_eq!(values.next(), None, "`{name}` stands twice");
        first
    }

    /// The content as JSON. A problem is without its request id, which differs each time; it is
    /// compared with the header field first.
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

    /// The last segment of a problem's type. The media type, the language and the status in the
    /// body are checked first.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.field("content-type"), Some("application/problem+json"), "{self:?}");
        assert!(
            self.field("vary").is_some_and(|vary| vary.contains("accept-language")),
            "{self:?}"
        );
        assert!(
            self.field("content-language").is_some(),
            "in words of our own, and so in a language: {self:?}"
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status());
        problem["type"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    }
}

impl Answer {
    /// The content as JSON with `T` for each time that the server set, after the form of the time
    /// is checked.
    pub(crate) fn still(&self) -> Value {
        let mut json = self.json();
        still(&mut json);
        json
    }

    /// The place and the code of each error of a problem: `/name required, /born type`.
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

    /// The detail of a problem.
    pub(crate) fn detail(&self) -> String {
        self.problem();
        self.json()["detail"].as_str().unwrap().to_owned()
    }

    /// The methods of `Allow`, sorted.
    pub(crate) fn allow(&self) -> Vec<&str> {
        let mut methods: Vec<_> = self.field("allow").unwrap().split(", ").collect();
        methods.sort_unstable();
        methods
    }

    /// The target of a link in the header.
    pub(crate) fn link(&self, relation: &str) -> Option<String> {
        let end = format!(">; rel=\"{relation}\"");
        let link = self.field("link")?.split(", ").find_map(|link| link.strip_suffix(&end))?;
        Some(link.strip_prefix('<').unwrap().to_owned())
    }
}

/// Replaces the times of creation and change with `T`.
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
        let stream = TcpStream::connect(address).unwrap();
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

    /// Creates a valid member, or an array of them.
    pub(crate) fn create(&mut self, target: &str, body: &Value) -> Answer {
        let answer = self.post(target, body);
        assert_eq!(answer.status_line, "HTTP/1.1 201 Created", "{answer:?}");
        answer
    }

    /// The names of the members of a page, with blanks between them.
    pub(crate) fn names(&mut self, target: &str) -> String {
        let answer = self.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}: {answer:?}");
        let json = answer.json();
        let names =
            json["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap());
        names.collect::<Vec<_>>().join(" ")
    }

    fn send(&mut self, method: &str, target: &str, body: &Value) -> Answer {
        let fields = [("content-type", "application/json")];
        self.request(method, target, &fields, Some(body.to_string().as_bytes()))
    }

    /// Sends a request with exactly these fields (and Host and Content-Length), and reads the
    /// response.
    pub(crate) fn request(
        &mut self,
        method: &str,
        target: &str,
        fields: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Answer {
        let mut bytes = format!("{method} {target} HTTP/1.1\r\nhost: zoo.test\r\n").into_bytes();
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

    /// Sends these bytes, and reads nothing.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Sends these bytes, and reads one response.
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

    /// Reads the content of a response whose head was read.
    pub(crate) fn content(&mut self, mut answer: Answer, head: bool) -> Answer {
        let empty = head || matches!(answer.status(), 204 | 304);
        if answer.field("transfer-encoding") == Some("chunked") && !empty {
            answer.body = self.chunks().expect("the content comes to its end");
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

    /// Reads chunked content; `None` if the connection ends in the middle of it.
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
