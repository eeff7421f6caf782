//! The execution of a typed call: an action becomes a plan, and the store returns the result.

use std::{marker::PhantomData, ptr, sync::Arc, time::Instant};

use super::Member;
use crate::{
    base::error::{Error, Kind, text},
    code::resource::Resource,
    model::{
        self, Chain, FieldIx, Model, ResourceIx, SeenModel,
        id::{Id, Key},
        slots::Slots,
        value::Value,
    },
    perform::{CallSource, perform},
    plan::{Caller, Outcome, Preconditions},
    reply::refused,
    request::action::{Action, ActionKind},
    store::{
        PlanResult, Store, inside,
        sink::{MemberValues, Sink, ValueSink},
    },
};

/// The store and the resource of a typed call, and the parent if the call is `within` one.
pub(super) struct CallTarget<R> {
    store: Store,
    resource: Result<ResourceIx, ResourceMismatch>,
    parent: Option<Value>,
    of: PhantomData<fn() -> R>,
}

/// The reason why the model of a store does not have a resource: no such name, or another
/// declaration.
#[derive(Clone, Copy)]
enum ResourceMismatch {
    Unknown,
    Different,
}

/// The result of a typed call: the outcome, and the rows that were found. Each row has a revision
/// and a value for each field.
pub(super) struct FoundRows {
    pub(super) outcome: Outcome,
    pub(super) rows: Vec<MemberValues>,
}

impl<R: Resource> CallTarget<R> {
    pub(super) fn to(store: &Store) -> Self {
        Self {
            store: store.clone(),
            resource: find::<R>(store.model()),
            parent: None,
            of: PhantomData,
        }
    }

    pub(super) fn within(self, parent: Option<Value>) -> Self {
        Self { parent, ..self }
    }

    /// The store that the call reads or writes.
    pub(super) const fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn model(&self) -> &Arc<Model> {
        self.store.model()
    }

    /// The caller whose access rules apply to the call.
    pub(super) const fn caller(&self) -> &Caller {
        self.store.caller()
    }

    /// The resource in the model of the store, as the caller sees it.
    pub(super) fn resource(&self) -> Result<&model::ResourceModel, Error> {
        let detail = |mismatch| match mismatch {
            ResourceMismatch::Unknown => {
                let (name, rust) = (R::NAME, R::DEF.rust);
                format!(
                    "the model of the store has no resource `{name}`; declare it with `.resource::<{rust}>()`"
                )
            }
            ResourceMismatch::Different => {
                format!(
                    "the model of the store has another declaration of `{name}`; declare `{name}` once",
                    name = R::NAME
                )
            }
        };
        let found = self.resource.map_err(|mismatch| Error::internal(detail(mismatch)));
        found.map(|ix| self.seen().resource(ix))
    }

    /// The model of the store, as the caller sees it.
    pub(super) fn seen(&self) -> SeenModel<'_> {
        let model = self.model();
        model.seen(self.caller().rules(model))
    }

    pub(super) fn chain(&self) -> Result<Chain, Error> {
        Ok(Chain { resource: self.resource()?.ix, ids: self.parent.iter().cloned().collect() })
    }

    /// Creates empty slots (values by field) for the input of a write.
    pub(super) fn slots(&self) -> Result<Slots<'_>, Error> {
        self.resource().map(Slots::new)
    }

    /// Converts an id to its stored value. A value that cannot be an id gives the error of a member
    /// that does not exist.
    pub(super) fn id(&self, id: Id<R>) -> Result<Value, Error> {
        let value = id.into_key().store();
        if value.is_id() {
            return Ok(value);
        }
        let spelled = value.spell(self.resource()?[FieldIx::ID].kind);
        Err(Error::new(
            Kind::NOT_FOUND,
            text!("`{id}` is not an id of `{name}`.", id = spelled, name = R::NAME),
        ))
    }

    /// Executes an action. If the store refuses the action, the error is the same as in an HTTP
    /// response.
    pub(super) async fn run(
        self,
        kind: ActionKind,
        preconditions: Preconditions,
    ) -> Result<FoundRows, Error> {
        inside::refuse()?;
        let begun = Instant::now();
        let sink = Sink::Values(ValueSink::new(self.resource()?.ix));
        let mut action = Action { preconditions, ..Action::of(self.caller().clone(), kind) };
        let PlanResult { outcome, sink, statements, .. } =
            perform(&self.store, &mut action, CallSource::Program, sink).await?;
        tracing::debug!(
            target: "nouns::call",
            resource = R::NAME,
            micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            statements,
        );
        match (outcome, sink) {
            (Outcome::Refused(refusal), _) => {
                Err(refused(self.model(), &action, refusal).after(statements))
            }
            (outcome, Sink::Values(sink)) => Ok(FoundRows { outcome, rows: sink.into_rows() }),
            (outcome, _) => Ok(FoundRows { outcome, rows: vec![] }),
        }
    }

    /// Converts the one row that was found to a member.
    pub(super) fn member(&self, found: FoundRows) -> Result<Member<R>, Error> {
        let resource = self.resource()?;
        let row = found.rows.into_iter().next();
        let row = row.ok_or_else(|| Error::internal("the store returned no row"))?;
        Member::of_row(resource, row)
    }
}

impl<R> Clone for CallTarget<R> {
    fn clone(&self) -> Self {
        let Self { store, resource, parent, of } = self;
        Self { store: store.clone(), resource: *resource, parent: parent.clone(), of: *of }
    }
}

/// Finds the index of a resource in a model. The model must have the same declaration of the
/// resource.
fn find<R: Resource>(model: &Model) -> Result<ResourceIx, ResourceMismatch> {
    let resources = model.resources();
    if let Some(same) = resources.iter().find(|known| ptr::eq(known.def, R::DEF)) {
        return Ok(same.ix);
    }
    match resources.iter().find(|known| known.def.name == R::NAME) {
        Some(known) if known.def == R::DEF => Ok(known.ix),
        Some(_) => Err(ResourceMismatch::Different),
        None => Err(ResourceMismatch::Unknown),
    }
}
