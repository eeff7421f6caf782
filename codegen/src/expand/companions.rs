//! The structs that come with a resource: what a new member says, what a change says, the tokens of
//! its fields.

use super::member::{self, Input, Member};
use super::{document, own};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Visibility;

/// How many arguments of a function clippy does not ask about.
const ARGUMENTS_MAX: usize = 7;

/// Their names; what a program does not use of them is no warning.
pub(super) struct Companions {
    /// The struct that they come with.
    owner: Ident,
    vis: Visibility,
    /// Whether the times of a member are shown.
    has_times: bool,
    pub(super) new: Ident,
    pub(super) patch: Ident,
    pub(super) fields: Ident,
}

impl Companions {
    /// The names for the resource of a struct.
    pub(super) fn of(item: &Ident, vis: &Visibility, has_times: bool) -> Self {
        let name = own::bare(item);
        // With the place of the author's name, as if the author had written them: what rustc says
        // of a type inside, it says of all of them in the same words, and therefore once.
        let added = |name: String| Ident::new(&name, item.span());
        Self {
            owner: item.clone(),
            vis: vis.clone(),
            has_times,
            new: added(format!("New{name}")),
            patch: added(format!("{name}Patch")),
            fields: added(format!("{name}Fields")),
        }
    }

    /// Their items.
    pub(super) fn items(&self, members: &[Member<'_>]) -> TokenStream {
        let (new, patch, fields) =
            (self.input(members), self.change(members), self.tokens(members));
        quote!(#new #patch #fields)
    }

    fn input(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, of_struct) = (&self.new, &self.vis);
        let docs = document::sentence(&format!("What a new `{}` says.", self.owner));
        let fields = member::inputs(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let (vis, of) = (&member.item.vis, input_type(member, &self.owner));
            quote!(#docs #vis #ident: #of)
        });
        let is_empty = member::inputs(members).all(|member| member.input != Input::Always);
        let default = is_empty.then(|| quote!(, ::core::default::Default));
        let constructor = self.constructor(members);
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug #default)]
            #of_struct struct #name { #(#fields),* }

            #[automatically_derived]
            impl #name { #constructor }
        }
    }

    fn change(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, of_struct) = (&self.patch, &self.vis);
        let docs = document::sentence(&format!(
            "What a change of one `{}` says; the rest is kept.",
            self.owner
        ));
        let fields = member::changeable(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let (vis, of) = (&member.item.vis, own::outside(&member.item.ty, &self.owner));
            quote!(#docs #vis #ident: ::nouns::__v1::Patch<#of>)
        });
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
            #of_struct struct #name { #(#fields),* }
        }
    }

    fn tokens(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, vis, owner) = (&self.fields, &self.vis, &self.owner);
        let docs = document::sentence(&format!("The fields of `{owner}`, for filters and orders."));
        let fields = members.iter().map(|member| {
            let (docs, ident) = (document::field(member.item), own::again(&member.item.ident));
            let vis = if member.is_declared { &member.item.vis } else { vis };
            let of = own::outside(&member.item.inner, owner);
            quote!(#docs #vis #ident: ::nouns::__v1::Field<#owner, #of>)
        });
        let times = self.times(members).into_iter().map(|(ident, _, docs)| {
            let docs = document::sentence(docs);
            quote!(#docs #vis #ident: ::nouns::__v1::Field<#owner, ::nouns::__v1::Timestamp>)
        });
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #vis struct #name { #(#fields,)* #(#times),* }
        }
    }

    /// `new`, with what every new member says.
    fn constructor(&self, members: &[Member<'_>]) -> TokenStream {
        let docs = document::sentence(&format!("A new `{}` with what every one says.", self.owner));
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for member in member::inputs(members) {
            let ident = own::again(&member.item.ident);
            match member.input {
                Input::Always => {
                    let of = input_type(member, &self.owner);
                    parameters.push(quote!(#ident: #of));
                    values.push(quote!(#ident));
                }
                Input::Choice => values.push(quote!(#ident: ::nouns::__v1::Patch::Keep)),
                Input::Never | Input::Maybe => {
                    values.push(quote!(#ident: ::core::option::Option::None));
                }
            }
        }
        let vis = &self.vis;
        let many = (parameters.len() > ARGUMENTS_MAX)
            .then(|| quote!(#[allow(clippy::too_many_arguments)]));
        quote! {
            #docs
            #many
            #vis fn new(#(#parameters),*) -> Self {
                Self { #(#values),* }
            }
        }
    }

    /// The times of a member as tokens, with their slots; one that a field is called like in Rust
    /// has none.
    fn times(&self, members: &[Member<'_>]) -> Vec<(Ident, usize, &'static str)> {
        let times =
            [("created_at", "When it was created."), ("updated_at", "When it was last changed.")];
        let free =
            |name: &str| self.has_times && members.iter().all(|member| member.item.ident != name);
        let times = times.into_iter().zip(members.len()..).filter(|((name, _), _)| free(name));
        times.map(|((name, docs), at)| (own::added(name, &self.owner), at, docs)).collect()
    }

    /// The token of each field: its place.
    pub(super) fn places(&self, members: &[Member<'_>]) -> TokenStream {
        let fields =
            members.iter().map(|member| (own::again(&member.item.ident), member.at.clone()));
        let times = self
            .times(members)
            .into_iter()
            .map(|(ident, at, _)| (ident, Literal::usize_unsuffixed(at)));
        let tokens = fields.chain(times).map(|(ident, at)| quote!(#ident: __v1::Field::new(#at)));
        let fields = &self.fields;
        quote!(#fields { #(#tokens),* })
    }
}

fn input_type(member: &Member<'_>, owner: &Ident) -> TokenStream {
    let of = own::outside(&member.item.inner, owner);
    match member.input {
        Input::Maybe => quote!(::core::option::Option<#of>),
        Input::Choice => {
            let of = own::outside(&member.item.ty, owner);
            quote!(::nouns::__v1::Patch<#of>)
        }
        Input::Never | Input::Always => of,
    }
}
