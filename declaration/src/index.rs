//! Which indexes a table has, and which lists they serve.
//!
//! The checker of declarations warns of promises that no index serves. The runtime makes the
//! indexes, and advises which line of a declaration would make a slow read fast. Both use this
//! rule. `F` names a field: the checker has its declared name, the runtime its position.

mod scan;

use crate::def::{IdKind, Routes};

pub use scan::Scan;

/// One key of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortKey<F> {
    /// The field.
    pub field: F,
    /// Whether the largest come first; members without a value come last either way.
    pub descending: bool,
}

/// Makes an order total: ties are broken by the id, in the direction of the last key. So the
/// reverse of an order is the same index read backwards, however many members share a value.
///
/// ```
/// use nouns_declaration::index::{SortKey, complete};
/// let mut keys = vec![SortKey { field: "born", descending: true }];
/// complete(&mut keys, "id");
/// assert_eq!(keys[1], SortKey { field: "id", descending: true });
/// ```
pub fn complete<F: Copy + Eq>(keys: &mut Vec<SortKey<F>>, id: F) {
    if keys.iter().all(|key| key.field != id) {
        let descending = keys.last().is_some_and(|last| last.descending);
        keys.push(SortKey { field: id, descending });
    }
}

/// Whether an order tells members without a value apart by a key of their own, so that they come
/// last.
///
/// SQLite takes null for the smallest value. It reads an index twice for an order in which null is
/// the largest, but only by the first key of the order. For a later key that ascends, the index
/// must have them apart.
#[must_use]
pub const fn is_apart(position: usize, required: bool, descending: bool) -> bool {
    position > 0 && !required && !descending
}

/// A key of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<F> {
    /// The field.
    pub field: F,
    /// Whether the largest come first.
    pub descending: bool,
    /// Whether members without a value are told apart before those with one, so that they come
    /// last.
    pub apart: bool,
}

impl<F> Key<F> {
    /// A key that ascends, with null as the smallest value.
    pub const fn ascending(field: F) -> Self {
        Self { field, descending: false, apart: false }
    }
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index<F> {
    /// Its keys. Where ids are integers, SQLite ends each entry with the id, even if it is no key.
    pub keys: Vec<Key<F>>,
    /// Whether no two members have the same values.
    pub unique: bool,
}

impl<F: Copy + Eq> Index<F> {
    fn of(fields: &[F], unique: bool) -> Self {
        Self { keys: fields.iter().copied().map(Key::ascending).collect(), unique }
    }

    /// Whether it begins with the keys of another.
    fn is_longer(&self, than: &Self) -> bool {
        self.keys.starts_with(&than.keys) && (self.keys.len() > than.keys.len() || self.unique)
    }
}

/// The facts about a field that decide which indexes there are.
#[derive(Clone, Copy, Debug)]
pub struct Column<F> {
    /// The field.
    pub field: F,
    /// Whether null is refused.
    pub required: bool,
    /// Whether it has an index of its own.
    pub index: bool,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether it points at a member.
    pub reference: bool,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
}

impl<F> Column<F> {
    /// A field that refuses null, with nothing else declared: the base of struct updates.
    pub const fn required(field: F) -> Self {
        Self {
            field,
            required: true,
            index: false,
            unique: false,
            reference: false,
            filterable: true,
            sortable: true,
        }
    }
}

/// The facts about a resource that decide which indexes its table has.
#[derive(Clone, Debug)]
pub struct Table<F> {
    /// The id.
    pub id: F,
    /// What ids are.
    pub id_kind: IdKind,
    /// The field that holds the id of the parent.
    pub parent: Option<F>,
    /// At which URLs the collection is served.
    pub routes: Routes,
    /// All fields but the id, in the order of their columns.
    pub columns: Vec<Column<F>>,
    /// The default order, completed by the id.
    pub sort: Vec<SortKey<F>>,
    /// Sets of fields whose values are unique together.
    pub unique: Vec<Vec<F>>,
    /// Sets of fields that are indexed together.
    pub indexes: Vec<Vec<F>>,
}

impl<F: Copy + Eq> Table<F> {
    /// Its indexes: what is unique, then what its lists and references need. An index that another
    /// one covers is left out.
    ///
    /// ```
    /// use nouns_declaration::def::{IdKind, Routes};
    /// use nouns_declaration::index::{Column, SortKey, Table};
    ///
    /// let key = |field| SortKey { field, descending: false };
    /// let animals = Table {
    ///     id: "id",
    ///     id_kind: IdKind::Integer,
    ///     parent: Some("zoo_id"),
    ///     routes: Routes::Nested,
    ///     columns: vec![
    ///         Column { reference: true, ..Column::required("zoo_id") },
    ///         Column::required("name"),
    ///         Column { index: true, ..Column::required("status") },
    ///     ],
    ///     sort: vec![key("name"), key("id")],
    ///     unique: vec![],
    ///     indexes: vec![],
    /// };
    /// let indexes = animals.indexes().into_iter();
    /// let names = indexes.map(|index| index.keys.iter().map(|key| key.field).collect::<Vec<_>>().join(" "));
    /// assert_eq!(
    ///     names.collect::<Vec<_>>(),
    ///     ["zoo_id name id", "zoo_id status name id", "zoo_id status id"]
    /// );
    /// ```
    #[must_use]
    pub fn indexes(&self) -> Vec<Index<F>> {
        let wanted = self.wanted();
        let deciding: Vec<_> = wanted.iter().map(|index| self.deciding(index)).collect();
        let is_covered = |at: usize| {
            let mut others = wanted.iter().enumerate().filter(|(other, _)| *other != at);
            others.any(|(_, other)| {
                other.is_longer(&wanted[at])
                    || other.unique && deciding[at] == other.keys.as_slice()
            })
        };
        let is_kept = |at: usize| {
            !wanted[..at].contains(&wanted[at]) && (wanted[at].unique || !is_covered(at))
        };
        let kept: Vec<_> = (0..wanted.len()).map(is_kept).collect();
        wanted.into_iter().zip(kept).filter_map(|(index, kept)| kept.then_some(index)).collect()
    }

