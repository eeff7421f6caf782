//! [`Change`]: one change of a member. Converts the store's values to members for user code.

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

/// One change of a member, as a hook receives it.
#[derive(Debug)]
pub struct Change<R> {
    /// The operation of the write. If PUT creates a member, the operation is a creation.
    pub operation: Operation,
    /// The member before the write; `None` if the write created it.
    pub before: Option<Member<R>>,
    /// The member after the write; `None` if the write deleted it.
    pub after: Option<Member<R>>,
    facts: Arc<CallFacts>,
}

impl<R> Change<R> {
    /// The facts about the call that made the change, such as its caller.
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
        let member =
            |row: &Option<MemberValues>| row.clone().map(|row| Member::of_row(resource, row));
        Ok(Self {
            operation: changed.operation,
            before: member(&changed.before).transpose()?,
            after: member(&changed.after).transpose()?,
            facts: Arc::clone(facts),
        })
    }
}
