//! Runs an action (a parsed request or a typed call): either a handler of user code, or the hooks
//! and the plan. A plan lists the reads and writes for the store.

mod amend;
mod before;
mod grants;
mod handler_call;
mod merge;
mod own_credentials;
mod page;
mod passwords;
mod unacceptable;

use std::{sync::Arc, time::Duration};

use self::{before::BeforeHooks, handler_call::HandlerCall};
pub(crate) use self::{
    grants::renew_session,
    own_credentials::require as require_confirmation,
    passwords::{has_any as has_passwords, unify_logins},
};

use http::request::Parts;
use tracing::Instrument as _;

use crate::{
    base::{error::Error, limits},
    http::range::Portion,
    model::{
        Chain, Phases, ResourceIx, RouteCode, View,
        def::{Operation, Operations},
    },
    plan::{Outcome, Plan},
    reply::Reply,
    request::action::{Action, ActionKind, Call, ResponsePreferences},
    store::{
        ExportRendering, PlanResult, Store,
        behaviour::{Behaviour, CustomRequest, ResourceHooks, WriteHooks},
        context::{CalledRoute, Context},
        sink::Sink,
    },
};

/// The source of a call: an HTTP request or a program.
#[derive(Clone, Copy)]
pub(crate) enum CallSource<'request> {
    /// An HTTP request with this head.
    Request(&'request Parts),
    /// A typed call from Rust code.
    Program,
}

/// Performs a request. A handler of user code runs if there is one, otherwise the generated
/// operation.
///
/// User code runs in a boxed future, so that the futures of all other requests stay small.
pub(crate) async fn answer(
    store: &Store,
    action: &mut Action,
    head: &Parts,
) -> Result<PlanResult, Error> {
    if let ActionKind::Custom(call) = &action.kind {
        return Box::pin(custom(store, action, head, call)).await;
    }
    if action.preferences.accepts_none {
        return Err(Box::pin(unacceptable::error(store, action, head)).await);
    }
    if let ActionKind::Amend { .. } = &action.kind {
        return Box::pin(amend::answer(store, action, head)).await;
    }
    if merge::is_large(store.model(), &action.kind) {
        return Box::pin(merge::answer(store, action, head)).await;
    }
    generated(store, action, head).await
}

/// Calls the handler of a custom route (a route that user code has added), or that of a route of
/// sessions or tokens.
async fn custom(
    store: &Store,
    action: &Action,
    head: &Parts,
    call: &Call,
) -> Result<PlanResult, Error> {
    let (model, caller) = (store.model(), &action.caller);
    let none = || Error::internal("no handler is registered for the route and method");
    let route = model.custom.find(call.shape, &head.method).ok_or_else(none)?;
    let answer = match route.handler {
        RouteCode::Custom(index) => {
            let handler = Behaviour::handler(model, index).ok_or_else(none)?;
            handler.handle(CustomRequest { store, caller, head, route, call }).await?
        }
        RouteCode::Grant(operation) => grants::answer(store, action, head, call, operation).await?,
    };
    Ok(PlanResult::new(Outcome::Answered(Box::new(answer)), Sink::Nothing))
}

/// Performs a request on a resource: by a handler of user code, or by the generated operation.
async fn generated(store: &Store, action: &mut Action, head: &Parts) -> Result<PlanResult, Error> {
    if action.own_change(store.model()).is_some() {
        Box::pin(own_credentials::confirm(store, action, head)).await?;
    }
    if let Some(replaced) = HandlerCall::of(store, action, head) {
        return Box::pin(replaced.run()).await;
    }
    let sink = Reply::sink(store.model(), action);
    perform(store, action, CallSource::Request(head), sink).await
}

/// Runs an action with the hooks of its resource. The hooks that run before the write may change
/// the input. Their changes are stored in `action`.
pub(crate) async fn perform(
    store: &Store,
    action: &mut Action,
    asked: CallSource<'_>,
    sink: Sink,
) -> Result<PlanResult, Error> {
    let model = store.model();
    if let ActionKind::Create { once: Some(once), .. } = &action.kind
        && let Some(outcome) = store.repeated(once).await?
    {
        return Ok(PlanResult::new(outcome, sink));
    }
    let hooked = write_hooks(store, action, asked).await?;
    unify_logins(model, &mut action.kind);
    // Hooks may have set the password or the login.
    own_credentials::require(model, action)?;
    let view =
        if hooked.is_some() || matches!(sink, Sink::Values(_)) { View::Whole } else { View::Shown };
    if passwords::has_any(&action.kind) {
        if let Some(refusal) = Box::pin(passwords::taken(store, action)).await? {
            return Ok(PlanResult::new(Outcome::Refused(refusal), sink));
        }
        Box::pin(passwords::hash(store, action, asked)).await?;
    }
    let mut plan = Plan::of(model, action, view);
    if matches!(action.kind, ActionKind::Ready) {
        store.ready().await?;
    }
    if matches!(sink, Sink::Cells(_)) && plan.writes.is_empty() {
        Box::pin(page::read(store, action, plan, sink)).await
    } else if plan.steps.is_empty() {
        Ok(PlanResult::new(Outcome::Static, sink))
    } else if action.exports() && !matches!(sink, Sink::Values(_)) {
        Box::pin(store.export(plan, sink, asked.rendering(action))).await
    } else if plan.writes.is_empty() {
        store.read(&plan, sink).await
    } else {
        plan.account = Plan::account_step(model, action);
        store.write_hooked(plan, sink, hooked, asked.patience()).await
    }
}

