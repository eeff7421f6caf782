//! Generates the stub of an item with mistakes. The stub has the implementations and companions
//! that the rest of the program uses, as far as the item can be read. It compiles, but never runs,
//! because the mistakes make the build fail.

use super::companions::Companions;
use super::member::{self, Member, MemberFacts};
use super::resource::keyed;
use super::{missing, own};
use crate::derive::{BrokenField, BrokenItem, BrokenParent, FieldItem};
use crate::name;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

/// The stub of a resource. A resource with generic parameters, which is a mistake, only gets the
/// type of its ids.
pub(super) fn resource(item: &BrokenItem) -> TokenStream {
    let keyed = keyed(&item.ident, &item.generics, &name::snake(&own::bare(&item.ident)), item.id);
    if !item.generics.params.is_empty() {
        return quote! {
            const _: () = {
                use ::nouns::__v1;
                #keyed
            };
        };
    }
    let fields: Vec<_> = item.fields.iter().map(field).collect();
    let members = members(item, &fields);
    let companions = Companions::of(&item.ident, &item.vis, true);
    let declared = companions.items(&members);
    let implementation = implementation(item, &companions, &members);
    let stored = [&item.ident, &companions.new, &companions.patch].map(stored);
    let conversions = companions.implementations(&members);
    quote! {
        #declared
        const _: () = {
            use ::nouns::__v1;
            #keyed
            #implementation
            #(#stored)*
            #conversions
        };
    }
}

fn implementation(
    item: &BrokenItem,
    companions: &Companions,
    members: &[Member<'_>],
) -> TokenStream {
    let Companions { new, patch, fields, .. } = companions;
    let ident = &item.ident;
    let rust = own::bare(ident);
    let name = name::snake(&rust);
    let (places, keyword) = (companions.places(members), missing::implementation(ident));
    let parent = match &item.parent {
        Some(BrokenParent { path, field, .. }) => {
            let of = own::outside(path, ident);
            let is_field = |one: &&BrokenField| one.ident == name::rust_field(field);
            match item.fields.iter().find(is_field).and_then(|field| without_option(&field.ty)) {
                Some(_) => quote!(__v1::Option<__v1::Id<#of>>),
                None => quote!(__v1::Id<#of>),
            }
        }
        None => quote!(__v1::NoParent),
    };
    quote! {
        static DEF: __v1::ResourceDef = __v1::ResourceDef::new(#name, #name, #rust);
        #[automatically_derived]
        #keyword __v1::Resource for #ident {
            const DEF: &'static __v1::ResourceDef = &DEF;
            const TYPES: &'static [&'static __v1::TypeDef] = &[];
            const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[];
            type Parent = #parent;
            type New = #new;
            type Patch = #patch;
            type Fields = #fields;
            const FIELDS: #fields = #places;
        }
    }
}

/// The fields of new members and patches, as far as they can be read.
fn members<'f>(item: &BrokenItem, fields: &'f [FieldItem]) -> Vec<Member<'f>> {
    let parent =
        item.parent.as_ref().map(|parent| (name::rust_field(&parent.field), parent.is_movable));
    member::numbered(fields.iter().map(|field| match &parent {
        _ if field.ident == "id" => member::id(field, item.id, item.optional_id),
        Some((parent, is_movable)) if field.ident == parent => member::parent(field, *is_movable),
        _ => MemberFacts {
            item: field,
            input: member::input(!field.optional, item.defaults.contains(&field.ident)),
            is_changeable: true,
            is_declared: true,
            is_secret: false,
        },
    }))
}

fn field(BrokenField { ident, vis, ty, named }: &BrokenField) -> FieldItem {
    let inner = without_option(ty);
    let (optional, inner) = (inner.is_some(), inner.unwrap_or(ty).clone());
    FieldItem {
        ident: ident.clone(),
        vis: vis.clone(),
        ty: ty.clone(),
        inner,
        optional,
        reference: None,
        named: *named,
        docs: Vec::new(),
    }
}

/// The type inside an `Option`; `None` for any other type.
fn without_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

fn stored(item: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl __v1::SlotRecord for #item {
            fn read(_: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::UnreadableValue> { ::core::unreachable!() }
            fn write(self, _: &mut __v1::Slots<'_>) {}
        }
    }
}

/// The stub of a field type.
pub(super) fn field_type(item: &BrokenItem) -> TokenStream {
    if !item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let ident = &item.ident;
    let name = name::snake(&own::bare(ident));
    let words = item.is_enum.then(|| words(item));
    quote! {
        const _: () = {
            use ::nouns::__v1;
            #[automatically_derived]
            impl __v1::FieldType for #ident {
                const DEF: &'static __v1::TypeDef = &__v1::TypeDef::new(#name, __v1::FieldKind::String);
                fn into_value(self, _: __v1::FieldKind) -> __v1::Value { __v1::Value::Null }
                fn from_value(_: __v1::FieldKind, _: __v1::Value) -> __v1::Option<Self> { __v1::None }
            }
            __v1::serde_choice!(#ident);
            #words
        };
    }
}

/// Generates what the derive adds to an enum, without its variants.
fn words(item: &BrokenItem) -> TokenStream {
    let (ident, vis) = (&item.ident, &item.vis);
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            #vis const ALL: &'static [Self] = &[];
            #vis const fn as_str(&self) -> &'static ::core::primitive::str { "" }
        }
        #[automatically_derived]
        impl ::core::fmt::Display for #ident {
            fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = __v1::UnknownChoice;
            fn from_str(_: &::core::primitive::str) -> __v1::Result<Self, Self::Err> {
                ::core::unreachable!()
            }
        }
    }
}
