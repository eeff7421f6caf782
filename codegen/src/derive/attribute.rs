//! The grammar of `#[resource(…)]` and `#[field_type(…)]`: keys with values, each with its place.
//!
//! It knows no key. A word is text, and stays a path until somebody asks, since some keys name Rust
//! types.

use super::reader::Reader;
use crate::diagnostic::Problem;
use crate::draft::{Entry, Node, Origin, Spanned, Value};
use crate::schema::duration;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, Lit, Meta, Token, bracketed, token};

/// How deep brackets may nest in an attribute; the language needs three levels, `x-…` values have
/// the rest.
const DEPTH_MAX: usize = 64;

/// A key and what is said under it.
pub(super) struct Argument {
    pub(super) key: String,
    pub(super) at: Span,
    pub(super) given: Given,
}

/// What is said under a key.
pub(super) struct Given {
    pub(super) said: Said,
    pub(super) at: Span,
}

/// A value as it was written.
pub(super) enum Said {
    /// A literal, or a word after `-`.
    Value(Value),
    /// A word or a path.
    Path(syn::Path),
    List(Vec<Given>),
    Map(Vec<Argument>),
}

/// The keys of every attribute of that name; what cannot be read is said and passed over.
pub(super) fn read(attributes: &[Attribute], name: &str, reader: &mut Reader) -> Vec<Argument> {
    let mut read = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        if let Meta::List(list) = &attribute.meta
            && is_too_deep(&list.tokens)
        {
            reader.say(attribute.meta.span(), Problem::TooDeep { maximum: DEPTH_MAX });
            continue;
        }
        let errors = match &attribute.meta {
            // What is missing at the end is missed at the closing bracket.
            Meta::List(_) => match attribute.parse_args_with(tolerant) {
                Ok((arguments, errors)) => {
                    read.extend(arguments);
                    errors
                }
                Err(error) => vec![error],
            },
            meta => vec![syn::Error::new(meta.span(), format!("write `#[{name}(key = value)]`"))],
        };
        for error in errors {
            reader.say(error.span(), Problem::AttributeSyntax { message: error.to_string() });
        }
    }
    read
}

/// Whether brackets are nested deeper than they may be; it is asked first, since reading them is
/// recursive.
fn is_too_deep(tokens: &TokenStream) -> bool {
    let mut open = vec![(tokens.clone(), 0)];
    while let Some((tokens, depth)) = open.pop() {
        if depth > DEPTH_MAX {
            return true;
        }
        open.extend(tokens.into_iter().filter_map(|tree| match tree {
            TokenTree::Group(group) => Some((group.stream(), depth + 1)),
            _ => None,
        }));
    }
    false
}

/// Every argument that can be read, and what is wrong with the others; after one that cannot, the
/// next one is tried.
fn tolerant(input: ParseStream<'_>) -> syn::Result<(Vec<Argument>, Vec<syn::Error>)> {
    let (mut read, mut errors) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let result =
            argument(input).map(|argument| read.push(argument)).and_then(|()| separator(input));
        if let Err(error) = result {
            errors.push(error);
            while !input.is_empty()
                && input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_none())
            {
                // A tree of tokens is there, since the input is not empty.
                let _ = input.parse::<TokenTree>();
            }
        }
    }
    Ok((read, errors))
}

fn separator(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { input.parse::<Token![,]>().map(|_| ()) }
}

fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<Argument>> {
    let mut read = Vec::new();
    while !input.is_empty() {
        read.push(argument(input)?);
        separator(input)?;
    }
    Ok(read)
}

/// `key`, `key = value` or `key(key = value)`.
fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    let (key, at) = match input.peek(syn::LitStr) {
        true => input.parse::<syn::LitStr>().map(|text| (text.value(), text.span()))?,
        false => {
            input.call(Ident::parse_any).map(|word| (word.unraw().to_string(), word.span()))?
        }
    };
    let given = if input.peek(token::Paren) {
        let inner;
        let paren = syn::parenthesized!(inner in input);
        Given { said: Said::Map(arguments(&inner)?), at: paren.span.join() }
    } else if input.parse::<Option<Token![=]>>()?.is_some() {
        value(input)?
    } else {
        Given { said: Said::Value(Value::Boolean(true)), at }
    };
    Ok(Argument { key, at, given })
}

fn value(input: ParseStream<'_>) -> syn::Result<Given> {
    if input.peek(token::Bracket) {
        let inner;
        let bracket = bracketed!(inner in input);
        return Ok(Given { said: Said::List(list(&inner)?), at: bracket.span.join() });
    }
    if input.peek(token::Brace) {
        let inner;
        let brace = syn::braced!(inner in input);
        return Ok(Given { said: Said::Map(arguments(&inner)?), at: brace.span.join() });
    }
    if input.peek(Token![-]) {
        return negative(input);
    }
    if input.peek(Lit) {
        let literal = input.parse::<Lit>()?;
        return Ok(Given { at: literal.span(), said: Said::Value(plain(&literal)?) });
    }
    path(input)
}

