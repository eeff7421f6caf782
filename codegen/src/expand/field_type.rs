//! Generates the code of a field type: its definition, the conversion between its values and stored
//! values, and the standard traits of an enum.

use super::literal::{extensions, kind, literal, some};
use super::{document, domain, own};
use crate::derive::{TypeForm, TypeItem};
use crate::schema::{FieldKind, Literal};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

/// Generates the item `static DEF`, the definition of the field type.
pub(super) fn def(item: &TypeItem) -> TokenStream {
    let (written, schema) = (base(item), &item.schema);
    let named = written.map(ToTokens::to_token_stream);
    let named = named.as_ref();
    let name = &schema.name;
    let base = match named {
        Some(of) => {
            quote_spanned!(own::at(of)=> __v1::TypeDef::on(#name, <#of as __v1::FieldType>::DEF))
        }
        None => {
            let kind = kind(schema.domain.kind);
            quote!(__v1::TypeDef::new(#name, #kind))
        }
    };
    let rest = [
        some("description", schema.description.as_ref()),
        some("example", schema.example.as_ref().map(|example| literal(example, named))),
        extensions(&schema.extensions),
    ];
    let keys = domain::keys(&schema.domain, named).into_iter().chain(rest.into_iter().flatten());
    quote!(static DEF: __v1::TypeDef = __v1::TypeDef { #(#keys,)* ..#base };)
}

/// The custom field type that a newtype wraps. `None` for a built-in type or an enum.
fn base(item: &TypeItem) -> Option<&Type> {
    match &item.form {
        TypeForm::Newtype { inner, named: true, .. } => Some(inner),
        _ => None,
    }
}

/// The implementation of `FieldType`.
pub(super) fn implementation(item: &TypeItem) -> TokenStream {
    let ident = &item.ident;
    let (conversions, added) = match &item.form {
        TypeForm::Newtype { inner, .. } => {
            let from = from(item);
            (newtype(inner), quote!(#from __v1::serde_newtype!(#ident, #inner);))
        }
        TypeForm::Enum { variants } => {
            let words = words(item, variants);
            (enumeration(), quote!(#words __v1::serde_choice!(#ident);))
        }
    };
    quote! {
        #[automatically_derived]
        impl __v1::FieldType for #ident {
            const DEF: &'static __v1::TypeDef = &DEF;
            #conversions
        }
        #added
    }
}

/// Implementations of `From` for a newtype whose field is not private: from its inner type, and for
/// text also from `&str`.
fn from(item: &TypeItem) -> Option<TokenStream> {
    let TypeForm::Newtype { inner, named, vis } = &item.form else { return None };
    if matches!(vis, syn::Visibility::Inherited) {
        return None;
    }
    let ident = &item.ident;
    let is_text = !named && item.schema.domain.kind == Some(FieldKind::String);
    let from_text = is_text.then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::convert::From<&::core::primitive::str> for #ident {
                fn from(text: &::core::primitive::str) -> Self { Self(__v1::String::from(text)) }
            }
        }
    });
    Some(quote! {
        #[automatically_derived]
        impl ::core::convert::From<#inner> for #ident {
            fn from(inner: #inner) -> Self { Self(inner) }
        }
        #from_text
    })
}

/// The conversions of a newtype. They call the conversions of its inner type.
fn newtype(inner: &Type) -> TokenStream {
    quote! {
        fn into_value(self, kind: __v1::FieldKind) -> __v1::Value {
            <#inner as __v1::FieldType>::into_value(self.0, kind)
        }
        fn into_operand(self, kind: __v1::FieldKind) -> __v1::Value {
            <#inner as __v1::FieldType>::into_operand(self.0, kind)
        }
        fn from_value(kind: __v1::FieldKind, value: __v1::Value) -> __v1::Option<Self> {
            <#inner as __v1::FieldType>::from_value(kind, value).map(Self)
        }
    }
}

/// The conversions of an enum. The value of a variant is the choice with the same index, since a
/// variant has no explicit discriminant.
fn enumeration() -> TokenStream {
    quote! {
        fn into_value(self, _: __v1::FieldKind) -> __v1::Value {
            __v1::choice::store(&DEF, self as ::core::primitive::usize)
        }
        fn from_value(_: __v1::FieldKind, value: __v1::Value) -> __v1::Option<Self> {
            __v1::choice::load(&DEF, &value, VARIANTS)
        }
    }
}

/// The variants of an enum, their values as text, and the conversions from and to text.
fn words(item: &TypeItem, variants: &[(Ident, Literal)]) -> TokenStream {
    let (ident, vis) = (&item.ident, &item.vis);
    let docs = document::sentence(&format!("All values of `{ident}`, as declared."));
    let idents = variants.iter().map(|(variant, _)| variant);
    let arms = variants.iter().map(|(variant, value)| {
        let word = match value {
            Literal::Integer(value) => value.to_string(),
            Literal::String(text) => text.clone(),
            _ => String::new(),
        };
        quote!(Self::#variant => #word)
    });
    quote! {
        const VARIANTS: &[#ident] = &[#(#ident::#idents),*];
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            #docs
            #vis const ALL: &'static [Self] = VARIANTS;
            /// The declared value, as text.
            #[must_use]
            #vis const fn as_str(&self) -> &'static ::core::primitive::str {
                match self { #(#arms),* }
            }
        }
        #[automatically_derived]
        impl ::core::fmt::Display for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = __v1::UnknownChoice;
            fn from_str(text: &::core::primitive::str) -> __v1::Result<Self, Self::Err> {
                __v1::choice::parse(&DEF, text, VARIANTS)
            }
        }
    }
}
