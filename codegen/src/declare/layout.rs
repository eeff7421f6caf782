//! Declarations on the page: the formatter of Rust does all but our attributes, whose grammar is
//! not its own.
//!
//! An attribute stands on one line if it fits, else each key has a line, and so on inside a value
//! that is still too long.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use std::collections::VecDeque;
use syn::{Attribute, Item, Meta};

/// How long a line is at most, as for the formatter.
const LINE_CHARACTERS_MAX: usize = 89;

/// How much deeper the parts of a broken value stand.
const INDENT: usize = 4;

/// The text of one item.
pub(super) fn text(item: TokenStream) -> String {
    let mut file: syn::File = syn::parse2(item).expect("what is declared is Rust");
    let mut arguments: VecDeque<TokenStream> =
        file.items.iter_mut().flat_map(attributes).filter_map(take_arguments).collect();
    let text = prettyplease::unparse(&file);
    let lines = text.lines().map(|line| match line.trim_start().strip_suffix("(_)]") {
        Some(start) if start.starts_with("#[") => {
            let indent = line.len() - line.trim_start().len();
            let arguments = arguments.pop_front().unwrap_or_default();
            let attribute = enclosed(start, "(", &arguments, ")]", indent);
            format!("{:indent$}{attribute}\n", "")
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// The attributes of an item and of what is in it, in the order of the text.
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

/// Takes the arguments out of an attribute of ours; `_` keeps their place, which no argument can
/// be.
fn take_arguments(attribute: &mut Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &mut attribute.meta else { return None };
    let is_ours = ["resource", "field_type"].iter().any(|ours| list.path.is_ident(ours));
    is_ours.then(|| std::mem::replace(&mut list.tokens, quote!(_)))
}

/// What stands between `open` and `close`, broken where the line would be too long.
fn enclosed(start: &str, open: &str, inner: &TokenStream, close: &str, indent: usize) -> String {
    let flat = format!("{start}{}", closed(open, inner, close));
    // A comma may follow.
    if indent + flat.chars().count() < LINE_CHARACTERS_MAX {
        return flat;
    }
    let deeper = indent + INDENT;
    let parts =
        parts(inner).into_iter().map(|part| format!("{:deeper$}{},\n", "", broken(part, deeper)));
    format!(
        "{start}{}\n{}{:indent$}{}",
        open.trim_end(),
        parts.collect::<String>(),
        "",
        close.trim_start()
    )
}

/// One part of a list, its last group broken if it must be.
fn broken(part: TokenStream, indent: usize) -> String {
    let mut tokens: Vec<TokenTree> = part.into_iter().collect();
    match tokens.pop() {
        Some(TokenTree::Group(group)) => {
            let before: TokenStream = tokens.into_iter().collect();
            let (open, close) = delimiters(&group);
            enclosed(&flat(&before), open, &group.stream(), close, indent)
        }
        last => flat(&tokens.into_iter().chain(last).collect()),
    }
}

/// What stands between commas.
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

/// Tokens on one line.
fn flat(tokens: &TokenStream) -> String {
    let mut text = String::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '=' => text.push_str(" = "),
            TokenTree::Punct(punct) if punct.as_char() == ',' => text.push_str(", "),
            TokenTree::Group(group) => {
                let (open, close) = delimiters(&group);
                text.push_str(&closed(open, &group.stream(), close));
            }
            other => text.push_str(&other.to_string()),
        }
    }
    text
}

/// What is inside on one line; nothing keeps no blanks.
fn closed(open: &str, inner: &TokenStream, close: &str) -> String {
    if inner.is_empty() {
        return format!("{}{}", open.trim_end(), close.trim_start());
    }
    format!("{open}{}{close}", flat(inner))
}

fn delimiters(group: &Group) -> (&'static str, &'static str) {
    match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{ ", " }"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}
