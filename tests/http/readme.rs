//! Every line of the README that a reader may type is run, in its order, against a server of the
//! shipped zoo.
//!
//! A line answers below 400, unless it ends in a comment with the status that it shows: `# 404`.

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// The address in the README.
const ADDRESS: &str = "http://127.0.0.1:8080";

/// The lines of its shell blocks that are no requests.
const SKIPPED: [&str; 2] =
    ["cargo run --release -- serve schemas/zoo.yaml", "cargo test --workspace"];

#[test]
fn every_request_of_the_readme_is_answered_as_it_says() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (requests, skipped): (Vec<_>, Vec<_>) =
        commands(&readme).into_iter().partition(|line| line.starts_with("curl "));
    assert_eq!(skipped, SKIPPED);
    assert!(requests.len() > 10, "{requests:?}");
    let server = TestServer::zoo();
    let mut client = server.client();
    for line in requests {
        let (words, comment) = words(&line);
        let answer = Request::parse(&words[1..]).send(&mut client);
        match comment {
            Some(status) => assert_eq!(answer.status().to_string(), status, "{line}: {answer:?}"),
            None => assert!(answer.status() < 400, "{line}: {answer:?}"),
        }
        let shown = serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap_or_default();
        assert_ne!(shown["items"].as_array().map(Vec::len), Some(0), "{line} shows nothing");
    }
}

/// The lines of the blocks that are fenced as `sh`; a backslash at the end joins two.
fn commands(text: &str) -> Vec<String> {
    let mut commands = vec![];
    let mut inside = false;
    let joined = text.replace("\\\n", " ");
    for line in joined.lines().map(str::trim) {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            "" => {}
            line if line.starts_with('#') => {}
            line if inside => commands.push(line.to_owned()),
            _ => {}
        }
    }
    commands
}

/// The words of a command as a shell splits them, and the comment behind it; a pipe ends the
/// command.
fn words(line: &str) -> (Vec<String>, Option<String>) {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' => words.extend(word.take()),
            '#' if word.is_none() => return (words, Some(rest.as_str().trim().to_owned())),
            '|' if word.is_none() => break,
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
    (words, None)
}

/// What a line of curl sends.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    method: Option<String>,
    target: String,
    fields: Vec<(String, String)>,
    data: Vec<String>,
    /// `-G`: the data is a query.
    query: bool,
    head: bool,
}

impl Request {
    fn parse(words: &[String]) -> Self {
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
                "-G" | "--get" => request.query = true,
                "-I" | "--head" => request.head = true,
                "-i" | "-s" | "-g" | "-v" | "-sS" | "-si" | "-gi" | "-is" | "--globoff" => {}
                flag if flag.starts_with('-') => {
                    panic!("`{flag}` is not a flag that this test knows")
                }
                url => {
                    request.target =
                        url.strip_prefix(ADDRESS).unwrap_or_else(|| panic!("{url}")).to_owned();
                }
            }
        }
        request
    }

    fn field(&mut self, field: &str) {
        let (name, value) = field.split_once(':').unwrap();
        let name = name.trim().to_ascii_lowercase();
        self.fields.retain(|(known, _)| *known != name);
        self.fields.push((name, value.trim().to_owned()));
    }

    fn send(mut self, client: &mut Client) -> Answer {
        let data = (!self.data.is_empty()).then(|| self.data.join("&"));
        let body = data.clone().filter(|_| !self.query);
        if self.query {
            let joint = if self.target.contains('?') { '&' } else { '?' };
            self.target.extend(data.map(|data| format!("{joint}{data}")));
        }
        if body.is_some() && self.fields.iter().all(|(name, _)| name != "content-type") {
            self.field("content-type: application/x-www-form-urlencoded");
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

/// The value of `name=value`, encoded.
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
    let line = r#"curl -X PATCH --json '{"a": "b c"}' -H "If-Match: \"1-json\"" http://127.0.0.1:8080/zoos/1   # 412"#;
    let (words, comment) = words(line);
    assert_eq!(comment.as_deref(), Some("412"));
    let request = Request::parse(&words[1..]);
    assert_eq!((request.method.as_deref(), request.target.as_str()), (Some("PATCH"), "/zoos/1"));
    assert_eq!(request.data, [r#"{"a": "b c"}"#]);
    assert_eq!(request.fields.last().unwrap(), &("if-match".to_owned(), "\"1-json\"".to_owned()));
    assert_eq!(urlencoded("name=a b&ä"), "name=a%20b%26%C3%A4");
    let text = "```sh\ncurl a \\\n  b\n# why\n\ncargo run\n```\n\n```console\n$ curl c\n```";
    assert_eq!(commands(text), ["curl a    b", "cargo run"]);
}
