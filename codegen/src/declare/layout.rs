//! Formats declarations. `prettyplease` formats everything except the attributes of Nouns, whose
//! arguments are not Rust syntax.
//!
//! An attribute stays on one line if it fits. Otherwise each key has its own line, and a value that
//! is still too long is split in the same way.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use std::collections::VecDeque;
use syn::{Attribute, Item, Meta};

/// The maximum length of a line in characters, as in `prettyplease`.
const LINE_CHARACTERS_MAX: usize = 89;

/// The number of spaces by which the parts of a split value are indented.
const INDENT: usize = 4;

/// The formatted text of one item.
pub(super) fn text(item: TokenStream) -> String {
    let mut file: syn::File = syn::parse2(item).expect("a declared item is valid Rust");
    let mut arguments: VecDeque<TokenStream> =
        file.items.iter_mut().flat_map(attributes).filter_map(take_arguments).collect();
    let text = prettyplease::unparse(&file);
    let lines = text.lines().map(|line| match line.trim_start().strip_suffix("(_)]") {
        Some(start) if start.starts_with("#[") => {
            let indent = line.len() - line.trim_start().len();
            let arguments = arguments.pop_front().unwrap_or_default();
            let attribute = lay_out(start, "(", &arguments, ")]", indent);
            format!("{:indent$}{attribute}\n", "")
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// The attributes of an item, its fields and its variants, in the order of the text.
fn attributes(item: &mut Item) -> Vec<&mut Attribute> {
    match item {
        Item::Struct(item) => {
            let fields = item.fields.iter_mut().flat_map(|field| &mut field.attrs);
            item.attrs.iter_mut().chain(fields).collect()
        }
        Item::Enum(item) => {
            let variants = item.variants.iter_mut().flat_map(|variant| &mut variant.attrs);
            item.attrs.iter_mut().chain(variants).collect()
        }
        _ => Vec::new(),
    }
}

/// Takes the arguments out of an attribute of Nouns. The placeholder `_` marks their position in
/// the formatted text; it is never a valid argument.
fn take_arguments(attribute: &mut Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &mut attribute.meta else { return None };
    let is_ours = ["resource", "field_type"].iter().any(|ours| list.path.is_ident(ours));
    is_ours.then(|| std::mem::replace(&mut list.tokens, quote!(_)))
}

/// Formats tokens between `open` and `close`. They are split over several lines if one line would
/// be too long.
fn lay_out(start: &str, open: &str, inner: &TokenStream, close: &str, indent: usize) -> String {
    let flat = format!("{start}{}", join_group(open, inner, close));
    // A comma may follow the text, so one character must stay free.
    if indent + flat.chars().count() < LINE_CHARACTERS_MAX {
        return flat;
    }
    let deeper = indent + INDENT;
    let parts = parts(inner)
        .into_iter()
        .map(|part| format!("{:deeper$}{},\n", "", break_last_group(part, deeper)));
    format!(
        "{start}{}\n{}{:indent$}{}",
        open.trim_end(),
        parts.collect::<String>(),
        "",
        close.trim_start()
    )
}

/// Formats one part of a list. If the part ends with a group in brackets, the group is split over
/// several lines if necessary.
fn break_last_group(part: TokenStream, indent: usize) -> String {
    let mut tokens: Vec<TokenTree> = part.into_iter().collect();
    match tokens.pop() {
        Some(TokenTree::Group(group)) => {
            let before: TokenStream = tokens.into_iter().collect();
            let (open, close) = delimiters(&group);
            lay_out(&join_tokens(&before), open, &group.stream(), close, indent)
        }
        last => join_tokens(&tokens.into_iter().chain(last).collect()),
    }
}

/// Splits tokens at commas.
fn parts(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens.clone() {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => {
                parts.push(TokenStream::new());
            }
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Formats tokens on one line.
fn join_tokens(tokens: &TokenStream) -> String {
    let mut text = String::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '=' => text.push_str(" = "),
            TokenTree::Punct(punct) if punct.as_char() == ',' => text.push_str(", "),
            TokenTree::Group(group) => {
                let (open, close) = delimiters(&group);
                text.push_str(&join_group(open, &group.stream(), close));
            }
            other => text.push_str(&other.to_string()),
        }
    }
    text
}

/// Formats a group on one line. An empty group has no spaces inside.
fn join_group(open: &str, inner: &TokenStream, close: &str) -> String {
    if inner.is_empty() {
        return format!("{}{}", open.trim_end(), close.trim_start());
    }
    format!("{open}{}{close}", join_tokens(inner))
}

fn delimiters(group: &Group) -> (&'static str, &'static str) {
    match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{ ", " }"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}
