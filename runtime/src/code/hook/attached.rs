//! Implements [`ResourceHooks`] for [`Hooks`]. The stages of a request and the writer thread call
//! hooks through this trait, without the Rust type of the resource.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use super::{BeforeHook, Change, Hooks};
use crate::{
    base::{error::Error, unwind::catch_unwind},
    code::resource::{Resource, SlotRecord},
    model::{
        self, Phases,
        def::{Operation, Operations},
        id::{Id, Key},
        slots::Slots,
        value::Value,
    },
    store::{
        Tx,
        behaviour::{
            ChangedMember, EditedInput, FieldValues, ResourceHandlers, ResourceHooks, UserFuture,
        },
        context::{CallFacts, Context},
    },
};

impl<R: Resource> ResourceHooks for Hooks<R> {
    fn phases(&self) -> Phases {
        let before = [
            (Operation::Create, self.before_create.is_empty()),
            (Operation::Replace, self.before_replace.is_empty()),
            (Operation::Update, self.before_update.is_empty()),
            (Operation::Delete, self.before_delete.is_empty()),
        ];
        let before: Vec<_> =
            before.into_iter().filter(|(_, none)| !none).map(|(one, _)| one).collect();
        Phases {
            before: Operations::of(&before),
            within: self.within.operations(),
            after: self.after.operations(),
            replaced: self.handlers.operations(),
        }
    }

    fn doubled(&self) -> &[Operation] {
        &self.doubled
    }

    fn before<'a>(
        &'a self,
        operation: Operation,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        id: Option<Value>,
        values: FieldValues,
    ) -> UserFuture<'a, EditedInput> {
        Box::pin(async move {
            let id = id.and_then(R::Key::load).map(Id::new);
            match operation {
                Operation::Create => edit(&self.before_create, context, resource, id, values).await,
                Operation::Replace => {
                    edit(&self.before_replace, context, resource, id, values).await
                }
                Operation::Update => edit(&self.before_update, context, resource, id, values).await,
                _ => {
                    for hook in &self.before_delete {
                        hook(context.clone(), id.clone(), ()).await?;
                    }
                    Ok(EditedInput { before: vec![], after: vec![] })
                }
            }
        })
    }

    fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        resource: &model::ResourceModel,
        facts: &Arc<CallFacts>,
        changed: &ChangedMember,
    ) -> Option<Result<(), Error>> {
        let hook = self.within.of(changed.operation).get(nth)?;
        Some(Change::of(resource, facts, changed).and_then(|change| hook(tx, &change)))
    }

    fn after<'a>(
        &'a self,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        changed: &'a ChangedMember,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            for hook in self.after.of(changed.operation) {
                let result = match Change::of(resource, context.facts(), changed) {
                    Ok(change) => {
                        catch_unwind(pin!(async { hook(context.clone(), change).await })).await
                    }
                    Err(error) => Err(error),
                };
                if let Err(error) = result {
                    let cause = error.source().map(ToString::to_string);
                    tracing::error!(target: "nouns", resource = R::NAME, cause, "a hook after a write failed: {error}");
                }
            }
        })
    }

    fn replaced(&self) -> &dyn ResourceHandlers {
        &self.handlers
    }
}

/// Passes an input through all hooks of a list, in order. Returns the field values before the first
/// hook and after the last hook.
async fn edit<R: Resource, T: SlotRecord>(
    hooks: &[BeforeHook<R, T>],
    context: &Context,
    resource: &model::ResourceModel,
    id: Option<Id<R>>,
    values: FieldValues,
) -> Result<EditedInput, Error> {
    let given = slots(resource, written(resource, read::<T>(resource, values.clone())?));
    let mut input = read::<T>(resource, values)?;
    for hook in hooks {
        input = hook(context.clone(), id.clone(), input).await?;
    }
    Ok(EditedInput { before: given, after: slots(resource, written(resource, input)) })
}

/// Reads a Rust value of the type `T` from the values of fields.
pub(super) fn read<T: SlotRecord>(
    resource: &model::ResourceModel,
    values: FieldValues,
) -> Result<T, Error> {
    let mut slots = Slots::new(resource);
    for ((ix, _), value) in resource.indexed().zip(values) {
        if let Some(value) = value {
            slots.set(ix, value);
        }
    }
    T::read(&mut slots).map_err(Error::internal)
}

/// The slots (values by field) that a Rust value sets.
fn written<T: SlotRecord>(resource: &model::ResourceModel, value: T) -> Slots<'_> {
    let mut slots = Slots::new(resource);
    value.write(&mut slots);
    slots
}

fn slots(resource: &model::ResourceModel, mut slots: Slots<'_>) -> FieldValues {
    resource.indexed().map(|(ix, _)| slots.remove(ix)).collect()
}
