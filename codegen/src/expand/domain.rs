//! Generates the constraints of a domain as fields of a definition.

use super::literal::{flag, literal, some, variant};
use crate::schema::Domain;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The constraints as struct fields, such as `minimum: Some(…)`. `named` is the named type of the
/// field, if it has one.
pub(super) fn keys(domain: &Domain, named: Option<&TokenStream>) -> Vec<TokenStream> {
    let literal = |value| literal(value, named);
    let usual = Domain::usual(domain.kind);
    let length =
        |own: Option<u32>, usual| own.filter(|_| own != usual).map(Literal::u32_unsuffixed);
    let choices = domain.choices.iter().map(literal);
    let choices = (!domain.choices.is_empty()).then(|| quote!(choices: &[#(#choices),*]));
    let keys = [
        flag("ignore_case", domain.ignore_case),
        some("minimum", domain.minimum.as_ref().map(literal)),
        some("maximum", domain.maximum.as_ref().map(literal)),
        some("min_length", length(domain.min_length, usual.min_length)),
        some("max_length", length(domain.max_length, usual.max_length)),
        some("pattern", domain.pattern.as_deref()),
        choices,
        some("format", domain.format.map(|format| variant("Format", format))),
    ];
    keys.into_iter().flatten().collect()
}
