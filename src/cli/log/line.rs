//! The format of a log line: the time, the level, the target, the message, and the fields.

use std::{
    cell::RefCell,
    fmt,
    io::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use jiff::Timestamp;
use tracing::{
    Event, Level,
    field::{Field, Visit},
};

/// Appends the log line of an event to a buffer.
pub(super) fn append(to: &mut Vec<u8>, event: &Event<'_>) {
    now(to);
    let level = match *event.metadata().level() {
        Level::ERROR => " ERROR ",
        Level::WARN => "  WARN ",
        Level::INFO => "  INFO ",
        Level::DEBUG => " DEBUG ",
        Level::TRACE => " TRACE ",
    };
    to.extend_from_slice(level.as_bytes());
    to.extend_from_slice(event.metadata().target().as_bytes());
    to.push(b':');
    let mut line = Line(to);
    event.record(&mut line);
    to.push(b'\n');
}

thread_local! {
    /// The last second that this thread has formatted, with its text up to the decimal point.
    static SECOND: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
}

/// Appends the current time.
pub(super) fn now(to: &mut Vec<u8>) {
    time(to, SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
}

/// Appends a time in RFC 3339 format, with microseconds.
fn time(to: &mut Vec<u8>, since_1970: std::time::Duration) {
    SECOND.with_borrow_mut(|(second, text)| {
        if *second != since_1970.as_secs() {
            *second = since_1970.as_secs();
            let seconds =
                i64::try_from(*second).ok().and_then(|at| Timestamp::from_second(at).ok());
            *text =
                seconds.map(|at| at.strftime("%Y-%m-%dT%H:%M:%S.").to_string()).unwrap_or_default();
        }
        to.extend_from_slice(text.as_bytes());
    });
    let mut digits = *b"000000Z";
    let mut micros = since_1970.subsec_micros();
    for digit in digits[..6].iter_mut().rev() {
        *digit += (micros % 10) as u8;
        micros /= 10;
    }
    to.extend_from_slice(&digits);
}

/// Appends the fields of an event as `name=value`; the message has no name.
struct Line<'l>(&'l mut Vec<u8>);

impl Line<'_> {
    fn name(&mut self, field: &Field) {
        self.0.push(b' ');
        if field.name() != "message" {
            self.0.extend_from_slice(field.name().as_bytes());
            self.0.push(b'=');
        }
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let is_plain =
            value.bytes().all(|byte| (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\');
        if is_plain && field.name() != "message" {
            self.name(field);
            self.0.push(b'"');
            self.0.extend_from_slice(value.as_bytes());
            self.0.push(b'"');
        } else {
            self.record_debug(field, &value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field);
        // Writing to a vector cannot fail.
        write!(self.0, "{value:?}").ok();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, Mutex},
        time::Duration,
    };

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

    #[test]
    fn a_line_is_that_of_tracing() {
        let noted = LineRecorder::default();
        let written = Arc::new(Mutex::new(Vec::<u8>::new()));
        let other = tracing_subscriber::fmt::layer().with_ansi(false).with_writer({
            let written = Arc::clone(&written);
            move || Writer(Arc::clone(&written))
        });
        let both = tracing_subscriber::registry().with(noted.clone()).with(other);
        tracing::subscriber::with_default(both, || {
            let nothing: Option<&str> = None;
            tracing::info!(target: "nouns::request", method = %"GET", path = "/a\"b\\é\n", query = nothing, status = 200_u16, micros = 7_u64);
            tracing::warn!(cause = %"a b", text = ?"x", flag = true, ratio = 0.5, less = -1, "a word, {}", 7);
            tracing::error!("only said \"so\"");
        });
        let lines = |bytes: &Mutex<Vec<u8>>| {
            let text = String::from_utf8(bytes.lock().unwrap().clone()).unwrap();
            text.lines().map(|line| line.split_once("Z ").unwrap().1.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(&noted.0), lines(&written));
    }

    struct Writer(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Writer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_time_has_six_digits_of_its_second() {
        let text = |micros| {
            let mut to = vec![];
            time(&mut to, Duration::from_micros(micros));
            String::from_utf8(to).unwrap()
        };
        assert_eq!(text(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(text(1_700_000_000_012_340), "2023-11-14T22:13:20.012340Z");
        assert_eq!(text(1_700_000_001_999_999), "2023-11-14T22:13:21.999999Z");
    }
}
