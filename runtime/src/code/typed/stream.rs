//! [`MemberStream`]: all members that match a query, read page after page.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use super::{Collection, Member, Page, Query};
use crate::{base::error::Error, code::resource::Resource};

/// All members that match a query, read page after page. [`Collection::stream`] returns it.
///
/// It is a [`Stream`] of the crate `futures`, and [`next`](Self::next) works without that crate.
/// After an error it ends.
#[must_use = "nothing is read until a member is awaited"]
pub struct MemberStream<R: Resource, P> {
    collection: Collection<R, P>,
    query: Query<R>,
    /// The members of the last page that are not returned yet.
    members: VecDeque<Member<R>>,
    next: NextPage<R>,
}

/// Where the next page comes from.
enum NextPage<R: Resource> {
    /// The query has the position of the next page.
    Known,
    /// The page is being read.
    Pending(Pin<Box<dyn Future<Output = Result<Page<R>, Error>> + Send>>),
    /// No more members follow, or a page was not read.
    None,
}

impl<R: Resource, P: 'static> MemberStream<R, P> {
    pub(super) const fn new(collection: Collection<R, P>, query: Query<R>) -> Self {
        Self { collection, query, members: VecDeque::new(), next: NextPage::Known }
    }

    /// Returns the next member; `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<Member<R>, Error>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Member<R>, Error>>> {
        loop {
            if let Some(member) = self.members.pop_front() {
                return Poll::Ready(Some(Ok(member)));
            }
            match &mut self.next {
                NextPage::None => return Poll::Ready(None),
                NextPage::Known => {
                    let page = self.collection.list(&self.query);
                    self.next = NextPage::Pending(Box::pin(page));
                }
                NextPage::Pending(page) => {
                    let page = ready!(page.as_mut().poll(context));
                    self.next = NextPage::None;
                    match page {
                        Ok(page) => self.take(page),
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    }
                }
            }
        }
    }

    fn take(&mut self, page: Page<R>) {
        if let Some(cursor) = page.next_cursor() {
            self.query = self.query.clone().after(&cursor);
            self.next = NextPage::Known;
        }
        self.members = page.into_members().into();
    }
}

impl<R: Resource + Unpin, P: 'static> Stream for MemberStream<R, P> {
    type Item = Result<Member<R>, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Member<R>, Error>>> {
        self.poll(context)
    }
}

impl<R: Resource, P> fmt::Debug for MemberStream<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemberStream({})", R::NAME)
    }
}
