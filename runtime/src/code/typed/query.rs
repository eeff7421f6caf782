//! A query: which page of which members, in which order.

use std::{fmt, marker::PhantomData};

use super::{Condition, Cursor, IntoOrder, declared};
use crate::{
    base::error::{Error, Fault, Kind, text},
    code::resource::Resource,
    model::{SortKey, complete, predicate::Predicate},
    request::action::{self, Window},
};

/// Which page of which members of a resource, in which order.
///
/// It begins with the type of its resource, whose fields the closures are given:
/// `Query::<Animal>::new().filter(|a| a.weight_kg.ge(2.0)).sort(|a| a.name.asc()).limit(20)`.
///
/// It is what the query string of a URL says: it is read from one by [`str::parse`], by the parser
/// that HTTP uses and with the declared names, and prints itself as one in canonical form. Two
/// queries that ask the same are equal.
///
/// What only a program can say (`|`, most of what follows `!`, a cursor by long texts) is printed
/// too, as a readable expression under a name that is reserved, so that it is not mistaken for
/// something else when it is read; [`fits_url`](Self::fits_url) tells.
///
/// ```
/// use nouns_runtime::{Resource, error::Error, typed::Query};
///
/// fn heavy<R: Resource>() -> Result<Query<R>, Error> {
///     let query: Query<R> = "weight_kg[gte]=2&limit=5".parse()?;
///     Ok(query.count().offset(10))
/// }
/// ```
pub struct Query<R> {
    pub(super) tree: Predicate,
    /// As they were said; none is the declared order.
    pub(super) sort: Vec<SortKey>,
    pub(super) limit: Option<u32>,
    pub(super) offset: u64,
    pub(super) count: bool,
    pub(super) after: Option<Cursor<R>>,
    of: PhantomData<fn() -> R>,
}

impl<R> Query<R> {
    /// The first page of all members, as it was declared.
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

    /// At most this many members. A program may ask for more than a request, up to
    /// [`LIST_MEMBERS_MAX`](crate::base::limits::LIST_MEMBERS_MAX). A page of large members has
    /// fewer, and [`has_more`](super::Page::has_more).
    #[must_use]
    pub const fn limit(mut self, members: u32) -> Self {
        self.limit = Some(members);
        self
    }

    /// Begins after this many members, not at a cursor.
    #[must_use]
    pub fn offset(mut self, members: u64) -> Self {
        self.offset = members;
        self.after = None;
        self
    }

    /// Begins after the last member of a page of this query, not at an offset.
    #[must_use]
    pub fn after(mut self, cursor: &Cursor<R>) -> Self {
        self.offset = 0;
        self.after = Some(cursor.clone());
        self
    }

    /// Asks for the number of members in all too, which takes one statement more.
    #[must_use]
    pub const fn count(mut self) -> Self {
        self.count = true;
        self
    }
}

impl<R: Resource> Query<R> {
    /// Only members that pass a condition, which is joined to those before.
    #[must_use]
    pub fn filter(mut self, condition: impl FnOnce(&R::Fields) -> Condition<R>) -> Self {
        self.tree = Predicate::all([self.tree, condition(&R::FIELDS).tree]);
        self
    }

    /// In the order of a key or several, which follow those before. Ties are broken by the id, in
    /// the direction of the last key.
    #[must_use]
    pub fn sort<O: IntoOrder<R>>(mut self, keys: impl FnOnce(&R::Fields) -> O) -> Self {
        self.sort.extend(keys(&R::FIELDS).into_keys());
        self
    }

    /// The order, complete with the id.
    pub(super) fn order(&self) -> Vec<SortKey> {
        if self.sort.is_empty() {
            return declared::sort(R::DEF);
        }
        let mut keys = self.sort.clone();
        complete(&mut keys);
        keys
    }

    /// The number of members of a page.
    pub(super) fn size(&self) -> u32 {
        self.limit.unwrap_or(R::DEF.limit.default)
    }

    /// What a query string has said of members as a program gets them.
    pub(super) fn whole(parsed: &action::Query) -> Result<Self, Error> {
        let mut faults = vec![];
        if parsed.fields.is_some() {
            let detail = text!("`fields` has no meaning here; a program gets members whole.");
            faults.push(Fault::parameter("fields", "unknown", detail));
        }
        if matches!(parsed.page.window, Window::Before(_)) {
            let detail = text!("`before` has no meaning here; a program goes on with `after`.");
            faults.push(Fault::parameter("before", "unknown", detail));
        }
        if faults.is_empty() {
            return Ok(Self::read(parsed));
        }
        Err(Error::faults(Kind::INVALID_PARAMETER, faults))
    }

    /// What a query string has said.
    pub(crate) fn read(parsed: &action::Query) -> Self {
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
