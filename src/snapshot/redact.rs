//! Replaces values that differ in each run by names.
//!
//! ETags and UUIDs get numbers, so that a snapshot shows which of them are equal. Whether two times
//! are equal depends on the clock, so times get no numbers.

use std::collections::HashMap;

/// The names that replace volatile values.
#[derive(Debug, Default)]
pub(super) struct Redactor {
    names: HashMap<String, String>,
    counts: HashMap<&'static str, u32>,
}

/// A kind of value that differs in each run.
struct VolatileKind {
    name: &'static str,
    /// Whether the names are numbered. Equal values then get the same number.
    is_numbered: bool,
    /// Returns the length in bytes of a value of this kind at the start of a text, if there is one.
    length: fn(&str) -> Option<usize>,
}

const KINDS: [VolatileKind; 4] = [
    VolatileKind { name: "etag", is_numbered: true, length: etag },
    VolatileKind { name: "time", is_numbered: false, length: time },
    VolatileKind { name: "date", is_numbered: false, length: date },
    VolatileKind { name: "uuid", is_numbered: true, length: uuid },
];

impl Redactor {
    /// Replaces all volatile values in a text by their names.
    pub(super) fn apply(&mut self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let found = KINDS.iter().find_map(|kind| Some((kind, (kind.length)(rest)?)));
            let taken = match found {
                Some((kind, length)) => {
                    redacted.push_str(&self.name(kind, &rest[..length]));
                    length
                }
                None => {
                    redacted.push(first);
                    first.len_utf8()
                }
            };
            rest = &rest[taken..];
        }
        redacted
    }

    fn name(&mut self, kind: &VolatileKind, thing: &str) -> String {
        let VolatileKind { name: kind, is_numbered, .. } = *kind;
        if !is_numbered {
            return format!("[{kind}]");
        }
        if let Some(name) = self.names.get(thing) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("[{kind} {count}]");
        self.names.insert(thing.to_owned(), name.clone());
        name
    }
}

/// The length of a pattern if the text begins with it. In the pattern, `d` is a decimal digit, `x`
/// is a hexadecimal digit, and any other character stands for itself.
fn match_form(text: &str, form: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..form.len())?;
    let fits = bytes.iter().zip(form.bytes()).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        _ => *byte == form,
    });
    fits.then_some(form.len())
}

/// The length of the timestamp with microseconds that the text begins with.
fn time(text: &str) -> Option<usize> {
    match_form(text, "dddd-dd-ddTdd:dd:dd.ddddddZ")
}

/// The length of the HTTP date that the text begins with: `Fri, 20 Nov 2026 12:34:56 GMT`.
fn date(text: &str) -> Option<usize> {
    let (day, rest) = text.split_once(", ").filter(|(day, _)| day.len() == 3)?;
    let month =
        rest.get(3..6).filter(|month| month.bytes().all(|byte| byte.is_ascii_alphabetic()))?;
    let length = match_form(rest, &format!("dd {month} dddd dd:dd:dd GMT"))?;
    Some(day.len() + 2 + length)
}

/// The length of the version 7 UUID that the text begins with.
fn uuid(text: &str) -> Option<usize> {
    match_form(text, "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx")
}

/// The length of the ETag of Nouns that the text begins with: `"17-json-c0ffee00"` or
/// `"00c0ffee00c0ffee-csv-gzip"`.
fn etag(text: &str) -> Option<usize> {
    let tag = text.strip_prefix('"')?.split_once('"')?.0;
    let digits = tag.split('-').next()?;
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut parts = tag.strip_prefix(digits)?.strip_prefix('-')?.split('-');
    let format = parts.next().is_some_and(|format| ["json", "ndjson", "csv"].contains(&format));
    let is_part = |part: &str| {
        ["gzip", "br", "zstd"].contains(&part) || match_form(part, "xxxxxxxx") == Some(part.len())
    };
    (number && format && parts.all(is_part)).then_some(tag.len() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tags_and_ids_have_equal_names_and_times_have_no_numbers() {
        let mut redactor = Redactor::default();
        let times =
            "2026-11-20T08:30:00.000001Z 2026-11-20T08:30:00.000002Z 2026-11-20T08:30:00.000001Z";
        assert_eq!(redactor.apply(times), "[time] [time] [time]");
        assert_eq!(redactor.apply("etag: \"17-json-c0ffee00\""), "etag: [etag 1]");
        assert_eq!(redactor.apply("W/\"00c0ffee00c0ffee-json\""), "W/[etag 2]");
        assert_eq!(redactor.apply("0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10é"), "[uuid 1]é");
    }

    #[test]
    fn what_a_test_chose_itself_stays() {
        let plain = "\"17\" 2026-11-20T08:30:00Z 0190b5a8-6c1f-4c3e-9d2a-3f1e5b7c9d10 \"\" ü";
        assert_eq!(Redactor::default().apply(plain), plain);
    }
}
