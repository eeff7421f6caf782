//! The fields of a declared resource by their positions, for code that has no model: conditions
//! and orders are built, compared and printed before there is a store.

use crate::model::{
    FieldIx, SortKey, complete,
    def::{FieldKind, ResourceDef},
    id::kind as id_kind,
};

/// The name and the kind of each field, in the order of the positions.
fn fields(def: &'static ResourceDef) -> impl Iterator<Item = (&'static str, FieldKind)> {
    let parent = def.parent.map(|parent| (parent.field, FieldKind::Reference));
    let declared = def.fields.iter().map(|field| (field.name, field.kind));
    let times = ["created_at", "updated_at"].map(|name| (name, FieldKind::DateTime));
    std::iter::once(("id", id_kind(def.id))).chain(parent).chain(declared).chain(times)
}

/// The declared name of the field at a position; empty if there is no such field.
pub(super) fn name(def: &'static ResourceDef, ix: FieldIx) -> &'static str {
    fields(def).nth(ix.0.into()).map_or("", |(name, _)| name)
}

/// The kind of the field at a position; `Json` if there is no such field.
pub(super) fn kind(def: &'static ResourceDef, ix: FieldIx) -> FieldKind {
    fields(def).nth(ix.0.into()).map_or(FieldKind::Json, |(_, kind)| kind)
}

/// The default order of the resource. Its last key is the id, so no two members are equal in all
/// keys.
pub(super) fn sort(def: &'static ResourceDef) -> Vec<SortKey> {
    let place = |name: &str| (0..).map(FieldIx).zip(fields(def)).find(|(_, known)| known.0 == name);
    let key = |(field, descending)| SortKey { field, descending };
    let found = def.sort.iter().filter_map(|sort| Some((place(sort.field)?.0, sort.descending)));
    let mut keys = found.map(key).collect();
    complete(&mut keys);
    keys
}
