//! [`Query`]: the filter, the order and the page of a typed call.

use std::{fmt, marker::PhantomData};

use super::{Condition, Cursor, IntoOrder, declared};
use crate::{
    base::error::{Error, Fault, Kind, text},
    code::resource::Resource,
    model::{SortKey, complete, predicate::Predicate},
    request::action::{self, Window},
};

/// A query of a resource: its filter, its order and its page.
///
/// A query names its resource as type argument. Each closure receives the fields of that resource:
/// `Query::<Animal>::new().filter(|a| a.weight_kg.ge(2.0)).sort(|a| a.name.asc()).limit(20)`.
///
/// A query is equivalent to the query string of a URL. [`str::parse`] parses a query string with
/// the declared field names. [`Display`](fmt::Display) prints the canonical form. Queries with the
/// same meaning are equal.
///
/// A URL cannot express all queries: for example those with `|`, with most uses of `!`, or with a
/// cursor of long texts. Such a query prints as a readable expression under a reserved parameter
/// name, which no parser accepts. [`fits_url`](Self::fits_url) says whether a URL can express the
/// query.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Query, Resource};
///
/// fn heavy<R: Resource>() -> Result<Query<R>, Error> {
///     let query: Query<R> = "weight_kg[gte]=2&limit=5".parse()?;
///     Ok(query.count().offset(10))
/// }
/// ```
pub struct Query<R> {
    pub(super) tree: Predicate,
    /// The keys that the program added; empty means the declared order.
    pub(super) sort: Vec<SortKey>,
    pub(super) limit: Option<u32>,
    pub(super) offset: u64,
    pub(super) count: bool,
    pub(super) after: Option<Cursor<R>>,
    of: PhantomData<fn() -> R>,
}

impl<R> Query<R> {
    /// Creates a query for the first page of all members, in the declared order and page size.
    #[must_use]
    pub const fn new() -> Self {
        let tree = Predicate::EVERY;
        Self {
            tree,
            sort: vec![],
            limit: None,
            offset: 0,
            count: false,
            after: None,
            of: PhantomData,
        }
    }

    /// Sets the maximum number of members on the page, up to
    /// [`LIST_MEMBERS_MAX`](crate::base::limits::LIST_MEMBERS_MAX). Clients have a lower maximum. A
    /// page of large members may have fewer; then [`has_more`](super::Page::has_more) is true.
    #[must_use]
    pub const fn limit(mut self, members: u32) -> Self {
        self.limit = Some(members);
        self
    }

    /// Skips this number of members. Removes the cursor of the query, if it has one.
    #[must_use]
    pub fn offset(mut self, members: u64) -> Self {
        self.offset = members;
        self.after = None;
        self
    }

    /// Starts after the last member of a page of this query. Removes the offset, if the query has
    /// one.
    #[must_use]
    pub fn after(mut self, cursor: &Cursor<R>) -> Self {
        self.offset = 0;
        self.after = Some(cursor.clone());
        self
    }

    /// Makes the page also contain the number of all members that match. This takes a second
    /// statement.
    #[must_use]
    pub const fn count(mut self) -> Self {
        self.count = true;
        self
    }
}

impl<R: Resource> Query<R> {
    /// Adds a condition to the filter. Members must match all added conditions. If the query has a
    /// cursor already, the cursor then belongs to the new filter.
    #[must_use]
    pub fn filter(mut self, condition: impl FnOnce(&R::Fields) -> Condition<R>) -> Self {
        let tree = Predicate::all([self.tree.clone(), condition(&R::FIELDS).tree]);
        self.after = self.after.map(|cursor| cursor.filtered(&self.tree, &tree));
        self.tree = tree;
        self
    }

    /// Adds one or several keys to the sort order. Members that are equal in all keys are sorted by
    /// their id, in the direction of the last key.
    #[must_use]
    pub fn sort<O: IntoOrder<R>>(mut self, keys: impl FnOnce(&R::Fields) -> O) -> Self {
        self.sort.extend(keys(&R::FIELDS).into_keys());
        self
    }

    /// The query for only the first member of this query.
    pub(super) fn first(&self) -> Self {
        Self { limit: Some(1), count: false, ..self.clone() }
    }

    /// The query for the number of all members that match the filter.
    pub(super) fn counted(&self) -> Self {
        Self { limit: Some(1), count: true, tree: self.tree.clone(), ..Self::new() }
    }

    /// The query for any member that matches the filter.
    pub(super) fn any(&self) -> Self {
        Self { limit: Some(1), tree: self.tree.clone(), ..Self::new() }
    }

    /// The order of the members. Its last key is the id, so no two members are equal in all keys.
    pub(super) fn order(&self) -> Vec<SortKey> {
        if self.sort.is_empty() {
            return declared::sort(R::DEF);
        }
        let mut keys = self.sort.clone();
        complete(&mut keys);
        keys
    }

    /// The maximum number of members on the page.
    pub(super) fn size(&self) -> u32 {
        self.limit.unwrap_or(R::DEF.limit.default)
    }

    /// Converts a parsed query string. Parameters that a typed call does not support are errors.
    pub(super) fn whole(parsed: &action::CollectionQuery) -> Result<Self, Error> {
        let mut faults = vec![];
        if parsed.fields.is_some() {
            let detail =
                text!("`fields` is not supported in typed queries, which return whole members.");
            faults.push(Fault::parameter("fields", "unknown", detail));
        }
        if parsed.format.is_some() {
            let detail =
                text!("`format` is not supported in typed queries, which return Rust values.");
            faults.push(Fault::parameter("format", "unknown", detail));
        }
        if matches!(parsed.page.window, Window::Before(_)) {
            let detail = text!("`before` is not supported in typed queries; use `after`.");
            faults.push(Fault::parameter("before", "unknown", detail));
        }
        if faults.is_empty() {
            return Ok(Self::read(parsed));
        }
        Err(Error::from_faults(Kind::INVALID_PARAMETER, faults))
    }

    /// Converts a parsed query string. Parameters that a typed call does not support are ignored.
    pub(crate) fn read(parsed: &action::CollectionQuery) -> Self {
        let (tree, sort) = (parsed.predicate.clone(), parsed.sort.clone());
        let (offset, after) = match &parsed.page.window {
            Window::After(place) => {
                (0, Some(Cursor::read(tree.clone(), sort.clone(), place.clone())))
            }
            _ => (parsed.page.offset().try_into().unwrap_or_default(), None),
        };
        let (limit, count) = (Some(parsed.page.limit), parsed.count);
        Self { tree, sort, limit, offset, count, after, ..Self::new() }
    }
}

impl<R> Default for Query<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Clone for Query<R> {
    fn clone(&self) -> Self {
        Self {
            tree: self.tree.clone(),
            sort: self.sort.clone(),
            after: self.after.clone(),
            ..*self
        }
    }
}

impl<R: Resource> PartialEq for Query<R> {
    fn eq(&self, other: &Self) -> bool {
        let place = |query: &Self| (query.size(), query.offset, query.count, query.order());
        self.tree == other.tree && place(self) == place(other) && self.after == other.after
    }
}

impl<R: Resource> fmt::Debug for Query<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Query").field(&self.to_string()).finish()
    }
}
