//! A request whose operation a handler replaces: what is tested before, and what is made of what it says.

use http::request::Parts;

use super::{
    Attached, Row, Said,
    replaced::{Input, Output},
};
use crate::{
    action::{Action, ActionKind, Assignments},
    def::Operation,
    error::{Error, Fault, Kind},
    model::{FieldIx, Resource},
    perform::Asked,
    plan::{Guard, Outcome, Plan, Refusal, View},
    reply::Reply,
    route::Chain,
    sink::{Sink, ValueSink},
    store::{Ran, Store},
    validator::Verdict,
    value::Value,
};

/// A request whose operation a handler replaces.
pub(crate) struct Answered<'call> {
    store: &'call Store,
    action: &'call Action,
    head: &'call Parts,
    hooks: &'call dyn Attached,
    operation: Operation,
    chain: &'call Chain,
}

/// Stands for the validator of a collection, which a handler's page has not: no tag of a client is it.
const NO_TAG: u64 = 0;

impl<'call> Answered<'call> {
    /// Nothing where the operation is as it was generated.
    pub(crate) fn of(store: &'call Store, action: &'call Action, head: &'call Parts) -> Option<Self> {
        let (operation, chain) = operation(&action.kind)?;
        let hooks = &**store.model()[chain.resource].hooks.as_ref()?;
        let replaced = hooks.phases().replaced.contains(operation);
        replaced.then_some(Self { store, action, head, hooks, operation, chain })
    }

    /// Asks the handler.
    pub(crate) async fn run(self) -> Result<Ran, Error> {
        let stored = self.stored().await?;
        if let Some(refusal) = self.refused(stored.as_ref()) {
            return Ok(ran(Outcome::Refused(refusal), Sink::Nothing));
        }
        let resource = self.resource();
        let input = self.input(stored.as_ref())?;
        let context = Asked::Request(self.head).context(self.store, self.action, self.chain);
        let handlers = self.hooks.replaced();
        let output = handlers.handle(self.operation, context, resource, input).await?;
        let is_new =
            self.operation == Operation::Create || self.operation == Operation::Replace && stored.is_none();
        Ok(self.made(output, is_new))
    }

