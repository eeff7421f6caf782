//! Explains what the server would do for a request. The request has the stages of any other, up to
//! the plan. Then its statements are described in place of being run, and a plan that succeeds is
//! assumed.

use std::pin::pin;

use http::{Request, request::Parts};

use crate::{
    base::error::Error,
    http::{
        arriving::Arriving,
        body::{Body, Stream},
        request_head::check_fields,
    },
    model::{Layout, Model, View, value::Value},
    plan::{Caller, Ends, Outcome, Plan, validator::CurrentState},
    reply::{Reply, add_headers},
    request::{
        access,
        action::{Action, ActionKind, unacceptable},
        identify::Claim,
        route::Target,
    },
    store::{
        ExplainedStatement, PlanResult, explained,
        sink::{JsonSink, Sink},
        sql::Dialect,
    },
};

/// A number in the place of a revision, which only the database knows.
const SOME_REVISION: u64 = 1;

/// The explanation of a request: what the server would do for it.
#[derive(Debug)]
pub struct Explanation {
    /// The operation, parsed and checked. It has the caller.
    pub action: Action,
    /// The statements in their order, if nothing is refused.
    pub statements: Vec<ExplainedStatement>,
    /// The names of the resources whose revisions the validator of the response is made from.
    pub reads: Vec<&'static str>,
    /// The names of the resources whose rows may change.
    pub writes: Vec<&'static str>,
    /// The response if the operation succeeds, as far as it does not depend on stored members.
    /// `None` if user code or a grant decides it.
    pub reply: Option<Reply>,
}

impl Explanation {
    /// Explains a request to a server whose database has this dialect. Its caller is in its
    /// extensions; without one, it is anonymous. Nothing is read or written.
    ///
    /// # Errors
    /// The response to a request that is refused before the database is asked.
    pub async fn of(
        model: &Model,
        dialect: Dialect,
        request: Request<Body>,
    ) -> Result<Self, Box<Reply>> {
        let (head, body) = request.into_parts();
        let explained = Self::answer(model, dialect, &head, body).await;
        explained.map_err(|error| {
            let mut reply = Reply::problem(model, &error, &head);
            add_headers(model, &head, &mut reply);
            Box::new(reply)
        })
    }

    /// Runs the stages of a request in order, as the service does.
    async fn answer(
        model: &Model,
        dialect: Dialect,
        head: &Parts,
        body: Body,
    ) -> Result<Self, Error> {
        let body = pin!(body);
        let mut body = Arriving::new(body);
        check_fields(&head.headers, model.limits())?;
        let target = Target::find(model, &head.uri)?;
        let caller = match Claim::of(model, head)? {
            Claim::Confirmed(caller) => caller,
            _ => Caller::Anonymous,
        };
        let admitted = access::admit(model, target, &caller, &head.method)?;
        let action = Action::parse(model, admitted, head, &mut body).await?;
        if action.preferences.accepts_none {
            return Err(unacceptable(head));
        }
        let plan = Plan::of(model, &first(&action), View::Shown);
        let outcome = outcome(&action);
        let reply = match outcome {
            Some(outcome) => {
                let result = PlanResult::new(outcome, sink(model, &action));
                let mut reply = Reply::render(model, &action, result)?;
                add_headers(model, head, &mut reply);
                Some(reply)
            }
            None => None,
        };
        let name = |ix| model[ix].def.name;
        let mut reads: Vec<_> = plan.reads.iter().flat_map(|reads| reads.tables(model)).collect();
        reads.sort_unstable();
        reads.dedup();
        Ok(Self {
            statements: explained(model, &plan, dialect),
            reads: reads.into_iter().map(name).collect(),
            writes: plan.writes.iter().copied().map(name).collect(),
            action,
            reply,
        })
    }
}

/// The action that the store runs first. A JSON Patch begins with a read of its member.
fn first(action: &Action) -> Action {
    let ActionKind::Amend { chain, id, .. } = &action.kind else { return action.clone() };
    let kind = ActionKind::Get { chain: chain.clone(), id: id.clone() };
    Action { kind, ..action.clone() }
}

/// A number in the place of the content, whose members only the database knows.
const SOME_CONTENT: &str = "0";

/// The sink of an action that returns a member, or several that were written. It is not empty, as
/// empty content has fewer header fields.
fn sink(model: &Model, action: &Action) -> Sink {
    let sink = Reply::sink(model, action);
    let (ActionKind::Get { chain, .. }
    | ActionKind::Create { chain, .. }
    | ActionKind::Write { chain, .. }
    | ActionKind::Amend { chain, .. }) = &action.kind
    else {
        return sink;
    };
    match sink {
        Sink::Nothing => sink,
        _ => Sink::Json(JsonSink::new(Layout::of(model, chain.resource, None), SOME_CONTENT)),
    }
}

/// The outcome of an action that succeeds, without members. `None` if only its run tells.
fn outcome(action: &Action) -> Option<Outcome> {
    let current = CurrentState { tag: SOME_REVISION, passed: 0, modified: None, is_ordered: true };
    Some(match &action.kind {
        ActionKind::List { query, .. } => {
            let total = query.count.then_some(0);
            let (tag, modified) = (current.tag, current.modified);
            match action.exports() {
                true => Outcome::Exported { total, current, content: Stream::ENDED },
                false => {
                    let ends = Ends::default();
                    Outcome::Page { ends, has_more: false, total, tag, modified }
                }
            }
        }
        ActionKind::Create { members, .. } => {
            members_of(vec![(Value::Null, current.tag); members.len()], true)
        }
        ActionKind::Get { id, .. }
        | ActionKind::Write { id, .. }
        | ActionKind::Amend { id, .. } => members_of(vec![(id.clone(), current.tag)], false),
        ActionKind::Delete { .. } | ActionKind::DeleteMany { .. } => Outcome::Deleted(1),
        ActionKind::Custom(_) | ActionKind::Metrics => return None,
        _ => Outcome::Static,
    })
}

fn members_of(written: Vec<(Value, u64)>, created: bool) -> Outcome {
    Outcome::written(written, created, None, None)
}
