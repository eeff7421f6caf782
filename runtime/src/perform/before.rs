//! The hooks that run before a write. They may change the input of the action. The store validates
//! the changed input.

use std::mem;

use crate::{
    base::{
        error::{Error, Fault, Kind, text},
        limits,
    },
    model::{
        Chain, FieldIx, FieldModel, Op, Place, ResourceIx, ResourceModel, Role, View,
        def::{FieldMode, Operation},
        predicate::Predicate,
        value::Value,
    },
    plan::{ClientKey, Outcome, Plan, Shape, Step, Tags},
    request::action::{Action, ActionKind, Assignments, admit, broken},
    store::{
        PlanResult, Store,
        behaviour::{EditedInput, FieldValues, MemberValues, ResourceHooks, too_many},
        context::Context,
        sink::{Sink, ValueSink},
    },
};

/// The hooks that run before a write, and the data that they receive.
pub(crate) struct BeforeHooks<'call> {
    pub(crate) store: &'call Store,
    pub(crate) context: &'call Context,
    pub(crate) hooks: &'call dyn ResourceHooks,
    pub(crate) resource: ResourceIx,
    /// The client of the request. Reads that the hooks need count towards its limits.
    pub(crate) client: ClientKey,
}

impl BeforeHooks<'_> {
    /// Runs the hooks for every member that an action creates, changes or deletes.
    pub(crate) async fn run(&self, action: &mut Action) -> Result<(), Error> {
        match &mut action.kind {
            ActionKind::Create { members, many, .. } => self.create(members, *many).await,
            ActionKind::Write { id, change, complete: false, .. } => self.update(id, change).await,
            ActionKind::Write { .. } => self.replace(action).await,
            ActionKind::Delete { id, .. } => self.delete(id).await,
            ActionKind::DeleteMany { chain, predicate, .. } => {
                self.delete_many(chain, predicate).await
            }
            _ => Ok(()),
        }
    }

    fn resource(&self) -> &ResourceModel {
        &self.store.model()[self.resource]
    }

    async fn create(&self, members: &mut [Assignments], many: bool) -> Result<(), Error> {
        let mut faults = vec![];
        for (at, member) in members.iter_mut().enumerate() {
            let pointer = if many { format!("/{at}") } else { String::new() };
            self.created(member, &pointer, &mut faults).await?;
        }
        refuse(faults)
    }

    async fn created(
        &self,
        member: &mut Assignments,
        pointer: &str,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let context = self.context.of_member(self.store.model(), self.resource(), member);
        let values = self.field_values(member);
        let edited =
            self.hooks.before(Operation::Create, &context, self.resource(), None, values).await;
        let edited = match pointer {
            "" => edited?,
            element => edited.map_err(|error| error.at_element(element))?,
        };
        self.merge(member, edited, Operation::Create);
        check(self.resource(), member, pointer, faults)
    }

    async fn update(&self, id: &Value, change: &mut Assignments) -> Result<(), Error> {
        let edited =
            self.edited(Operation::Update, Some(id.clone()), self.field_values(change)).await?;
        self.changed(change, edited, Operation::Update)
    }

    fn changed(
        &self,
        change: &mut Assignments,
        edited: EditedInput,
        of: Operation,
    ) -> Result<(), Error> {
        let mut faults = vec![];
        self.merge(change, edited, of);
        check(self.resource(), change, "", &mut faults)?;
        refuse(faults)
    }

    /// Runs the hooks of a PUT. If the member exists, the replace hooks receive the complete new
    /// member, including the stored values that PUT keeps. If not, the create hooks run. The write
    /// is refused if the member is created or deleted in the meantime, because the wrong hooks have
    /// run then.
    async fn replace(&self, action: &mut Action) -> Result<(), Error> {
        let Action {
            kind: ActionKind::Write { chain, id, change, create, .. }, preconditions, ..
        } = action
        else {
            return Ok(());
        };
        match (self.stored(chain, id).await?, create) {
            (Some(row), create) => {
                *create = Err(vec![]);
                let mut values: FieldValues = row.values.into_iter().map(Some).collect();
                for (ix, value) in &change.columns {
                    values[usize::from(ix.0)] = Some(value.clone());
                }
                let edited = self.edited(Operation::Replace, Some(id.clone()), values).await?;
                self.changed(change, edited, Operation::Replace)
            }
            (None, create) => {
                preconditions.if_none_match = Some(Tags::Any);
                let Ok(member) = create else { return Ok(()) };
                let mut faults = vec![];
                self.created(member, "", &mut faults).await?;
                refuse(faults)?;
                check_id(member, id)
            }
        }
    }

    async fn delete(&self, id: &Value) -> Result<(), Error> {
        self.edited(Operation::Delete, Some(id.clone()), vec![]).await.map(drop)
    }

    /// Runs the delete hooks for each member that matches now, and restricts the deletion to these
    /// members.
    async fn delete_many(&self, chain: &Chain, predicate: &mut Predicate) -> Result<(), Error> {
        let ids = self.matching(chain, predicate).await?;
        for id in &ids {
            self.delete(id).await?;
        }
        let these = Predicate::test(FieldIx::ID, Op::In(0), ids);
        *predicate = Predicate::all([these, mem::replace(predicate, Predicate::EVERY)]);
        Ok(())
    }

    async fn edited(
        &self,
        operation: Operation,
        id: Option<Value>,
        values: FieldValues,
    ) -> Result<EditedInput, Error> {
        self.hooks.before(operation, self.context, self.resource(), id, values).await
    }

    /// Returns the assigned values, indexed by field; `None` for a field that is not assigned.
    fn field_values(&self, assigned: &Assignments) -> FieldValues {
        let mut values = vec![None; self.resource().fields.len()];
        for (ix, value) in &assigned.columns {
            values[usize::from(ix.0)] = Some(value.clone());
        }
        values
    }

    /// Returns the place for statements on the members of a chain: the resource, the number of
    /// ancestors in the URL, and the caller's access rules.
    fn place(&self, chain: &Chain) -> Place {
        chain.place(self.context.caller().rules(self.store.model()))
    }

    /// Reads the current member, or returns `None` if it does not exist.
    async fn stored(&self, chain: &Chain, id: &Value) -> Result<Option<MemberValues>, Error> {
        let shape = Shape::Get { place: self.place(chain), selection: View::Whole.into() };
        let values = chain.ids.iter().chain([id]).cloned().collect();
        Ok(self.rows(Step { shape, values }).await?.pop())
    }

    /// Returns the ids of the members that match a filter now, sorted. If an ancestor in the URL
    /// does not exist, returns no ids, and the write itself reports the error.
    async fn matching(&self, chain: &Chain, predicate: &Predicate) -> Result<Vec<Value>, Error> {
        let (filter, tested) = predicate.split();
        let shape = Shape::Ids { place: self.place(chain), filter, listed: false };
        let limit = Value::Integer(limits::ARRAY_MEMBERS_MAX as i64 + 1);
        let values = chain.ids.iter().cloned().chain(tested).chain([limit]).collect();
        let found = self.read(Step { shape, values }, Sink::Nothing).await?;
        let Outcome::Ids(mut ids) = found.outcome else {
            return Err(Error::internal("a plan that finds ids returned another outcome"));
        };
        if ids.len() > limits::ARRAY_MEMBERS_MAX {
            return Err(too_many());
        }
        ids.sort_by(Value::cmp_id);
        Ok(ids)
    }

    /// Runs a read statement and returns the members that it finds, with all their fields. If an
    /// ancestor in the URL does not exist, returns no members. The write itself reports the error
    /// then.
    async fn rows(&self, step: Step) -> Result<Vec<MemberValues>, Error> {
        let found = self.read(step, Sink::Values(ValueSink::new(self.resource))).await?;
        Ok(match (found.outcome, found.sink) {
            (Outcome::Refused(_), _) => vec![],
            (_, Sink::Values(sink)) => sink.into_rows(),
            _ => vec![],
        })
    }

    async fn read(&self, step: Step, sink: Sink) -> Result<PlanResult, Error> {
        let caller = self.context.caller().values(self.store.model());
        let plan = Plan { caller, client: self.client, ..Plan::read(None, vec![step]) };
        self.store.read(&plan, sink).await
    }

    /// Merges the input that the hooks returned into the action. Fields that the hooks did not
    /// change keep their values in the action. If a hook has removed a value, a create or replace
    /// sets the default, and an update leaves the field unchanged.
    fn merge(&self, assigned: &mut Assignments, edited: EditedInput, of: Operation) {
        let initial = |field| self.context.caller().initial(field);
        for (((ix, field), given), value) in
            self.resource().indexed().zip(edited.before).zip(edited.after)
        {
            if given == value || !settable(field, of) {
                continue;
            }
            assigned.merged.retain(|merged| *merged != ix);
            let at = assigned.columns.iter().position(|(column, _)| *column == ix);
            let stays = of == Operation::Update || field.role == Role::Parent;
            match (value, at) {
                (None, Some(at)) if field.role == Role::Id => match field.generated_id() {
                    Some(id) => assigned.columns[at].1 = id,
                    None => drop(assigned.columns.remove(at)),
                },
                (None, Some(at)) if stays => drop(assigned.columns.remove(at)),
                (value, Some(at)) => {
                    assigned.columns[at].1 = value.unwrap_or_else(|| initial(field));
                }
                (Some(value), None) => assigned.columns.push((ix, value)),
                (None, None) if of == Operation::Replace && !stays => {
                    assigned.columns.push((ix, initial(field)));
                }
                (None, None) => {}
            }
        }
    }
}

