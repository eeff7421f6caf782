//! Generates the struct of a resource.

use super::access;
use super::describe::describe;
use super::field;
use super::http;
use super::keys::Keys;
use super::names::{Names, ident};
use super::value::{self, list, word};
use crate::name::{self, plural};
use crate::schema::{
    IdAssignment, IdKind, Limit, OnDelete, Operation, Parent, Resource, Routes, Schema, SortKey,
};
use proc_macro2::TokenStream;
use quote::quote;

/// The struct that declares a resource.
pub(super) fn item(resource: &Resource, schema: &Schema, names: &mut Names) -> TokenStream {
    let description =
        describe(resource.description.as_deref(), &format!("One `{}`.", resource.name));
    let attribute = keys(resource, schema, description.key).attribute();
    let (docs, rust) = (description.docs, ident(&resource.rust));
    let derive = names.library("Resource");
    let id = field::id(names);
    let parent = resource
        .parent
        .iter()
        .map(|parent| field::parent(parent, schema, names))
        .collect::<Vec<_>>();
    let fields =
        resource.fields.iter().map(|field| field::field(field, schema, names)).collect::<Vec<_>>();
    let members = std::iter::once(id).chain(parent).chain(fields);
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, #derive)]
        #attribute
        pub struct #rust { #(#members),* }
    }
}

fn keys(resource: &Resource, schema: &Schema, description: Option<TokenStream>) -> Keys {
    let mut keys = Keys::of("resource");
    let is_named = name::snake(&resource.rust) == resource.name;
    keys.pair("name", (!is_named).then(|| value::text(&resource.name)));
    let usual = plural::collection(&resource.name, resource.noun);
    let collection = Some(&resource.collection).filter(|collection| **collection != usual);
    keys.pair("collection", collection.map(|collection| value::text(collection)));
    let table = Some(&resource.table).filter(|table| **table != usual_table(resource));
    keys.pair("table", table.map(|table| value::text(table)));
    keys.pair("description", description);
    if let Some(parent) = &resource.parent {
        parent_key(parent, schema, &mut keys);
    }
    keys.pair(
        "routes",
        (resource.routes != Routes::default()).then(|| word(resource.routes.word())),
    );
    id_key(resource, &mut keys);
    keys.pair("methods", methods(&resource.methods));
    keys.pair("sort", sort(&resource.sort));
    keys.group("limit", limit(&resource.limit));
    keys.pair("unique", sets(&resource.unique));
    keys.pair("indexes", sets(&resource.indexes));
    keys.pair("timestamps", (!resource.timestamps).then(|| quote!(false)));
    keys.pair("label", resource.label.as_deref().map(word));
    keys.flag("noun", resource.noun);
    http::keys(resource, &mut keys);
    keys.group("access", access::keys(resource.access.rules()));
    keys.extensions(&resource.extensions);
    keys
}

/// The name of the table if the resource declares none.
fn usual_table(resource: &Resource) -> String {
    let like_collection = resource.collection.replace('-', "_");
    if name::is_name(&like_collection) { like_collection } else { plural::plural(&resource.name) }
}

/// Writes `parent = Zoo`, or `parent(resource = Zoo, …)` if there are more keys.
fn parent_key(parent: &Parent, schema: &Schema, keys: &mut Keys) {
    let target = field::rust_of(&parent.resource, schema);
    let usual = format!("{}_id", name::snake(&target.to_string()));
    let mut more = Keys::of("resource");
    more.pair("resource", Some(target.clone()));
    more.pair("field", (parent.field != usual).then(|| word(&parent.field)));
    more.pair("on_delete", on_delete(parent.on_delete));
    more.flag("movable", parent.movable);
    if parent.field == usual && parent.on_delete == OnDelete::default() && !parent.movable {
        keys.pair("parent", Some(target));
    } else {
        keys.group("parent", more);
    }
}

/// Writes `id = uuid`, or `id(type = uuid, assigned = optional)` if clients may choose the id.
fn id_key(resource: &Resource, keys: &mut Keys) {
    let kind = (resource.id != IdKind::default()).then(|| word(resource.id.word()));
    if !resource.optional_id {
        return keys.pair("id", kind);
    }
    let mut more = Keys::of("resource");
    more.pair("type", kind);
    more.pair("assigned", Some(word(IdAssignment::Optional.word())));
    keys.group("id", more);
}

/// The value of `on_delete`. `None` if it is the default.
pub(super) fn on_delete(action: OnDelete) -> Option<TokenStream> {
    (action != OnDelete::default()).then(|| word(action.word()))
}

fn methods(methods: &[Operation]) -> Option<TokenStream> {
    (methods != Operation::DEFAULT).then(|| list(methods.iter().map(|method| word(method.word()))))
}

fn sort(keys: &[SortKey]) -> Option<TokenStream> {
    (!keys.is_empty()).then(|| list(keys.iter().map(sort_key)))
}

fn sort_key(key: &SortKey) -> TokenStream {
    let field = word(&key.field);
    match (key.descending, value::is_word(&key.field)) {
        (false, _) => field,
        (true, true) => quote!(-#field),
        (true, false) => value::text(&format!("-{}", key.field)),
    }
}

fn sets(sets: &[Vec<String>]) -> Option<TokenStream> {
    (!sets.is_empty())
        .then(|| list(sets.iter().map(|set| list(set.iter().map(|field| word(field))))))
}

/// The keys of `limit` that differ from the usual values. If the maximum is below the usual default
/// page size, the usual default is the maximum.
fn limit(limit: &Limit) -> Keys {
    let mut keys = Keys::of("resource");
    let default =
        (limit.default != Limit::DEFAULT.default.min(limit.maximum)).then_some(limit.default);
    keys.pair("default", default.map(|count| value::number(&count.to_string())));
    let maximum = (limit.maximum != Limit::DEFAULT.maximum).then_some(limit.maximum);
    keys.pair("maximum", maximum.map(|count| value::number(&count.to_string())));
    keys
}
