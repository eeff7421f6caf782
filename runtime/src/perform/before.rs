//! The hooks before a write: the input that they return replaces that of the action, once it is
//! validated.

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
    plan::{ClientKey, Guard, Outcome, Plan, Shape, Step, Tags},
    request::action::{Action, ActionKind, Assignments, admit, broken},
    store::{
        PlanResult, Store,
        behaviour::{EditedInput, FieldValues, MemberValues, ResourceHooks, too_many},
        context::Context,
        sink::{Sink, ValueSink},
    },
};

/// The hooks before a write of a resource, and what they need.
pub(crate) struct BeforeHooks<'call> {
    pub(crate) store: &'call Store,
    pub(crate) context: &'call Context,
    pub(crate) hooks: &'call dyn ResourceHooks,
    pub(crate) resource: ResourceIx,
    /// The client that their reads are counted for.
    pub(crate) client: ClientKey,
}

impl BeforeHooks<'_> {
    /// Runs the hooks for every member that an action is about.
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
            self.hooks.before(Operation::Create, &context, self.resource(), None, values).await?;
        merge(self.resource(), member, edited, Operation::Create);
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
        merge(self.resource(), change, edited, of);
        check(self.resource(), change, "", &mut faults)?;
        refuse(faults)
    }

    /// Runs the hooks of a replacement. Their input is the complete new member, so the values that
    /// PUT keeps are read. Without a member, one is created. If the member appears or disappears
    /// meanwhile, the wrong hooks ran, so nothing is written.
    async fn replace(&self, action: &mut Action) -> Result<(), Error> {
        let Action {
            kind: ActionKind::Write { chain, id, change, create, .. }, preconditions, ..
        } = action
        else {
            return Ok(());
        };
        match (self.stored(chain, id).await?, create) {
            (Some((_, row)), create) => {
                *create = Err(vec![]);
                let mut said: FieldValues = row.into_iter().map(Some).collect();
                for (ix, value) in &change.columns {
                    said[usize::from(ix.0)] = Some(value.clone());
                }
                let edited = self.edited(Operation::Replace, Some(id.clone()), said).await?;
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

    /// Runs the hook for each current member that matches, and restricts the deletion to these
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
        said: FieldValues,
    ) -> Result<EditedInput, Error> {
        self.hooks.before(operation, self.context, self.resource(), id, said).await
    }

    /// Returns the assigned values by field.
    fn field_values(&self, assigned: &Assignments) -> FieldValues {
        let mut said = vec![None; self.resource().fields.len()];
        for (ix, value) in &assigned.columns {
            said[usize::from(ix.0)] = Some(value.clone());
        }
        said
    }

    /// Returns the place of a chain as the caller sees it.
    fn place(&self, chain: &Chain) -> Place {
        chain.place(self.context.caller().rules(self.store.model()))
    }

    /// Reads the current member.
    async fn stored(&self, chain: &Chain, id: &Value) -> Result<Option<MemberValues>, Error> {
        let shape = Shape::Get { place: self.place(chain), view: View::Whole };
        let values = chain.ids.iter().chain([id]).cloned().collect();
        Ok(self.rows(Step { shape, values }).await?.pop())
    }

    /// Returns the ids of the members that match a filter now, in their order. Where the chain is
    /// broken it returns none, and the write itself reports that.
    async fn matching(&self, chain: &Chain, predicate: &Predicate) -> Result<Vec<Value>, Error> {
        let (filter, tested) = predicate.split();
        let shape = Shape::Ids { place: self.place(chain), filter, listed: false };
        let limit = Value::Integer(limits::ARRAY_MEMBERS_MAX as i64 + 1);
        let values = chain.ids.iter().cloned().chain(tested).chain([limit]).collect();
        let found = self.read(Step { shape, values }, Sink::Nothing).await?;
        let Outcome::Ids(mut ids) = found.outcome else {
            return Err(Error::internal("a search for ids found something else"));
        };
        if ids.len() > limits::ARRAY_MEMBERS_MAX {
            return Err(too_many());
        }
        ids.sort_by(Value::cmp_id);
        Ok(ids)
    }

    /// Returns the whole members that a step finds. Where its chain is broken it returns none, and
    /// the write itself reports that.
    async fn rows(&self, step: Step) -> Result<Vec<MemberValues>, Error> {
        let found = self.read(step, Sink::Values(ValueSink::new(self.resource))).await?;
        Ok(match (found.outcome, found.sink) {
            (Outcome::Refused(_), _) => vec![],
            (_, Sink::Values(sink)) => sink.into_rows(),
            _ => vec![],
        })
    }

    async fn read(&self, step: Step, sink: Sink) -> Result<PlanResult, Error> {
        let plan = Plan {
            guard: Guard::default(),
            reads: None,
            writes: vec![],
            steps: vec![step],
            client: self.client,
            otherwise: None,
        };
        self.store.read(&plan, sink).await
    }
}

/// Merges the input that the hooks returned into the action. Values that the type of the input does
/// not have stay. A value that a hook removed becomes the default in a complete member, and is not
/// changed by an update.
fn merge(resource: &ResourceModel, assigned: &mut Assignments, edited: EditedInput, of: Operation) {
    for (((ix, field), given), made) in resource.indexed().zip(edited.before).zip(edited.after) {
        if given == made || !settable(field, of) {
            continue;
        }
        assigned.merged.retain(|merged| *merged != ix);
        let at = assigned.columns.iter().position(|(column, _)| *column == ix);
        let stays = of == Operation::Update || field.role == Role::Parent;
        match (made, at) {
            (None, Some(at)) if field.role == Role::Id => match field.generated_id() {
                Some(id) => assigned.columns[at].1 = id,
                None => drop(assigned.columns.remove(at)),
            },
            (None, Some(at)) if stays => drop(assigned.columns.remove(at)),
            (made, Some(at)) => assigned.columns[at].1 = made.unwrap_or_else(|| field.initial()),
            (Some(made), None) => assigned.columns.push((ix, made)),
            (None, None) if of == Operation::Replace && !stays => {
                assigned.columns.push((ix, field.initial()));
            }
            (None, None) => {}
        }
    }
}

/// Whether hooks may set a field. A member keeps its id, the URL sets the parent of a new nested
/// member, and the store sets the times.
fn settable(field: &FieldModel, of: Operation) -> bool {
    match field.role {
        Role::Declared => true,
        Role::Id => of == Operation::Create,
        Role::Parent => of != Operation::Create && field.is_movable(),
        Role::CreatedAt | Role::UpdatedAt => false,
    }
}

/// Checks that a member that PUT creates has the id of the URL.
fn check_id(member: &Assignments, id: &Value) -> Result<(), Error> {
    if member.columns.contains(&(FieldIx::ID, id.clone())) {
        return Ok(());
    }
    Err(Error::internal(
        "a `before_create` hook changed the id of a member that PUT creates at its URL",
    ))
}

/// Validates values like those of a body. For fields that clients cannot set, an error is the
/// server's.
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
                "a hook made a wrong `{}`: {}",
                resource.def.name, fault.detail
            )));
        }
        faults.extend(wrong);
    }
    Ok(())
}

fn refuse(mut faults: Vec<Fault>) -> Result<(), Error> {
    faults.truncate(limits::FAULTS_MAX);
    if faults.is_empty() { Ok(()) } else { Err(Error::faults(Kind::INVALID_CONTENT, faults)) }
}
