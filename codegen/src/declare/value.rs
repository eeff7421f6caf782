//! Writes the values of a declaration as Rust tokens: words, texts, numbers and lists.

use super::names::ident;
use crate::name;
use crate::schema::Literal;
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

/// A value of a field or type. Decimals are string literals, as in JSON.
pub(super) fn literal(value: &Literal) -> TokenStream {
    match value {
        Literal::Integer(value) => number(&value.to_string()),
        Literal::Number(value) => number(&double(*value)),
        Literal::Boolean(value) => value.to_token_stream(),
        Literal::String(value) => text(value),
        Literal::Json(value) => super::json::value(value),
    }
}

/// The shortest digits that give this `f64`, with an exponent if the number is very large or small.
fn double(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A number with its digits as in JSON. A minus sign is a separate token.
pub(super) fn number(digits: &str) -> TokenStream {
    digits.parse().expect("a number is a Rust literal with an optional sign")
}

/// A word of the schema language or a field name: an identifier if possible, otherwise a string
/// literal.
pub(super) fn word(word: &str) -> TokenStream {
    if is_word(word) { ident(word).to_token_stream() } else { text(word) }
}

/// Whether a text can be a word without quotes. `true`, `false` and `null` have another meaning.
pub(super) fn is_word(text: &str) -> bool {
    name::is_name(text) && !matches!(text, "true" | "false" | "null")
}

/// A string literal. It is a raw string if this avoids backslashes.
pub(super) fn text(text: &str) -> TokenStream {
    let raw = text.contains(['"', '\\']) && text.chars().all(is_plain);
    if !raw {
        return text.to_token_stream();
    }
    let longest =
        text.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len()).max();
    let hashes = "#".repeat(longest.map_or(0, |longest| longest + 1));
    format!("r{hashes}\"{text}\"{hashes}")
        .parse()
        .expect("a raw string has more hashes at its end than inside")
}

/// Whether a character needs no escape in a raw string, because it is printable.
pub(super) fn is_plain(character: char) -> bool {
    matches!(character, '"' | '\'' | '\\') || character.escape_debug().len() == 1
}

/// A list in brackets.
pub(super) fn list(items: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let items = items.into_iter();
    quote!([#(#items),*])
}

/// The values of `enum`. They are words without quotes if all of them can be words.
pub(super) fn choices(choices: &[Literal]) -> TokenStream {
    let words =
        choices.iter().all(|choice| matches!(choice, Literal::String(text) if is_word(text)));
    list(choices.iter().map(|choice| match choice {
        Literal::String(text) if words => word(text),
        other => literal(other),
    }))
}
