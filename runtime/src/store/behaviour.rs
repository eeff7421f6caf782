//! The points at which user code is called, by code that does not know its Rust types.
//!
//! A model declares which operations have user code ([`Phases`](crate::model::Phases)), and
//! contains the code.

use std::{any::Any, pin::Pin, sync::Arc};

use http::request::Parts;

use super::{
    Permit, Store, Tx,
    context::{CallFacts, Context},
};
use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
    },
    http::answer::Answer,
    model::{self, CustomRoute, Model, Phases, ResourceIx, def::Operation, value::Value},
    plan::Caller,
    request::action::{self, Call},
};

/// A future of user code.
pub(crate) type UserFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The user code of a model.
pub(crate) struct Behaviour {
    /// The hooks of each resource.
    hooks: Vec<Option<Arc<dyn ResourceHooks>>>,
    /// The handlers of custom routes, at the indexes that the routes store.
    handlers: Vec<Arc<dyn Handles>>,
}

impl Behaviour {
    /// Collects the hooks and handlers of a model with this many resources.
    pub(crate) fn new(
        resources: usize,
        hooks: Vec<(ResourceIx, Arc<dyn ResourceHooks>)>,
        handlers: Vec<Arc<dyn Handles>>,
    ) -> Self {
        let mut all = Self { hooks: vec![], handlers };
        all.hooks.resize_with(resources, || None);
        for (ix, hooks) in hooks {
            all.hooks[usize::from(ix.0)] = Some(hooks);
        }
        all
    }

    fn of(model: &Model) -> Option<&Self> {
        model.behaviours.downcast_ref()
    }

    /// Returns the hooks of a resource.
    pub(crate) fn hooks(model: &Model, resource: ResourceIx) -> Option<&Arc<dyn ResourceHooks>> {
        model[resource].hooks?;
        Self::of(model)?.hooks.get(usize::from(resource.0))?.as_ref()
    }

    /// Returns the handler of a route.
    pub(crate) fn handler<'m>(model: &'m Model, route: &CustomRoute) -> Option<&'m dyn Handles> {
        Self::of(model)?.handlers.get(route.handler).map(|handler| &**handler)
    }
}

/// A handler of a custom route.
pub(crate) trait Handles: Send + Sync {
    /// Answers a request.
    fn handle<'a>(&'a self, request: CustomRequest<'a>) -> UserFuture<'a, Answer>;
}

/// A request for a custom route.
pub(crate) struct CustomRequest<'a> {
    pub(crate) store: &'a Store,
    pub(crate) caller: &'a Caller,
    pub(crate) head: &'a Parts,
    pub(crate) route: &'a CustomRoute,
    pub(crate) call: &'a Call,
}

/// The value of each field, where one is given.
pub(crate) type FieldValues = Vec<Option<Value>>;

/// The input of a hook, before and after it.
pub(crate) struct EditedInput {
    /// The input as a Rust value, before the hook.
    pub(crate) before: FieldValues,
    /// The input after the hook.
    pub(crate) after: FieldValues,
}

/// The hooks of a resource of some Rust type.
pub(crate) trait ResourceHooks: Any + Send + Sync {
    fn phases(&self) -> Phases;

    /// Returns the operations that were replaced twice.
    fn doubled(&self) -> &[Operation];

    /// Runs the hooks before a write.
    fn before<'a>(
        &'a self,
        operation: Operation,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        id: Option<Value>,
        values: FieldValues,
    ) -> UserFuture<'a, EditedInput>;

    /// Runs the hook with this index within a write; `None` if there is no such hook.
    fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        resource: &model::ResourceModel,
        facts: &Arc<CallFacts>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>>;

    /// Runs the hooks after a write; errors are logged.
    fn after<'a>(
        &'a self,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        change: &'a ChangedMember,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// Returns the handlers that replace operations.
    fn replaced(&self) -> &dyn ResourceHandlers;
}

/// A whole member: its revision, and a value for each field.
pub(crate) type MemberValues = (u64, Vec<Value>);

/// A change of one member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangedMember {
    pub(crate) operation: Operation,
    pub(crate) before: Option<MemberValues>,
    pub(crate) after: Option<MemberValues>,
}

/// The additions of a resource's hooks to one write.
pub(crate) struct WriteHooks {
    pub(crate) hooks: Arc<dyn ResourceHooks>,
    pub(crate) resource: ResourceIx,
    pub(crate) context: Context,
    /// Whether an existing member is replaced, and not merely changed.
    pub(crate) complete: bool,
    /// The right to run the hooks after the commit, where there are any.
    pub(crate) permit: Option<Permit>,
}

impl WriteHooks {
    /// Returns which operation a write was, given whether the member existed before.
    pub(crate) const fn operation_of(&self, existed: bool) -> Operation {
        match (existed, self.complete) {
            (false, _) => Operation::Create,
            (true, true) => Operation::Replace,
            (true, false) => Operation::Update,
        }
    }

    /// Runs the hook with this index within the transaction, which may refuse; `None` if there is
    /// no such hook.
    pub(crate) fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>> {
        let model = self.context.store().model();
        self.hooks.within(nth, tx, &model[self.resource], self.context.facts(), change)
    }

    /// Runs the hooks after the commit.
    pub(crate) fn committed(self, changes: Vec<ChangedMember>) {
        let Some(permit) = self.permit else { return };
        let Self { hooks, resource, context, .. } = self;
        permit.run(Box::pin(async move {
            let model = Arc::clone(context.store().model());
            for change in &changes {
                hooks.after(&context, &model[resource], change).await;
            }
        }));
    }
}

/// The input of a handler.
pub(crate) enum Input {
    /// The query of a page.
    Query(action::CollectionQuery),
    /// The id and the values of a member.
    Member(Option<Value>, FieldValues),
}

/// The output of a handler.
pub(crate) enum Output {
    /// The members of a page, whether more follow, and their total number.
    Page(Vec<MemberValues>, bool, Option<u64>),
    /// A member.
    Member(MemberValues),
    /// The member was deleted.
    Gone,
}

/// The handlers of a resource of some Rust type.
pub(crate) trait ResourceHandlers: Send + Sync {
    fn handle<'a>(
        &'a self,
        operation: Operation,
        context: Context,
        resource: &'a model::ResourceModel,
        input: Input,
    ) -> UserFuture<'a, Output>;
}

/// Refuses a deletion of too many members. Hooks see each one, so their number is limited like that
/// of an array.
pub(crate) fn too_many() -> Error {
    let most = limits::ARRAY_MEMBERS_MAX;
    let detail = text!(
        "At most {most} members are deleted at once here; use a filter that matches fewer.",
        most
    );
    Error::new(Kind::INVALID_PARAMETER, detail)
}
