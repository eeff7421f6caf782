//! The names that declarations use: those of the library are imported, unless a declared type has
//! the same one.

use crate::name;
use crate::schema::Schema;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

/// Which names the declarations take themselves, and which of the library they use.
pub(super) struct Names {
    declared: HashSet<String>,
    used: BTreeSet<&'static str>,
    uses_duration: bool,
}

impl Names {
    pub(super) fn of(schema: &Schema) -> Self {
        let types = schema.types.iter().map(|named| name::rust_type(&named.name));
        let resources = schema.resources.iter().map(|resource| resource.rust.clone());
        Self {
            declared: types.chain(resources).collect(),
            used: BTreeSet::new(),
            uses_duration: false,
        }
    }

    /// A name of the library: imported, or the whole path where a declared type has that name.
    pub(super) fn library(&mut self, name: &'static str) -> TokenStream {
        let ident = ident(name);
        if self.declared.contains(name) {
            return quote!(nouns::#ident);
        }
        self.used.insert(name);
        quote!(#ident)
    }

    /// The type `String`, whatever else is called so.
    pub(super) fn string(&self) -> TokenStream {
        if self.declared.contains("String") { quote!(std::string::String) } else { quote!(String) }
    }

    /// A type whose values may be absent.
    pub(super) fn option(&self, of: &TokenStream) -> TokenStream {
        if self.declared.contains("Option") {
            quote!(std::option::Option<#of>)
        } else {
            quote!(Option<#of>)
        }
    }

    /// The type of spans of time: imported, or the whole path where a declared type has that name.
    pub(super) fn duration(&mut self) -> TokenStream {
        if self.declared.contains("Duration") {
            return quote!(std::time::Duration);
        }
        self.uses_duration = true;
        quote!(Duration)
    }

    /// The import of every name that was used.
    pub(super) fn imports(&self) -> TokenStream {
        let used = self.used.iter().map(|name| ident(name));
        let duration = self.uses_duration.then(|| {
            quote!(
                use std::time::Duration;
            )
        });
        quote!(use nouns::{#(#used),*}; #duration)
    }
}

/// The identifier of a thing, raw where its name says so: `r#type`.
pub(super) fn ident(rust: &str) -> Ident {
    match rust.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(rust, Span::call_site()),
    }
}
