//! Compares an output with the one on a page.
//!
//! `…` on a page stands for omitted content: the rest of a body, object, array or string, or lines
//! between two lines. Times and request ids differ from run to run, so only their form is compared.
//! If a page has an entity tag or a cursor, the run's value replaces it in later commands.

use std::collections::HashMap;

use serde_json::Value;

use super::curl::Form;
use crate::client::Answer;

/// The placeholder for omitted content.
const REST: &str = "…";

/// The entity tags, cursors and other values on a page that differ from run to run. Each has its
/// value in this run.
#[derive(Debug, Default)]
pub(super) struct Shown {
    real: HashMap<String, String>,
}

impl Shown {
    /// Returns a command with the values of this run instead of those on the page.
    pub(super) fn real(&self, command: &str) -> String {
        self.real
            .iter()
            .fold(command.to_owned(), |command, (shown, real)| command.replace(shown, real))
    }

    /// Compares a response with the output of `curl` on the page.
    pub(super) fn compare_answer(
        &mut self,
        shown: &str,
        answer: &Answer,
        form: Form,
    ) -> Result<(), String> {
        let (head, body) = match form {
            Form::Body => ("", shown),
            Form::Head => (shown, ""),
            Form::Both if shown.ends_with("\n…\n") && !shown.contains("\n\n") => (shown, REST),
            Form::Both => shown.split_once("\n\n").unwrap_or((shown, "")),
        };
        let compared = self.compare_head(head, answer).and_then(|()| match form {
            Form::Head => Ok(()),
            Form::Body | Form::Both => self.compare_body(body, &answer.body),
        });
        compared.map_err(|difference| {
            let head: String =
                answer.fields.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
            let body = String::from_utf8_lossy(&answer.body);
            format!("{difference}\n{}\n{head}\n{body}", answer.status_line)
        })
    }

    /// Compares the status line, and each header field that the page has.
    fn compare_head(&mut self, shown: &str, answer: &Answer) -> Result<(), String> {
        let mut lines = shown.lines();
        if lines.next().is_some_and(|line| line != answer.status_line) {
            return Err("the status line differs".into());
        }
        for line in lines.filter(|line| *line != REST) {
            let (name, value) =
                line.split_once(": ").ok_or_else(|| format!("`{line}` is no field"))?;
            let name = name.to_ascii_lowercase();
            let mut values = answer.fields.iter().filter(|(known, _)| *known == name);
            if !values.any(|(_, real)| self.fits(value, real)) {
                return Err(format!("the field `{name}` differs"));
            }
        }
        Ok(())
    }

    fn compare_body(&mut self, shown: &str, real: &[u8]) -> Result<(), String> {
        if shown.trim() == REST {
            return if real.is_empty() { Err("there is no body".into()) } else { Ok(()) };
        }
        let Ok(real) = std::str::from_utf8(real) else { return Err("the body is no text".into()) };
        match (serde_json::from_str(&whole(shown)), serde_json::from_str(real)) {
            (Ok(shown), Ok(real)) => self.compare_json(&shown, &real, ""),
            _ => self.compare_text(shown, real),
        }
    }

    fn compare_json(&mut self, shown: &Value, real: &Value, at: &str) -> Result<(), String> {
        match (shown, real) {
            (Value::Object(shown), Value::Object(real)) => {
                if let Some(name) = real.keys().find(|name| !shown.contains_key(*name))
                    && !shown.contains_key(REST)
                {
                    return Err(format!("{at}/{name} is not shown"));
                }
                shown.iter().filter(|(name, _)| *name != REST).try_for_each(|(name, shown)| {
                    let at = format!("{at}/{name}");
                    let real =
                        real.get(name).ok_or_else(|| format!("{at} is shown, but is not there"))?;
                    self.compare_json(shown, real, &at)
                })
            }
            (Value::Array(shown), Value::Array(real)) => {
                let more = shown.last().is_some_and(|last| last == REST);
                let count = shown.len() - usize::from(more);
                if real.len() < count || real.len() > count && !more {
                    return Err(format!("{at} has {} elements", real.len()));
                }
                let mut pairs = shown.iter().zip(real).take(count).enumerate();
                pairs.try_for_each(|(index, (shown, real))| {
                    self.compare_json(shown, real, &format!("{at}/{index}"))
                })
            }
            (Value::String(shown), Value::String(real)) if self.fits(shown, real) => Ok(()),
            _ if shown == real => Ok(()),
            _ => Err(format!("{at} is {real}, but {shown} is shown")),
        }
    }