/// Runs the hooks that run before a write. Returns the hooks that run within the write and after
/// it, or `None` if there are no such hooks.
async fn write_hooks(
    store: &Store,
    action: &mut Action,
    asked: CallSource<'_>,
) -> Result<Option<WriteHooks>, Error> {
    let Some(hooked) = HookedAction::of(store, action, asked) else { return Ok(None) };
    let HookedAction { hooks, phases, operations, resource, .. } = &hooked;
    if phases.before.meet(*operations) {
        let (context, client) = (&hooked.context, action.client);
        let before = BeforeHooks { store, context, hooks: &***hooks, resource: *resource, client };
        Box::pin(before.run(action).instrument(context.span())).await?;
    }
    hooked.around(store, action)
}

/// Returns the hooks that run within a write of a transaction and after it. The hooks that run
/// before a write are async, so a transaction does not run them.
pub(crate) fn transaction_hooks(
    store: &Store,
    action: &Action,
) -> Result<Option<WriteHooks>, Error> {
    let hooked = HookedAction::of(store, action, CallSource::Program);
    hooked.map_or(Ok(None), |hooked| hooked.around(store, action))
}

/// An action that writes members of a resource with hooks.
struct HookedAction<'m> {
    hooks: &'m Arc<dyn ResourceHooks>,
    phases: Phases,
    operations: Operations,
    resource: ResourceIx,
    context: Context,
}

impl<'m> HookedAction<'m> {
    /// Returns `None` if the action does not write, or if its resource has no hooks.
    fn of(store: &'m Store, action: &Action, asked: CallSource<'_>) -> Option<Self> {
        let (chain, operations) = writes(&action.kind)?;
        let (resource, model) = (chain.resource, store.model());
        let (hooks, phases) = Behaviour::hooks(model, resource).zip(model[resource].hooks)?;
        let context = asked.context(store, action, chain);
        Some(Self { hooks, phases, operations, resource, context })
    }

    /// Returns the hooks that run within the write and after it, or `None` if there are none.
    fn around(self, store: &Store, action: &Action) -> Result<Option<WriteHooks>, Error> {
        let Self { hooks, phases, operations, resource, context } = self;
        let permit = if phases.after.meet(operations) { Some(store.permit()?) } else { None };
        if permit.is_none() && !phases.within.meet(operations) {
            return Ok(None);
        }
        let complete = matches!(action.kind, ActionKind::Write { complete: true, .. });
        let is_array = matches!(action.kind, ActionKind::Create { many: true, .. });
        let hooks = Arc::clone(hooks);
        Ok(Some(WriteHooks { hooks, resource, context, complete, is_array, permit }))
    }
}

/// For an action that writes, returns its chain (the resource, and the ids of the ancestors) and
/// the possible operations, such as a creation or a replacement for PUT. Returns `None` for an
/// action that does not write.
fn writes(kind: &ActionKind) -> Option<(&Chain, Operations)> {
    match kind {
        ActionKind::Create { chain, .. } => Some((chain, Operations::of(&[Operation::Create]))),
        ActionKind::Write { chain, complete: false, .. } => {
            Some((chain, Operations::of(&[Operation::Update])))
        }
        ActionKind::Write { chain, create: Ok(_), .. } => {
            Some((chain, Operations::of(&[Operation::Replace, Operation::Create])))
        }
        ActionKind::Write { chain, .. } => Some((chain, Operations::of(&[Operation::Replace]))),
        ActionKind::Delete { chain, .. } | ActionKind::DeleteMany { chain, .. } => {
            Some((chain, Operations::of(&[Operation::Delete])))
        }
        _ => None,
    }
}

impl CallSource<'_> {
    /// Returns the way in which an export is rendered.
    fn rendering(self, action: &Action) -> ExportRendering {
        let ResponsePreferences { format, bare, .. } = action.preferences;
        let portion = match self {
            Self::Request(head) if !bare => Portion::of(head),
            _ => None,
        };
        ExportRendering { format, coding: action.coding(false), bare, portion }
    }

    /// Returns the longest time that the write of an HTTP request waits in the queue. Returns
    /// `None` for a call from Rust code, which may run without a Tokio runtime and so without a
    /// timer. When the writer reaches such a write, it checks how long the call has waited.
    const fn patience(self) -> Option<Duration> {
        match self {
            Self::Request(_) => Some(limits::WRITE_WAIT_MAX),
            Self::Program => None,
        }
    }

    /// The head of the request.
    const fn head(&self) -> Option<&Parts> {
        match self {
            Self::Request(head) => Some(head),
            Self::Program => None,
        }
    }

    /// Builds the context that the hooks of an action receive.
    pub(crate) fn context(self, store: &Store, action: &Action, chain: &Chain) -> Context {
        let model = store.model();
        let above = model.ancestors(chain.resource).map(|above| model[above].def.name);
        let ancestors = above.zip(chain.ids.iter().rev().cloned()).collect();
        let head = self.head();
        let def = model[chain.resource].def;
        let path = ["/", def.collection].concat();
        let route = CalledRoute { path: &path, resource: Some(def.name) };
        Context::new(store, action.caller.clone(), head, route, ancestors)
    }
}
