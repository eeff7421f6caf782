//! Generates a field of a struct: its Rust type, and an attribute for keys that the type does not
//! express.

use super::describe::{describe, docs};
use super::domain;
use super::keys::Keys;
use super::names::{Names, ident};
use super::{access, resource, value};
use crate::name;
use crate::schema::{DefaultValue, Domain, Field, FieldKind, FieldMode, Parent, Reference, Schema};
use nouns_declaration::def::ReferenceDef;
use proc_macro2::TokenStream;
use quote::quote;

/// The field `id` of a struct.
pub(super) fn id(names: &mut Names) -> TokenStream {
    let id = names.library("Id");
    quote!(#[doc = " The id."] pub id: #id<Self>)
}

/// The field that holds the id of the parent. The keys of the parent are in the attribute of the
/// struct.
pub(super) fn parent(parent: &Parent, schema: &Schema, names: &mut Names) -> TokenStream {
    let docs = docs(&format!("The `{}` that the member belongs to.", parent.resource));
    let (field, id) = (ident(&name::rust_field(&parent.field)), names.library("Id"));
    let target = rust_of(&parent.resource, schema);
    let of = quote!(#id<#target>);
    let of = if parent.required { of } else { names.option(&of) };
    quote!(#docs pub #field: #of)
}

/// A declared field of a struct.
pub(super) fn field(field: &Field, schema: &Schema, names: &mut Names) -> TokenStream {
    let description =
        describe(field.description.as_deref(), &format!("The field `{}`.", field.name));
    let attribute = keys(field, schema, description.key).attribute();
    let (docs, rust) = (description.docs, ident(&field.rust));
    let inner = inner_type(field, schema, names);
    let of = if field.required { inner } else { names.option(&inner) };
    quote!(#docs #attribute pub #rust: #of)
}

fn inner_type(field: &Field, schema: &Schema, names: &mut Names) -> TokenStream {
    match (&field.reference, &field.type_name) {
        (Some(reference), _) => {
            let (id, target) = (names.library("Id"), rust_of(&reference.resource, schema));
            quote!(#id<#target>)
        }
        (None, Some(named)) => {
            let named = ident(&name::rust_type(named));
            quote!(#named)
        }
        (None, None) => built_in(field.domain.kind, names),
    }
}

/// The Rust type of a built-in kind.
pub(super) fn built_in(kind: Option<FieldKind>, names: &mut Names) -> TokenStream {
    match kind.expect("a checked schema file has the kind of every field and type") {
        FieldKind::Integer => quote!(i64),
        FieldKind::Number => quote!(f64),
        FieldKind::Boolean => quote!(bool),
        FieldKind::Decimal { .. } => names.library("Decimal"),
        FieldKind::Date => names.library("Date"),
        FieldKind::Time => names.library("Time"),
        FieldKind::DateTime => names.library("Timestamp"),
        FieldKind::Uuid => names.library("Uuid"),
        FieldKind::Json => names.library("Json"),
        FieldKind::Password => names.library("Password"),
        FieldKind::String | FieldKind::Reference => names.string(),
    }
}

/// The Rust type of a resource.
pub(super) fn rust_of(resource: &str, schema: &Schema) -> TokenStream {
    let found = schema.resources.iter().find(|other| other.name == resource);
    let rust = found.map_or_else(|| ident(&name::rust_type(resource)), |found| ident(&found.rust));
    quote!(#rust)
}

fn keys(field: &Field, schema: &Schema, description: Option<TokenStream>) -> Keys {
    let mut keys = Keys::of("resource");
    keys.pair("name", name_key(&field.rust, &field.name));
    if let Some(reference) = &field.reference {
        keys.group("references", references(reference, field));
    }
    keys.pair("default", field.default.as_ref().map(default_value));
    keys.flag("unique", field.unique);
    keys.flag("index", field.index);
    domain::constraints(
        &field.domain,
        domain::named(field.type_name.as_deref(), schema),
        &mut keys,
    );
    keys.flag(field.mode.word(), field.mode != usual_mode(&field.domain));
    let is_open = field.domain.is_ordered()
        && !matches!(field.mode, FieldMode::WriteOnly | FieldMode::Hidden);
    keys.pair("filterable", (field.filterable != is_open).then(|| quote!(false)));
    keys.pair("sortable", (field.sortable != is_open).then(|| quote!(false)));
    keys.pair("column", (field.column != field.name).then(|| value::text(&field.column)));
    keys.pair("description", description);
    keys.pair("example", field.example.as_ref().map(value::literal));
    keys.flag("deprecated", field.deprecated);
    keys.group("access", access::keys(field.access.rules()));
    keys.extensions(&field.extensions);
    keys
}

/// The mode of a field that declares none.
fn usual_mode(domain: &Domain) -> FieldMode {
    domain.kind.map(FieldKind::mode).unwrap_or_default()
}

/// The key `name` of a field, if the Rust identifier does not give the name.
fn name_key(rust: &str, name: &str) -> Option<TokenStream> {
    (rust.strip_prefix("r#").unwrap_or(rust) != name).then(|| value::text(name))
}

/// The keys of a reference that the type `Id<…>` does not express.
fn references(reference: &Reference, field: &Field) -> Keys {
    let mut keys = Keys::of("resource");
    let usual = ReferenceDef::usual_alias(&field.name);
    keys.pair("as", (reference.alias != usual).then(|| value::word(&reference.alias)));
    keys.pair("on_delete", resource::on_delete(reference.on_delete));
    keys.pair("children", reference.children.as_deref().map(value::word));
    keys
}

fn default_value(default: &DefaultValue) -> TokenStream {
    match default {
        DefaultValue::Value(value) => value::literal(value),
        DefaultValue::Now => quote!("$now"),
        DefaultValue::Account(field) => value::text(&format!("$account.{field}")),
    }
}