    /// Compares two texts line by line.
    pub(super) fn compare_text(&mut self, shown: &str, real: &str) -> Result<(), String> {
        let mut real_lines = real.trim_end().lines();
        let mut skips = false;
        for shown in shown.trim_end().lines() {
            if shown == REST {
                skips = true;
                continue;
            }
            let found = match skips {
                true => real_lines.any(|real| self.fits(shown, real)),
                false => real_lines.next().is_some_and(|real| self.fits(shown, real)),
            };
            if !found {
                return Err(format!("this line is shown, but is not there: {shown}\n{real}"));
            }
            skips = false;
        }
        match real_lines.next().filter(|_| !skips) {
            Some(line) => Err(format!("this line is not shown: {line}")),
            None => Ok(()),
        }
    }

    /// Whether a text equals the one on the page, except for values that differ from run to run.
    fn fits(&mut self, shown: &str, real: &str) -> bool {
        let (mut shown, mut real) = (shown, real);
        loop {
            if shown == REST {
                return true;
            }
            let (Some(one), Some(other)) = (shown.chars().next(), real.chars().next()) else {
                return shown.is_empty() && real.is_empty();
            };
            let (length, other_length) =
                match KINDS.iter().find_map(|kind| Some((kind, kind.taken(shown)?))) {
                    Some((kind, length)) => {
                        let Some(other) = kind.taken(real) else { return false };
                        if kind.is_name && !self.stands_for(&shown[..length], &real[..other]) {
                            return false;
                        }
                        (length, other)
                    }
                    None if one == other => (one.len_utf8(), one.len_utf8()),
                    None => return false,
                };
            (shown, real) = (&shown[length..], &real[other_length..]);
        }
    }

    /// Whether a value on the page may stand for a value of this run. Each value on the page must
    /// stand for one value of the run, and for a different one.
    fn stands_for(&mut self, shown: &str, real: &str) -> bool {
        if self.real.iter().any(|(known, name)| name == real && known != shown) {
            return false;
        }
        self.real.entry(shown.to_owned()).or_insert_with(|| real.to_owned()) == real
    }
}

/// A kind of value that differs from run to run.
struct Volatile {
    /// Returns the length of the value at the start of a text; `None` if the text does not start
    /// with a value of this kind.
    length: fn(&str) -> Option<usize>,
    /// Whether equal values on the page must stand for equal values in the run.
    is_name: bool,
}

impl Volatile {
    fn taken(&self, text: &str) -> Option<usize> {
        (self.length)(text)
    }
}

const KINDS: [Volatile; 6] = [
    Volatile { length: tag, is_name: true },
    Volatile { length: secret, is_name: true },
    Volatile { length: cursor, is_name: true },
    Volatile { length: |text| formed(text, "dddd-dd-ddTdd:dd:dd.ddddddZ"), is_name: false },
    Volatile { length: |text| formed(text, "aaa, dd aaa dddd dd:dd:dd GMT"), is_name: false },
    Volatile {
        length: |text| formed(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        is_name: false,
    },
];

/// Returns the length of a form if the text begins with that form. In a form, `d` is a digit, `x` a
/// hexadecimal digit, `a` a letter, and any other character is itself.
fn formed(text: &str, form: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..form.len())?;
    let fits = bytes.iter().zip(form.bytes()).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        b'a' => byte.is_ascii_alphabetic(),
        _ => *byte == form,
    });
    fits.then_some(form.len())
}

/// Returns the length of an entity tag, such as `"17-json-c0ffee00"`.
fn tag(text: &str) -> Option<usize> {
    let tag = text.strip_prefix('"')?.split_once('"')?.0;
    let mut parts = tag.split('-');
    let number = parts
        .next()
        .is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let format = parts.next().is_some_and(|part| ["json", "ndjson", "csv"].contains(&part));
    (number && format).then_some(tag.len() + 2)
}

