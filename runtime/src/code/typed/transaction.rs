//! [`TxCollection`]: the members of a resource inside an open transaction.

use std::marker::PhantomData;

use super::{
    AllMembers, Creates, Member, MembersOfParent, Page, Query, Revision,
    collection::{creation, deleted, deletion, paged},
    lookup::{found, total},
    run::{CallTarget, FoundRows},
    write::{amendment, preconditions, replacement},
};
use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{
        View,
        id::{Id, ParentId as _},
    },
    perform::{has_passwords, require_confirmation, transaction_hooks, unify_logins},
    plan::{Outcome, Plan},
    reply::refused,
    request::action::{Action, ActionKind},
    store::{
        Actor, OpenTransaction, Tx,
        sink::{Sink, ValueSink},
    },
};

/// The members of a resource inside an open transaction. [`Tx::of`] returns it.
///
/// The calls are those of [`Collection`](super::Collection), but they are synchronous. Later calls
/// in the transaction see their writes; other connections see them after the commit. [`Tx`] says
/// which hooks the writes run.
pub struct TxCollection<'tx, 't, R, P = AllMembers> {
    tx: &'tx mut OpenTransaction<'t>,
    call: CallTarget<R>,
    if_match: Option<Revision>,
    place: PhantomData<fn() -> P>,
}

impl<'tx, 't, R: Resource> TxCollection<'tx, 't, R, AllMembers> {
    pub(crate) fn of(tx: &'tx mut OpenTransaction<'t>) -> Self {
        let call = CallTarget::to(tx.store());
        Self { tx, call, if_match: None, place: PhantomData }
    }

    /// Selects the members under one parent.
    #[must_use]
    pub fn within(self, parent: R::Parent) -> TxCollection<'tx, 't, R, MembersOfParent> {
        let call = self.call.within(parent.store());
        TxCollection { tx: self.tx, call, if_match: self.if_match, place: PhantomData }
    }
}

impl<'tx, 't, R: Resource, P> TxCollection<'tx, 't, R, P> {
    /// Executes the following writes only if the member has this revision. Otherwise a write fails
    /// with 412.
    #[must_use]
    pub fn if_match(self, revision: Revision) -> TxCollection<'tx, 't, R, P> {
        Self { if_match: Some(revision), ..self }
    }
}

impl<R: Resource, P> TxCollection<'_, '_, R, P> {
    /// Reads a page of members.
    ///
    /// # Errors
    /// 400 for a query that cannot be executed, 404 if the parent does not exist.
    pub fn list(&mut self, query: &Query<R>) -> Result<Page<R>, Error> {
        let parsed = query.action(self.call.seen(), self.call.resource()?.ix)?;
        let sort = parsed.sort.clone();
        let found = self.run(ActionKind::List { chain: self.call.chain()?, query: parsed })?;
        paged(&self.call, query, &sort, found)
    }

    /// Reads a member by its id.
    ///
    /// # Errors
    /// 404 if the member or the parent does not exist.
    pub fn get(&mut self, id: Id<R>) -> Result<Member<R>, Error> {
        self.member(ActionKind::Get { chain: self.call.chain()?, id: self.call.id(id)? })
    }

    /// Reads a member by its id; `None` if it does not exist.
    ///
    /// # Errors
    /// The errors of [`get`](Self::get), except 404.
    pub fn find(&mut self, id: Id<R>) -> Result<Option<Member<R>>, Error> {
        found(self.get(id))
    }

