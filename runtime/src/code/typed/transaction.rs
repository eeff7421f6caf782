//! [`TxCollection`]: the members of a resource inside an open transaction.

use std::marker::PhantomData;

use super::{
    AllMembers, Creates, Member, MembersOfParent, Page, Query,
    collection::{creation, paged},
    run::{CallTarget, FoundRows},
    write::{amendment, replacement},
};
use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{
        View,
        id::{Id, ParentId as _},
    },
    plan::{Outcome, Plan},
    reply::refused,
    request::action::{Action, ActionKind},
    store::{
        Store, Tx,
        sink::{Sink, ValueSink},
    },
};

/// The members of a resource inside an open transaction. [`Tx::of`] returns it.
///
/// The calls are those of [`Collection`](super::Collection), but they are synchronous. Later calls
/// in the transaction see their writes; other connections see them after the commit. The writes run
/// no hooks.
pub struct TxCollection<'tx, 't, R, P = AllMembers> {
    tx: &'tx mut Tx<'t>,
    call: CallTarget<R>,
    place: PhantomData<fn() -> P>,
}

impl<'tx, 't, R: Resource> TxCollection<'tx, 't, R, AllMembers> {
    pub(crate) fn of(tx: &'tx mut Tx<'t>, store: &Store) -> Self {
        Self { tx, call: CallTarget::to(store), place: PhantomData }
    }

    /// Selects the members under one parent.
    #[must_use]
    pub fn within(self, parent: R::Parent) -> TxCollection<'tx, 't, R, MembersOfParent> {
        TxCollection { tx: self.tx, call: self.call.within(parent.store()), place: PhantomData }
    }
}

impl<'tx, 't, R: Resource, P> TxCollection<'tx, 't, R, P> {
    /// Makes the calls as the program itself, to which no access rule applies. Without this method,
    /// the calls use the access rules of the caller of the write.
    #[must_use]
    pub fn as_system(self) -> TxCollection<'tx, 't, R, P> {
        Self { call: self.call.by_system(), ..self }
    }
}

impl<R: Resource, P> TxCollection<'_, '_, R, P> {
    /// Reads a page of members.
    ///
    /// # Errors
    /// 400 for a query that cannot be executed, 404 if the parent does not exist.
    pub fn list(&mut self, query: &Query<R>) -> Result<Page<R>, Error> {
        let parsed = query.action(self.call.resource()?)?;
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

    fn member(&mut self, kind: ActionKind) -> Result<Member<R>, Error> {
        let found = self.run(kind)?;
        self.call.member(found)
    }

    fn run(&mut self, kind: ActionKind) -> Result<FoundRows, Error> {
        let model = self.call.model();
        let action = Action::of(self.call.caller().clone(), kind);
        let sink = Sink::Values(ValueSink::new(self.call.resource()?.ix));
        let result = self.tx.run(&Plan::of(model, &action, View::Whole), sink)?;
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
}

impl<R: Resource, P> std::fmt::Debug for TxCollection<'_, '_, R, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TxCollection({})", R::NAME)
    }
}

impl<'t> Tx<'t> {
    /// The members of a resource, as this transaction sees them.
    pub fn of<R: Resource>(&mut self) -> TxCollection<'_, 't, R, AllMembers> {
        let store = self.store();
        TxCollection::of(self, store)
    }
}
