//! The names in generated declarations. Names of the crate `nouns` are imported, unless a declared
//! type has the same name.

use crate::name;
use crate::schema::Schema;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashSet};

/// The names of declared types, and the names of `nouns` that the declarations use.
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

    /// A name of `nouns`. The name is imported, or written with its full path if a declared type
    /// has the same name.
    pub(super) fn library(&mut self, name: &'static str) -> TokenStream {
        let ident = ident(name);
        if self.declared.contains(name) {
            return quote!(nouns::#ident);
        }
        self.used.insert(name);
        quote!(#ident)
    }

    /// The type `String`, written with its full path if a declared type has this name.
    pub(super) fn string(&self) -> TokenStream {
        if self.declared.contains("String") { quote!(std::string::String) } else { quote!(String) }
    }

    /// The type `Option<of>`, written with its full path if a declared type is named `Option`.
    pub(super) fn option(&self, of: &TokenStream) -> TokenStream {
        if self.declared.contains("Option") {
            quote!(std::option::Option<#of>)
        } else {
            quote!(Option<#of>)
        }
    }

    /// The type `Duration`. It is imported, or written with its full path if a declared type has
    /// the same name.
    pub(super) fn duration(&mut self) -> TokenStream {
        if self.declared.contains("Duration") {
            return quote!(std::time::Duration);
        }
        self.uses_duration = true;
        quote!(Duration)
    }

    /// The `use` items for all names that were used.
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

/// An identifier. A text that begins with `r#` gives a raw identifier.
pub(super) fn ident(rust: &str) -> Ident {
    match rust.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(rust, Span::call_site()),
    }
}
