//! The indexes of a table and their names.
//!
//! The crate `nouns-declaration` decides which indexes a table has, so that the checker of
//! declarations can warn by the same rule.

use nouns_declaration::index::{self, Column};

use super::record::{Index, IndexColumn, Table};
use crate::{
    base::hash::StableHasher,
    model::{FieldIx, FieldModel, ResourceModel},
};

/// The maximum length of a name in PostgreSQL, in bytes.
const NAME_BYTES_MAX: usize = 63;

/// The beginning of the temporary names of indexes.
#[cfg(feature = "postgres")]
pub(crate) const TEMPORARY_PREFIX: &str = "_nouns_index_";

/// Returns the indexes of the table of a resource.
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

/// Returns the sets of fields whose values must be unique. The set of the id alone is not included.
pub(crate) fn unique_sets(resource: &ResourceModel) -> Vec<Vec<FieldIx>> {
    table(resource).unique_sets().collect()
}

/// Whether an index finds the members with a value of this field, or with a range of them.
pub(super) fn leads(resource: &ResourceModel, field: FieldIx) -> bool {
    let begins = |index: &index::Index<FieldIx>| index.keys[0].field == field;
    field == FieldIx::ID || table(resource).indexes().iter().any(begins)
}

/// Whether no two members have the same value in this field.
pub(super) fn is_unique(resource: &ResourceModel, field: FieldIx) -> bool {
    field == FieldIx::ID || table(resource).unique_sets().any(|set| set == [field])
}

/// Returns the facts about a resource that determine the indexes of its table.
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

/// Returns the fields with these names in the declaration. A field that is not declared, such as
/// the id, has the name of its column.
fn named_fields(resource: &ResourceModel, names: &[&str]) -> Vec<FieldIx> {
    let of = |name: &&str| {
        let has_name = |field: &FieldModel| field.def.map_or(field.column, |def| def.name) == *name;
        resource.indexed().find(|(_, field)| has_name(field)).map(|(ix, _)| ix)
    };
    names.iter().filter_map(of).collect()
}

impl Index {
    /// Returns the name of the index. It depends only on the table's name, the columns and whether
    /// the index is unique.
    pub(super) fn name(&self, table: &Table) -> String {
        let mut name = table.name.clone();
        for key in &self.keys {
            name.push_str("__");
            name.push_str(&key.column);
            // The name of a column never contains two underscores in a row.
            name.push_str(if key.descending { "__desc" } else { "" });
            name.push_str(if key.apart { "__nulls_last" } else { "" });
        }
        name.push_str(if self.unique { "__key" } else { "__idx" });
        if name.len() <= NAME_BYTES_MAX {
            return name;
        }
        let hash = format!("_{:016x}", StableHasher::new().text(&name).finish());
        let prefix = name.floor_char_boundary(NAME_BYTES_MAX - hash.len());
        format!("{}{hash}", &name[..prefix])
    }

    /// Returns the name of the index until the record of the database has it. It depends on the
    /// same as the name.
    #[cfg(feature = "postgres")]
    pub(crate) fn temporary_name(&self, table: &Table) -> String {
        let hash = StableHasher::new().text(&self.name(table)).finish();
        format!("{TEMPORARY_PREFIX}{hash:016x}")
    }
}