    /// Reads the first member that matches a query; `None` if none does.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn first(&mut self, query: &Query<R>) -> Result<Option<Member<R>>, Error> {
        Ok(self.list(&query.first())?.into_iter().next())
    }

    /// Counts the members that match the filter of a query, on all pages.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn count(&mut self, query: &Query<R>) -> Result<u64, Error> {
        total(&self.list(&query.counted())?)
    }

    /// Whether any member matches the filter of a query.
    ///
    /// # Errors
    /// The errors of [`list`](Self::list).
    pub fn exists(&mut self, query: &Query<R>) -> Result<bool, Error> {
        Ok(!self.list(&query.any())?.is_empty())
    }

    /// Replaces all values of a member.
    ///
    /// # Errors
    /// The errors of [`Collection::replace`](super::Collection::replace).
    pub fn replace(&mut self, id: Id<R>, member: R::New) -> Result<Member<R>, Error> {
        self.member(replacement(&self.call, id, member)?)
    }

    /// Updates the fields of a member that the patch sets.
    ///
    /// # Errors
    /// The errors of [`Collection::update`](super::Collection::update).
    pub fn update(&mut self, id: Id<R>, patch: R::Patch) -> Result<Member<R>, Error> {
        self.member(amendment(&self.call, id, patch)?)
    }

    /// Deletes a member by its id.
    ///
    /// # Errors
    /// 404 if the member does not exist, 409 if other members refer to the member.
    pub fn delete(&mut self, id: Id<R>) -> Result<(), Error> {
        self.run(ActionKind::Delete { chain: self.call.chain()?, id: self.call.id(id)? }).map(drop)
    }

    /// Deletes all members that match the filter of a query, and returns how many were deleted.
    ///
    /// # Errors
    /// The errors of [`Collection::delete_many`](super::Collection::delete_many).
    pub fn delete_many(&mut self, query: &Query<R>) -> Result<u64, Error> {
        let kind = deletion(&self.call, query)?;
        deleted(&self.run(kind)?.outcome)
    }

    fn member(&mut self, kind: ActionKind) -> Result<Member<R>, Error> {
        let found = self.run(kind)?;
        self.call.member(found)
    }

    fn run(&mut self, kind: ActionKind) -> Result<FoundRows, Error> {
        let Self { tx, call, if_match, .. } = self;
        let model = call.model();
        let preconditions = preconditions(tx.store(), *if_match);
        if has_passwords(&kind) {
            return Err(Error::internal(
                "a transaction cannot hash a password; call `store.hashed(password).await` before it",
            ));
        }
        let mut action = Action { preconditions, ..Action::of(call.caller().clone(), kind) };
        unify_logins(model, &mut action.kind);
        require_confirmation(model, &action)?;
        let hooks = match tx.runs_hooks() {
            true => transaction_hooks(tx.store(), &action)?,
            false => None,
        };
        let sink = Sink::Values(ValueSink::new(call.resource()?.ix));
        let account = Plan::credentials_step(model, &action);
        let plan = Plan { account, ..Plan::of(model, &action, View::Whole) };
        let result = tx.run(&plan, sink, hooks)?;
        match (result.outcome, result.sink) {
            (Outcome::Refused(refusal), _) => Err(refused(model, &action, refusal)),
            (outcome, Sink::Values(sink)) => Ok(FoundRows { outcome, rows: sink.into_rows() }),
            (outcome, _) => Ok(FoundRows { outcome, rows: vec![] }),
        }
    }
}

impl<R: Resource, P> TxCollection<'_, '_, R, P> {
    /// Creates a member.
    ///
    /// # Errors
    /// The errors of [`Collection::create`](super::Collection::create).
    pub fn create(&mut self, member: R::New) -> Result<Member<R>, Error>
    where
        P: Creates<R>,
    {
        self.member(creation(&self.call, vec![member], false)?)
    }

    /// Creates several members: all members, or none if one fails.
    ///
    /// # Errors
    /// The errors of [`Collection::create_many`](super::Collection::create_many).
    pub fn create_many(&mut self, members: Vec<R::New>) -> Result<Vec<Member<R>>, Error>
    where
        P: Creates<R>,
    {
        if members.is_empty() {
            return Ok(vec![]);
        }
        let found = self.run(creation(&self.call, members, true)?)?;
        let resource = self.call.resource()?;
        found.rows.into_iter().map(|row| Member::of_row(resource, row)).collect()
    }
}

impl<R: Resource, P> std::fmt::Debug for TxCollection<'_, '_, R, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TxCollection({})", R::NAME)
    }
}

impl<'t, A> Tx<'t, A> {
    /// The members of a resource, as this transaction sees them, for whom it acts. A transaction
    /// that has not said it yet does not compile: [`Tx::as_system`] and [`Tx::as_caller`] say it.
    pub fn of<R: Resource>(&mut self) -> TxCollection<'_, 't, R>
    where
        A: Actor,
    {
        TxCollection::of(self.open())
    }
}
