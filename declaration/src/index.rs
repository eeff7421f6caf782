//! The indexes of a table, and the rule that decides which reads of a list can use each index.
//!
//! The checker of declarations uses this rule to warn of filters and sort orders that can use no
//! index. The runtime creates the indexes, and advises which index would make a slow read fast.
//! `F` identifies a field: by declared name in the checker, by position in the runtime.

mod scan;

use crate::def::{IdKind, Routes};

pub use scan::Scan;

/// One sort key of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortKey<F> {
    /// The field to sort by.
    pub field: F,
    /// Whether the largest values come first. Members without a value come last in either
    /// direction.
    pub descending: bool,
}

/// Makes an order total: appends the id, in the direction of the key before it, unless the order
/// already has the id. Then an index can be read backwards for the reverse order, however many
/// members share a value.
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

/// Whether an index needs the extra key `column IS NULL` before this sort key. The extra key puts
/// members without a value last.
///
/// SQLite sorts null as the smallest value. If the first key has nulls last, SQLite reads an index
/// in two passes and needs no extra key. A later key that ascends needs the extra key.
#[must_use]
pub const fn is_apart(position: usize, required: bool, descending: bool) -> bool {
    position > 0 && !required && !descending
}

/// A key of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<F> {
    /// The field of the key.
    pub field: F,
    /// Whether the largest values come first.
    pub descending: bool,
    /// Whether the extra key `column IS NULL` comes before this key, so that nulls come last.
    pub apart: bool,
}

impl<F> Key<F> {
    /// A key that ascends, with null as the smallest value.
    pub const fn ascending(field: F) -> Self {
        Self { field, descending: false, apart: false }
    }
}

/// An index of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index<F> {
    /// The keys of the index. If ids are integers, SQLite stores the id at the end of each entry,
    /// even if the id is not a key.
    pub keys: Vec<Key<F>>,
    /// Whether no two members have the same values in all keys.
    pub unique: bool,
}

impl<F: Copy + Eq> Index<F> {
    fn of(fields: &[F], unique: bool) -> Self {
        Self { keys: fields.iter().copied().map(Key::ascending).collect(), unique }
    }

    /// Whether this index begins with the keys of `than`, and is longer or unique.
    fn is_longer(&self, than: &Self) -> bool {
        self.keys.starts_with(&than.keys) && (self.keys.len() > than.keys.len() || self.unique)
    }
}

/// The properties of a field that decide which indexes the table has.
#[derive(Clone, Copy, Debug)]
pub struct Column<F> {
    /// The field that these properties belong to.
    pub field: F,
    /// Whether null is refused.
    pub required: bool,
    /// Whether the field has its own index.
    pub index: bool,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether the field is a reference to a member.
    pub reference: bool,
    /// Whether a request may filter by this field.
    pub filterable: bool,
    /// Whether a request may sort by this field.
    pub sortable: bool,
}

impl<F> Column<F> {
    /// A field that refuses null and declares nothing else: the base for struct update syntax.
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

/// The properties of a resource that decide which indexes its table has.
#[derive(Clone, Debug)]
pub struct Table<F> {
    /// The field of the id.
    pub id: F,
    /// The kind of the ids.
    pub id_kind: IdKind,
    /// The field that holds the id of the parent.
    pub parent: Option<F>,
    /// The URLs at which the collection is served.
    pub routes: Routes,
    /// All fields but the id, in the order of their columns.
    pub columns: Vec<Column<F>>,
    /// The default order, with the id as its last key.
    pub sort: Vec<SortKey<F>>,
    /// Sets of fields. No two members have the same values in all fields of a set.
    pub unique: Vec<Vec<F>>,
    /// Sets of fields that have an index together.
    pub indexes: Vec<Vec<F>>,
}

impl<F: Copy + Eq> Table<F> {
    /// The indexes of the table: first the unique ones, then those for lists and references. An
    /// index is omitted if another index covers it.
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
        let flags: Vec<_> = (0..wanted.len()).map(is_kept).collect();
        wanted.into_iter().zip(flags).filter_map(|(index, flag)| flag.then_some(index)).collect()
    }

    /// The sets of fields in which no two members have the same values. The id is not among the
    /// sets.
    pub fn unique_sets(&self) -> impl Iterator<Item = Vec<F>> {
        let fields = self.columns.iter().filter(|column| column.unique);
        fields.map(|column| vec![column.field]).chain(self.unique.iter().cloned())
    }

    /// One item for each URL of the collection. The nested URL is the field of the parent, with
    /// which its indexes begin. The top-level URL is `None`.
    pub fn collections(&self) -> impl Iterator<Item = Option<F>> + use<F> {
        let nested = self.parent.filter(|_| self.routes != Routes::Flat).map(Some);
        let at_top = self.parent.is_none() || self.routes != Routes::Nested;
        nested.into_iter().chain(at_top.then_some(None))
    }

    /// The order by the values of a field, then by id.
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

    /// The indexes of a field with `index: true`. Each URL of the collection has one for filters by
    /// this field, and one for sorting by it. A field that allows neither has a single index.
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

    /// The index for an order of a collection. With `field`, only members with one value of this
    /// field are listed.
    fn list(&self, parent: Option<F>, field: Option<F>, sort: &[SortKey<F>]) -> Index<F> {
        let before = parent.into_iter().chain(field).map(Key::ascending);
        let ordered = self.keys(sort).into_iter().filter(|key| Some(key.field) != field);
        Index { keys: before.chain(ordered).collect(), unique: false }
    }

    /// The keys of an index for an order. If the id descends in the order, all keys are reversed
    /// and the index is read backwards. SQLite keeps entries with equal keys in ascending order of
    /// their ids.
    fn keys(&self, sort: &[SortKey<F>]) -> Vec<Key<F>> {
        let turned = sort.iter().any(|key| key.field == self.id && key.descending);
        let key = |(at, key): (usize, &SortKey<F>)| {
            let apart = is_apart(at, self.is_required(key.field), key.descending);
            Key { field: key.field, descending: key.descending != turned, apart }
        };
        sort.iter().enumerate().map(key).collect()
    }

    /// The keys of an index, without an id at the end if all other keys refuse null. A unique index
    /// with exactly these keys has the same order, because no two members have equal keys.
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
