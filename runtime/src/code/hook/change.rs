//! The changes of a write: values for the store, members for user code.

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
    /// The operation; a member that PUT created counts as created.
    pub operation: Operation,
    /// The member before; `None` where it is new.
    pub before: Option<Member<R>>,
    /// The member after; `None` where it was deleted.
    pub after: Option<Member<R>>,
    facts: Arc<CallFacts>,
}

impl<R> Change<R> {
    /// The caller and the circumstances of the call.
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
