//! Where code of the author's own comes in: the points at which it is called, by whoever knows no
//! Rust type of it.
//!
//! A model says which operations have any ([`Phases`](crate::model::Phases)), and carries the code.

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

/// A future of the author's.
pub(crate) type UserFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The code that a model carries.
pub(crate) struct Behaviour {
    /// For each resource its hooks.
    hooks: Vec<Option<Arc<dyn ResourceHooks>>>,
    /// The handlers of routes, in the places that the routes know.
    handlers: Vec<Arc<dyn Handles>>,
}

impl Behaviour {
    /// That of so many resources, of which these have hooks, and of routes.
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

    /// The hooks of a resource.
    pub(crate) fn hooks(model: &Model, resource: ResourceIx) -> Option<&Arc<dyn ResourceHooks>> {
        model[resource].hooks?;
        Self::of(model)?.hooks.get(usize::from(resource.0))?.as_ref()
    }

    /// The handler of a route.
    pub(crate) fn handler<'m>(model: &'m Model, route: &CustomRoute) -> Option<&'m dyn Handles> {
        Self::of(model)?.handlers.get(route.handler).map(|handler| &**handler)
    }
}

/// A handler of a route of the author's own.
pub(crate) trait Handles: Send + Sync {
    /// Answers a request.
    fn handle<'a>(&'a self, request: CustomRequest<'a>) -> UserFuture<'a, Answer>;
}

/// A request for a route of the author's own.
pub(crate) struct CustomRequest<'a> {
    pub(crate) store: &'a Store,
    pub(crate) caller: &'a Caller,
    pub(crate) head: &'a Parts,
    pub(crate) route: &'a CustomRoute,
    pub(crate) call: &'a Call,
}

/// What is said of each field.
pub(crate) type FieldValues = Vec<Option<Value>>;

/// What a hook has made of an input.
pub(crate) struct EditedInput {
    /// What the input says as a Rust value, before the hook.
    pub(crate) before: FieldValues,
    /// The same after it.
    pub(crate) after: FieldValues,
}

/// Hooks of a resource of some Rust type.
pub(crate) trait ResourceHooks: Any + Send + Sync {
    fn phases(&self) -> Phases;

    /// Operations that were replaced twice.
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

    /// Runs one of the hooks within a write; nothing where there are not so many.
    fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        resource: &model::ResourceModel,
        facts: &Arc<CallFacts>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>>;

    /// Runs the hooks after a write; what goes wrong goes to the log.
    fn after<'a>(
        &'a self,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        change: &'a ChangedMember,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// The handlers in place of operations.
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

/// What the hooks of a resource add to one write.
pub(crate) struct WriteHooks {
    pub(crate) hooks: Arc<dyn ResourceHooks>,
    pub(crate) resource: ResourceIx,
    pub(crate) context: Context,
    /// Whether a member that is there already is replaced, and not merely changed.
    pub(crate) complete: bool,
    /// The right to tell the hooks after the commit, where there are any.
    pub(crate) permit: Option<Permit>,
}

impl WriteHooks {
    /// What has happened to a member that existed before or not.
    pub(crate) const fn operation_of(&self, existed: bool) -> Operation {
        match (existed, self.complete) {
            (false, _) => Operation::Create,
            (true, true) => Operation::Replace,
            (true, false) => Operation::Update,
        }
    }

    /// Tells one of the hooks within the transaction, which may refuse; nothing where there are not
    /// so many.
    pub(crate) fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>> {
        let model = self.context.store().model();
        self.hooks.within(nth, tx, &model[self.resource], self.context.facts(), change)
    }

    /// Lets the hooks after the commit run.
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

/// What a handler is asked.
pub(crate) enum Input {
    /// For a page.
    Query(action::CollectionQuery),
    /// For a member, or to write one.
    Member(Option<Value>, FieldValues),
}

/// What a handler says.
pub(crate) enum Output {
    /// These members.
    Page(Vec<MemberValues>, bool, Option<u64>),
    /// This member.
    Member(MemberValues),
    /// It is gone.
    Gone,
}

/// Handlers of a resource of some Rust type.
pub(crate) trait ResourceHandlers: Send + Sync {
    fn handle<'a>(
        &'a self,
        operation: Operation,
        context: Context,
        resource: &'a model::ResourceModel,
        input: Input,
    ) -> UserFuture<'a, Output>;
}

/// Each member is shown to the hooks, so their number is bounded as that of an array is.
pub(crate) fn too_many() -> Error {
    let most = limits::ARRAY_MEMBERS_MAX;
    let detail = text!(
        "At most {most} members are deleted at once here; use a filter that matches fewer.",
        most
    );
    Error::new(Kind::INVALID_PARAMETER, detail)
}
