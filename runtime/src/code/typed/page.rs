//! [`Page`]: a page of members.

use super::{Cursor, Member};

/// A page of the members that match a query, in the order of the query.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Member, Query, Resource, Store};
///
/// async fn all<R: Resource>(store: &Store) -> Result<Vec<Member<R>>, Error> {
///     let (members, query) = (store.of::<R>(), Query::new());
///     let mut page = members.list(&query).await?;
///     let mut all = vec![];
///     while let Some(cursor) = page.next_cursor() {
///         all.extend(page);
///         page = members.list(&query.clone().after(&cursor)).await?;
///     }
///     all.extend(page);
///     Ok(all)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The members on this page.
    pub members: Vec<Member<T>>,
    /// Whether more members follow. Do not conclude this from the number of members: a page ends
    /// early if its texts exceed [`LIST_BYTES_MAX`](crate::base::limits::LIST_BYTES_MAX).
    pub has_more: bool,
    /// The number of all members that match the filter; `None` unless the query called
    /// [`count`](super::Query::count).
    pub total: Option<u64>,
    /// The position after the last member of this page; `None` if no members follow.
    pub(super) end: Option<Cursor<T>>,
}

impl<T> Page<T> {
    /// Creates a page for a custom handler of `list`. Pass `total` if the query counts.
    ///
    /// A page from this function has no cursor: [`next_cursor`](Self::next_cursor) returns `None`.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Page, Resource};
    ///
    /// fn nobody<R: Resource>() -> Page<R> {
    ///     Page::of(vec![], false, Some(0))
    /// }
    /// ```
    #[must_use]
    pub const fn of(members: Vec<Member<T>>, has_more: bool, total: Option<u64>) -> Self {
        Self { members, has_more, total, end: None }
    }

    /// The cursor for the next page, to use with [`Query::after`](super::Query::after); `None` if
    /// no members follow.
    #[must_use]
    pub fn next_cursor(&self) -> Option<Cursor<T>> {
        self.end.clone()
    }

    /// The number of members on this page. [`total`](Self::total) is the number of all members.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether this page has no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the members of this page.
    #[must_use]
    pub fn into_members(self) -> Vec<Member<T>> {
        self.members
    }

    /// Iterates over the members of the page.
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
