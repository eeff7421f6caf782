//! Generates the implementation of `Resource`: definitions, related resources and companions.

use super::companions::Companions;
use super::member::Member;
use super::{missing, own};
use crate::derive::ResourceItem;
use crate::schema::IdKind;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashSet;
use syn::Generics;

/// The implementation of `Resource`.
pub(super) fn implementation(
    item: &ResourceItem,
    companions: &Companions,
    members: &[Member<'_>],
) -> TokenStream {
    let (ident, name) = (&item.ident, &item.schema.name);
    let Companions { new, patch, fields, .. } = companions;
    let (types, neighbours) = (types(item), neighbours(item));
    let keyed = keyed(ident, &Generics::default(), name, item.schema.id);
    let parent = match &item.parent {
        Some(parent) => own::outside(&parent.field.ty, ident),
        None => quote!(__v1::NoParent),
    };
    let places = companions.places(members);
    let implementation = missing::implementation(ident);
    quote! {
        #keyed
        #[automatically_derived]
        #implementation __v1::Resource for #ident {
            const DEF: &'static __v1::ResourceDef = &DEF;
            const TYPES: &'static [&'static __v1::TypeDef] = &[#(#types),*];
            const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[#(#neighbours),*];
            type Parent = #parent;
            type New = #new;
            type Patch = #patch;
            type Fields = #fields;
            const FIELDS: #fields = #places;
        }
    }
}

/// The implementation of `HasId`: the name of the resource, and the Rust type of its ids.
pub(super) fn keyed(ident: &Ident, generics: &Generics, name: &str, id: IdKind) -> TokenStream {
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let key = match id {
        IdKind::Integer => quote!(::core::primitive::i64),
        IdKind::Uuid => quote!(__v1::Uuid),
        IdKind::String => quote!(__v1::String),
    };
    quote! {
        #[automatically_derived]
        impl #parameters __v1::HasId for #ident #arguments #conditions {
            const RESOURCE: &'static ::core::primitive::str = #name;
            type Key = #key;
        }
    }
}

/// The definitions of the custom field types that the fields have, each type once.
fn types(item: &ResourceItem) -> Vec<TokenStream> {
    let named = item.fields.iter().filter(|field| field.named);
    let named = named.map(|field| (&field.inner, missing::alone(field, &item.ident)));
    let def = |(at, of)| quote_spanned!(own::at(at)=> <#of as __v1::FieldType>::DEF);
    distinct(named).into_iter().map(def).collect()
}

/// The definitions of the resources that this resource refers to, the parent first, each once.
fn neighbours(item: &ResourceItem) -> Vec<TokenStream> {
    let owner = &item.ident;
    let parent = item.parent.iter().map(|parent| (&parent.path, own::outside(&parent.path, owner)));
    let references = item.fields.iter().filter_map(|field| field.reference.as_ref());
    let references = references.map(|path| (path, missing::reference(path, owner)));
    let def = |(at, of)| quote_spanned!(own::at(at)=> <#of as __v1::Resource>::DEF);
    distinct(parent.chain(references)).into_iter().map(def).collect()
}

/// The types, each once, as written and as the generated code names them.
fn distinct<'t, T: ToTokens>(
    all: impl Iterator<Item = (&'t T, TokenStream)>,
) -> Vec<(&'t T, TokenStream)> {
    let mut seen = HashSet::new();
    all.filter(|(written, _)| seen.insert(written.to_token_stream().to_string())).collect()
}
