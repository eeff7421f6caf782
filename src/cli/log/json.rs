//! The format of a log line as JSON: an object with the time, the level, the target, the message
//! and the fields.

use std::fmt::{self, Write as _};

use tracing::{
    Event,
    field::{Field, Visit},
};

use super::line;

/// The members that every line has. A field of the same name gets a `_` at its end.
const OWN: [&str; 3] = ["time", "level", "target"];

/// Appends the log line of an event to a buffer.
pub(super) fn append(to: &mut Vec<u8>, event: &Event<'_>) {
    to.extend_from_slice(br#"{"time":""#);
    line::now(to);
    to.extend_from_slice(br#"","level":""#);
    to.extend_from_slice(event.metadata().level().as_str().as_bytes());
    to.extend_from_slice(br#"","target":"#);
    string(to, event.metadata().target());
    event.record(&mut Members(to));
    to.extend_from_slice(b"}\n");
}

/// Appends the fields of an event as members of an object that has members already.
struct Members<'l>(&'l mut Vec<u8>);

impl Members<'_> {
    fn name(&mut self, field: &Field) {
        self.0.extend_from_slice(b",\"");
        escape(self.0, field.name());
        if OWN.contains(&field.name()) {
            self.0.push(b'_');
        }
        self.0.extend_from_slice(b"\":");
    }

    fn number(&mut self, field: &Field, text: &str) {
        self.name(field);
        self.0.extend_from_slice(text.as_bytes());
    }
}

impl Visit for Members<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        string(self.0, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field, itoa::Buffer::new().format(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field, itoa::Buffer::new().format(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.number(field, if value { "true" } else { "false" });
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has neither infinity nor NaN.
        match value.is_finite() {
            true => self.number(field, &value.to_string()),
            false => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field);
        self.0.push(b'"');
        // Writing to a vector cannot fail. If the value fails to print itself, its beginning stays.
        write!(Escaped(self.0), "{value:?}").ok();
        self.0.push(b'"');
    }
}

/// Appends a text as a JSON string.
fn string(to: &mut Vec<u8>, text: &str) {
    to.push(b'"');
    escape(to, text);
    to.push(b'"');
}

/// Escapes what is written to it.
struct Escaped<'l>(&'l mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(self.0, text);
        Ok(())
    }
}

/// Appends a text as the content of a JSON string (RFC 8259 §7). Characters that break lines or
/// that steer a terminal are escaped, too, so that no client can forge a line.
fn escape(to: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: u8| (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        to.extend_from_slice(text.as_bytes());
        return;
    }
    for character in text.chars() {
        match character {
            '"' | '\\' => to.extend_from_slice(&[b'\\', character as u8]),
            '\n' => to.extend_from_slice(br"\n"),
            _ if may_mislead(character) => {
                // All these characters are in the first plane, so one escape is enough.
                to.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes());
            }
            _ => to.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Whether a character is a control character, breaks lines, or changes the direction of text.
fn may_mislead(character: char) -> bool {
    let changes_direction =
        ['\u{200e}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    character.is_control() || changes_direction.iter().any(|range| range.contains(&character))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing::Subscriber;
    use tracing_subscriber::{
        Layer,
        layer::{Context, SubscriberExt as _},
    };

    use super::*;

    /// A tracing layer that records the log lines of all events.
    #[derive(Clone, Default)]
    struct LineRecorder(Arc<Mutex<Vec<u8>>>);

    impl<S: Subscriber> Layer<S> for LineRecorder {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            append(&mut self.0.lock().unwrap(), event);
        }
    }

    /// Logs events, and parses each line without its time.
    fn lines(work: impl FnOnce()) -> Vec<Value> {
        let recorder = LineRecorder::default();
        tracing::subscriber::with_default(
            tracing_subscriber::registry().with(recorder.clone()),
            work,
        );
        let text = String::from_utf8(recorder.0.lock().unwrap().clone()).unwrap();
        let parse = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let time = line.as_object_mut().unwrap().remove("time").unwrap();
            assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
            line
        };
        text.split_terminator('\n').map(parse).collect()
    }

    struct Broken;

    impl fmt::Debug for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half\n")?;
            Err(fmt::Error)
        }
    }

    #[test]
    fn fields_keep_their_names_and_kinds() {
        let lines = lines(|| {
            let nothing: Option<&str> = None;
            tracing::info!(target: "nouns::request", method = %"GET", query = nothing, status = 200_u16, less = -1, flag = true, ratio = 0.5, "a word, {}", 7);
            tracing::warn!(level = "high", time = 1, nan = f64::NAN, cause = ?Broken);
        });
        let expected = json!({
            "level": "INFO", "target": "nouns::request", "message": "a word, 7", "method": "GET",
            "status": 200, "less": -1, "flag": true, "ratio": 0.5,
        });
        assert_eq!(lines[0], expected);
        assert_eq!(lines[1]["level"], "WARN");
        assert_eq!(
            (&lines[1]["level_"], &lines[1]["time_"], &lines[1]["nan"], &lines[1]["cause"]),
            (&json!("high"), &json!(1), &json!("NaN"), &json!("half\n"))
        );
    }

    #[test]
    fn no_text_leaves_its_line() {
        let all: String = (0..0x2100).filter_map(char::from_u32).chain(['"', '\\', '🦁']).collect();
        let lines = lines(|| tracing::info!(path = &*all, cause = %all, "{all}"));
        assert_eq!(lines.len(), 1);
        for name in ["path", "cause", "message"] {
            assert_eq!(lines[0][name], json!(all), "{name}");
        }
        let mut escaped = vec![];
        escape(&mut escaped, &all);
        let escaped = String::from_utf8(escaped).unwrap();
        assert!(!escaped.contains(may_mislead), "{escaped}");
    }
}
