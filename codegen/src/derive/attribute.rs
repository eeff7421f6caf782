//! Parses `#[resource(…)]` and `#[field_type(…)]` to keys with values, each with its position.
//!
//! The parser accepts any key. A word stays a path until a reader uses it, because some keys name
//! Rust types.

use super::reader::Reader;
use crate::diagnostic::{Problem, shape};
use crate::draft::{Entry, Node, Origin, Spanned, Value};
use crate::schema::duration;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, Lit, Meta, Token, bracketed, token};

/// The maximum nesting of brackets in an attribute. The schema language needs three levels; values
/// of `x-…` keys may have more.
const DEPTH_MAX: usize = 64;

/// A key with its value.
pub(super) struct Argument {
    pub(super) key: String,
    pub(super) at: Span,
    pub(super) value: ArgumentValue,
}

/// The value of a key, with its position.
pub(super) struct ArgumentValue {
    pub(super) syntax: ValueSyntax,
    pub(super) at: Span,
}

/// The syntax of a value.
pub(super) enum ValueSyntax {
    /// A literal, or a word with `-` before it.
    Value(Value),
    /// A word or a path.
    Path(syn::Path),
    List(Vec<ArgumentValue>),
    Map(Vec<Argument>),
}

/// Reads the keys of all attributes with this name. A part with a syntax error is reported and
/// skipped.
pub(super) fn read(attributes: &[Attribute], name: &str, reader: &mut Reader) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        if let Meta::List(list) = &attribute.meta
            && is_too_deep(&list.tokens)
        {
            reader.report(attribute.meta.span(), Problem::TooDeep { maximum: DEPTH_MAX });
            continue;
        }
        let errors = match &attribute.meta {
            // If a part is missing at the end, the error is at the closing bracket.
            Meta::List(_) => match attribute.parse_args_with(parse_leniently) {
                Ok((parsed, errors)) => {
                    arguments.extend(parsed);
                    errors
                }
                Err(error) => vec![error],
            },
            meta => vec![syn::Error::new(meta.span(), format!("write `#[{name}(key = value)]`"))],
        };
        for error in errors {
            reader.report(error.span(), Problem::AttributeSyntax { message: error.to_string() });
        }
    }
    arguments
}

/// Whether brackets are nested too deeply. This is checked before parsing, because the parser is
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

/// Parses the arguments of an attribute. After an error, parsing continues with the next argument.
fn parse_leniently(input: ParseStream<'_>) -> syn::Result<(Vec<Argument>, Vec<syn::Error>)> {
    let (mut arguments, mut errors) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let result = argument(input)
            .map(|argument| arguments.push(argument))
            .and_then(|()| separator(input));
        if let Err(error) = result {
            errors.push(error);
            while !input.is_empty()
                && input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_none())
            {
                // The input is not empty, so a token tree follows.
                let _ = input.parse::<TokenTree>();
            }
        }
    }
    Ok((arguments, errors))
}

fn separator(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { input.parse::<Token![,]>().map(|_| ()) }
}

fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<Argument>> {
    let mut arguments = Vec::new();
    while !input.is_empty() {
        arguments.push(argument(input)?);
        separator(input)?;
    }
    Ok(arguments)
}

/// Parses `key`, `key = value` or `key(key = value)`.
fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    let (key, at) = match input.peek(syn::LitStr) {
        true => input.parse::<syn::LitStr>().map(|text| (text.value(), text.span()))?,
        false => {
            input.call(Ident::parse_any).map(|word| (word.unraw().to_string(), word.span()))?
        }
    };
    let value = if input.peek(token::Paren) {
        let inner;
        let paren = syn::parenthesized!(inner in input);
        ArgumentValue { syntax: ValueSyntax::Map(arguments(&inner)?), at: paren.span.join() }
    } else if input.parse::<Option<Token![=]>>()?.is_some() {
        value(input)?
    } else {
        ArgumentValue { syntax: ValueSyntax::Value(Value::Boolean(true)), at }
    };
    Ok(Argument { key, at, value })
}

fn value(input: ParseStream<'_>) -> syn::Result<ArgumentValue> {
    if input.peek(token::Bracket) {
        let inner;
        let bracket = bracketed!(inner in input);
        return Ok(ArgumentValue {
            syntax: ValueSyntax::List(list(&inner)?),
            at: bracket.span.join(),
        });
    }
    if input.peek(token::Brace) {
        let inner;
        let brace = syn::braced!(inner in input);
        return Ok(ArgumentValue {
            syntax: ValueSyntax::Map(arguments(&inner)?),
            at: brace.span.join(),
        });
    }
    if input.peek(Token![-]) {
        return parse_negative(input);
    }
    if input.peek(Lit) {
        let literal = input.parse::<Lit>()?;
        return Ok(ArgumentValue {
            at: literal.span(),
            syntax: ValueSyntax::Value(parse_literal(&literal)?),
        });
    }
    path(input)
}

