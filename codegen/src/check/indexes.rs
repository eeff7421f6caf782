//! Filters and orders that are declared, and that no index serves.
//!
//! Every field may be filtered and sorted by unless it says otherwise, and most are in small
//! tables. So only what says `filterable: true` or `sortable: true` is looked at: it promises
//! something to clients.

use super::context::{Context, Scope};
use super::field::FieldDraft;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::{Origin, Value, excerpt};
use crate::schema::{Field, IdKind, Resource, Routes};

/// Says each promise that takes longer the more members there are.
pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    if context.scope == Scope::Item {
        return;
    }
    for draft in drafts {
        let fields: Vec<_> = draft.fields.iter().filter_map(|field| field.field.as_ref()).collect();
        let table = Table::of(&draft.resource, &fields);
        for (field, written) in
            fields.iter().zip(draft.fields.iter().filter(|field| field.field.is_some()))
        {
            let filter = promised(written, "filterable").filter(|_| !table.serves_filter(field));
            let sort = promised(written, "sortable").filter(|_| !table.serves_order(field));
            let (at, what) = match (filter, sort) {
                (Some(at), Some(_)) => (at, "filters and orders"),
                (Some(at), None) => (at, "filters"),
                (None, Some(at)) => (at, "orders"),
                (None, None) => continue,
            };
            let (field, resource) = (excerpt(&field.name), excerpt(draft.name()));
            context.say(at, Problem::Unindexed { what, field, resource });
        }
    }
}

/// Where a field says that requests may use it so.
fn promised(field: &FieldDraft<'_>, key: &str) -> Option<Origin> {
    let entry = field.map.as_ref()?.entry(key)?;
    matches!(entry.value.value, Value::Boolean(true)).then_some(entry.key.at)
}

/// A key of an order or an index.
#[derive(Clone, Copy, PartialEq)]
struct Key<'r> {
    field: &'r str,
    descending: bool,
    /// Whether members without a value are told apart before those that have one.
    apart: bool,
}

impl<'r> Key<'r> {
    const fn ascending(field: &'r str) -> Self {
        Self { field, descending: false, apart: false }
    }
}

/// An index that a table will have.
struct Index<'r> {
    keys: Vec<Key<'r>>,
    /// How many of its keys no two members share.
    unique: Option<usize>,
}

/// What of a resource decides which indexes its table has, and what they are asked for.
struct Table<'r> {
    /// What stands before the order of each collection: the parent, or nothing.
    collections: Vec<Option<&'r str>>,
    /// The default order, complete with the id.
    sort: Vec<Key<'r>>,
    required: Vec<&'r str>,
    indexes: Vec<Index<'r>>,
}

