//! Requests whose operation a handler of user code replaces. The module runs the checks before the
//! handler, and builds the outcome from the handler's output.

use http::{StatusCode, request::Parts};
use tracing::Instrument as _;

use super::merge::applied;
use crate::{
    base::error::{Error, Fault, Kind, text},
    http::{answer::Answer, http_date::Second},
    model::{Chain, FieldIx, ResourceModel, RowChange, View, def::Operation, value::Value},
    perform::CallSource,
    plan::{
        EarlyEnd, Outcome, Plan, Refusal,
        validator::{CurrentState, NO_TAG, Verdict},
    },
    reply::Reply,
    request::action::{Action, ActionKind, Assignments},
    store::{
        PlanResult, Store,
        behaviour::{Behaviour, FieldValues, Input, MemberValues, Output, ResourceHooks},
        sink::{End, Sink, Sizes, ValueSink},
    },
};

/// A call of the handler that replaces the operation of a request.
pub(crate) struct HandlerCall<'call> {
    store: &'call Store,
    action: &'call Action,
    head: &'call Parts,
    hooks: &'call dyn ResourceHooks,
    operation: Operation,
    chain: &'call Chain,
}

/// The stored member of a request, read before the handler is called.
enum StoredMember {
    /// The member with its current values.
    Present(MemberValues),
    /// The member does not exist, or it was not read because no check needs it.
    Absent,
    /// The member or one of its ancestors does not exist, so the request is refused with this
    /// reason.
    Refused(Refusal),
}

impl<'call> HandlerCall<'call> {
    /// Returns the call, or `None` if no handler replaces the operation.
    pub(crate) fn of(
        store: &'call Store,
        action: &'call Action,
        head: &'call Parts,
    ) -> Option<Self> {
        let (operation, chain) = operation(&action.kind)?;
        let model = store.model();
        let replaced = model[chain.resource].hooks?.replaced.contains(operation);
        let hooks = &**Behaviour::hooks(model, chain.resource)?;
        replaced.then_some(Self { store, action, head, hooks, operation, chain })
    }

    /// Runs the checks, calls the handler and builds the result.
    pub(crate) async fn run(self) -> Result<PlanResult, Error> {
        let stored = match self.stored().await? {
            StoredMember::Present(member) => Some(member),
            StoredMember::Absent => None,
            StoredMember::Refused(refusal) => {
                return Ok(PlanResult::new(Outcome::Refused(refusal), Sink::Nothing));
            }
        };
        let mut refusal = self.refused(stored.as_ref());
        if (refusal.is_some() || self.action.is_form()) && self.is_forbidden().await? {
            refusal = Some(Refusal::Forbidden);
        }
        if let Some(refusal) = refusal {
            return Ok(PlanResult::new(Outcome::Refused(refusal), Sink::Nothing));
        }
        let (model, resource) = (self.store.model(), self.resource());
        let new = self.new_member(stored.as_ref());
        let input = self.input(new, stored.as_ref())?;
        let context = CallSource::Request(self.head).context(self.store, self.action, self.chain);
        let context =
            new.map_or_else(|| context.clone(), |new| context.of_member(model, resource, new));
        let span = context.span();
        let handling = self.hooks.replaced().handle(self.operation, context, resource, input);
        let output = handling.instrument(span).await?;
        let place = self.place(&output).await?;
        Ok(self.plan_result(output, new.is_some(), place))
    }

