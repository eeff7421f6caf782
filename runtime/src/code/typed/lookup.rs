//! Short forms of [`Collection::get`] and [`Collection::list`]: one member that may be missing, the
//! first member, the number of members, and all members.

use std::future::Future;

use super::{Collection, Member, MemberStream, Page, Query};
use crate::{base::error::Error, code::resource::Resource, model::id::Id};

impl<R: Resource, P> Collection<R, P> {
    /// Reads a member by its id; `None` if it does not exist.
    ///
    /// # Errors
    /// The errors of [`get`](Self::get), except 404.
    pub fn find(
        &self,
        id: Id<R>,
    ) -> impl Future<Output = Result<Option<Member<R>>, Error>> + Send + use<R, P> {
        let got = self.get(id);
        async move { found(got.await) }
    }

    /// Reads the first member that matches a query; `None` if none does.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn first(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<Option<Member<R>>, Error>> + Send + use<R, P> {
        let page = self.list(&query.first());
        async move { Ok(page.await?.into_iter().next()) }
    }

    /// Counts the members that match the filter of a query, on all pages.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn count(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<u64, Error>> + Send + use<R, P> {
        let page = self.list(&query.counted());
        async move { total(&page.await?) }
    }

    /// Whether any member matches the filter of a query.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn exists(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<bool, Error>> + Send + use<R, P> {
        let page = self.list(&query.any());
        async move { Ok(!page.await?.is_empty()) }
    }

    /// Reads all members that match a query, page after page, with the limit of the query as the
    /// size of a page.
    ///
    /// The pages are read at different times. A member that exists from the first page to the last
    /// is returned exactly once, even if others are written in the meantime.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Query, Resource, Store};
    ///
    /// async fn count_them<R: Resource>(store: &Store) -> Result<u64, Error> {
    ///     let mut members = store.of::<R>().stream(&Query::new());
    ///     let mut count = 0;
    ///     while let Some(member) = members.next().await {
    ///         member?;
    ///         count += 1;
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn stream(&self, query: &Query<R>) -> MemberStream<R, P>
    where
        P: 'static,
    {
        MemberStream::new(self.clone(), query.clone())
    }
}

/// Converts the error of a member that does not exist to `None`.
pub(super) fn found<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Err(error) if error.is_not_found() => Ok(None),
        result => result.map(Some),
    }
}

/// Returns the number of all members that match the query of a page.
pub(super) fn total<R>(page: &Page<R>) -> Result<u64, Error> {
    page.total.ok_or_else(|| Error::internal("the store returned no number of members"))
}
