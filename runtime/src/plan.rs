//! What the store is asked to do: pure data, made from an action and nothing else.

mod caller;
mod columns;
mod guard;
pub mod idempotency;
mod outcome;
mod shape;
mod sources;
pub(crate) mod validator;

pub use self::{
    caller::{Caller, ClientKey, ResponseKey},
    outcome::{EarlyEnd, Ends, FirstResponse, Outcome, Refusal, Restriction},
    shape::{Part, Shape, Step},
    sources::{Sources, SourcesState},
    validator::{Preconditions, Tag, Tags},
};
pub(crate) use self::{
    columns::{Columns, LookColumns},
    shape::RuleRow,
};
use std::sync::Arc;

pub use crate::model::{Filter, Op, Place, View};
use crate::{
    model::{FieldIx, ResourceIx, value::Value},
    plan::idempotency::IdempotentRequest,
};

/// What a request needs of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What must hold before anything is done.
    pub guard: Guard,
    /// What the response depends on; nothing where neither a validator nor a cache needs its state.
    pub reads: Option<Sources>,
    /// The tables that change, with those that foreign keys change.
    pub writes: Vec<ResourceIx>,
    /// What is done, in order; all or nothing.
    pub steps: Vec<Step>,
    /// The party that it is counted for.
    pub client: ClientKey,
    /// What is done instead of refusing, where the only step finds no member: the creating half of
    /// PUT.
    pub otherwise: Option<Step>,
}

/// What must hold before anything is done, tested in the snapshot or transaction of the steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// The preconditions of the request.
    pub conditions: Preconditions,
    /// Read-only members that the body repeats: each must be the stored value.
    pub echoes: Vec<Echo>,
    /// What tells a request from others that is done once: where it was done before, its first
    /// answer is given again.
    pub idempotency: Option<Arc<IdempotentRequest>>,
}

impl Guard {
    /// Whether there is nothing that a writing step has to look at first.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.conditions.is_empty() && self.echoes.is_empty()
    }
}

/// A read-only member of a body, and the value it claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    /// The field.
    pub field: FieldIx,
    /// What the body says it is.
    pub value: Value,
}
