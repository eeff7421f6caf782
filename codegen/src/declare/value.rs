//! Values of a declaration in Rust: words, texts, numbers, lists.

use super::names::ident;
use crate::name;
use crate::schema::Literal;
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

/// A value of a field or type; exact decimals are texts, as they are in JSON.
pub(super) fn literal(value: &Literal) -> TokenStream {
    match value {
        Literal::Integer(value) => number(&value.to_string()),
        Literal::Number(value) => number(&double(*value)),
        Literal::Boolean(value) => value.to_token_stream(),
        Literal::String(value) => text(value),
        Literal::Json(value) => super::json::value(value),
    }
}

/// The shortest digits of a double, with an exponent where they would be many.
fn double(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A number in the spelling of JSON, which is one of Rust's too; its sign is a token of its own.
pub(super) fn number(digits: &str) -> TokenStream {
    digits.parse().expect("a number is made of a sign and a literal")
}

/// A word of the language or the name of a field; in quotes where Rust gives the word a meaning.
pub(super) fn word(word: &str) -> TokenStream {
    if is_word(word) { ident(word).to_token_stream() } else { text(word) }
}

/// Whether a text can stand as a word and mean itself.
pub(super) fn is_word(text: &str) -> bool {
    name::is_name(text) && !matches!(text, "true" | "false" | "null")
}

/// A text in quotes; a raw one where that saves backslashes.
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
        .expect("a raw text ends with more hashes than are in it")
}

/// Whether a character can be seen, so that it needs no escape; a quote and a backslash need none
/// in a raw text.
pub(super) fn is_plain(character: char) -> bool {
    matches!(character, '"' | '\'' | '\\') || character.escape_debug().len() == 1
}

/// A list.
pub(super) fn list(items: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let items = items.into_iter();
    quote!([#(#items),*])
}

/// The values that there are: words if each can be one.
pub(super) fn choices(choices: &[Literal]) -> TokenStream {
    let words =
        choices.iter().all(|choice| matches!(choice, Literal::String(text) if is_word(text)));
    list(choices.iter().map(|choice| match choice {
        Literal::String(text) if words => word(text),
        other => literal(other),
    }))
}
