//! What a resource says of HTTP itself, as parts of its definition.

use super::literal::{flag, some, variant};
use crate::schema::{Cache, Deprecation, Precondition};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// That it is on its way out.
pub(super) fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let keys = [
        some("since", deprecation.since.as_ref()),
        some("sunset", deprecation.sunset.as_ref()),
        some("link", deprecation.link.as_ref()),
    ];
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    match keys.as_slice() {
        [] => quote!(__v1::DeprecationDef::UNDATED),
        // Nothing is left to be taken from another, and clippy would say so.
        [_, _, _] => quote!(__v1::DeprecationDef { #(#keys),* }),
        keys => quote!(__v1::DeprecationDef { #(#keys,)* ..__v1::DeprecationDef::UNDATED }),
    }
}

/// For how long, and by whom, its representations may be kept.
pub(super) fn cache(cache: &Cache) -> TokenStream {
    let durations = cache.durations().into_iter().filter_map(|(key, seconds)| {
        let seconds = Literal::u32_unsuffixed(seconds?);
        let key = format_ident!("{key}_seconds");
        Some(quote!(#key: __v1::Some(#seconds)))
    });
    let more = [
        some("visibility", cache.visibility.map(|visibility| variant("Visibility", visibility))),
        flag("no_store", cache.no_store),
        flag("must_revalidate", cache.must_revalidate),
    ];
    // Never are all keys said, since one excludes others.
    let keys = durations.chain(more.into_iter().flatten());
    quote!(__v1::CacheDef { #(#keys,)* ..__v1::CacheDef::EMPTY })
}

/// Whether a change must name the state that it changes, where it must.
pub(super) fn precondition(precondition: Precondition) -> Option<TokenStream> {
    let variant = variant("Precondition", precondition);
    (precondition != Precondition::default()).then(|| quote!(precondition: #variant))
}

/// Where its collection was, if it was elsewhere.
pub(super) fn moved_from(paths: &[String]) -> Option<TokenStream> {
    (!paths.is_empty()).then(|| quote!(moved_from: &[#(#paths),*]))
}
