//! What a write has changed: as values for the store, and as members for the author.

use std::sync::Arc;

use crate::{
    base::error::Error,
    code::{resource::Resource, typed::Member},
    model::{self, def::Operation},
    store::{
        behaviour::{ChangedMember, MemberValues},
        context::CallFacts,
    },
};

/// A change of one member, as a hook sees it.
#[derive(Debug)]
pub struct Change<R> {
    /// How it came about: a member that PUT created was created.
    pub operation: Operation,
    /// The member before; nothing where it is new.
    pub before: Option<Member<R>>,
    /// The member after; nothing where it is gone.
    pub after: Option<Member<R>>,
    facts: Arc<CallFacts>,
}

impl<R> Change<R> {
    /// Who asked for it, and how.
    #[must_use]
    pub fn facts(&self) -> &CallFacts {
        &self.facts
    }
}

impl<R: Resource> Change<R> {
    pub(super) fn of(
        resource: &model::ResourceModel,
        facts: &Arc<CallFacts>,
        changed: &ChangedMember,
    ) -> Result<Self, Error> {
        let member = |row: &Option<MemberValues>| {
            row.clone().map(|(revision, row)| Member::of_row(resource, revision, row))
        };
        Ok(Self {
            operation: changed.operation,
            before: member(&changed.before).transpose()?,
            after: member(&changed.after).transpose()?,
            facts: Arc::clone(facts),
        })
    }
}
