//! Generates the companions of a resource, which are three structs. One is for new members, one is
//! for patches, and one has a token for each field. Queries name a field by its token.

use super::member::{self, Input, Member};
use super::{document, missing, own};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Visibility;

/// The maximum number of function arguments that clippy accepts.
const ARGUMENTS_MAX: usize = 7;

/// The names of the structs that the derive adds for a resource: for new members, patches and
/// queries. Unused structs cause no warning.
pub(super) struct Companions {
    /// The name of the struct that declares the resource.
    owner: Ident,
    vis: Visibility,
    /// Whether members have `created_at` and `updated_at`.
    has_times: bool,
    pub(super) new: Ident,
    pub(super) patch: Ident,
    pub(super) fields: Ident,
}

impl Companions {
    /// The names of the structs that are added for the struct `item`.
    pub(super) fn of(item: &Ident, vis: &Visibility, has_times: bool) -> Self {
        let name = own::bare(item);
        // The names have the position of the struct's name. So an error about a field type is the
        // same in all added structs, and rustc reports it once.
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

    /// The struct items for new members, patches and queries.
    pub(super) fn items(&self, members: &[Member<'_>]) -> TokenStream {
        let (new, patch, fields) =
            (self.input(members), self.change(members), self.tokens(members));
        quote!(#new #patch #fields)
    }

    /// The conversions from a member to a new member and to a patch, and the implementations of
    /// serde's traits.
    pub(super) fn implementations(&self, members: &[Member<'_>]) -> TokenStream {
        let (owner, new, patch) = (&self.owner, &self.new, &self.patch);
        let inputs: Vec<_> = member::inputs(members).map(input_value).collect();
        let changes: Vec<_> = member::changeable(members)
            .map(|member| {
                let ident = own::respan(&member.item.ident);
                quote!(#ident: __v1::Patch::Set(member.#ident))
            })
            .collect();
        let (into_new, into_patch) =
            (self.conversion(new, &inputs), self.conversion(patch, &changes));
        quote! {
            #into_new
            #into_patch
            __v1::serde_records!(#owner, New #new, Patch #patch);
        }
    }

    /// The implementation of `From` the struct of the resource for the struct `name`.
    fn conversion(&self, name: &Ident, values: &[TokenStream]) -> TokenStream {
        let owner = &self.owner;
        // A struct without fields does not use the parameter.
        let parameter = if values.is_empty() { quote!(_) } else { quote!(member) };
        quote! {
            #[automatically_derived]
            impl ::core::convert::From<#owner> for #name {
                fn from(#parameter: #owner) -> Self { Self { #(#values),* } }
            }
        }
    }

    fn input(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, of_struct) = (&self.new, &self.vis);
        let docs = document::sentence(&format!("The values of a new `{}`.", self.owner));
        let fields = member::inputs(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::respan(&member.item.ident));
            let (vis, of) = (&member.item.vis, input_type(member, &self.owner));
            quote!(#docs #vis #ident: #of)
        });
        let is_empty = member::inputs(members).all(|member| member.input != Input::Always);
        let default = is_empty.then(|| quote!(, ::core::default::Default));
        let constructor = self.constructor(members);
        let (derived, debug) = debug(name, member::inputs(members));
        let implementation = missing::implementation(&self.owner);
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone #derived #default)]
            #of_struct struct #name { #(#fields),* }
            #debug

            #[automatically_derived]
            #implementation #name { #constructor }
        }
    }

    fn change(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, of_struct) = (&self.patch, &self.vis);
        let docs = document::sentence(&format!(
            "A change of one `{}`; absent fields keep their values.",
            self.owner
        ));
        let fields = member::changeable(members).map(|member| {
            let (docs, ident) = (document::field(member.item), own::respan(&member.item.ident));
            let (vis, of) =
                (&member.item.vis, missing::argument(&member.item.ty, member.item, &self.owner));
            quote!(#docs #vis #ident: ::nouns::__v1::Patch<#of>)
        });
        let (derived, debug) = debug(name, member::changeable(members));
        quote! {
            #docs
            #[allow(dead_code, non_camel_case_types)]
            #[derive(::core::clone::Clone #derived, ::core::default::Default)]
            #of_struct struct #name { #(#fields),* }
            #debug
        }
    }

    fn tokens(&self, members: &[Member<'_>]) -> TokenStream {
        let (name, vis, owner) = (&self.fields, &self.vis, &self.owner);
        let docs = document::sentence(&format!("The fields of `{owner}`, for filters and orders."));
        let fields = members.iter().map(|member| {
            let (docs, ident) = (document::field(member.item), own::respan(&member.item.ident));
            let vis = if member.is_declared { &member.item.vis } else { vis };
            let of = missing::argument(&member.item.inner, member.item, owner);
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

    /// The function `new`, whose parameters are the values that every new member needs.
    fn constructor(&self, members: &[Member<'_>]) -> TokenStream {
        let docs = document::sentence(&format!("A new `{}` with its required values.", self.owner));
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for member in member::inputs(members) {
            let ident = own::respan(&member.item.ident);
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

    /// The tokens by which queries name `created_at` and `updated_at`, with the slot numbers of
    /// these values. If a field of the struct has one of these names, that token is omitted.
    fn times(&self, members: &[Member<'_>]) -> Vec<(Ident, usize, &'static str)> {
        let times = [
            ("created_at", "The time of the creation."),
            ("updated_at", "The time of the last change."),
        ];
        let free =
            |name: &str| self.has_times && members.iter().all(|member| member.item.ident != name);
        let times = times.into_iter().zip(members.len()..).filter(|((name, _), _)| free(name));
        times.map(|((name, docs), at)| (own::added(name, &self.owner), at, docs)).collect()
    }

    /// The constant that has the token of each field. A token contains the slot number of its
    /// field, by which the runtime finds the field's value.
    pub(super) fn places(&self, members: &[Member<'_>]) -> TokenStream {
        let fields =
            members.iter().map(|member| (own::respan(&member.item.ident), member.at.clone()));
        let times = self
            .times(members)
            .into_iter()
            .map(|(ident, at, _)| (ident, Literal::usize_unsuffixed(at)));
        let tokens = fields.chain(times).map(|(ident, at)| quote!(#ident: __v1::Field::new(#at)));
        let fields = &self.fields;
        quote!(#fields { #(#tokens),* })
    }
}

/// The value of a field in a new member that is made from a member.
fn input_value(member: &Member<'_>) -> TokenStream {
    let ident = own::respan(&member.item.ident);
    match member.input {
        Input::Maybe if !member.item.optional => quote!(#ident: __v1::Some(member.#ident)),
        Input::Choice => quote!(#ident: __v1::Patch::Set(member.#ident)),
        Input::Never | Input::Always | Input::Maybe => quote!(#ident: member.#ident),
    }
}

/// The implementation of `Debug`: an entry of the list of derives, or an item. The item leaves out
/// the values that clients may not read, so that a log does not contain them.
fn debug<'m, 'i: 'm>(
    name: &Ident,
    members: impl Iterator<Item = &'m Member<'i>> + Clone,
) -> (TokenStream, TokenStream) {
    if members.clone().all(|member| !member.is_secret) {
        return (quote!(, ::core::fmt::Debug), TokenStream::new());
    }
    let fields = members.map(|member| {
        let ident = own::respan(&member.item.ident);
        let text = own::bare(&member.item.ident).to_string();
        match member.is_secret {
            true => quote!(.field(#text, &::core::format_args!("[hidden]"))),
            false => quote!(.field(#text, &self.#ident)),
        }
    });
    let text = own::bare(name).to_string();
    let item = quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#text) #(#fields)* .finish()
            }
        }
    };
    (TokenStream::new(), item)
}

fn input_type(member: &Member<'_>, owner: &Ident) -> TokenStream {
    match member.input {
        Input::Maybe => {
            let of = missing::argument(&member.item.inner, member.item, owner);
            quote!(::core::option::Option<#of>)
        }
        Input::Choice => {
            let of = missing::argument(&member.item.ty, member.item, owner);
            quote!(::nouns::__v1::Patch<#of>)
        }
        Input::Never | Input::Always => own::outside(&member.item.inner, owner),
    }
}