    fn resource(&self) -> &'call ResourceModel {
        &self.store.model()[self.chain.resource]
    }

    /// Reads the current member if a check or the handler's input needs it. Returns a refusal if
    /// the member or one of its ancestors does not exist.
    async fn stored(&self) -> Result<StoredMember, Error> {
        match self.needed() {
            Some((chain, id)) => self.member(chain, id, None).await,
            None => Ok(StoredMember::Absent),
        }
    }

    /// Whether an access rule forbids the caller to change the member in this way, whatever the new
    /// values are. The form of a change is forbidden like the change.
    async fn is_forbidden(&self) -> Result<bool, Error> {
        let (id, change) = match &self.action.kind {
            ActionKind::Write { id, .. } | ActionKind::Get { id, .. } => (id, RowChange::Update),
            ActionKind::Delete { id, .. } => (id, RowChange::Delete),
            _ => return Ok(false),
        };
        let found = self.member(self.chain.clone(), id.clone(), Some(change)).await?;
        Ok(matches!(found, StoredMember::Refused(Refusal::Forbidden)))
    }

    /// Reads a member with all its fields, which the caller may change in this way. Returns a
    /// refusal if it does not exist. If the request may create the member, returns `Absent`
    /// instead.
    async fn member(
        &self,
        chain: Chain,
        id: Value,
        change: Option<RowChange>,
    ) -> Result<StoredMember, Error> {
        let sink = Sink::Values(ValueSink::new(chain.resource));
        let kind = ActionKind::Get { chain, id };
        let (caller, client) = (self.action.caller.clone(), self.action.client);
        let get = Action { client, ..Action::of(caller, kind) };
        let mut plan = Plan::of(self.store.model(), &get, View::Whole);
        if let Some(change) = change {
            plan = plan.reading_to(change);
        }
        let found = self.store.read(&plan, sink).await?;
        let creates = matches!(&self.action.kind, ActionKind::Write { create: Ok(_), .. });
        Ok(match (found.outcome, found.sink) {
            (Outcome::Refused(Refusal::Missing { link }), _)
                if creates && usize::from(link) == self.chain.ids.len() =>
            {
                StoredMember::Absent
            }
            (Outcome::Refused(refusal), _) => StoredMember::Refused(refusal),
            (_, Sink::Values(sink)) => {
                sink.into_rows().pop().map_or(StoredMember::Absent, StoredMember::Present)
            }
            _ => StoredMember::Absent,
        })
    }

    /// Returns the member to read before the handler is called, or `None`. The member in the URL is
    /// read if a precondition tests it, if it completes the input, or if the URL is nested. For a
    /// nested collection, the parent is read. Reading a member also tests that all its ancestors
    /// exist.
    fn needed(&self) -> Option<(Chain, Value)> {
        let (id, needed) = match &self.action.kind {
            ActionKind::Write { id, complete: true, .. } => (id, true),
            ActionKind::Write { id, change, .. } => {
                let bare = change.echoes.is_empty() && change.merged.is_empty();
                (id, !bare || !self.action.preconditions.is_empty())
            }
            ActionKind::Delete { id, .. } => (id, !self.action.preconditions.is_empty()),
            ActionKind::Get { id, .. } => (id, false),
            _ => {
                let (id, above) = self.chain.ids.split_last()?;
                let (resource, _) = self.resource().parent?;
                return Some((Chain { resource, ids: above.to_vec() }, id.clone()));
            }
        };
        (needed || !self.chain.ids.is_empty()).then(|| (self.chain.clone(), id.clone()))
    }

    /// Tests the preconditions and the read-only fields in the body of a write. The test happens
    /// before the handler is called, not in the transaction of the handler's writes.
    fn refused(&self, stored: Option<&MemberValues>) -> Option<Refusal> {
        let current = match &self.action.kind {
            ActionKind::Create { .. } => Some(NO_CURRENT),
            ActionKind::Write { .. } | ActionKind::Delete { .. } => {
                stored.map(|row| current(row, self.store.tag_of(row.revision)))
            }
            _ => return None,
        };
        if let Some(refusal) = self.action.preconditions.refuse(current) {
            return Some(refusal);
        }
        let ActionKind::Write { change, .. } = &self.action.kind else { return None };
        let wrong = echoes(self.resource(), change, stored?);
        (!wrong.is_empty()).then_some(Refusal::Echoes(wrong))
    }

    /// Returns the member that the request creates, or `None` if it creates none.
    fn new_member(&self, stored: Option<&MemberValues>) -> Option<&'call Assignments> {
        match &self.action.kind {
            ActionKind::Create { members, .. } => members.first(),
            ActionKind::Write { create: Ok(member), .. } if stored.is_none() => Some(member),
            _ => None,
        }
    }

    fn input(
        &self,
        new: Option<&Assignments>,
        stored: Option<&MemberValues>,
    ) -> Result<Input, Error> {
        Ok(match &self.action.kind {
            ActionKind::List { query, .. } => Input::Query(query.clone()),
            ActionKind::Create { many: true, .. } => return Err(no_array()),
            ActionKind::Create { .. } => {
                Input::Member(None, self.field_values(new.ok_or_else(no_array)?, None))
            }
            ActionKind::Write { id, change, complete, .. } => {
                let values = match (new, complete) {
                    (Some(member), _) => self.field_values(member, None),
                    (None, true) => self.field_values(change, stored),
                    (None, false) => self.patched(change, stored)?,
                };
                Input::Member(Some(id.clone()), values)
            }
            ActionKind::Get { id, .. } | ActionKind::Delete { id, .. } => {
                Input::Member(Some(id.clone()), vec![])
            }
            _ => return Err(Error::internal("the operation has no custom handler")),
        })
    }

    /// Returns the values of a change. Merge patches are applied to the stored values, because the
    /// handler receives whole values.
    fn patched(
        &self,
        change: &Assignments,
        stored: Option<&MemberValues>,
    ) -> Result<FieldValues, Error> {
        Ok(match stored {
            Some(MemberValues { values: row, .. }) => {
                self.field_values(&applied(change, row, self.resource().limits)?, None)
            }
            None => self.field_values(change, None),
        })
    }

    /// Returns the values of all fields: the assigned value, or else the stored value.
    fn field_values(&self, assigned: &Assignments, stored: Option<&MemberValues>) -> FieldValues {
        let fields = self.resource().fields.len();
        let mut values = stored.map_or_else(
            || vec![None; fields],
            |MemberValues { values: row, .. }| row.iter().cloned().map(Some).collect(),
        );
        for (ix, value) in &assigned.columns {
            values[usize::from(ix.0)] = Some(value.clone());
        }
        values
    }

    /// Renders the members of a page. If they exceed the page's limit in bytes, renders only the
    /// first ones and returns their number.
    fn write_members(&self, rows: &[MemberValues], sink: &mut Sink) -> Option<EarlyEnd> {
        let (model, resource) = (self.store.model(), self.chain.resource);
        let mut sizes = Sizes::new(sink, sink.size_max(), End::First);
        let fits = |row: &&MemberValues| {
            sink.member(model, resource, row);
            sizes.add(sink)
        };
        rows.iter().take_while(fits).for_each(drop);
        let early = sizes.early()?;
        rows.iter().take(early.members as usize).for_each(|row| sink.member(model, resource, row));
        Some(early)
    }

    /// Returns the ids of the member's ancestors, outermost first. Returns `None` if the request
    /// does not set the parent.
    async fn place(&self, output: &Output) -> Result<Option<Vec<Value>>, Error> {
        let (ActionKind::Write { change, .. }, Output::Member(row)) = (&self.action.kind, output)
        else {
            return Ok(None);
        };
        let Some((above, field)) = self.resource().parent else { return Ok(None) };
        if change.columns.iter().all(|(ix, _)| *ix != field) {
            return Ok(None);
        }
        let (model, mut ids) = (self.store.model(), vec![]);
        let mut at = Some((above, row.values[usize::from(field.0)].clone()));
        while let Some((above, id)) =
            at.take().filter(|(_, id)| !id.is_null() && ids.len() < self.chain.ids.len())
        {
            if let Some((further, field)) = model[above].parent {
                let chain = Chain { resource: above, ids: vec![] };
                if let StoredMember::Present(MemberValues { values: row, .. }) =
                    self.member(chain, id.clone(), None).await?
                {
                    at = Some((further, row[usize::from(field.0)].clone()));
                }
            }
            ids.insert(0, id);
        }
        Ok(Some(ids))
    }

    /// Converts the handler's output to the result that the store would return without a handler.
    fn plan_result(&self, output: Output, is_new: bool, place: Option<Vec<Value>>) -> PlanResult {
        let model = self.store.model();
        let mut sink = Reply::sink(model, self.action);
        match output {
            Output::Gone => PlanResult::new(Outcome::Deleted(1), sink),
            Output::Page(rows, has_more, total) => {
                let early = self.write_members(&rows, &mut sink);
                let has_more = has_more || early.is_some();
                match self.action.preconditions.test(Some(NO_CURRENT)) {
                    Verdict::Met => {
                        PlanResult::new(Outcome::Listed { has_more, total, early }, sink)
                    }
                    Verdict::Changed => {
                        PlanResult::new(Outcome::Refused(Refusal::Precondition), sink)
                    }
                    Verdict::Unchanged(_) => PlanResult::new(
                        Outcome::Answered(Box::new(Answer::status(StatusCode::NOT_MODIFIED))),
                        Sink::Nothing,
                    ),
                }
            }
            Output::Member(row) => {
                // A JSON value that was converted to a Rust type and back may differ in bytes from
                // the stored value.
                let tag = match self.resource().shows_json() {
                    true => NO_TAG,
                    false => self.store.tag_of(row.revision),
                };
                let current = current(&row, tag);
                let modified = current.modified;
                if self.operation == Operation::Get {
                    match self.action.preconditions.test(Some(current)) {
                        Verdict::Met => {}
                        Verdict::Changed => {
                            return PlanResult::new(Outcome::Refused(Refusal::Precondition), sink);
                        }
                        Verdict::Unchanged(coding) => {
                            let unchanged = Outcome::Unchanged { tag, passed: 0, coding };
                            return PlanResult::new(unchanged, sink);
                        }
                    }
                }
                sink.member(model, self.chain.resource, &row);
                let id: Value = row.values[usize::from(FieldIx::ID.0)].clone();
                PlanResult::new(Outcome::written(vec![(id, tag)], is_new, modified, place), sink)
            }
        }
    }
}

