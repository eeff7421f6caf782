//! Generates the definitions of fields. Each sets only the values that differ from those of an
//! optional field of the same type.

use super::literal::{extensions, flag, kind, literal, some, variant};
use super::{access, domain, missing, own};
use crate::derive::{FieldItem, ResourceItem};
use crate::schema::{DefaultValue, Field, FieldKind, OnDelete, Reference};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

/// The definitions of all declared fields.
pub(super) fn list(item: &ResourceItem) -> TokenStream {
    let defs = item
        .fields
        .iter()
        .zip(&item.schema.fields)
        .map(|(written, field)| def(written, field, item));
    quote!(fields: &[#(#defs),*])
}

fn def(written: &FieldItem, field: &Field, item: &ResourceItem) -> TokenStream {
    let name = &field.name;
    let named = written.named.then(|| missing::alone(written, &item.ident));
    let named = named.as_ref();
    let base = match named {
        Some(of) => quote_spanned! {own::at(&written.inner)=>
            __v1::FieldDef::typed(#name, <#of as __v1::FieldType>::DEF)
        },
        None => {
            let kind = kind(field.domain.kind);
            quote!(__v1::FieldDef::new(#name, #kind))
        }
    };
    let keys = keys(written, field, named, &item.ident);
    if keys.is_empty() {
        return base;
    }
    quote!(__v1::FieldDef { #(#keys,)* ..#base })
}

fn keys(
    written: &FieldItem,
    field: &Field,
    named: Option<&TokenStream>,
    owner: &Ident,
) -> Vec<TokenStream> {
    let (column, rust) = (&field.column, &field.rust);
    let reference = field.reference.as_ref().zip(written.reference.as_ref());
    let default = field.default.as_ref().map(|default| default_def(default, named));
    let before = [
        (*column != field.name).then(|| quote!(column: #column)),
        (*rust != field.name).then(|| quote!(rust: #rust)),
        some("reference", reference.map(|(reference, path)| reference_def(reference, path, owner))),
        flag("required", field.required),
        some("default", default),
        flag("unique", field.unique),
        flag("index", field.index),
    ];
    let ordered = field.domain.is_ordered();
    let mode = field.mode;
    let usual_mode = field.domain.kind.map(FieldKind::mode).unwrap_or_default();
    let after = [
        (mode != usual_mode).then(|| variant("FieldMode", mode)).map(|mode| quote!(mode: #mode)),
        (field.filterable != ordered).then(|| quote!(filterable: false)),
        (field.sortable != ordered).then(|| quote!(sortable: false)),
        some("description", field.description.as_ref()),
        some("example", field.example.as_ref().map(|example| literal(example, named))),
        flag("deprecated", field.deprecated),
        access::key_of_field(&field.access),
        extensions(&field.extensions),
    ];
    let domain = domain::keys(&field.domain, named);
    before.into_iter().flatten().chain(domain).chain(after.into_iter().flatten()).collect()
}

fn default_def(default: &DefaultValue, named: Option<&TokenStream>) -> TokenStream {
    match default {
        DefaultValue::Value(value) => {
            let value = literal(value, named);
            quote!(__v1::DefaultDef::Value(#value))
        }
        DefaultValue::Now => quote!(__v1::DefaultDef::Now),
        DefaultValue::Account(field) => quote!(__v1::DefaultDef::Account(#field)),
    }
}

fn reference_def(reference: &Reference, path: &syn::Path, owner: &Ident) -> TokenStream {
    let (resource, on_delete) =
        (name_of(path, &missing::reference(path, owner)), on_delete(reference.on_delete));
    let alias = &reference.alias;
    let children = match &reference.children {
        Some(children) => quote!(__v1::Some(#children)),
        None => quote!(__v1::None),
    };
    quote! {
        __v1::ReferenceDef { resource: #resource, alias: #alias, on_delete: #on_delete, children: #children }
    }
}

/// The declared name of the resource `of`, with the position of its written path. So a compiler
/// error points at this path.
pub(super) fn name_of(written: &syn::Path, of: &TokenStream) -> TokenStream {
    quote_spanned!(own::at(written)=> <#of as __v1::Resource>::NAME)
}

/// The variant of `OnDelete` as an expression.
pub(super) fn on_delete(action: OnDelete) -> TokenStream {
    variant("OnDelete", action)
}
