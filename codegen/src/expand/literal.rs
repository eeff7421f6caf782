//! Generates Rust expressions for values of a declaration.

use crate::schema::{Extension, FieldKind, Literal};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::fmt::Debug;

/// The variant of the runtime's enum `of` that has the same name as `variant`.
pub(super) fn variant(of: &str, variant: impl Debug) -> TokenStream {
    let of = Ident::new(of, Span::call_site());
    let variant = Ident::new(&format!("{variant:?}"), Span::call_site());
    quote!(__v1::#of::#variant)
}

/// The variant of `FieldKind` as an expression.
pub(super) fn kind(kind: Option<FieldKind>) -> TokenStream {
    match kind.expect("a field or type without a named type has a kind") {
        FieldKind::Decimal { scale } => {
            let scale = proc_macro2::Literal::u8_unsuffixed(scale);
            quote!(__v1::FieldKind::Decimal { scale: #scale })
        }
        kind => variant("FieldKind", kind),
    }
}

/// The expression of a value. If the field has a named type, the runtime converts the value to the
/// kind of this type.
pub(super) fn literal(value: &Literal, named: Option<&TokenStream>) -> TokenStream {
    let plain = match value {
        Literal::Integer(value) => {
            let value = proc_macro2::Literal::i64_unsuffixed(*value);
            quote!(__v1::Literal::Integer(#value))
        }
        Literal::Number(value) => {
            let value = proc_macro2::Literal::f64_unsuffixed(*value);
            quote!(__v1::Literal::Number(#value))
        }
        Literal::Boolean(value) => return quote!(__v1::Literal::Boolean(#value)),
        Literal::String(value) => return quote!(__v1::Literal::String(#value)),
        Literal::Json(value) => return quote!(__v1::Literal::Json(#value)),
    };
    match named.zip(decimal(value)) {
        Some((of, decimal)) => quote!(#plain.fitted(<#of as __v1::FieldType>::DEF.kind, #decimal)),
        None => plain,
    }
}

/// The number with 18 fraction digits. `Literal::fitted` uses as many of them as the scale of the
/// decimal. `None` if the number has more than 18.
fn decimal(number: &Literal) -> Option<String> {
    let number = number.to_string();
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    (fraction.len() <= 18).then(|| format!("{whole}.{fraction:0<18}"))
}

/// The key `extensions` with the `x-…` keys. `None` if there are none.
pub(super) fn extensions(extensions: &[Extension]) -> Option<TokenStream> {
    let each = extensions
        .iter()
        .map(|Extension { name, json }| quote!(__v1::ExtensionDef { name: #name, json: #json }));
    (!extensions.is_empty()).then(|| quote!(extensions: &[#(#each),*]))
}

/// The key `key: true`. `None` if the flag is not set.
pub(super) fn flag(key: &str, flag: bool) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    flag.then(|| quote!(#key: true))
}

/// The key `key: Some(value)`. `None` if there is no value.
pub(super) fn some(key: &str, value: Option<impl quote::ToTokens>) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    value.map(|value| quote!(#key: __v1::Some(#value)))
}
