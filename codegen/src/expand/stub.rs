//! What stands for an item that has mistakes: the implementations and companions that the rest of the program expects, as
//! far as its fields are known. It compiles and is never run, since the mistakes keep the program from being built.

use super::companions::Companions;
use super::own;
use crate::derive::BrokenItem;
use crate::name;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

/// The stub of a resource; an item with parameters has none, since what is expected of a resource has no parameters.
pub(super) fn resource(item: &BrokenItem) -> TokenStream {
    if !item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, companions) = (&item.ident, Companions::of(&item.ident));
    let Companions { new, patch, fields } = &companions;
    let declared = declared(item, &companions);
    let rust = own::bare(ident);
    let resource = name::snake(&rust);
    let stored = [ident, new, patch].map(stored);
    let tokens = item.fields.iter().map(|(field, _)| {
        let field = own::again(field);
        quote!(#field: __v1::Field::new(0))
    });
    quote! {
        #declared
        const _: () = {
            use ::nouns::__v1;
            static DEF: __v1::ResourceDef = __v1::ResourceDef::new(#resource, #resource, #rust);
            #[automatically_derived]
            impl __v1::Resource for #ident {
                const NAME: &'static ::core::primitive::str = #resource;
                const DEF: &'static __v1::ResourceDef = &DEF;
                const TYPES: &'static [&'static __v1::TypeDef] = &[];
                const NEIGHBOURS: &'static [&'static __v1::ResourceDef] = &[];
                type Key = ::core::primitive::i64;
                type Parent = __v1::NoParent;
                type New = #new;
                type Patch = #patch;
                type Fields = #fields;
                const FIELDS: #fields = #fields { #(#tokens),* };
            }
            #(#stored)*
        };
    }
}

/// The companions, with every field of the struct; what they can do, they can do whatever the fields are.
fn declared(item: &BrokenItem, companions: &Companions) -> TokenStream {
    let Companions { new, patch, fields } = companions;
    let (owner, vis) = (&item.ident, &item.vis);
    let each = |of: fn(&Ident, &Type) -> TokenStream| {
        item.fields.iter().map(move |(field, ty)| {
            let (field, of) = (own::again(field), of(owner, ty));
            quote!(#[doc = ""] #vis #field: #of)
        })
    };
    let of_new = each(|owner, ty| own::outside(ty, owner));
    let of_patch = each(|owner, ty| {
        let of = own::outside(ty, owner);
        quote!(::nouns::__v1::Patch<#of>)
    });
    let of_fields = each(|owner, ty| {
        let of = own::outside(without_option(ty), owner);
        quote!(::nouns::__v1::Field<#owner, #of>)
    });
    let copied = [new, patch].map(copied);
    quote! {
        #[doc = ""] #vis struct #new { #(#of_new),* }
        #[doc = ""] #vis struct #patch { #(#of_patch),* }
        #[doc = ""] #vis struct #fields { #(#of_fields),* }
        #(#copied)*
        impl ::core::default::Default for #patch {
            fn default() -> Self { ::core::unreachable!() }
        }
    }
}

fn copied(item: &Ident) -> TokenStream {
    quote! {
        impl ::core::clone::Clone for #item {
            fn clone(&self) -> Self { ::core::unreachable!() }
        }
        impl ::core::fmt::Debug for #item {
            fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { ::core::unreachable!() }
        }
    }
}

fn stored(item: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl __v1::Stored for #item {
            fn read(_: &mut __v1::Slots<'_>) -> __v1::Result<Self, __v1::Unreadable> { ::core::unreachable!() }
            fn write(self, _: &mut __v1::Slots<'_>) {}
        }
    }
}

/// The type inside an `Option`.
fn without_option(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Option") else { return ty };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return ty };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => inner,
        _ => ty,
    }
}

/// The stub of a field type.
pub(super) fn field_type(item: &BrokenItem) -> TokenStream {
    let ident = &item.ident;
    let name = name::snake(&own::bare(ident));
    if !item.generics.params.is_empty() {
        return TokenStream::new();
    }
    quote! {
        const _: () = {
            use ::nouns::__v1;
            #[automatically_derived]
            impl __v1::FieldType for #ident {
                const DEF: &'static __v1::TypeDef = &__v1::TypeDef::new(#name, __v1::FieldKind::String);
                fn into_value(self, _: __v1::FieldKind) -> __v1::Value { __v1::Value::Null }
                fn from_value(_: __v1::FieldKind, _: __v1::Value) -> __v1::Option<Self> { __v1::None }
            }
        };
    }
}
