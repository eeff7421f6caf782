//! Reads doc comments as descriptions.

use super::attribute::Argument;
use super::reader::entry;
use crate::draft::{Entry, Value};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Lit, Meta};

/// The entry `description` from a doc comment. `None` if an argument has the description, or if the
/// comment is the standard sentence of generated code.
pub(super) fn description(
    attributes: &[Attribute],
    arguments: &[Argument],
    standard: &str,
) -> Option<Entry> {
    let (text, at) = comment(attributes)?;
    let has_key = arguments.iter().any(|argument| argument.key == "description");
    (!has_key && text != standard).then(|| entry("description", at, Value::Text(text)))
}

/// The attributes of a doc comment.
pub(super) fn attributes(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect()
}

/// The text of a doc comment. The first space of each line and white space at the end are removed.
fn comment(attributes: &[Attribute]) -> Option<(String, Span)> {
    let found: Vec<(String, Span)> = attributes.iter().filter_map(text).collect();
    let at = found.first()?.1;
    let lines: Vec<&str> = found
        .iter()
        .flat_map(|(text, _)| text.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let text = lines.join("\n").trim_end().to_owned();
    (!text.is_empty()).then_some((text, at))
}

fn text(attribute: &Attribute) -> Option<(String, Span)> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let (true, Expr::Lit(literal)) = (meta.path.is_ident("doc"), &meta.value) else { return None };
    let Lit::Str(text) = &literal.lit else { return None };
    Some((text.value(), attribute.span()))
}
