//! The parts that two responses must have in common: all but times, tags and the ids of requests.

use crate::{client::Answer, codings::opened};

/// The middle of tags.
const FORMATS: [&str; 4] = ["-html-", "-json-", "-ndjson-", "-csv-"];

/// The characters of a content before and after the place where two differ, in a failure.
const AROUND: usize = 200;

/// The status, the header fields and the content of a response, without what is another one at
/// another time or in another database.
#[derive(Debug, PartialEq)]
pub(super) struct Plain {
    status: u16,
    fields: Vec<(String, String)>,
    text: String,
}

impl Plain {
    pub(super) fn of(answer: &Answer) -> Self {
        let is_coded = answer.field("content-encoding").is_some();
        let is_page = answer.field("content-type").is_some_and(|is| is.starts_with("text/html"));
        let is_too_often = answer.status() == 429;
        let mut fields = answer.fields.clone();
        for (name, value) in &mut fields {
            let is_momentary = match name.as_str() {
                "date" | "etag" | "last-modified" | "request-id" => true,
                "retry-after" => is_too_often,
                // A page has tags, and times have other compressed forms.
                "content-length" => is_coded || is_page || is_too_often,
                _ => false,
            };
            *value = if is_momentary { "…".into() } else { masked(value) };
        }
        // The order of fields with other names means nothing (RFC 9110 §5.3).
        fields.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut text = masked(&String::from_utf8_lossy(&decoded(answer)));
        if is_too_often {
            // The problem says how many seconds are left.
            text.retain(|letter| !letter.is_ascii_digit());
        }
        Self { status: answer.status(), fields, text }
    }
}

impl Plain {
    /// The difference of the two, for a failure.
    pub(super) fn difference(&self, other: &Self) -> String {
        let of = |plain: &Self, other: &Self| {
            let fields: Vec<_> =
                plain.fields.iter().filter(|field| !other.fields.contains(field)).collect();
            let same = plain.text.chars().zip(other.text.chars()).take_while(|(a, b)| a == b);
            let start = same.count().saturating_sub(AROUND);
            let text: String = plain.text.chars().skip(start).take(2 * AROUND).collect();
            format!("{} {fields:?}\n{text}", plain.status)
        };
        format!("{}\n\n{}", of(self, other), of(other, self))
    }
}

/// The content without its content coding.
fn decoded(answer: &Answer) -> Vec<u8> {
    match answer.field("content-encoding") {
        Some(coding) if !answer.body.is_empty() => opened(coding, &answer.body),
        _ => answer.body.clone(),
    }
}

/// A text with `…` for each tag, each id of a request, and each time of this century.
fn masked(words: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-:.".contains(letter);
    let mut text = String::new();
    for word in words.split_inclusive(|letter| !is_word(letter)) {
        let bare = word.trim_end_matches(|letter| !is_word(letter));
        let is_tag = FORMATS.iter().any(|format| bare.contains(format));
        let is_request_id = bare.len() == 36 && bare.matches('-').count() == 4;
        let is_time = bare.starts_with("20") && bare.ends_with('Z') && bare.contains('T');
        let is_fixed = bare.starts_with("00000000-");
        let is_momentary = is_tag || is_time || is_request_id && !is_fixed;
        text.push_str(if is_momentary { "…" } else { bare });
        text.push_str(&word[bare.len()..]);
    }
    text
}