/// A current state without a validator. It stands for a page that a handler has returned, because
/// the store does not know when such a page changes. It also stands for the target of a POST.
const NO_CURRENT: CurrentState =
    CurrentState { tag: NO_TAG, passed: 0, modified: None, is_ordered: true };

/// Returns the current state of a member. Its last field is the time of its last change.
fn current(MemberValues { values: row, .. }: &MemberValues, tag: u64) -> CurrentState {
    let modified = match row.last() {
        Some(Value::Text(text)) if tag != NO_TAG => Second::of_stored(text),
        _ => None,
    };
    CurrentState { tag, passed: 0, modified, is_ordered: true }
}

fn no_array() -> Error {
    let detail = text!("An array cannot be created here; post its members one by one.");
    let fault = Fault::body("", "unsupported", detail);
    Error::from_faults(Kind::INVALID_CONTENT, vec![fault])
}

/// Returns the read-only fields in a body whose values differ from the stored values.
fn echoes(
    resource: &ResourceModel,
    change: &Assignments,
    MemberValues { values: row, .. }: &MemberValues,
) -> Vec<FieldIx> {
    let wrong = change
        .echoes
        .iter()
        .filter(|echo| !resource[echo.field].same(&row[usize::from(echo.field.0)], &echo.value));
    wrong.map(|echo| echo.field).collect()
}

fn operation(kind: &ActionKind) -> Option<(Operation, &Chain)> {
    Some(match kind {
        ActionKind::List { chain, .. } => (Operation::List, chain),
        ActionKind::Get { chain, .. } => (Operation::Get, chain),
        ActionKind::Create { chain, .. } => (Operation::Create, chain),
        ActionKind::Write { chain, complete: true, .. } => (Operation::Replace, chain),
        ActionKind::Write { chain, .. } => (Operation::Update, chain),
        ActionKind::Delete { chain, .. } => (Operation::Delete, chain),
        _ => return None,
    })
}
