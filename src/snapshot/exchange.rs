//! Whole exchanges with a service of one's own: a request in, both messages out as text.

use super::redact::Redactor;
use http::{Method, Request, StatusCode};
use nouns_runtime::{
    Body, Model, Service, Store,
    reply::Reply,
    store::{StoreOptions, Synchronous},
};
use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process, str,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};
use tokio::runtime::Runtime;

/// A service on a new database, which ends with it, and the things that it has named so far.
///
/// It can be used in any test, asynchronous or not: exchanges run on a thread of their own.
pub struct Recorder {
    service: Service,
    runtime: Option<Runtime>,
    redactor: Mutex<Redactor>,
    _folder: Folder,
}

/// A request in a few words.
struct Asked<'t> {
    method: Method,
    target: &'t str,
    headers: Vec<(&'t str, &'t str)>,
    body: &'t str,
}

impl Recorder {
    /// Serves a model from a new database.
    ///
    /// # Panics
    /// Where the database cannot be made: a test has nothing to go on with.
    #[must_use]
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let folder = Folder::new().expect("a test needs a folder for its database");
        let options = StoreOptions {
            synchronous: Synchronous::Normal,
            ..StoreOptions::new(folder.0.join("test.db"))
        };
        let (store, _) = Store::open(&model.into(), &options).expect("a new database can be made");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self {
            service: Service::new(store),
            runtime: Some(runtime.expect("a test needs a runtime")),
            redactor: Mutex::default(),
            _folder: folder,
        }
    }

    /// The service that answers.
    #[must_use]
    pub const fn service(&self) -> &Service {
        &self.service
    }

    /// Sends a request and gives both messages as text.
    ///
    /// The first line of the head is method and target; the others are fields. A body without
    /// `content-type` is JSON.
    ///
    /// ```
    /// # static API: nouns::runtime::def::ApiDef = nouns::runtime::def::ApiDef::new("Nothing");
    /// # let model = nouns::Model::link(&API).unwrap();
    /// let text = nouns::snapshot::Recorder::new(model).exchange("GET /zoos\naccept: application/json", "");
    /// assert!(text.starts_with("GET /zoos\naccept: application/json\n\n404 Not Found\n"));
    /// ```
    ///
    /// # Panics
    /// Where the head is none, since the test is wrong then.
    #[must_use]
    pub fn exchange(&self, head: &str, body: &str) -> String {
        let asked = Asked::read(head, body);
        let request = asked.request();
        let reply = self.wait(async { self.service.reply(request).await });
        let mut redactor = self.redactor.lock().unwrap_or_else(PoisonError::into_inner);
        redactor.apply(&format!("{}\n{}", asked.text(), answer(&reply)))
    }

    /// Runs a future to its end on a thread of its own, with the runtime of the exchanges.
    ///
    /// # Panics
    /// Where the future does.
    pub fn wait<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        let runtime = self.runtime.as_ref().expect("it is taken only when the recorder ends");
        let done = thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join());
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.wait(self.service.store().close());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl<'t> Asked<'t> {
    fn read(head: &'t str, body: &'t str) -> Self {
        let mut lines = head.lines();
        let first = lines.next().and_then(|line| line.split_once(' '));
        let (method, target) = first.expect("a head begins with a method and a target");
        let fields = lines.map(|line| line.split_once(": ").expect("a field is `name: value`"));
        let method = method.parse().expect("the first word of a head is a method");
        Self { method, target, headers: fields.collect(), body }
    }

    fn request(&self) -> Request<Body> {
        let mut request = Request::builder().method(self.method.clone()).uri(self.target);
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        let typed = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if !typed && !self.body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        request
            .body(self.body.as_bytes().to_vec().into())
            .expect("a head has a target and fields of HTTP")
    }

    fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.headers {
            writeln!(text, "{name}: {value}").expect("a string takes any text");
        }
        let body = content(self.body.as_bytes());
        if body.is_empty() { text } else { format!("{text}\n{body}") }
    }
}

/// Status, fields in the order of their names, content.
fn answer(reply: &Reply) -> String {
    let reason = reply.reason().unwrap_or_default();
    let mut text = format!("{} {reason}\n", StatusCode::as_u16(&reply.status));
    let mut fields: Vec<String> = reply
        .headers
        .iter()
        .filter(|(name, _)| *name != http::header::DATE)
        .map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    fields.sort();
    text.extend(fields);
    let body = match &reply.body {
        Body::Full(bytes) => content(bytes),
        _ => String::new(),
    };
    if body.is_empty() { text } else { format!("{text}\n{body}") }
}

/// JSON with a member a line, anything else as it is; with a line feed at its end where there is
/// any.
fn content(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => indented(&text),
        Err(_) => text.into_owned(),
    };
    if text.is_empty() { text } else { text + "\n" }
}

/// JSON with a member a line, in its own order.
fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut rest = json.trim_start();
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let empty = after.trim_start().starts_with(['}', ']']);
        match first {
            '"' => {
                let length = string_length(rest);
                text.push_str(&rest[..length]);
                rest = rest[length..].trim_start();
                continue;
            }
            '{' | '[' if empty => text.push(first),
            '{' | '[' => {
                text.push(first);
                depth += 1;
                line(&mut text, depth);
            }
            '}' | ']' if text.ends_with(['{', '[']) => text.push(first),
            '}' | ']' => {
                depth -= 1;
                line(&mut text, depth);
                text.push(first);
            }
            ',' => {
                text.push(first);
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            plain => text.push(plain),
        }
        rest = after.trim_start();
    }
    text
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

/// How long the string at the start of a text is, with both its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, character)| {
        let ends = *character == '"' && !escaped;
        escaped = *character == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// A folder that ends with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("nouns-{}-{number}", process::id()));
        fs::remove_dir_all(&folder).or_else(missing)?;
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

fn missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        // What is left in a folder for temporary files harms nobody.
        drop(fs::remove_dir_all(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_in_its_own_order() {
        let json = r#"{"b":[1,{"a":"x, \"{y}\" \\"}],"a":{}, "c": [ ]}"#;
        let expected = "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x, \\\"{y}\\\" \\\\\"\n    }\n  ],\n  \"a\": {},\n  \"c\": []\n}";
        assert_eq!(indented(json), expected);
        assert_eq!(content(b"plain text"), "plain text\n");
    }
}
