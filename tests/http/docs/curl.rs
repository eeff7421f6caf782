//! Parses `curl` commands of the documentation into requests.

use crate::client::{Answer, Client};

/// The addresses of the server as the pages write them.
const ADDRESSES: [&str; 2] = ["http://127.0.0.1:8080", "localhost:8080"];

/// Splits a command into words as a shell does.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' => words.extend(word.take()),
            '#' if word.is_none() => break,
            '|' | '>' | ';' if word.is_none() => {
                panic!("this test does not support `{character}` in a command: {line}")
            }
            '\'' => {
                let quoted: String = rest.by_ref().take_while(|next| *next != '\'').collect();
                word.get_or_insert_default().push_str(&quoted);
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(next) = rest.next().filter(|next| *next != '"') {
                    word.extend(if next == '\\' { rest.next() } else { Some(next) });
                }
            }
            '\\' => word.get_or_insert_default().extend(rest.next()),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    words
}

/// The parts of a response that a `curl` command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Body,
    Head,
    Both,
}

/// The request that a `curl` command sends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    method: Option<String>,
    target: String,
    fields: Vec<(String, String)>,
    data: Vec<String>,
    /// Whether the command has `-G`, which sends the data as a query.
    query: bool,
    /// Whether the command has `-I`, which sends HEAD.
    head: bool,
    /// Whether the command has `-i`, which also prints the head.
    include: bool,
}

impl Request {
    pub(super) fn parse(words: &[String]) -> Self {
        let mut request = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut next =
                || words.next().unwrap_or_else(|| panic!("`{word}` needs a value")).clone();
            match word.as_str() {
                "-X" | "--request" => request.method = Some(next()),
                "--json" => {
                    request.field("content-type: application/json");
                    request.field("accept: application/json");
                    request.data.push(next());
                }
                "-d" | "--data" => request.data.push(next()),
                "--data-urlencode" => request.data.push(urlencoded(&next())),
                "-H" | "--header" => request.field(&next()),
                "-u" | "--user" => request.field(&authorization(&next())),
                "-G" | "--get" => request.query = true,
                "-I" | "--head" => request.head = true,
                "-i" | "--include" | "-gi" | "-ig" => request.include = true,
                "-g" | "--globoff" => {}
                flag if flag.starts_with('-') => {
                    panic!("this test does not support the flag `{flag}`")
                }
                url => {
                    let target = ADDRESSES.iter().find_map(|address| url.strip_prefix(address));
                    request.target = target
                        .unwrap_or_else(|| {
                            panic!("the URL `{url}` must begin with an address of the pages")
                        })
                        .to_owned();
                }
            }
        }
        request
    }

    pub(super) const fn form(&self) -> Form {
        match (self.head, self.include) {
            (true, _) => Form::Head,
            (false, true) => Form::Both,
            (false, false) => Form::Body,
        }
    }

    fn field(&mut self, field: &str) {
        let (name, value) = field.split_once(':').unwrap();
        let name = name.trim().to_ascii_lowercase();
        self.fields.retain(|(known, _)| *known != name);
        self.fields.push((name, value.trim().to_owned()));
    }

    pub(super) fn send(mut self, client: &mut Client) -> Answer {
        let data = (!self.data.is_empty()).then(|| self.data.join("&"));
        let body = data.clone().filter(|_| !self.query);
        if self.query {
            let joint = if self.target.contains('?') { '&' } else { '?' };
            self.target.extend(data.map(|data| format!("{joint}{data}")));
        }
        if body.is_some() && self.fields.iter().all(|(name, _)| name != "content-type") {
            self.field("content-type: application/x-www-form-urlencoded");
        }
        if self.fields.iter().all(|(name, _)| name != "accept") {
            self.field("accept: */*");
        }
        let usual = if self.head {
            "HEAD"
        } else if body.is_some() {
            "POST"
        } else {
            "GET"
        };
        let method = self.method.unwrap_or_else(|| usual.to_owned());
        let target = if self.target.is_empty() { "/" } else { &self.target };
        let fields: Vec<_> = self.fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        client.request(&method, target, &fields, body.as_deref().map(str::as_bytes))
    }
}

/// The header field by which `curl` sends a login and a password.
fn authorization(login: &str) -> String {
    let (name, password) = login.split_once(':').expect("a password follows the login");
    format!("authorization: {}", crate::access::basic(name, password))
}

/// Percent-encodes the value of `name=value`.
fn urlencoded(pair: &str) -> String {
    let (name, value) = pair.split_once('=').unwrap();
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    format!("{name}={}", value.bytes().map(encode).collect::<String>())
}

#[test]
fn the_shell_and_curl_are_read_rightly() {
    let line =
        r#"curl -i -X PATCH --json '{"a": "b c"}' -H "If-Match: \"1-json\"" localhost:8080/zoos/1"#;
    let request = Request::parse(&words(line)[1..]);
    assert_eq!((request.method.as_deref(), request.target.as_str()), (Some("PATCH"), "/zoos/1"));
    assert_eq!(request.data, [r#"{"a": "b c"}"#]);
    assert_eq!(request.form(), Form::Both);
    assert_eq!(request.fields.last().unwrap(), &("if-match".to_owned(), "\"1-json\"".to_owned()));
    assert_eq!(urlencoded("name=a b&ä"), "name=a%20b%26%C3%A4");
}
