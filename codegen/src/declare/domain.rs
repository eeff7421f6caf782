//! Writes the constraints that a field or type adds to its named type.

use super::keys::Keys;
use super::value;
use crate::schema::{Domain, FieldKind, Literal, Schema};
use proc_macro2::TokenStream;

/// The domain (kind and constraints) of the named type with this name, if there is one.
pub(super) fn named<'s>(name: Option<&str>, schema: &'s Schema) -> Option<&'s Domain> {
    let named = schema.types.iter().find(|named| Some(named.name.as_str()) == name);
    named.map(|named| &named.domain)
}

/// Writes the constraints of `own` that `base` does not have. Without a base, all constraints are
/// written.
pub(super) fn constraints(own: &Domain, base: Option<&Domain>, keys: &mut Keys) {
    keys.pair("scale", scale(own.kind).filter(|_| base.is_none()));
    let all = Domain::usual(own.kind);
    let base = base.unwrap_or(&all);
    keys.flag("ignore_case", own.ignore_case && !base.ignore_case);
    keys.pair("minimum", bound(own.minimum.as_ref(), base.minimum.as_ref()));
    keys.pair("maximum", bound(own.maximum.as_ref(), base.maximum.as_ref()));
    keys.pair("min_length", length(own.min_length, base.min_length));
    keys.pair("max_length", length(own.max_length, base.max_length));
    let pattern = own.pattern.as_deref().filter(|own| base.pattern.as_deref() != Some(own));
    keys.pair("pattern", pattern.map(value::text));
    let choices = (own.choices != base.choices).then_some(&own.choices);
    keys.pair("enum", choices.map(|choices| value::choices(choices)));
    let format = own.format.filter(|own| base.format != Some(*own));
    keys.pair("format", format.map(|format| value::word(format.word())));
}

fn scale(kind: Option<FieldKind>) -> Option<TokenStream> {
    match kind {
        Some(FieldKind::Decimal { scale }) => Some(value::number(&scale.to_string())),
        _ => None,
    }
}

fn bound(own: Option<&Literal>, base: Option<&Literal>) -> Option<TokenStream> {
    own.filter(|own| base != Some(own)).map(value::literal)
}

fn length(own: Option<u32>, base: Option<u32>) -> Option<TokenStream> {
    own.filter(|own| base != Some(*own)).map(|own| value::number(&own.to_string()))
}
