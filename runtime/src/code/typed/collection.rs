//! [`Collection`]: the members of a resource in a store, as Rust values.

use std::{future::Future, marker::PhantomData};

use super::{
    Cursor, Delete, Member, Page, Query, Replace, Update,
    run::{CallTarget, FoundRows},
};
use crate::{
    base::error::Error,
    code::resource::{Resource, SlotRecord},
    model::{
        Chain, SortKey,
        id::{Id, NoParent, ParentId},
    },
    plan::{Outcome, Preconditions},
    request::action::{self, ActionKind, created},
    store::Store,
};

/// A type argument of [`Collection`]: all members of a resource.
#[derive(Clone, Copy, Debug)]
pub enum AllMembers {}

/// A type argument of [`Collection`]: the members under one parent.
#[derive(Clone, Copy, Debug)]
pub enum MembersOfParent {}

/// A collection in which a member can be created. If the resource has a required parent, the
/// collection must be that of one parent.
///
/// If the parent is required, call `within` before `create`; otherwise the program does not
/// compile:
///
/// ```compile_fail,E0277
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Resource, Store};
///
/// async fn create<R: Resource>(store: &Store, member: R::New) -> Result<(), Error> {
///     store.of::<R>().create(member).await.map(drop)
/// }
/// ```
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Resource, Store};
///
/// async fn create<R: Resource>(
///     store: &Store,
///     parent: R::Parent,
///     member: R::New,
/// ) -> Result<(), Error> {
///     store.of::<R>().within(parent).create(member).await.map(drop)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a new `{R}` needs a parent, and this collection has none",
    label = "call `within(parent_id)` on the collection first"
)]
pub trait Creates<R: Resource, Parent = <R as Resource>::Parent> {}

impl<R: Resource> Creates<R, NoParent> for AllMembers {}

/// If the parent is optional, the collection of all members can create a member without a parent.
impl<R: Resource, Parent> Creates<R, Option<Parent>> for AllMembers {}

impl<R: Resource, Parent> Creates<R, Parent> for MembersOfParent {}

/// The members of a resource in a store. [`Store::of`] returns it.
///
/// Each call makes the same plan as the equivalent HTTP request. The call is checked in the same
/// way as the request, and fails with the same [`Error`].
///
/// A Rust program may do more than a client. It may set `read_only` and `hidden` fields, use
/// operations that `methods` excludes, filter and sort by any field, and get larger pages. The
/// returned futures own their data and are `Send`, so any async runtime can run them.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Error, Id, Member, Query, Resource, Store};
///
/// async fn first<R: Resource>(store: &Store) -> Result<Option<Member<R>>, Error> {
///     let page = store.of::<R>().list(&Query::new().limit(1)).await?;
///     Ok(page.into_iter().next())
/// }
///
/// async fn change<R: Resource>(
///     store: &Store,
///     id: Id<R>,
///     patch: R::Patch,
/// ) -> Result<Member<R>, Error> {
///     let members = store.of::<R>();
///     let before = members.get(id.clone()).await?;
///     members.update(id, patch).if_match(before.revision).await
/// }
/// ```
///
/// # Errors
/// If the store's model does not have the resource, or has a different declaration of it, each call
/// fails with an internal error. The cause of the error says which of the two is the case.
pub struct Collection<R, P = AllMembers> {
    call: CallTarget<R>,
    place: PhantomData<fn() -> P>,
}

impl<R: Resource> Collection<R, AllMembers> {
    pub(crate) fn of(store: &Store) -> Self {
        Self { call: CallTarget::to(store), place: PhantomData }
    }

    /// Selects the members under one parent.
    #[must_use]
    pub fn within(self, parent: R::Parent) -> Collection<R, MembersOfParent> {
        Collection { call: self.call.within(parent.store()), place: PhantomData }
    }
}

impl<R: Resource, P> Collection<R, P> {
    /// Parses a query string with the field names of the store's interface. A cursor in the query
    /// string must come from a printed [`Query`].
    ///
    /// # Errors
    /// 400 with all parameters that are unknown, repeated, of the wrong type or out of range.
    pub fn query(&self, text: &str) -> Result<Query<R>, Error> {
        let chain = Chain { resource: self.call.resource()?.ix, ids: vec![] };
        let parsed = action::CollectionQuery::parse(self.call.seen(), &chain, Some(text))?;
        Query::whole(&parsed)
    }

