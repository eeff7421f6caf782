//! Which indexes a table has, and what they are called.

use super::{
    order::Absent,
    record::{Index, Key, Table},
};
use crate::{
    base::hash::Stable,
    model::{FieldIx, Resource, Role, SortKey, def::Routes},
};

/// The longest name that PostgreSQL keeps, in bytes.
const NAME_BYTES_MAX: usize = 63;

/// The indexes of a resource: what is unique, then what its lists and references need.
pub(super) fn of(resource: &Resource) -> Vec<Index> {
    let mut wanted: Vec<_> = unique_sets(resource).map(|set| index(resource, &set, true)).collect();
    wanted.extend(lists(resource));
    wanted.extend(sets(resource, resource.def.indexes).map(|set| index(resource, &set, false)));
    wanted.extend(singles(resource));
    let mut kept: Vec<Index> = Vec::new();
    for (at, index) in wanted.iter().enumerate() {
        let covered = |other: &Index| {
            longer(other, index) || other.unique && decided(resource, index) == other.keys
        };
        let others = || wanted.iter().enumerate().filter(|(other_at, _)| *other_at != at);
        if !wanted[..at].contains(index)
            && (index.unique || !others().any(|(_, other)| covered(other)))
        {
            kept.push(index.clone());
        }
    }
    kept
}

/// Whether an index begins with the keys of another.
fn longer(index: &Index, than: &Index) -> bool {
    index.keys.starts_with(&than.keys) && (index.keys.len() > than.keys.len() || index.unique)
}

/// The keys of an index that decide its order where no two members share them: the id after them
/// decides nothing.
fn decided<'i>(resource: &Resource, index: &'i Index) -> &'i [Key] {
    match index.keys.as_slice() {
        [keys @ .., last]
            if last.column == resource[FieldIx::ID].column && required(resource, keys) =>
        {
            keys
        }
        keys => keys,
    }
}

fn required(resource: &Resource, keys: &[Key]) -> bool {
    keys.iter()
        .all(|key| resource.fields.iter().any(|field| field.column == key.column && field.required))
}

/// The sets of fields whose values no two members share, the id aside.
pub(crate) fn unique_sets(resource: &Resource) -> impl Iterator<Item = Vec<FieldIx>> {
    let fields = resource.indexed().filter(|(_, field)| field.def.is_some_and(|def| def.unique));
    fields.map(|(ix, _)| vec![ix]).chain(sets(resource, resource.def.unique))
}

fn sets<'a>(
    resource: &'a Resource,
    sets: &'a [&'a [&'a str]],
) -> impl Iterator<Item = Vec<FieldIx>> + 'a {
    sets.iter().map(|set| set.iter().filter_map(|name| declared(resource, name)).collect())
}

fn index(resource: &Resource, fields: &[FieldIx], unique: bool) -> Index {
    Index { keys: fields.iter().map(|ix| key(resource, *ix, false)).collect(), unique }
}

/// What stands before the order of each collection: the parent of a nested one, nothing at the top.
fn collections(resource: &Resource) -> impl Iterator<Item = Option<Key>> {
    let nested = resource.parent.filter(|_| resource.def.routes != Routes::Flat);
    let nested = nested.map(|(_, field)| Some(key(resource, field, false)));
    nested.into_iter().chain(resource.at_top().then_some(None))
}

/// The default order of each collection.
fn lists(resource: &Resource) -> impl Iterator<Item = Index> {
    let lists = collections(resource).map(|parent| list(resource, parent, None, &resource.sort));
    lists.filter(|list| !is_id_alone(resource, &list.keys))
}

fn is_id_alone(resource: &Resource, keys: &[Key]) -> bool {
    matches!(keys, [only] if only.column == resource[FieldIx::ID].column)
}

/// An order of a collection, or of those in it that have one value of a field. One whose ids go
/// backwards is read backwards, since entries with the same keys lie by their ids.
pub(super) fn list(
    resource: &Resource,
    parent: Option<Key>,
    field: Option<FieldIx>,
    sort: &[SortKey],
) -> Index {
    let turned = sort.iter().any(|key| key.field == FieldIx::ID && key.descending);
    let ordered =
        sort.iter().enumerate().filter(|(_, key)| Some(key.field) != field).map(|(at, sort)| {
            let apart = Absent::of(at, &resource[sort.field], sort.descending) == Absent::Apart;
            Key { apart, ..key(resource, sort.field, sort.descending != turned) }
        });
    let field = field.map(|field| key(resource, field, false));
    Index { keys: parent.into_iter().chain(field).chain(ordered).collect(), unique: false }
}

/// What a field with an index of its own has, for the filters and the orders that requests may ask
/// for: one value of it in the default order, and the order of its values.
pub(super) fn own(resource: &Resource, ix: FieldIx) -> Vec<Index> {
    let field = &resource[ix];
    let by_value = [ix, FieldIx::ID].map(|field| SortKey { field, descending: false });
    let mut own = vec![];
    for parent in collections(resource) {
        own.extend(
            field.filterable.then(|| list(resource, parent.clone(), Some(ix), &resource.sort)),
        );
        own.extend(field.sortable.then(|| list(resource, parent, None, &by_value)));
    }
    if own.is_empty() {
        own.push(index(resource, &[ix], false));
    }
    own
}

/// References, which deletions follow, and fields with an index of their own.
fn singles(resource: &Resource) -> impl Iterator<Item = Index> {
    let fields = resource.indexed().filter(|(_, field)| field.role != Role::Id);
    fields.flat_map(|(ix, field)| {
        let own = field.def.is_some_and(|def| def.index).then(|| own(resource, ix));
        let alone = field.target.is_some().then(|| index(resource, &[ix], false));
        own.into_iter().flatten().chain(alone)
    })
}

pub(super) fn key(resource: &Resource, field: FieldIx, descending: bool) -> Key {
    Key { column: resource[field].column.into(), descending, apart: false }
}

/// The field of a declared name; those that nobody declares have the names of their columns.
fn declared(resource: &Resource, name: &str) -> Option<FieldIx> {
    let of = |field: &crate::model::Field| field.def.map_or(field.column, |def| def.name) == name;
    resource.indexed().find(|(_, field)| of(field)).map(|(ix, _)| ix)
}

impl Index {
    /// Its name, which is the same as long as its table, its keys and what it is for are.
    pub(super) fn name(&self, table: &Table) -> String {
        let mut name = table.name.clone();
        for key in &self.keys {
            name.push_str("__");
            name.push_str(&key.column);
            // No name of a column has two underscores in a row.
            name.push_str(if key.descending { "__desc" } else { "" });
            name.push_str(if key.apart { "__nulls_last" } else { "" });
        }
        name.push_str(if self.unique { "__key" } else { "__idx" });
        if name.len() <= NAME_BYTES_MAX {
            return name;
        }
        let hash = format!("_{:016x}", Stable::new().text(&name).finish());
        let kept = name.floor_char_boundary(NAME_BYTES_MAX - hash.len());
        format!("{}{hash}", &name[..kept])
    }
}
