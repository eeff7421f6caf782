//! Generates the item of a named type: an enum if its values can be variants, otherwise a newtype.

use super::describe::{describe, docs};
use super::domain;
use super::field::built_in;
use super::keys::Keys;
use super::names::{Names, ident};
use super::value;
use crate::name;
use crate::schema::{Domain, Literal, NamedType, Schema};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;
use std::sync::Arc;

/// The item that declares a named type.
pub(super) fn item(named: &NamedType, schema: &Schema, names: &mut Names) -> TokenStream {
    match variants(named) {
        Some(variants) => enumeration(named, &variants, names),
        None => newtype(named, schema, names),
    }
}

/// A value of an enum, with the Rust identifier of its variant.
struct Variant<'s> {
    value: &'s str,
    rust: String,
}

/// The variants of a named type. `None` unless all values are texts that give different
/// identifiers.
fn variants(named: &NamedType) -> Option<Vec<Variant<'_>>> {
    let choices = Some(&named.domain.choices)
        .filter(|choices| named.base.is_none() && !choices.is_empty())?;
    let variants: Vec<_> = choices.iter().map(variant).collect::<Option<_>>()?;
    let mut seen = HashSet::new();
    variants.iter().all(|variant| seen.insert(variant.rust.as_str())).then_some(variants)
}

fn variant(choice: &Literal) -> Option<Variant<'_>> {
    let Literal::String(value) = choice else { return None };
    let words = name::words(value)
        .into_iter()
        .map(|word| word.replace(|letter: char| !letter.is_ascii_alphanumeric(), ""));
    let rust = name::rust_type(&words.collect::<Vec<_>>().join("_"));
    rust.starts_with(|first: char| first.is_ascii_uppercase()).then_some(Variant { value, rust })
}

fn enumeration(named: &NamedType, variants: &[Variant<'_>], names: &mut Names) -> TokenStream {
    let unlisted = Domain { choices: Arc::default(), ..named.domain.clone() };
    let (head, rust) = (head(named, &unlisted, None), ident(&name::rust_type(&named.name)));
    let derive = names.library("FieldType");
    let variants = variants.iter().map(variant_item);
    let docs = head.docs;
    let attribute = head.attribute;
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, #derive)]
        #attribute
        pub enum #rust { #(#variants),* }
    }
}

fn variant_item(variant: &Variant<'_>) -> TokenStream {
    let mut keys = Keys::of("field_type");
    keys.pair(
        "value",
        (name::snake(&variant.rust) != variant.value).then(|| value::text(variant.value)),
    );
    let (attribute, rust) = (keys.attribute(), ident(&variant.rust));
    let docs = docs(&format!("The value `{}`.", escape_for_comment(variant.value)));
    quote!(#docs #attribute #rust)
}

/// Replaces characters of a value that cannot be in a comment.
fn escape_for_comment(value: &str) -> String {
    let escape = |character: char| {
        if value::is_plain(character) {
            character.to_string()
        } else {
            character.escape_debug().to_string()
        }
    };
    value.chars().map(escape).collect()
}

fn newtype(named: &NamedType, schema: &Schema, names: &mut Names) -> TokenStream {
    let head = head(named, &named.domain, domain::named(named.base.as_deref(), schema));
    let (docs, attribute) = (head.docs, head.attribute);
    let (derive, rust) = (names.library("FieldType"), ident(&name::rust_type(&named.name)));
    let inner = match &named.base {
        Some(base) => {
            let base = ident(&name::rust_type(base));
            quote!(#base)
        }
        None => built_in(named.domain.kind, names),
    };
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, #derive)]
        #attribute
        pub struct #rust(pub #inner);
    }
}

/// The doc comment and the attribute of a named type.
struct Head {
    docs: TokenStream,
    attribute: TokenStream,
}

fn head(named: &NamedType, domain: &Domain, base: Option<&Domain>) -> Head {
    let description =
        describe(named.description.as_deref(), &format!("A value of `{}`.", named.name));
    let rust = name::rust_type(&named.name);
    let mut keys = Keys::of("field_type");
    keys.pair("name", (name::snake(&rust) != named.name).then(|| value::text(&named.name)));
    domain::constraints(domain, base, &mut keys);
    keys.pair("description", description.key);
    keys.pair("example", named.example.as_ref().map(value::literal));
    keys.extensions(&named.extensions);
    Head { docs: description.docs, attribute: keys.attribute() }
}