    /// The sets of fields whose values no two members share, the id aside.
    pub fn unique_sets(&self) -> impl Iterator<Item = Vec<F>> {
        let fields = self.columns.iter().filter(|column| column.unique);
        fields.map(|column| vec![column.field]).chain(self.unique.iter().cloned())
    }

    /// The URLs of the collection, each by the field that stands before its order: the parent below
    /// one, none at the top.
    pub fn collections(&self) -> impl Iterator<Item = Option<F>> + use<F> {
        let nested = self.parent.filter(|_| self.routes != Routes::Flat).map(Some);
        let at_top = self.parent.is_none() || self.routes != Routes::Nested;
        nested.into_iter().chain(at_top.then_some(None))
    }

    /// The order of the values of a field.
    pub fn by_value(&self, field: F) -> [SortKey<F>; 2] {
        [field, self.id].map(|field| SortKey { field, descending: false })
    }

    fn wanted(&self) -> Vec<Index<F>> {
        let unique = self.unique_sets().map(|set| Index::of(&set, true));
        let lists = self.collections().map(|parent| self.list(parent, None, &self.sort));
        let lists = lists.filter(|list| list.keys.iter().any(|key| key.field != self.id));
        let sets = self.indexes.iter().map(|set| Index::of(set, false));
        let singles = self.columns.iter().flat_map(|column| {
            let own = column.index.then(|| self.own(column)).into_iter().flatten();
            own.chain(column.reference.then(|| Index::of(&[column.field], false)))
        });
        unique.chain(lists).chain(sets).chain(singles).collect()
    }

    /// The indexes of a field with `index: true`, for the filters and orders that requests may ask
    /// for: one value of it in the default order, and the order of its values.
    fn own(&self, column: &Column<F>) -> Vec<Index<F>> {
        let by_value = self.by_value(column.field);
        let mut own = vec![];
        for parent in self.collections() {
            own.extend(
                column.filterable.then(|| self.list(parent, Some(column.field), &self.sort)),
            );
            own.extend(column.sortable.then(|| self.list(parent, None, &by_value)));
        }
        if own.is_empty() {
            own.push(Index::of(&[column.field], false));
        }
        own
    }

    /// The index for an order of a collection, or of those in it that have one value of a field.
    fn list(&self, parent: Option<F>, field: Option<F>, sort: &[SortKey<F>]) -> Index<F> {
        let before = parent.into_iter().chain(field).map(Key::ascending);
        let ordered = self.keys(sort).into_iter().filter(|key| Some(key.field) != field);
        Index { keys: before.chain(ordered).collect(), unique: false }
    }

    /// The keys of an index for an order. Where the ids of the order descend, it is read backwards,
    /// since SQLite keeps entries with equal keys in ascending order of their ids.
    fn keys(&self, sort: &[SortKey<F>]) -> Vec<Key<F>> {
        let turned = sort.iter().any(|key| key.field == self.id && key.descending);
        let key = |(at, key): (usize, &SortKey<F>)| {
            let apart = is_apart(at, self.is_required(key.field), key.descending);
            Key { field: key.field, descending: key.descending != turned, apart }
        };
        sort.iter().enumerate().map(key).collect()
    }

    /// The keys of an index that decide its order if no two members share them: the id after them
    /// decides nothing.
    fn deciding<'i>(&self, index: &'i Index<F>) -> &'i [Key<F>] {
        match index.keys.as_slice() {
            [keys @ .., last] if last.field == self.id && self.are_required(keys) => keys,
            keys => keys,
        }
    }

    fn are_required(&self, keys: &[Key<F>]) -> bool {
        keys.iter().all(|key| self.is_required(key.field))
    }

    fn is_required(&self, field: F) -> bool {
        field == self.id
            || self.columns.iter().any(|column| column.field == field && column.required)
    }
}