/// Returns the length of a parameter with a cursor, such as `after=iGO85MBZnzpbIlpvbyBEIiwiNSJd`.
fn cursor(text: &str) -> Option<usize> {
    let name = ["after=", "before="].into_iter().find(|name| text.starts_with(name))?;
    let value = &text[name.len()..];
    let rest = value
        .find(|character: char| !(character.is_ascii_alphanumeric() || "-_".contains(character)));
    let length = rest.unwrap_or(value.len());
    (length >= 8).then_some(name.len() + length)
}

/// Returns the length of the secret of a session or a token, with what stands before it.
fn secret(text: &str) -> Option<usize> {
    let name = ["session=", "nouns_"].into_iter().find(|name| text.starts_with(name))?;
    let length =
        text[name.len()..].find(|one: char| !(one.is_ascii_alphanumeric() || "-_".contains(one)));
    let length = name.len() + length.unwrap_or(text.len() - name.len());
    (length >= 40).then_some(length)
}

/// Returns the JSON of a page in which `…` has become a member of its object or an element of its
/// array.
fn whole(shown: &str) -> String {
    let mut json = String::with_capacity(shown.len());
    let mut open = vec![];
    let (mut quoted, mut escaped) = (false, false);
    for character in shown.chars() {
        match character {
            '"' if !escaped => quoted = !quoted,
            '{' | '[' if !quoted => open.push(character),
            '}' | ']' if !quoted => drop(open.pop()),
            '…' if !quoted => {
                json += if open.last() == Some(&'{') { "\"…\": 0" } else { "\"…\"" };
                continue;
            }
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        json.push(character);
    }
    json
}

fn compare(shown: &str, real: &str) -> Result<(), String> {
    Shown::default().compare_body(shown, real.as_bytes())
}

#[test]
fn json_is_compared_whole_unless_the_rest_is_left_out() {
    let real = r#"{"id":1,"items":[{"name":"a"},{"name":"b"}],"at":"2026-11-20T08:30:00.000001Z"}"#;
    let same = r#"{ "items": [{ "name": "a" }, …], "id": 1, "at": "2026-11-21T08:30:00.000000Z" }"#;
    assert_eq!(compare(same, real), Ok(()));
    assert_eq!(compare(r#"{ "items": [{ … }, { "name": "…" }], … }"#, real), Ok(()));
    assert_eq!(compare("…", real), Ok(()));
    for other in [
        r#"{ "id": 2, … }"#,
        r#"{ "id": 1 }"#,
        r#"{ "items": [{ … }], … }"#,
        r#"{ "no": 1, … }"#,
        "",
    ] {
        compare(other, real).unwrap_err();
    }
    compare("…", "").unwrap_err();
}

#[test]
fn lines_are_left_out_between_others() {
    assert_eq!(compare("a\n…\nd\n", "a\nb\nc\nd"), Ok(()));
    assert_eq!(compare("a\n…\n", "a\nb"), Ok(()));
    for other in ["a\nd", "a\n…\nc\n", "a\nb\nc\nd\ne", ""] {
        compare(other, "a\nb\nc\nd").unwrap_err();
    }
}

#[test]
fn a_tag_of_the_page_stands_for_one_of_the_run() {
    let mut shown = Shown::default();
    let [one, other] = ["\"123456789-json-c0ffee00\"", "\"123456790-json-c0ffee00\""];
    assert!(shown.fits(one, "\"987654321-json-00c0ffee\""));
    assert_eq!(shown.real(&format!("If-Match: {one}")), "If-Match: \"987654321-json-00c0ffee\"");
    assert!(
        !shown.fits(other, "\"987654321-json-00c0ffee\""),
        "two tags on the page must not stand for one tag of the run"
    );
    assert!(
        !shown.fits(one, "\"987654322-json-00c0ffee\""),
        "one tag on the page must not stand for two tags of the run"
    );
    assert!(shown.fits(other, "\"987654322-json-00c0ffee\""));
    assert!(shown.fits("</zoos?after=3q2x3q2x>", "</zoos?after=abcdefgh>"));
    assert!(!shown.fits("</zoos?after=3q2x3q2x>", "</zoos>"));
    let [one, other] = ["session=", "session=x"].map(|name| format!("{name}{}", "a-_1".repeat(10)));
    assert!(shown.fits(&one, &other) && !shown.fits(&one, "session=off"));
    assert_eq!(shown.real(&format!("Cookie: {one}")), format!("Cookie: {other}"));
}
