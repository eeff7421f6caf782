//! The structs that come with a resource: what a new member says, what a change says, the tokens of its fields.

use super::member::{self, Input, Member};
use super::{document, own};
use crate::derive::ResourceItem;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Their names; what a program does not use of them is no warning.
pub(super) struct Companions {
    pub(super) new: Ident,
    pub(super) patch: Ident,
    pub(super) fields: Ident,
}

impl Companions {
    /// The names for the resource of a struct.
    pub(super) fn of(item: &Ident) -> Self {
        let name = own::bare(item);
        // With the place of the author's name, as if the author had written them: what rustc says of a type inside, it
        // says of all of them in the same words, and therefore once.
        let added = |name: String| Ident::new(&name, item.span());
        Self {
            new: added(format!("New{name}")),
            patch: added(format!("{name}Patch")),
            fields: added(format!("{name}Fields")),
        }
    }

    /// Their items.
    pub(super) fn items(&self, item: &ResourceItem, members: &[Member<'_>]) -> TokenStream {
        let (new, patch, fields) =
            (self.input(item, members), self.change(item, members), self.tokens(item, members));
        quote!(#new #patch #fields)
    }

    fn input(&self, item: &ResourceItem, members: &[Member<'_>]) -> TokenStream {
        let (name, vis) = (&self.new, &item.vis);
        let docs = document::sentence(&format!("What a new `{}` says.", item.ident));
        let fields = member::inputs(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let of = input_type(member, &item.ident);
            quote!(#docs #vis #ident: #of)
        });
        let is_empty = member::inputs(members).all(|member| member.input == Input::Maybe);
        let default = is_empty.then(|| quote!(, ::core::default::Default));
        let constructor = constructor(item, members);
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug #default)]
            #vis struct #name { #(#fields),* }

            #[automatically_derived]
            impl #name { #constructor }
        }
    }

    fn change(&self, item: &ResourceItem, members: &[Member<'_>]) -> TokenStream {
        let (name, vis) = (&self.patch, &item.vis);
        let docs =
            document::sentence(&format!("What a change of a `{}` says; the rest is kept.", item.ident));
        let fields = member::changeable(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let of = own::outside(&member.item.ty, &item.ident);
            quote!(#docs #vis #ident: ::nouns::__v1::Patch<#of>)
        });
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
            #vis struct #name { #(#fields),* }
        }
    }

    fn tokens(&self, item: &ResourceItem, members: &[Member<'_>]) -> TokenStream {
        let (name, vis, owner) = (&self.fields, &item.vis, &item.ident);
        let docs = document::sentence(&format!("The fields of a `{owner}`, for filters and orders."));
        let fields = members.iter().map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let of = own::outside(&member.item.inner, owner);
            quote!(#docs #vis #ident: ::nouns::__v1::Field<#owner, #of>)
        });
        let times = times(item).into_iter().map(|(ident, docs)| {
            let docs = document::sentence(docs);
            quote!(#docs #vis #ident: ::nouns::__v1::Field<#owner, ::nouns::__v1::Timestamp>)
        });
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #vis struct #name { #(#fields,)* #(#times),* }
        }
    }
}

/// The times of a member as tokens; one that a field is called like in Rust has none.
pub(super) fn times(item: &ResourceItem) -> Vec<(Ident, &'static str)> {
    let times = [("created_at", "When it was created."), ("updated_at", "When it was last changed.")];
    let free = |name: &str| item.schema.timestamps && item.fields.iter().all(|field| field.ident != name);
    let times = times.into_iter().filter(|(name, _)| free(name));
    times.map(|(name, docs)| (own::added(name, &item.ident), docs)).collect()
}

fn input_type(member: &Member<'_>, owner: &Ident) -> TokenStream {
    let of = own::outside(&member.item.inner, owner);
    if member.input == Input::Maybe { quote!(::core::option::Option<#of>) } else { of }
}

/// `new`, with what every new member says.
fn constructor(item: &ResourceItem, members: &[Member<'_>]) -> TokenStream {
    let docs = document::sentence(&format!("A new `{}` with what every one says.", item.ident));
    let (mut parameters, mut values) = (Vec::new(), Vec::new());
    for member in member::inputs(members) {
        let ident = own::again(&member.item.ident);
        if member.input == Input::Always {
            let of = input_type(member, &item.ident);
            parameters.push(quote!(#ident: #of));
            values.push(quote!(#ident));
        } else {
            values.push(quote!(#ident: ::core::option::Option::None));
        }
    }
    let vis = &item.vis;
    quote! {
        #docs
        #vis fn new(#(#parameters),*) -> Self {
            Self { #(#values),* }
        }
    }
}