    /// Reads a page of members.
    ///
    /// # Errors
    /// 400 for a query that cannot be executed, 404 if the parent does not exist.
    pub fn list(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<Page<R>, Error>> + Send + use<R, P> {
        let (call, query) = (self.call.clone(), query.clone());
        async move {
            let parsed = query.action(call.seen(), call.resource()?.ix)?;
            let sort = parsed.sort.clone();
            let kind = ActionKind::List { chain: call.chain()?, query: parsed };
            let found = call.clone().run(kind, Preconditions::default()).await?;
            paged(&call, &query, &sort, found)
        }
    }

    /// Reads a member by its id.
    ///
    /// # Errors
    /// 404 if the member or the parent does not exist.
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

    /// Replaces all values of a member. Fields without a value get their default. Read-only, hidden
    /// and write-only fields without a value are unchanged, because a client could not send them
    /// back.
    ///
    /// If programs may choose the ids of the resource, and no member has this id, the member is
    /// created.
    #[must_use = "nothing is replaced until this is awaited"]
    pub fn replace(&self, id: Id<R>, member: R::New) -> Replace<R> {
        Replace::new(self.call.clone(), id, member)
    }

    /// Updates the fields of a member that the patch sets.
    #[must_use = "nothing is updated until this is awaited"]
    pub fn update(&self, id: Id<R>, patch: R::Patch) -> Update<R> {
        Update::new(self.call.clone(), id, patch)
    }

    /// Deletes a member by its id.
    #[must_use = "nothing is deleted until this is awaited"]
    pub fn delete(&self, id: Id<R>) -> Delete<R> {
        Delete::new(self.call.clone(), id)
    }

    /// Deletes all members that match the filter of a query, and returns how many were deleted.
    ///
    /// # Errors
    /// 400 if the query has no filter, or has anything else, such as an order. 409 if other members
    /// refer to a selected member.
    pub fn delete_many(
        &self,
        query: &Query<R>,
    ) -> impl Future<Output = Result<u64, Error>> + Send + use<R, P> {
        let (call, query) = (self.call.clone(), query.clone());
        async move {
            let kind = deletion(&call, &query)?;
            deleted(&call.run(kind, Preconditions::default()).await?.outcome)
        }
    }
}

impl<R: Resource, P> Collection<R, P> {
    /// Creates a member. If the program chose an id that a member has already, the call fails.
    ///
    /// # Errors
    /// 422 for values that the declaration does not allow. 409 if another member has a value that
    /// must be unique, or if a referenced member does not exist. 404 if the parent does not exist.
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
            first.ok_or_else(|| Error::internal("the store returned no row"))
        }
    }

    /// Creates several members in one transaction: all members, or none if one fails.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create). Each error contains the position of its member.
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
            found.rows.into_iter().map(|row| Member::of_row(resource, row)).collect()
        }
    }
}

/// Builds the page of a query from the rows that the store found.
pub(super) fn paged<R: Resource>(
    call: &CallTarget<R>,
    query: &Query<R>,
    sort: &[SortKey],
    found: FoundRows,
) -> Result<Page<R>, Error> {
    let (Outcome::Page { has_more, total, .. }, resource) = (found.outcome, call.resource()?)
    else {
        return Err(Error::internal("the store returned no page"));
    };
    let last = found.rows.last().filter(|_| has_more);
    let end = last.map(|row| Cursor::of_row(&query.tree, sort, &row.values));
    let read = |row| Member::of_row(resource, row);
    let members = found.rows.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page { members, has_more, total, end })
}

pub(super) fn creation<R: Resource>(
    call: &CallTarget<R>,
    members: Vec<R::New>,
    many: bool,
) -> Result<ActionKind, Error> {
    let chain = call.chain()?;
    let mut inputs = Vec::with_capacity(members.len());
    for member in members {
        let mut slots = call.slots()?;
        member.write(&mut slots);
        inputs.push(slots);
    }
    let members = created(call.caller(), &chain, inputs, many)?;
    Ok(ActionKind::Create { chain, members, many, once: None })
}

pub(super) fn deletion<R: Resource>(
    call: &CallTarget<R>,
    query: &Query<R>,
) -> Result<ActionKind, Error> {
    let (predicate, given) = query.deletion(call.seen(), call.resource()?.ix)?;
    Ok(ActionKind::DeleteMany { chain: call.chain()?, predicate, given })
}

/// Returns how many members a deletion has deleted.
pub(super) fn deleted(outcome: &Outcome) -> Result<u64, Error> {
    match outcome {
        Outcome::Deleted(count) => Ok(*count),
        _ => Err(Error::internal("the store deleted no member and returned no refusal")),
    }
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
    /// The members of a resource in this store, as Rust values.
    #[must_use]
    pub fn of<R: Resource>(&self) -> Collection<R> {
        Collection::of(self)
    }
}
