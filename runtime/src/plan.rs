//! Plans. A plan is data that describes what the store reads and writes for an action. It is made
//! from the action alone.

mod account;
mod caller;
mod columns;
mod current_state;
pub(crate) mod grant;
mod guard;
pub mod idempotency;
mod lookup;
mod outcome;
mod page_reader;
mod shape;
mod sources;
mod tag_cipher;
pub(crate) mod validator;

#[doc(hidden)]
pub use self::tag_cipher::TagCipher;
pub use self::{
    account::Account,
    caller::{Caller, CallerValues, ClientKey, ResponseKey},
    lookup::{BoundedCount, FieldTally, FoundChoices, FoundLookups, LookupRows, TalliedValue},
    outcome::{
        ConflictKind, EarlyEnd, Ends, FirstResponse, Outcome, Refusal, Restriction, WriteConflict,
    },
    shape::{Part, Shape, Step},
    sources::{Sources, SourcesState},
    validator::{Preconditions, Tag, Tags},
};
pub(crate) use self::{
    columns::{Columns, LookColumns},
    current_state::CollectionState,
    lookup::{
        LABEL_CHARACTERS_MAX, PAGE_CHOICES_MAX, PAGE_COUNT_MAX, PAGE_LOOKUP_BYTES_MAX, label_of,
    },
    shape::RuleRow,
};
use std::sync::Arc;

pub use crate::model::{Filter, Op, Place, View};
use crate::{
    model::{FieldIx, ResourceIx, RowChange, value::Value},
    plan::{grant::GrantChange, idempotency::IdempotentRequest},
};

/// The reads and writes that the store runs for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The conditions that are tested before the steps run.
    pub guard: Guard,
    /// The tables that the response is made from, or `None` if neither a validator nor a cache
    /// needs their state.
    pub reads: Option<Sources>,
    /// The tables whose rows change, including rows that change through foreign keys.
    pub writes: Vec<ResourceIx>,
    /// The steps in their order. Either all of them take effect, or none.
    pub steps: Vec<Step>,
    /// The values of the caller that access rules compare rows with.
    pub caller: CallerValues,
    /// The client whose limits the plan counts towards.
    pub client: ClientKey,
    /// Whether another thread can run the plan if its page has too many bytes for a worker.
    pub is_movable: bool,
    /// The step to run if the only step of `steps` finds no member. PUT creates a member with this
    /// step. If it is `None`, the plan is refused instead.
    pub otherwise: Option<Box<Step>>,
    /// The change of grants that the write causes, in the same transaction.
    pub(crate) grants: Option<Box<GrantChange>>,
    /// The step that finds the account of the caller as it was when the request was identified. A
    /// write is refused if the account has changed since.
    pub(crate) account: Option<Box<Step>>,
}

impl Plan {
    /// Creates a plan that reads. `sources` are the tables whose state a validator or a cache
    /// needs.
    pub(crate) fn read(sources: Option<Sources>, steps: Vec<Step>) -> Self {
        Self { reads: sources, steps, ..Self::default() }
    }

    /// Creates a plan that changes rows of the given tables.
    pub(crate) fn write(writes: Vec<ResourceIx>, steps: Vec<Step>) -> Self {
        Self { writes, steps, ..Self::default() }
    }

    /// Returns a plan that reads a member only if the caller may change it in this way. Another
    /// caller is refused, as if it had tried.
    pub(crate) fn reading_to(mut self, change: RowChange) -> Self {
        for step in &mut self.steps {
            if let Shape::Get { place, .. } = &mut step.shape {
                *place = place.to_change(change);
            }
        }
        self
    }

    /// Whether a write has preconditions that are tested on the collection, not on a member.
    pub(crate) fn tests_collection(&self) -> bool {
        let first = self.steps.first().map(|step| &step.shape);
        !self.guard.is_open()
            && !matches!(first, None | Some(Shape::Update { .. } | Shape::Delete { .. }))
    }
}

/// The conditions of a plan, tested in the same snapshot or transaction as its steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// The preconditions of the request (RFC 9110 §13.1).
    pub conditions: Preconditions,
    /// The read-only fields that the request body contains. Each value must equal the stored value.
    pub echoes: Vec<Echo>,
    /// The identity of an idempotent request, or `None` for other requests. If the request was
    /// answered before, its first response is returned again.
    pub idempotency: Option<Arc<IdempotentRequest>>,
}

impl Guard {
    /// Whether a write needs no check first, because the request has no preconditions and the body
    /// has no read-only fields.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.conditions.is_empty() && self.echoes.is_empty()
    }
}

/// A read-only field in a request body, and the value that the body gives to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    /// The read-only field.
    pub field: FieldIx,
    /// The value of the field in the body.
    pub value: Value,
}
