//! The rule that decides whether an index serves a list: whether SQLite can read the list from it
//! without sorting.

use super::{Index, Key, SortKey, Table};
use crate::def::IdKind;

/// The part of a list request that matters for an index: the fields that must equal given values,
/// and the sort order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan<F> {
    /// The fields that must equal a given value, each field once.
    pub equal: Vec<F>,
    /// The fields of `equal` whose given value is null.
    pub absent: Vec<F>,
    /// The sort keys, without the fields in `equal` and without the keys after the id.
    pub order: Vec<Key<F>>,
}

impl<F: Copy + Eq> Table<F> {
    /// A scan of the members whose fields `equal` have given values, in the order `sort`.
    #[must_use]
    pub fn scan(&self, equal: impl IntoIterator<Item = F>, sort: &[SortKey<F>]) -> Scan<F> {
        let mut once = vec![];
        for field in equal {
            if !once.contains(&field) {
                once.push(field);
            }
        }
        let length =
            sort.iter().position(|key| key.field == self.id).map_or(sort.len(), |at| at + 1);
        let mut order = self.keys(&sort[..length]);
        order.retain(|key| !once.contains(&key.field));
        Scan { equal: once, absent: vec![], order }
    }

    /// Whether the primary key or one of the indexes of the table serves the scan.
    ///
    /// An index serves a scan if SQLite reads a page without sorting. This must hold for any number
    /// of members, and for any number of members that share a value:
    ///
    /// - A unique index serves the scan if all its keys are in `equal`, since at most one member
    ///   matches. Keys in `absent` do not count: any number of members may have null.
    /// - Any other index serves the scan if it begins with the fields in `equal` and continues with
    ///   the order, forwards or backwards.
    /// - The index must match the order to its end, the id, which breaks ties. If ids are integers,
    ///   SQLite stores the id at the end of each entry. For other ids, an index without the id as a
    ///   key makes SQLite sort all members that share a value.
    /// - A unique index whose fields refuse null may be shorter than the order. No two members have
    ///   equal values in all its keys, so further sort keys change nothing.
    ///
    /// The advice on slow reads may use an index for the order without its last key, the id. Then
    /// SQLite only sorts the few members that share a value.
    ///
    /// ```
    /// use nouns_declaration::def::{IdKind, Routes};
    /// use nouns_declaration::index::{Column, Table};
    ///
    /// let with_ids = |id_kind| Table {
    ///     id: "id",
    ///     id_kind,
    ///     parent: None,
    ///     routes: Routes::Nested,
    ///     columns: vec![Column::required("born")],
    ///     sort: vec![],
    ///     unique: vec![],
    ///     indexes: vec![vec!["born"]],
    /// };
    /// for (id_kind, is_served) in [(IdKind::Integer, true), (IdKind::Uuid, false)] {
    ///     let table = with_ids(id_kind);
    ///     let scan = table.scan([], &table.by_value("born"));
    ///     assert_eq!(table.is_served(&table.indexes(), &scan), is_served);
    /// }
    /// ```
    #[must_use]
    pub fn is_served(&self, indexes: &[Index<F>], scan: &Scan<F>) -> bool {
        let key = Index::of(&[self.id], true);
        indexes.iter().chain([&key]).any(|index| self.serves(index, scan))
    }

    fn serves(&self, index: &Index<F>, scan: &Scan<F>) -> bool {
        let finds = |key: &Key<F>| {
            !key.apart && scan.equal.contains(&key.field) && !scan.absent.contains(&key.field)
        };
        if index.unique && index.keys.iter().all(finds) {
            return true;
        }
        let Some((before, after)) = index.keys.split_at_checked(scan.equal.len()) else {
            return false;
        };
        let begins = |field: &F| before.iter().any(|key| key.field == *field && !key.apart);
        if !scan.equal.iter().all(begins) {
            return false;
        }
        let decides = index.unique && self.are_required(&index.keys);
        let length = if decides { scan.order.len().min(after.len()) } else { scan.order.len() };
        let order = &scan.order[..length];
        let ends =
            self.id_kind == IdKind::Integer && !index.keys.iter().any(|key| key.field == self.id);
        let id = Key::ascending(self.id);
        let entry = || after.iter().chain(ends.then_some(&id));
        [false, true].into_iter().any(|turned| {
            let same = |(key, of): (&Key<F>, &Key<F>)| {
                (key.field, key.apart, key.descending != turned)
                    == (of.field, of.apart, of.descending)
            };
            entry().count() >= order.len() && order.iter().zip(entry()).all(same)
        })
    }
}