fn list(input: ParseStream<'_>) -> syn::Result<Vec<ArgumentValue>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(value(input)?);
        separator(input)?;
    }
    Ok(items)
}

/// Parses a negative number such as `-5`, or a descending sort key such as `-name`.
fn parse_negative(input: ParseStream<'_>) -> syn::Result<ArgumentValue> {
    let minus = input.parse::<Token![-]>()?.span();
    let (value, at) = if input.peek(Lit) {
        let literal = input.parse::<Lit>()?;
        match parse_literal(&literal)? {
            Value::Number(number) => (Value::Number(format!("-{number}")), literal.span()),
            _ => {
                return Err(syn::Error::new(
                    literal.span(),
                    "only a number or a word can follow `-`",
                ));
            }
        }
    } else {
        let word = input.call(Ident::parse_any)?;
        (Value::Text(format!("-{}", word.unraw())), word.span())
    };
    Ok(ArgumentValue { syntax: ValueSyntax::Value(value), at: minus.join(at).unwrap_or(at) })
}

/// Parses a word, `null`, or a path.
fn path(input: ParseStream<'_>) -> syn::Result<ArgumentValue> {
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
    let syntax = if path.is_ident("null") {
        ValueSyntax::Value(Value::Null)
    } else {
        ValueSyntax::Path(path.clone())
    };
    Ok(ArgumentValue { syntax, at: path.span() })
}

fn parse_literal(literal: &Lit) -> syn::Result<Value> {
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

/// The digits of a number as in the source, with the exponent and without `_`.
fn digits_of(number: &syn::LitFloat) -> String {
    let written = number.to_string();
    written.strip_suffix(number.suffix()).unwrap_or(&written).replace('_', "")
}

/// A number in the syntax of JSON: without leading zeros, and with a digit after the decimal point.
fn float(digits: &str) -> String {
    let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
    let significant = digits.trim_start_matches('0');
    let whole = significant.starts_with(|first: char| first.is_ascii_digit());
    if whole { significant.to_owned() } else { format!("0{significant}") }
}

impl Argument {
    /// Converts this argument to an entry of a [`Draft`](crate::Draft). `None` if its value has a
    /// mistake, which is reported.
    pub(super) fn lower(self, reader: &mut Reader) -> Option<Entry> {
        let key = Spanned { value: self.key, at: Origin::Rust(self.at) };
        Some(Entry { key, rust: None, value: self.value.lower(reader)? })
    }
}

impl ArgumentValue {
    /// Converts this value to a node of a [`Draft`](crate::Draft). A path with several segments is
    /// reported and gives `None`.
    pub(super) fn lower(self, reader: &mut Reader) -> Option<Node> {
        let value = match self.syntax {
            ValueSyntax::Value(value) => value,
            ValueSyntax::Path(path) => match word(&path) {
                Some(word) => Value::Text(word),
                None => {
                    let message = "a path is allowed only for a resource; put text in quotes";
                    reader
                        .report(self.at, Problem::AttributeSyntax { message: message.to_owned() });
                    return None;
                }
            },
            ValueSyntax::List(items) => Value::List(
                items.into_iter().map(|item| item.lower(reader)).collect::<Option<_>>()?,
            ),
            ValueSyntax::Map(arguments) => {
                let entries = arguments.into_iter().map(|argument| argument.lower(reader));
                Value::Map(entries.collect::<Option<_>>()?)
            }
        };
        Some(Spanned { value, at: Origin::Rust(self.at) })
    }

    /// The text of this value; `None` if it is not a text.
    pub(super) fn text(&self) -> Option<String> {
        match &self.syntax {
            ValueSyntax::Value(Value::Text(text)) => Some(text.clone()),
            ValueSyntax::Path(path) => word(path),
            _ => None,
        }
    }

    /// The kind of this value as words for a message, such as `a list`.
    pub(super) const fn kind(&self) -> &'static str {
        match &self.syntax {
            ValueSyntax::Value(value) => value.kind(),
            ValueSyntax::Path(_) => shape::TEXT,
            ValueSyntax::List(_) => shape::LIST,
            ValueSyntax::Map(_) => "a mapping",
        }
    }
}

/// The word of a path with one segment; `None` for a longer path.
fn word(path: &syn::Path) -> Option<String> {
    path.get_ident().map(|word| word.unraw().to_string())
}
