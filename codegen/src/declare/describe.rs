//! Writes a description as a doc comment, if parsing this comment gives the same description again.

use super::value::{self, is_plain};
use proc_macro2::TokenStream;
use quote::quote;

/// A doc comment. If the comment cannot hold the description, `key` has the description as an
/// attribute value.
pub(super) struct Description {
    pub(super) docs: TokenStream,
    pub(super) key: Option<TokenStream>,
}

/// Writes the description of an item. `standard` is the comment of an item without a description.
pub(super) fn describe(description: Option<&str>, standard: &str) -> Description {
    match description {
        Some(text) if text != standard && is_comment(text) => {
            Description { docs: docs(text), key: None }
        }
        other => Description { docs: docs(standard), key: other.map(value::text) },
    }
}

/// A doc comment with one attribute for each line.
pub(super) fn docs(text: &str) -> TokenStream {
    text.lines()
        .map(|line| {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            quote!(#[doc = #line])
        })
        .collect()
}

/// Whether a text stays the same as a doc comment, and rustdoc does not treat it as code.
fn is_comment(text: &str) -> bool {
    text.trim() == text && text.split('\n').all(is_line)
}

fn is_line(line: &str) -> bool {
    let is_code = line.starts_with("    ")
        || ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
    line.trim_end() == line && line.chars().all(is_plain) && !is_code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_comment_would_change_is_no_comment() {
        for text in ["A park.", "Two\n\n  lines", "/ and \"quotes\" and \\", "größer 🦁"] {
            assert!(is_comment(text), "{text:?}");
        }
        for text in [
            " a",
            "a ",
            "a\n",
            "a \nb",
            "a\tb",
            "a\r\nb",
            "a\n    b",
            "```\nlet\n```",
            "a\u{202e}b",
            "\0",
        ] {
            assert!(!is_comment(text), "{text:?}");
        }
    }

    #[test]
    fn a_description_that_is_the_standard_sentence_is_said_with_the_key() {
        assert!(describe(Some("The field `name`."), "The field `name`.").key.is_some());
        assert!(describe(Some("The field name."), "The field `name`.").key.is_none());
    }
}
