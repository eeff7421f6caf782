//! Collects the keys of an item and writes them as one attribute.

use super::json;
use super::names::ident;
use crate::schema::Extension;
use proc_macro2::TokenStream;
use quote::quote;

/// The keys of an attribute, in order.
pub(super) struct Keys {
    /// The name of the attribute: `resource` or `field_type`.
    attribute: &'static str,
    keys: Vec<TokenStream>,
}

impl Keys {
    pub(super) const fn of(attribute: &'static str) -> Self {
        Self { attribute, keys: Vec::new() }
    }

    /// Adds a key without a value, if `is_set` is true.
    pub(super) fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            let key = ident(key);
            self.keys.push(quote!(#key));
        }
    }

    /// Adds a key with a value, if there is one.
    pub(super) fn pair(&mut self, key: &str, value: Option<TokenStream>) {
        if let Some(value) = value {
            let key = ident(key);
            self.keys.push(quote!(#key = #value));
        }
    }

    /// Adds a key that may be a text, with a value.
    pub(super) fn raw(&mut self, key: &TokenStream, value: &TokenStream) {
        self.keys.push(quote!(#key = #value));
    }

    /// The keys in braces, as an item of a list.
    pub(super) fn braced(self) -> TokenStream {
        let keys = self.keys;
        quote!({ #(#keys),* })
    }

    /// Adds a key with inner keys in parentheses, if there are any.
    pub(super) fn group(&mut self, key: &str, inner: Self) {
        if !inner.keys.is_empty() {
            let (key, inner) = (ident(key), inner.keys);
            self.keys.push(quote!(#key(#(#inner),*)));
        }
    }

    /// Adds the `x-…` keys with their values.
    pub(super) fn extensions(&mut self, extensions: &[Extension]) {
        for extension in extensions {
            let (key, value) = (json::key(&extension.name), json::value(&extension.json));
            self.keys.push(quote!(#key = #value));
        }
    }

    /// The attribute with these keys. It is empty if there are no keys.
    pub(super) fn attribute(self) -> TokenStream {
        if self.keys.is_empty() {
            return TokenStream::new();
        }
        let (attribute, keys) = (ident(self.attribute), self.keys);
        quote!(#[#attribute(#(#keys),*)])
    }
}
