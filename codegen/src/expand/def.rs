//! Generates the definition of a resource, a `static`. It sets only the fields whose values differ
//! from those of `ResourceDef::new`.

use super::access;
use super::field_def::{self, name_of, on_delete};
use super::http;
use super::literal::{extensions, flag, some, variant};
use super::{missing, own};
use crate::derive::{ParentItem, ResourceItem};
use crate::schema::{IdKind, Limit, Operation, Parent, Routes, SortKey};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// Generates the item `static DEF`, the definition of the resource.
pub(super) fn item(item: &ResourceItem) -> TokenStream {
    let (name, collection, rust) = (&item.schema.name, &item.schema.collection, &item.schema.rust);
    let keys = keys(item);
    let value = missing::constant(&item.ident);
    quote! {
        const #value: __v1::ResourceDef = __v1::ResourceDef {
            #(#keys,)*
            ..__v1::ResourceDef::new(#name, #collection, #rust)
        };
        static DEF: __v1::ResourceDef = #value;
    }
}

fn keys(item: &ResourceItem) -> Vec<TokenStream> {
    let resource = &item.schema;
    let table = &resource.table;
    let parent = resource.parent.as_ref().zip(item.parent.as_ref());
    let keys = [
        (*table != resource.collection).then(|| quote!(table: #table)),
        some("description", resource.description.as_ref()),
        some("parent", parent.map(|(parent, written)| parent_def(parent, written, &item.ident))),
        (resource.routes != Routes::default())
            .then(|| variant("Routes", resource.routes))
            .map(|routes| quote!(routes: #routes)),
        (resource.id != IdKind::default())
            .then(|| variant("IdKind", resource.id))
            .map(|id| quote!(id: #id)),
        flag("optional_id", resource.optional_id),
        (!item.fields.is_empty()).then(|| field_def::list(item)),
        methods(&resource.methods),
        sort(&resource.sort),
        (resource.limit != Limit::DEFAULT).then(|| limit(&resource.limit)),
        sets("unique", &resource.unique),
        sets("indexes", &resource.indexes),
        (!resource.timestamps).then(|| quote!(timestamps: false)),
        some("label", resource.label.as_ref()),
        some("deprecated", resource.deprecated.as_ref().map(http::deprecation)),
        some("cache", resource.cache.as_ref().map(http::cache)),
        http::precondition(resource.precondition),
        http::push(&resource.push),
        http::moved_from(&resource.moved_from),
        some("moved_to", resource.moved_to.as_ref()),
        access::key(&resource.access),
        extensions(&resource.extensions),
    ];
    keys.into_iter().flatten().collect()
}

fn parent_def(parent: &Parent, written: &ParentItem, owner: &Ident) -> TokenStream {
    let (resource, on_delete) =
        (name_of(&written.path, &own::outside(&written.path, owner)), on_delete(parent.on_delete));
    let Parent { field, movable, required, .. } = parent;
    quote! {
        __v1::ParentDef {
            resource: #resource,
            field: #field,
            on_delete: #on_delete,
            movable: #movable,
            required: #required,
        }
    }
}

fn methods(methods: &[Operation]) -> Option<TokenStream> {
    let each = methods.iter().map(|method| variant("Operation", method));
    (methods != Operation::DEFAULT).then(|| quote!(methods: __v1::Operations::of(&[#(#each),*])))
}

fn sort(keys: &[SortKey]) -> Option<TokenStream> {
    let each = keys.iter().map(
        |SortKey { field, descending }| quote!(__v1::SortDef { field: #field, descending: #descending }),
    );
    (!keys.is_empty()).then(|| quote!(sort: &[#(#each),*]))
}

fn limit(limit: &Limit) -> TokenStream {
    let (default, maximum) =
        (Literal::u32_unsuffixed(limit.default), Literal::u32_unsuffixed(limit.maximum));
    quote!(limit: __v1::LimitDef { default: #default, maximum: #maximum })
}

fn sets(key: &str, sets: &[Vec<String>]) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    let each = sets.iter().map(|set| quote!(&[#(#set),*]));
    (!sets.is_empty()).then(|| quote!(#key: &[#(#each),*]))
}
