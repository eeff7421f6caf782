//! What a write has changed: as values for the store, and as members for the author.

use std::sync::Arc;

use super::Attached;
use crate::{
    base::error::Error,
    code::{
        context::{Context, Facts},
        resource::Resource,
        typed::Member,
    },
    model::{self, ResourceIx, def::Operation, value::Value},
    store::{Permit, Tx},
};

/// A whole member: its revision, and a value for each field.
pub(crate) type Row = (u64, Vec<Value>);

/// A change of one member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    pub(crate) operation: Operation,
    pub(crate) before: Option<Row>,
    pub(crate) after: Option<Row>,
}

/// A change of one member, as a hook sees it.
#[derive(Debug)]
pub struct Change<R> {
    /// How it came about: a member that PUT created was created.
    pub operation: Operation,
    /// The member before; nothing where it is new.
    pub before: Option<Member<R>>,
    /// The member after; nothing where it is gone.
    pub after: Option<Member<R>>,
    facts: Arc<Facts>,
}

impl<R> Change<R> {
    /// Who asked for it, and how.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

impl<R: Resource> Change<R> {
    pub(super) fn of(
        resource: &model::Resource,
        facts: &Arc<Facts>,
        changed: &Changed,
    ) -> Result<Self, Error> {
        let member =
            |row: &Option<Row>| row.clone().map(|(revision, row)| Member::of_row(resource, revision, row));
        Ok(Self {
            operation: changed.operation,
            before: member(&changed.before).transpose()?,
            after: member(&changed.after).transpose()?,
            facts: Arc::clone(facts),
        })
    }
}

/// What the hooks of a resource add to one write.
pub(crate) struct Hooked {
    pub(crate) hooks: Arc<dyn Attached>,
    pub(crate) resource: ResourceIx,
    pub(crate) context: Context,
    /// Whether a member that is there already is replaced, and not merely changed.
    pub(crate) complete: bool,
    /// The right to tell the hooks after the commit, where there are any.
    pub(crate) permit: Option<Permit>,
}

impl Hooked {
    /// What has happened to a member that existed before or not.
    pub(crate) const fn operation_of(&self, existed: bool) -> Operation {
        match (existed, self.complete) {
            (false, _) => Operation::Create,
            (true, true) => Operation::Replace,
            (true, false) => Operation::Update,
        }
    }

    /// Tells one of the hooks within the transaction, which may refuse; nothing where there are not so many.
    pub(crate) fn within(&self, nth: usize, tx: &mut Tx<'_>, change: &Changed) -> Option<Result<(), Error>> {
        let model = self.context.store().model();
        self.hooks.within(nth, tx, &model[self.resource], self.context.facts(), change)
    }

    /// Lets the hooks after the commit run.
    pub(crate) fn committed(self, changes: Vec<Changed>) {
        let Some(permit) = self.permit else { return };
        let Self { hooks, resource, context, .. } = self;
        permit.run(Box::pin(async move {
            let model = Arc::clone(context.store().model());
            for change in &changes {
                hooks.after(&context, &model[resource], change).await;
            }
        }));
    }
}
