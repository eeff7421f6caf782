//! The members of a resource in a store, as Rust values.

use std::{future::Future, marker::PhantomData};

use super::{
    Cursor, Delete, Member, Page, Query, Replace, Update,
    run::{CallTarget, FoundRows},
};
use crate::{
    base::error::Error,
    code::resource::{Resource, Stored},
    model::{
        SortKey,
        id::{Id, NoParent, ParentId},
        value::Value,
    },
    plan::{Outcome, Preconditions},
    request::action::{self, ActionKind, created},
    store::Store,
};

/// All members of a resource.
#[derive(Clone, Copy, Debug)]
pub enum AllMembers {}

/// The members under one parent.
#[derive(Clone, Copy, Debug)]
pub enum MembersOfParent {}

/// Whether a place knows all that a new member needs: for a resource with a parent, which one.
///
/// A new member of a resource with a parent is created `within` it, or the program is not compiled:
///
/// ```compile_fail,E0277
/// use nouns_runtime::{Error, Resource, Store};
///
/// async fn create<R: Resource>(store: &Store, member: R::New) -> Result<(), Error> {
///     store.of::<R>().create(member).await.map(drop)
/// }
/// ```
///
/// ```
/// use nouns_runtime::{Error, Resource, Store};
///
/// async fn create<R: Resource>(store: &Store, parent: R::Parent, member: R::New) -> Result<(), Error> {
///     store.of::<R>().within(parent).create(member).await.map(drop)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a new `{R}` has a parent, and this collection does not say which",
    label = "call `within(parent_id)` on the collection first"
)]
pub trait Creates<R: Resource, Parent = <R as Resource>::Parent> {}

impl<R: Resource> Creates<R, NoParent> for AllMembers {}

/// Where a member may have no parent, it is created without one.
impl<R: Resource, Parent> Creates<R, Option<Parent>> for AllMembers {}

impl<R: Resource, Parent> Creates<R, Parent> for MembersOfParent {}

/// The members of a resource in a store. [`Store::of`] gives it.
///
/// Every call makes the same plan as its request over HTTP and is checked and refused in the same
/// way, with the same [`Error`], but a program is trusted: it may set what is `read_only` or
/// `hidden`, use operations that `methods` leaves out, filter and sort by any field, and ask for
/// larger pages. Futures own what they need and can be sent, to any thread and any runtime.
///
/// ```
/// use nouns_runtime::{Error, Id, Resource, Store, typed::{Member, Query}};
///
/// async fn first<R: Resource>(store: &Store) -> Result<Option<Member<R>>, Error> {
///     let page = store.of::<R>().list(&Query::new().limit(1)).await?;
///     Ok(page.into_iter().next())
/// }
///
/// async fn change<R: Resource>(store: &Store, id: Id<R>, patch: R::Patch) -> Result<Member<R>, Error> {
///     let members = store.of::<R>();
///     let before = members.get(id.clone()).await?;
///     members.update(id, patch).if_match(before.revision).await
/// }
/// ```
///
/// # Errors
/// A store whose model does not have the resource, or has another declaration of it, fails each
/// call with an internal error whose cause says so.
pub struct Collection<R, P = AllMembers> {
    call: CallTarget<R>,
    place: PhantomData<fn() -> P>,
}

impl<R: Resource> Collection<R, AllMembers> {
    pub(crate) fn of(store: &Store) -> Self {
        Self { call: CallTarget::to(store), place: PhantomData }
    }

    /// The members under one parent.
    #[must_use]
    pub fn within(self, parent: R::Parent) -> Collection<R, MembersOfParent> {
        Collection { call: self.call.within(parent.store()), place: PhantomData }
    }
}

impl<R: Resource, P> Collection<R, P> {
    /// Reads a query string, by the names that the interface of the store has on the wire. Its
    /// cursors are those that a query prints.
    ///
    /// # Errors
    /// 400 with every parameter that is unknown, repeated, ill-typed or out of range.
    pub fn query(&self, text: &str) -> Result<Query<R>, Error> {
        let parsed = action::CollectionQuery::parse(self.call.resource()?, &[], Some(text))?;
        Query::whole(&parsed)
    }