fn list(input: ParseStream<'_>) -> syn::Result<Vec<Given>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(value(input)?);
        separator(input)?;
    }
    Ok(items)
}

/// `-5` or, in an order, `-name`.
fn negative(input: ParseStream<'_>) -> syn::Result<Given> {
    let minus = input.parse::<Token![-]>()?.span();
    let (value, at) = if input.peek(Lit) {
        let literal = input.parse::<Lit>()?;
        match plain(&literal)? {
            Value::Number(number) => (Value::Number(format!("-{number}")), literal.span()),
            _ => {
                return Err(syn::Error::new(
                    literal.span(),
                    "only a number or a word stands after `-`",
                ));
            }
        }
    } else {
        let word = input.call(Ident::parse_any)?;
        (Value::Text(format!("-{}", word.unraw())), word.span())
    };
    Ok(Given { said: Said::Value(value), at: minus.join(at).unwrap_or(at) })
}

/// A word, `null`, or a path.
fn path(input: ParseStream<'_>) -> syn::Result<Given> {
    let is_word = input.peek(Ident::peek_any) && !input.peek2(Token![::]);
    let path = match is_word {
        true => input.call(Ident::parse_any).map(syn::Path::from),
        false => input.call(syn::Path::parse_mod_style),
    };
    let path = path.map_err(|error| {
        syn::Error::new(
            error.span(),
            "a value is a literal, a word, a path, `[…]` or `{ key = value }`",
        )
    })?;
    let said =
        if path.is_ident("null") { Said::Value(Value::Null) } else { Said::Path(path.clone()) };
    Ok(Given { said, at: path.span() })
}

fn plain(literal: &Lit) -> syn::Result<Value> {
    let (digits, suffix) = match literal {
        Lit::Str(text) => return Ok(Value::Text(text.value())),
        Lit::Bool(flag) => return Ok(Value::Boolean(flag.value)),
        Lit::Int(number) => (number.base10_digits().to_owned(), number.suffix()),
        Lit::Float(number) => (float(&digits_of(number)), number.suffix()),
        _ => return Err(syn::Error::new(literal.span(), "write text as a string: `\"…\"`")),
    };
    if suffix.is_empty() {
        return Ok(Value::Number(digits));
    }
    let duration = format!("{digits}{suffix}");
    if duration::seconds(&duration).is_ok() {
        let message = format!("write a duration as a string: `\"{duration}\"`");
        return Err(syn::Error::new(literal.span(), message));
    }
    Err(syn::Error::new(literal.span(), format!("a number has no suffix; write `{digits}`")))
}

/// The digits of a number as they were written, with the exponent that they have.
fn digits_of(number: &syn::LitFloat) -> String {
    let written = number.to_string();
    written.strip_suffix(number.suffix()).unwrap_or(&written).replace('_', "")
}

/// A number as JSON spells it: without zeros before it, and with a digit after its point.
fn float(digits: &str) -> String {
    let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
    let significant = digits.trim_start_matches('0');
    let whole = significant.starts_with(|first: char| first.is_ascii_digit());
    if whole { significant.to_owned() } else { format!("0{significant}") }
}

impl Argument {
    /// The entry of the neutral tree that says the same; `None` where its value is none there,
    /// which is said.
    pub(super) fn lower(self, reader: &mut Reader) -> Option<Entry> {
        let key = Spanned { value: self.key, at: Origin::Rust(self.at) };
        Some(Entry { key, rust: None, value: self.given.lower(reader)? })
    }
}

impl Given {
    /// The node of the neutral tree that says the same; `None` for a path, which is a mistake by
    /// now.
    pub(super) fn lower(self, reader: &mut Reader) -> Option<Node> {
        let value = match self.said {
            Said::Value(value) => value,
            Said::Path(path) => match word(&path) {
                Some(word) => Value::Text(word),
                None => {
                    let message =
                        "a path stands only where a resource is meant; put text in quotes";
                    reader.say(self.at, Problem::AttributeSyntax { message: message.to_owned() });
                    return None;
                }
            },
            Said::List(items) => Value::List(
                items.into_iter().map(|item| item.lower(reader)).collect::<Option<_>>()?,
            ),
            Said::Map(arguments) => {
                let entries = arguments.into_iter().map(|argument| argument.lower(reader));
                Value::Map(entries.collect::<Option<_>>()?)
            }
        };
        Some(Spanned { value, at: Origin::Rust(self.at) })
    }

    /// The text that is said, if it is text.
    pub(super) fn text(&self) -> Option<String> {
        match &self.said {
            Said::Value(Value::Text(text)) => Some(text.clone()),
            Said::Path(path) => word(path),
            _ => None,
        }
    }

    /// What is said, with its article, for messages.
    pub(super) const fn kind(&self) -> &'static str {
        match &self.said {
            Said::Value(value) => value.kind(),
            Said::Path(_) => "text",
            Said::List(_) => "a list",
            Said::Map(_) => "a mapping",
        }
    }
}

/// The word that a path is, if it is no longer.
fn word(path: &syn::Path) -> Option<String> {
    path.get_ident().map(|word| word.unraw().to_string())
}
