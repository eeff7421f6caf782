//! Warns about declared filters and sort orders that no index serves.
//!
//! By default, clients can filter and sort by every field, and most tables are small. So only an
//! explicit `filterable: true` or `sortable: true` is checked. These keys are promises to clients.

use super::context::{Context, Scope};
use super::field::FieldDraft;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::{Origin, Value, excerpt};
use crate::schema::{self, Field, Resource};
use nouns_declaration::index::{Column, Index, SortKey, Table, complete};

/// Reports each explicit `filterable: true` or `sortable: true` that no index serves. The cost of
/// such a request grows with the number of members.
pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    if context.scope == Scope::Item {
        return;
    }
    for draft in drafts {
        let fields: Vec<_> = draft.fields.iter().filter_map(|field| field.field.as_ref()).collect();
        let promises: Vec<_> = draft.fields.iter().filter_map(Promise::of).collect();
        if promises.is_empty() {
            continue;
        }
        let table = table(&draft.resource, &fields);
        let indexes = table.indexes();
        for promise in promises {
            if let Some((at, what)) = promise.broken(&table, &indexes) {
                let (field, resource) = (excerpt(promise.field), excerpt(draft.name()));
                context.report(at, Problem::Unindexed { what, field, resource });
            }
        }
    }
}

/// The explicit promises of a field to clients: that a request can filter or sort by this field.
struct Promise<'r> {
    field: &'r str,
    /// The position of `filterable: true`.
    filter: Option<Origin>,
    /// The position of `sortable: true`.
    sort: Option<Origin>,
}

impl<'r> Promise<'r> {
    fn of(draft: &'r FieldDraft<'_>) -> Option<Self> {
        let place = |key: &str| {
            let entry = draft.map.as_ref()?.entry(key)?;
            matches!(entry.value.value, Value::Boolean(true)).then_some(entry.key.at)
        };
        let (filter, sort) = (place("filterable"), place("sortable"));
        let field = &draft.field.as_ref()?.name;
        (filter.is_some() || sort.is_some()).then_some(Self { field, filter, sort })
    }

    /// Finds a promise that no index serves, in at least one collection. The promise is a filter by
    /// one value in the default order, or an order by the field.
    fn broken(
        &self,
        table: &Table<&str>,
        indexes: &[Index<&str>],
    ) -> Option<(Origin, &'static str)> {
        let is_served = |equal: Option<&str>, sort: &[SortKey<&str>]| {
            let equals = table.collections().map(|parent| parent.into_iter().chain(equal));
            equals.map(|equal| table.scan(equal, sort)).all(|scan| table.is_served(indexes, &scan))
        };
        let filter = self.filter.filter(|_| !is_served(Some(self.field), &table.sort));
        let sort = self.sort.filter(|_| !is_served(None, &table.by_value(self.field)));
        match (filter, sort) {
            (Some(at), Some(_)) => Some((at, "filters and orders")),
            (Some(at), None) => Some((at, "filters")),
            (None, Some(at)) => Some((at, "orders")),
            (None, None) => None,
        }
    }
}

/// The properties of a resource that decide which indexes its table has.
fn table<'r>(resource: &'r Resource, fields: &[&'r Field]) -> Table<&'r str> {
    let key = |key: &'r schema::SortKey| SortKey {
        field: key.field.as_str(),
        descending: key.descending,
    };
    let mut sort = resource.sort.iter().map(key).collect();
    complete(&mut sort, "id");
    let parent = resource.parent.iter().map(|parent| Column {
        required: parent.required,
        reference: true,
        ..Column::required(parent.field.as_str())
    });
    let times = ["created_at", "updated_at"].map(Column::required);
    Table {
        id: "id",
        id_kind: resource.id,
        parent: resource.parent.as_ref().map(|parent| parent.field.as_str()),
        routes: resource.routes,
        columns: parent.chain(fields.iter().copied().map(column)).chain(times).collect(),
        sort,
        unique: resource.unique.iter().map(|set| names(set)).collect(),
        indexes: resource.indexes.iter().map(|set| names(set)).collect(),
    }
}

fn column(field: &Field) -> Column<&str> {
    Column {
        field: &field.name,
        required: field.required,
        index: field.index,
        unique: field.unique,
        reference: field.reference.is_some(),
        filterable: field.filterable,
        sortable: field.sortable,
    }
}

fn names(set: &[String]) -> Vec<&str> {
    set.iter().map(String::as_str).collect()
}
