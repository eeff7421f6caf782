//! A recorder that sends requests to a service, and returns each request and its response as text.

use super::redact::Redactor;
use http::{Method, Request, StatusCode};
use nouns_runtime::{Body, Model, Service, Store, reply::Reply};
use std::{
    fmt::Write as _,
    str,
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use tokio::runtime::Runtime;

/// A service with a temporary database, for snapshot tests.
///
/// A recorder works in synchronous and asynchronous tests, because requests run on a separate
/// thread.
pub struct Recorder {
    service: Service,
    runtime: Option<Runtime>,
    redactor: Mutex<Redactor>,
}

/// A request as text in a test.
struct RequestText<'t> {
    method: Method,
    target: &'t str,
    headers: Vec<(&'t str, &'t str)>,
    body: &'t str,
}

impl Recorder {
    /// Creates a recorder for a model, with a new database.
    ///
    /// # Panics
    /// If the database cannot be created.
    #[must_use]
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let store = Store::temporary(&model.into()).expect("a new database can be created");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self {
            service: Service::new(store),
            runtime: Some(runtime.expect("a current-thread runtime can be built")),
            redactor: Mutex::default(),
        }
    }

    /// The service that handles the requests.
    #[must_use]
    pub const fn service(&self) -> &Service {
        &self.service
    }

    /// Sends a request, and returns the request and its response as text.
    ///
    /// The first line of `head` is the method and the target; each other line is a header field. A
    /// body without `content-type` is sent as JSON.
    ///
    /// ```
    /// # static API: nouns::def::ApiDef = nouns::def::ApiDef::new("Nothing");
    /// # let model = nouns::Model::link(&API).unwrap();
    /// let recorder = nouns::snapshot::Recorder::new(model);
    /// let text = recorder.exchange("GET /zoos\naccept: application/json", "");
    /// assert!(text.starts_with("GET /zoos\naccept: application/json\n\n404 Not Found\n"));
    /// ```
    ///
    /// # Panics
    /// If the head is malformed.
    #[must_use]
    pub fn exchange(&self, head: &str, body: &str) -> String {
        let request_text = RequestText::read(head, body);
        let request = request_text.request();
        let reply = self.wait(async { self.service.reply(request).await });
        let mut redactor = self.redactor.lock().unwrap_or_else(PoisonError::into_inner);
        redactor.apply(&format!("{}\n{}", request_text.text(), response_text(&reply)))
    }

    /// Runs a future to completion on a separate thread, on the runtime of this recorder.
    ///
    /// # Panics
    /// If the future panics.
    pub fn wait<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        let runtime =
            self.runtime.as_ref().expect("the runtime is only taken when the recorder is dropped");
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

impl<'t> RequestText<'t> {
    fn read(head: &'t str, body: &'t str) -> Self {
        let mut lines = head.lines();
        let first = lines.next().and_then(|line| line.split_once(' '));
        let (method, target) = first.expect("the first line of `head` is a method and a target");
        let fields =
            lines.map(|line| line.split_once(": ").expect("each header field is `name: value`"));
        let method = method.parse().expect("the first word of `head` is a method");
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
            .expect("the target and the header fields are valid")
    }

    fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.headers {
            writeln!(text, "{name}: {value}").expect("writing to a string cannot fail");
        }
        let body = content(self.body.as_bytes());
        if body.is_empty() { text } else { format!("{text}\n{body}") }
    }
}

/// Formats a response: the status, the header fields in alphabetical order without `Date`, and the
/// body.
fn response_text(reply: &Reply) -> String {
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

/// Formats JSON with one object member or array item per line, and leaves other content as it is. A
/// text that is not empty ends with a line feed.
pub(crate) fn content(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => indent(&text),
        Err(_) => text.into_owned(),
    };
    if text.is_empty() { text } else { text + "\n" }
}

/// Formats JSON with one object member or array item per line. The order of members stays.
fn indent(json: &str) -> String {
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

/// The length in bytes of the JSON string at the start of a text, with both quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, character)| {
        let ends = *character == '"' && !escaped;
        escaped = *character == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_in_its_own_order() {
        let json = r#"{"b":[1,{"a":"x, \"{y}\" \\"}],"a":{}, "c": [ ]}"#;
        let expected = "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x, \\\"{y}\\\" \\\\\"\n    }\n  ],\n  \"a\": {},\n  \"c\": []\n}";
        assert_eq!(indent(json), expected);
        assert_eq!(content(b"plain text"), "plain text\n");
    }
}
