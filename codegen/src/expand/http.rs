//! Generates the HTTP settings of a resource as fields of its definition.

use super::literal::{flag, some, variant};
use crate::schema::{Cache, Deprecation, Precondition, Push};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// The value of `deprecated` in the definition of a resource.
pub(super) fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let keys = [
        some("since", deprecation.since.as_ref()),
        some("sunset", deprecation.sunset.as_ref()),
        some("link", deprecation.link.as_ref()),
    ];
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    match keys.as_slice() {
        [] => quote!(__v1::DeprecationDef::UNDATED),
        // With all fields present, clippy would warn about the struct update syntax.
        [_, _, _] => quote!(__v1::DeprecationDef { #(#keys),* }),
        keys => quote!(__v1::DeprecationDef { #(#keys,)* ..__v1::DeprecationDef::UNDATED }),
    }
}

/// The value of `cache` in the definition of a resource.
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
    // Some keys exclude others, so the struct update syntax always adds a field.
    let keys = durations.chain(more.into_iter().flatten());
    quote!(__v1::CacheDef { #(#keys,)* ..__v1::CacheDef::EMPTY })
}

/// The key `precondition`. `None` if it has the default value.
pub(super) fn precondition(precondition: Precondition) -> Option<TokenStream> {
    let variant = variant("Precondition", precondition);
    (precondition != Precondition::default()).then(|| quote!(precondition: #variant))
}

/// The key `push`. `None` if the list is empty.
pub(super) fn push(push: &[Push]) -> Option<TokenStream> {
    let each = push.iter().map(|push| variant("Push", push));
    (!push.is_empty()).then(|| quote!(push: &[#(#each),*]))
}

/// The key `moved_from`. `None` if the list is empty.
pub(super) fn moved_from(paths: &[String]) -> Option<TokenStream> {
    (!paths.is_empty()).then(|| quote!(moved_from: &[#(#paths),*]))
}