    fn resource(&self) -> &'call Resource {
        &self.store.model()[self.chain.resource]
    }

    fn guard(&self) -> Guard {
        let preconditions = &self.action.preconditions;
        Guard {
            if_match: preconditions.if_match.clone(),
            if_none_match: preconditions.if_none_match.clone(),
            ..Guard::default()
        }
    }

    /// The member that is to be written, where a precondition asks for it or the input has to be completed by it.
    async fn stored(&self) -> Result<Option<Row>, Error> {
        let needed = match &self.action.kind {
            ActionKind::Write { complete: true, .. } => true,
            ActionKind::Write { change, .. } => !change.echoes.is_empty() || !self.guard().is_open(),
            ActionKind::Delete { .. } => !self.guard().is_open(),
            _ => false,
        };
        let (ActionKind::Write { id, .. } | ActionKind::Delete { id, .. }, true) =
            (&self.action.kind, needed)
        else {
            return Ok(None);
        };
        let kind = ActionKind::Get { chain: self.chain.clone(), id: id.clone() };
        let get = Action { caller: self.action.caller, preconditions: Default::default(), kind };
        let plan = Plan::of(self.store.model(), &get, View::Whole);
        let found = self.store.read(&plan, Sink::Values(ValueSink::new(self.chain.resource))).await?;
        let Sink::Values(sink) = found.sink else { return Ok(None) };
        Ok(sink.into_rows().pop())
    }

    /// What the preconditions and the repeated members say of a write. It is tested before the handler is asked, not
    /// in the transaction of what it may write.
    fn refused(&self, stored: Option<&Row>) -> Option<Refusal> {
        let missing = Refusal::Missing { link: self.chain.place().depth };
        let guard = self.guard();
        match &self.action.kind {
            ActionKind::Create { .. } => {
                (guard.test(Some(NO_TAG)) != Verdict::Met).then_some(Refusal::Precondition)
            }
            ActionKind::Write { create: Err(_), complete: true, .. } if stored.is_none() => Some(missing),
            ActionKind::Write { change, .. } => {
                if guard.test(stored.map(|row| row.0)) != Verdict::Met {
                    return Some(Refusal::Precondition);
                }
                let wrong = echoes(self.resource(), change, stored?);
                (!wrong.is_empty()).then_some(Refusal::Echoes(wrong))
            }
            ActionKind::Delete { .. } => {
                (guard.test(stored.map(|row| row.0)) != Verdict::Met).then_some(Refusal::Precondition)
            }
            _ => None,
        }
    }

    fn input(&self, stored: Option<&Row>) -> Result<Input, Error> {
        Ok(match &self.action.kind {
            ActionKind::List { query, .. } => Input::Query(query.clone()),
            ActionKind::Create { many: true, .. } => return Err(no_array()),
            ActionKind::Create { members, .. } => {
                Input::Member(None, self.said(members.first().ok_or_else(no_array)?, None))
            }
            ActionKind::Write { id, create: Ok(member), .. } if stored.is_none() => {
                Input::Member(Some(id.clone()), self.said(member, None))
            }
            ActionKind::Write { id, change, complete, .. } => {
                Input::Member(Some(id.clone()), self.said(change, stored.filter(|_| *complete)))
            }
            ActionKind::Get { id, .. } | ActionKind::Delete { id, .. } => {
                Input::Member(Some(id.clone()), vec![])
            }
            _ => return Err(Error::internal("this operation has no handler")),
        })
    }

    /// What is assigned, over what is stored.
    fn said(&self, assigned: &Assignments, stored: Option<&Row>) -> Said {
        let fields = self.resource().fields.len();
        let mut said =
            stored.map_or_else(|| vec![None; fields], |(_, row)| row.iter().cloned().map(Some).collect());
        for (ix, value) in &assigned.columns {
            said[usize::from(ix.0)] = Some(value.clone());
        }
        said
    }

    /// What the store would have said.
    fn made(&self, output: Output, is_new: bool) -> Ran {
        let model = self.store.model();
        let mut sink = Reply::sink(&self.action.kind);
        match output {
            Output::Gone => ran(Outcome::Deleted(1), sink),
            Output::Page(rows, has_more, total) => {
                rows.iter().for_each(|row| sink.member(model, self.chain.resource, row));
                match self.guard().test(Some(NO_TAG)) {
                    Verdict::Changed => ran(Outcome::Refused(Refusal::Precondition), sink),
                    _ => ran(Outcome::Listed { has_more, total }, sink),
                }
            }
            Output::Member(row) => {
                let tag = row.0;
                if self.operation == Operation::Get {
                    match self.guard().test(Some(tag)) {
                        Verdict::Met => {}
                        Verdict::Changed => return ran(Outcome::Refused(Refusal::Precondition), sink),
                        Verdict::Unchanged => return ran(Outcome::Unchanged { tag }, sink),
                    }
                }
                sink.member(model, self.chain.resource, &row);
                let id: Value = row.1[usize::from(FieldIx::ID.0)].clone();
                ran(Outcome::Members { written: vec![(id, tag)], created: is_new }, sink)
            }
        }
    }
}

const fn ran(outcome: Outcome, sink: Sink) -> Ran {
    Ran { outcome, sink, statements: 0 }
}

fn no_array() -> Error {
    let fault =
        Fault::body("", "unsupported", "An array cannot be created here; post its members one by one.");
    Error::faults(Kind::INVALID_CONTENT, vec![fault])
}

/// Read-only members of a body that are not what is stored.
fn echoes(resource: &Resource, change: &Assignments, (_, row): &Row) -> Vec<FieldIx> {
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
