//! Values of a declaration as Rust expressions.

use crate::schema::{Extension, FieldKind, Literal};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::fmt::Debug;
use syn::Type;

/// The variant of an enum of the runtime; those of the schema have the same names.
pub(super) fn variant(of: &str, variant: impl Debug) -> TokenStream {
    let of = Ident::new(of, Span::call_site());
    let variant = Ident::new(&format!("{variant:?}"), Span::call_site());
    quote!(__v1::#of::#variant)
}

/// A kind of values.
pub(super) fn kind(kind: Option<FieldKind>) -> TokenStream {
    match kind.expect("what has no kind has a named type, whose definition says it") {
        FieldKind::Decimal { scale } => {
            let scale = proc_macro2::Literal::u8_unsuffixed(scale);
            quote!(__v1::FieldKind::Decimal { scale: #scale })
        }
        kind => variant("FieldKind", kind),
    }
}

/// A value; in a field of a named type, whose kind only the type knows, as that kind has it.
pub(super) fn literal(value: &Literal, named: Option<&Type>) -> TokenStream {
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

/// A number with 18 fraction digits, of which a decimal keeps as many as it has; `None` where it
/// has more of them.
fn decimal(number: &Literal) -> Option<String> {
    let number = number.to_string();
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    (fraction.len() <= 18).then(|| format!("{whole}.{fraction:0<18}"))
}

/// The keys `x-…`.
pub(super) fn extensions(extensions: &[Extension]) -> Option<TokenStream> {
    let each = extensions
        .iter()
        .map(|Extension { name, json }| quote!(__v1::ExtensionDef { name: #name, json: #json }));
    (!extensions.is_empty()).then(|| quote!(extensions: &[#(#each),*]))
}

/// `key: true`, where it is.
pub(super) fn flag(key: &str, flag: bool) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    flag.then(|| quote!(#key: true))
}

/// `key: Some(value)`, where there is one.
pub(super) fn some(key: &str, value: Option<impl quote::ToTokens>) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    value.map(|value| quote!(#key: __v1::Some(#value)))
}