/// Whether hooks may set a field. The id of an existing member is fixed, the URL sets the parent of
/// a new nested member, and the store sets the times.
fn settable(field: &FieldModel, of: Operation) -> bool {
    match field.role {
        Role::Declared => true,
        Role::Id => of == Operation::Create,
        Role::Parent => of != Operation::Create && field.is_movable(),
        Role::CreatedAt | Role::UpdatedAt => false,
    }
}

/// Checks that a member that PUT creates still has the id in the URL.
fn check_id(member: &Assignments, id: &Value) -> Result<(), Error> {
    if member.columns.contains(&(FieldIx::ID, id.clone())) {
        return Ok(());
    }
    Err(Error::internal(
        "a `before_create` hook changed the id of a member that PUT creates at its URL",
    ))
}

/// Validates the values like those of a request body. An error in a field that clients cannot set
/// is a bug in a hook, so the result is a 500.
fn check(
    resource: &ResourceModel,
    assigned: &Assignments,
    pointer: &str,
    faults: &mut Vec<Fault>,
) -> Result<(), Error> {
    for (ix, value) in &assigned.columns {
        let field = &resource[*ix];
        let at = format!("{pointer}/{}", field.name);
        let wrong = match admit(field.kind, value) {
            Err(expected) if !value.is_null() => {
                vec![Fault::body(at, "type", text!("must be {expected}.", expected))]
            }
            _ => broken(field, at, value),
        };
        if let (FieldMode::Hidden | FieldMode::ReadOnly, Some(fault)) = (field.mode, wrong.first())
        {
            return Err(Error::internal(format!(
                "a hook returned an invalid `{}`: {}",
                resource.def.name, fault.detail
            )));
        }
        faults.extend(wrong);
    }
    Ok(())
}

fn refuse(mut faults: Vec<Fault>) -> Result<(), Error> {
    faults.truncate(limits::FAULTS_MAX);
    if faults.is_empty() { Ok(()) } else { Err(Error::from_faults(Kind::INVALID_CONTENT, faults)) }
}
