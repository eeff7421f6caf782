//! The traits through which the store calls user code without knowing the Rust types of the
//! resources.
//!
//! A model declares which operations have user code ([`Phases`](crate::model::Phases)). The model
//! also holds the user code itself.

use std::{any::Any, pin::Pin, sync::Arc};

use http::request::Parts;
use tracing::Instrument as _;

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

/// The future that a hook or a handler of user code returns.
pub(crate) type UserFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The hooks and handlers of a model.
pub(crate) struct Behaviour {
    /// The hooks of each resource, indexed by `ResourceIx`; `None` for a resource without hooks.
    hooks: Vec<Option<Arc<dyn ResourceHooks>>>,
    /// The handlers of the custom routes, indexed by `CustomRoute::handler`.
    handlers: Vec<Arc<dyn Handles>>,
}

impl Behaviour {
    /// Collects the hooks and handlers of a model that has `resources` resources.
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

    /// Returns the hooks of a resource, or `None` if it has no hooks.
    pub(crate) fn hooks(model: &Model, resource: ResourceIx) -> Option<&Arc<dyn ResourceHooks>> {
        model[resource].hooks?;
        Self::of(model)?.hooks.get(usize::from(resource.0))?.as_ref()
    }

    /// Returns the handler of user code with this index, or `None` if the model has none.
    pub(crate) fn handler(model: &Model, index: usize) -> Option<&dyn Handles> {
        Self::of(model)?.handlers.get(index).map(|handler| &**handler)
    }
}

/// The handler of a custom route.
pub(crate) trait Handles: Send + Sync {
    /// Handles a request and returns its response.
    fn handle<'a>(&'a self, request: CustomRequest<'a>) -> UserFuture<'a, Answer>;
}

/// A request to a custom route.
pub(crate) struct CustomRequest<'a> {
    pub(crate) store: &'a Store,
    pub(crate) caller: &'a Caller,
    pub(crate) head: &'a Parts,
    pub(crate) route: &'a CustomRoute,
    pub(crate) call: &'a Call,
}

/// The values of a resource's fields, indexed by field; `None` for a field without a value.
pub(crate) type FieldValues = Vec<Option<Value>>;

/// The input of a write before and after a hook has changed it.
pub(crate) struct EditedInput {
    /// The field values of the Rust value that the hook receives.
    pub(crate) before: FieldValues,
    /// The field values of the Rust value that the hook returns.
    pub(crate) after: FieldValues,
}

/// The hooks of a resource, behind a trait that hides its Rust type.
pub(crate) trait ResourceHooks: Any + Send + Sync {
    fn phases(&self) -> Phases;

    /// Returns the operations for which user code has registered two handlers.
    fn doubled(&self) -> &[Operation];

    /// Runs the hooks that run before a write. Returns the input before and after the hooks.
    fn before<'a>(
        &'a self,
        operation: Operation,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        id: Option<Value>,
        values: FieldValues,
    ) -> UserFuture<'a, EditedInput>;

    /// Runs one of the hooks that run inside the transaction of a write: the hook with index `nth`.
    /// Returns `None` if there is no such hook.
    fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        resource: &model::ResourceModel,
        facts: &Arc<CallFacts>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>>;

    /// Runs the hooks that run after a write. Their errors are logged.
    fn after<'a>(
        &'a self,
        context: &'a Context,
        resource: &'a model::ResourceModel,
        change: &'a ChangedMember,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// Returns the handlers that replace generated operations.
    fn replaced(&self) -> &dyn ResourceHandlers;
}

pub(crate) use crate::store::sink::MemberValues;

/// A change of one member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangedMember {
    pub(crate) operation: Operation,
    pub(crate) before: Option<MemberValues>,
    pub(crate) after: Option<MemberValues>,
}

/// The hooks of one write, and the data that they receive. Some hooks run inside the transaction,
/// and others after the commit.
pub(crate) struct WriteHooks {
    pub(crate) hooks: Arc<dyn ResourceHooks>,
    pub(crate) resource: ResourceIx,
    pub(crate) context: Context,
    /// Whether the write replaces an existing member (PUT). If false, the write changes some of its
    /// fields (PATCH).
    pub(crate) complete: bool,
    /// Whether the request has posted an array of members.
    pub(crate) is_array: bool,
    /// The right to run the hooks after the commit, or `None` if there are no such hooks.
    pub(crate) permit: Option<Permit>,
}

impl WriteHooks {
    /// Returns the operation that a write has performed. `existed` is whether the member existed
    /// before the write.
    pub(crate) const fn operation_of(&self, existed: bool) -> Operation {
        match (existed, self.complete) {
            (false, _) => Operation::Create,
            (true, true) => Operation::Replace,
            (true, false) => Operation::Update,
        }
    }

    /// Runs one of the hooks that run inside the transaction: the hook with index `nth`. The hook
    /// may refuse the write. Returns `None` if there is no such hook.
    pub(crate) fn within(
        &self,
        nth: usize,
        tx: &mut Tx<'_>,
        change: &ChangedMember,
    ) -> Option<Result<(), Error>> {
        let model = self.context.store().model();
        let resource = &model[self.resource];
        let within = || self.hooks.within(nth, tx, resource, self.context.facts(), change);
        self.context.span().in_scope(within)
    }

    /// Queues the hooks that run after the commit.
    pub(crate) fn committed(self, changes: Vec<ChangedMember>) {
        let Some(permit) = self.permit else { return };
        let Self { hooks, resource, context, .. } = self;
        let span = context.span();
        let after = async move {
            let model = Arc::clone(context.store().model());
            for change in &changes {
                hooks.after(&context, &model[resource], change).await;
            }
        };
        permit.run(Box::pin(after.instrument(span)));
    }
}

/// The input of a handler that replaces an operation.
pub(crate) enum Input {
    /// The query parameters of a collection page.
    Query(action::CollectionQuery),
    /// The id of a member, if the request has one, and the values of its fields.
    Member(Option<Value>, FieldValues),
}

/// The output of a handler that replaces an operation.
pub(crate) enum Output {
    /// The members of a page, whether more members follow, and the total number of members if it is
    /// known.
    Page(Vec<MemberValues>, bool, Option<u64>),
    /// The member that was read or written.
    Member(MemberValues),
    /// The member was deleted.
    Gone,
}

/// The handlers that replace operations of a resource, behind a trait that hides its Rust type.
pub(crate) trait ResourceHandlers: Send + Sync {
    fn handle<'a>(
        &'a self,
        operation: Operation,
        context: Context,
        resource: &'a model::ResourceModel,
        input: Input,
    ) -> UserFuture<'a, Output>;
}

/// Creates the error for a deletion of too many members at once. Hooks run for each deleted member,
/// so the limit is the same as for an array of new members.
pub(crate) fn too_many() -> Error {
    let most = limits::ARRAY_MEMBERS_MAX;
    let detail = text!(
        "At most {most} members can be deleted in one request; use a filter that matches fewer members.",
        most
    );
    Error::new(Kind::INVALID_PARAMETER, detail)
}