impl<'r> Table<'r> {
    fn of(resource: &'r Resource, fields: &[&'r Field]) -> Self {
        let parent = resource.parent.as_ref().map(|parent| parent.field.as_str());
        let nested = parent.filter(|_| resource.routes != Routes::Flat).map(Some);
        let at_top = parent.is_none() || resource.routes != Routes::Nested;
        let needed = resource.parent.iter().filter(|parent| parent.required);
        let system = ["id", "created_at", "updated_at"].into_iter();
        let system = system.chain(needed.map(|parent| parent.field.as_str()));
        let required =
            fields.iter().filter(|field| field.required).map(|field| field.name.as_str());
        let mut table = Self {
            collections: nested.into_iter().chain(at_top.then_some(None)).collect(),
            sort: Vec::new(),
            required: system.chain(required).collect(),
            indexes: Vec::new(),
        };
        table.sort = table.order(resource);
        table.indexes = table.indexes(resource, fields);
        table
    }

    fn order(&self, resource: &'r Resource) -> Vec<Key<'r>> {
        let key = |(at, key): (usize, &'r crate::schema::SortKey)| {
            let apart = at > 0 && !key.descending && !self.required.contains(&key.field.as_str());
            Key { field: &key.field, descending: key.descending, apart }
        };
        let mut sort: Vec<_> = resource.sort.iter().enumerate().map(key).collect();
        if sort.iter().all(|key| key.field != "id") {
            let descending = sort.last().is_some_and(|last| last.descending);
            sort.push(Key { descending, ..Key::ascending("id") });
        }
        sort
    }

    fn indexes(&self, resource: &'r Resource, fields: &[&'r Field]) -> Vec<Index<'r>> {
        // SQLite ends each entry with the integer key.
        let id = (resource.id == IdKind::Integer).then_some("id");
        let plain = |set: &[&'r str]| Index {
            keys: set
                .iter()
                .copied()
                .chain(id.filter(|id| !set.contains(id)))
                .map(Key::ascending)
                .collect(),
            unique: None,
        };
        let unique = |set: &[&'r str]| Index { unique: Some(set.len()), ..plain(set) };
        let names = |set: &'r [String]| set.iter().map(String::as_str).collect::<Vec<_>>();
        let lists = self.collections.iter().map(|parent| self.list(*parent, None, &self.sort));
        let by_field = fields.iter().flat_map(|field| {
            let own = field.index.then(|| self.own(field)).into_iter().flatten();
            let alone = field.reference.is_some().then(|| plain(&[&field.name]));
            own.chain(alone).chain(field.unique.then(|| unique(&[&field.name])))
        });
        let sets = resource.indexes.iter().map(|set| plain(&names(set)));
        let unique_sets = resource.unique.iter().map(|set| unique(&names(set)));
        lists.chain(by_field).chain(sets).chain(unique_sets).collect()
    }

    /// What a field with `index: true` has: one value of it in the default order, and the order of
    /// its values.
    fn own(&self, field: &'r Field) -> Vec<Index<'r>> {
        let by_value = [Key::ascending(&field.name), Key::ascending("id")];
        let mut own = Vec::new();
        for parent in &self.collections {
            own.extend(field.filterable.then(|| self.list(*parent, Some(&field.name), &self.sort)));
            own.extend(field.sortable.then(|| self.list(*parent, None, &by_value)));
        }
        own
    }

    fn list(&self, parent: Option<&'r str>, field: Option<&'r str>, sort: &[Key<'r>]) -> Index<'r> {
        let turned = sort.iter().any(|key| key.field == "id" && key.descending);
        let ordered = sort.iter().filter(|key| Some(key.field) != field);
        let ordered = ordered.map(|key| Key { descending: key.descending != turned, ..*key });
        let before = parent.into_iter().chain(field).map(Key::ascending);
        Index { keys: before.chain(ordered).collect(), unique: None }
    }

    /// Whether one value of a field is found, in the default order, in each collection.
    fn serves_filter(&self, field: &Field) -> bool {
        self.collections.iter().all(|parent| {
            let equal: Vec<_> = parent.iter().copied().chain([field.name.as_str()]).collect();
            self.indexes.iter().any(|index| self.serves(index, &equal, &self.sort))
        })
    }

    /// Whether each collection can be read in the order of the values of a field.
    fn serves_order(&self, field: &Field) -> bool {
        let sort = [Key::ascending(&field.name), Key::ascending("id")];
        self.collections.iter().all(|parent| {
            let equal: Vec<_> = parent.iter().copied().collect();
            self.indexes.iter().any(|index| self.serves(index, &equal, &sort))
        })
    }

    /// Whether an index has what is equal at its beginning, and the order after it, forwards or
    /// backwards; or finds one member at most. `store/sql` of the runtime has the same rule, of its
    /// columns.
    fn serves(&self, index: &Index<'_>, equal: &[&str], sort: &[Key<'_>]) -> bool {
        let is_equal = |key: &Key<'_>| equal.contains(&key.field) && !key.apart;
        let unique = index.unique.map(|count| &index.keys[..count]);
        if unique.is_some_and(|keys| keys.iter().all(is_equal)) {
            return true;
        }
        let (before, after) = index.keys.split_at(index.keys.len().min(equal.len()));
        if before.len() < equal.len() || !before.iter().all(is_equal) {
            return false;
        }
        let sort: Vec<_> = sort.iter().filter(|key| !equal.contains(&key.field)).collect();
        let decides =
            unique.filter(|keys| keys.iter().all(|key| self.required.contains(&key.field)));
        let length = decides
            .map_or(sort.len(), |keys| sort.len().min(keys.len().saturating_sub(equal.len())));
        let same = |turned: bool| {
            let matches = |(key, of): (&&Key<'_>, &Key<'_>)| {
                (key.field, key.descending != turned, key.apart)
                    == (of.field, of.descending, of.apart)
            };
            after.len() >= length && sort[..length].iter().zip(after).all(matches)
        };
        same(false) || same(true)
    }
}
