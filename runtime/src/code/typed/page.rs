//! A page of members.

use super::{Cursor, Member};

/// A part of a collection, in the order of its query.
///
/// ```
/// use nouns_runtime::{Error, Resource, Store, typed::{Member, Query}};
///
/// async fn all<R: Resource>(store: &Store) -> Result<Vec<Member<R>>, Error> {
///     let (members, query) = (store.of::<R>(), Query::new());
///     let mut page = members.list(&query).await?;
///     let mut all = vec![];
///     while let Some(cursor) = page.next() {
///         all.extend(page);
///         page = members.list(&query.clone().after(&cursor)).await?;
///     }
///     all.extend(page);
///     Ok(all)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The members.
    pub members: Vec<Member<T>>,
    /// Whether more members follow. The number of members does not tell: a page whose texts would
    /// exceed [`LIST_BYTES_MAX`](crate::base::limits::LIST_BYTES_MAX) ends early.
    pub has_more: bool,
    /// The number of all matching members, if the query asked for it with
    /// [`count`](super::Query::count).
    pub total: Option<u64>,
    /// The position after the last member, if more follow.
    pub(super) end: Option<Cursor<T>>,
}

impl<T> Page<T> {
    /// Builds a page, as the result of a replaced `list`. `total` is for a query that counts.
    ///
    /// Such a page has no cursor, so [`next`](Self::next) returns `None`.
    ///
    /// ```
    /// use nouns_runtime::{Resource, typed::Page};
    ///
    /// fn nobody<R: Resource>() -> Page<R> {
    ///     Page::of(vec![], false, Some(0))
    /// }
    /// ```
    #[must_use]
    pub const fn of(members: Vec<Member<T>>, has_more: bool, total: Option<u64>) -> Self {
        Self { members, has_more, total, end: None }
    }

    /// The cursor after the last member, for [`Query::after`](super::Query::after); `None` at the
    /// end of the collection.
    #[must_use]
    pub fn next(&self) -> Option<Cursor<T>> {
        self.end.clone()
    }

    /// Iterates over the members.
    pub fn iter(&self) -> std::slice::Iter<'_, Member<T>> {
        self.members.iter()
    }
}

impl<T> IntoIterator for Page<T> {
    type Item = Member<T>;
    type IntoIter = std::vec::IntoIter<Member<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<'page, T> IntoIterator for &'page Page<T> {
    type Item = &'page Member<T>;
    type IntoIter = std::slice::Iter<'page, Member<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
