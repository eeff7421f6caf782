//! Plans: what the store does for an action, as pure data made from the action alone.

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

/// The reads and writes that a request needs of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The conditions for all steps.
    pub guard: Guard,
    /// The sources of the response, or `None` where neither a validator nor a cache needs their
    /// state.
    pub reads: Option<Sources>,
    /// The tables that change, including those that foreign keys change.
    pub writes: Vec<ResourceIx>,
    /// The steps, in order; all of them run or none.
    pub steps: Vec<Step>,
    /// The client that the plan is counted for.
    pub client: ClientKey,
    /// The step to run instead of refusing where the only step finds no member: the creating half
    /// of PUT.
    pub otherwise: Option<Step>,
}

/// The conditions of a plan, tested in the snapshot or transaction of its steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// The preconditions of the request.
    pub conditions: Preconditions,
    /// Read-only members that the body repeats: each must equal the stored value.
    pub echoes: Vec<Echo>,
    /// The identity of an idempotent request. If it was answered before, its first response is
    /// returned again.
    pub idempotency: Option<Arc<IdempotentRequest>>,
}

impl Guard {
    /// Whether a writing step has nothing to check first.
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
    /// The value in the body.
    pub value: Value,
}