    /// A page.
    ///
    /// # Errors
    /// 400 for a query that cannot be answered, 404 where there is no such parent.
    pub fn list(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<Page<R>, Error>> + Send + use<R, P> {
        let (call, query) = (self.call.clone(), query.clone());
        async move {
            let asked = query.action(call.resource()?)?;
            let sort = asked.sort.clone();
            let kind = ActionKind::List { chain: call.chain()?, query: asked };
            let found = call.clone().run(kind, Preconditions::default()).await?;
            paged(&call, &query, &sort, found)
        }
    }

    /// A member.
    ///
    /// # Errors
    /// 404 where there is none, or no such parent.
    pub fn get(
        &self,
        id: Id<R>,
    ) -> impl Future<Output = Result<Member<R>, Error>> + Send + use<R, P> {
        let call = self.call.clone();
        async move {
            let kind = ActionKind::Get { chain: call.chain()?, id: call.id(id)? };
            let found = call.clone().run(kind, Preconditions::default()).await?;
            call.member(found)
        }
    }

    /// Gives a member other values, all of them. Fields that are left to their default get it,
    /// except those that a client could not send back: what is read-only, hidden or write-only
    /// stays unless it is said.
    ///
    /// Where a program may bring ids, a member that does not exist is created.
    #[must_use = "nothing is replaced until this is awaited"]
    pub fn replace(&self, id: Id<R>, member: R::New) -> Replace<R> {
        Replace::new(self.call.clone(), id, member)
    }

    /// Gives a member other values in some fields.
    #[must_use = "nothing is updated until this is awaited"]
    pub fn update(&self, id: Id<R>, patch: R::Patch) -> Update<R> {
        Update::new(self.call.clone(), id, patch)
    }

    /// Deletes a member.
    #[must_use = "nothing is deleted until this is awaited"]
    pub fn delete(&self, id: Id<R>) -> Delete<R> {
        Delete::new(self.call.clone(), id)
    }

    /// Deletes all members that pass the filter of a query, and says how many there were.
    ///
    /// # Errors
    /// 400 for a query without a filter or with more than one, 409 where others refer to a member.
    pub fn delete_many(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<u64, Error>> + Send + use<R, P> {
        let (call, query) = (self.call.clone(), query.clone());
        async move {
            let (predicate, given) = query.deletion(call.resource()?)?;
            let kind = ActionKind::DeleteMany { chain: call.chain()?, predicate, given };
            match call.run(kind, Preconditions::default()).await?.outcome {
                Outcome::Deleted(count) => Ok(count),
                _ => Err(Error::internal("the store deleted nothing, and did not say why")),
            }
        }
    }
}

impl<R: Resource, P> Collection<R, P> {
    /// Creates a member. An id that the program brings and that is taken is refused.
    ///
    /// # Errors
    /// 422 for values that break the declaration, 409 where a value is taken or a reference leads
    /// nowhere, 404 where there is no such parent.
    pub fn create(
        &self,
        member: R::New,
    ) -> impl Future<Output = Result<Member<R>, Error>> + Send + use<R, P>
    where
        P: Creates<R>,
    {
        let created = self.insert(vec![member], false);
        async move {
            let first = created.await?.into_iter().next();
            first.ok_or_else(|| Error::internal("the store gave no row"))
        }
    }

    /// Creates members, all or none of them.
    ///
    /// # Errors
    /// The same as [`create`](Self::create); each fault says which member it is of.
    pub fn create_many(
        &self,
        members: Vec<R::New>,
    ) -> impl Future<Output = Result<Vec<Member<R>>, Error>> + Send + use<R, P>
    where
        P: Creates<R>,
    {
        self.insert(members, true)
    }

    fn insert(
        &self,
        members: Vec<R::New>,
        many: bool,
    ) -> impl Future<Output = Result<Vec<Member<R>>, Error>> + Send + use<R, P> {
        let call = self.call.clone();
        async move {
            if members.is_empty() {
                return Ok(vec![]);
            }
            let kind = creation(&call, members, many)?;
            let found = call.clone().run(kind, Preconditions::default()).await?;
            let resource = call.resource()?;
            let read = |(revision, row): (u64, Vec<Value>)| Member::of_row(resource, revision, row);
            found.rows.into_iter().map(read).collect()
        }
    }
}

/// The page of a query, from what was found.
pub(super) fn paged<R: Resource>(
    call: &CallTarget<R>,
    query: &Query<R>,
    sort: &[SortKey],
    found: FoundRows,
) -> Result<Page<R>, Error> {
    let (Outcome::Page { has_more, total, .. }, resource) = (found.outcome, call.resource()?)
    else {
        return Err(Error::internal("the store gave no page"));
    };
    let last = found.rows.last().filter(|_| has_more);
    let end = last.map(|(_, row)| Cursor::of_row(&query.tree, sort, row));
    let read = |(revision, row)| Member::of_row(resource, revision, row);
    let members = found.rows.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page { members, has_more, total, end })
}

pub(super) fn creation<R: Resource>(
    call: &CallTarget<R>,
    members: Vec<R::New>,
    many: bool,
) -> Result<ActionKind, Error> {
    let chain = call.chain()?;
    let mut said = Vec::with_capacity(members.len());
    for member in members {
        let mut slots = call.slots()?;
        member.write(&mut slots);
        said.push(slots);
    }
    let members = created(call.caller(), &chain, said, many)?;
    Ok(ActionKind::Create { chain, members, many, once: None })
}

impl<R, P> Clone for Collection<R, P> {
    fn clone(&self) -> Self {
        Self { call: self.call.clone(), place: self.place }
    }
}

impl<R: Resource, P> std::fmt::Debug for Collection<R, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Collection({})", R::NAME)
    }
}

impl Store {
    /// The members of a resource, as Rust values.
    #[must_use]
    pub fn of<R: Resource>(&self) -> Collection<R> {
        Collection::of(self)
    }
}
