//! The indexes of a table, by their columns, and what they are called.
//!
//! The crate `nouns-declaration` decides which ones there are, since the checker warns by that
//! rule.

use nouns_declaration::index::{self, Column};

use super::record::{Index, IndexColumn, Table};
use crate::{
    base::hash::StableHasher,
    model::{FieldIx, FieldModel, ResourceModel},
};

/// The longest name that PostgreSQL keeps, in bytes.
const NAME_BYTES_MAX: usize = 63;

/// The indexes of a resource.
pub(super) fn of(resource: &ResourceModel) -> Vec<Index> {
    let key = |key: &index::Key<FieldIx>| IndexColumn {
        column: resource[key.field].column.into(),
        descending: key.descending,
        apart: key.apart,
    };
    let indexes = table(resource).indexes().into_iter();
    indexes
        .map(|index| Index { keys: index.keys.iter().map(key).collect(), unique: index.unique })
        .collect()
}

/// The sets of fields whose values no two members share, the id aside.
pub(crate) fn unique_sets(resource: &ResourceModel) -> Vec<Vec<FieldIx>> {
    table(resource).unique_sets().collect()
}

/// The facts about a resource that decide which indexes its table has.
pub(super) fn table(resource: &ResourceModel) -> index::Table<FieldIx> {
    let sets = |sets: &[&[&str]]| sets.iter().map(|set| named_fields(resource, set)).collect();
    index::Table {
        id: FieldIx::ID,
        id_kind: resource.def.id,
        parent: resource.parent.map(|(_, field)| field),
        routes: resource.def.routes,
        columns: resource.indexed().filter(|(ix, _)| *ix != FieldIx::ID).map(column).collect(),
        sort: resource.sort.to_vec(),
        unique: sets(resource.def.unique),
        indexes: sets(resource.def.indexes),
    }
}

fn column((ix, field): (FieldIx, &FieldModel)) -> Column<FieldIx> {
    Column {
        field: ix,
        required: field.required,
        index: field.def.is_some_and(|def| def.index),
        unique: field.def.is_some_and(|def| def.unique),
        reference: field.target.is_some(),
        filterable: field.filterable,
        sortable: field.sortable,
    }
}

/// The fields of these declared names; those that nobody declares have the names of their columns.
fn named_fields(resource: &ResourceModel, names: &[&str]) -> Vec<FieldIx> {
    let of = |name: &&str| {
        let has_name = |field: &FieldModel| field.def.map_or(field.column, |def| def.name) == *name;
        resource.indexed().find(|(_, field)| has_name(field)).map(|(ix, _)| ix)
    };
    names.iter().filter_map(of).collect()
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
        let hash = format!("_{:016x}", StableHasher::new().text(&name).finish());
        let kept = name.floor_char_boundary(NAME_BYTES_MAX - hash.len());
        format!("{}{hash}", &name[..kept])
    }
}
