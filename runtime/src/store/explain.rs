//! The statements of a plan as texts with their values, and the lines of their query plans.

use super::sql::{
    self, Dialect,
    parameters::{Origin, RunInputs, SqlStatement},
};
use crate::{
    model::{Model, rule::RuleValue, value::Value},
    plan::{Plan, Shape, Step},
};

/// A statement of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedStatement {
    /// The purpose of the statement, such as `page`.
    pub purpose: &'static str,
    /// The SQL text.
    pub text: String,
    /// The values that are bound to its parameters, in their order.
    pub values: Vec<BoundValue>,
}

/// A value that is bound to a parameter of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundValue {
    /// A value of the request, or one of the declaration.
    Known(Value),
    /// The value of this field of the caller's account.
    Account(String),
    /// The time at which the statement runs.
    Time,
    /// The number of the change.
    Revision,
    /// The id of the row that a list belongs to.
    ListOwner,
}

/// A line of a query plan of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlanLine {
    /// The number of lines above that this one is part of.
    pub depth: usize,
    /// The operation of the database, as the database describes it.
    pub detail: String,
}

/// The statements of a plan in their order, as the store runs them if nothing is refused. The
/// statements for transactions, and for the state of whole tables, are not among them.
pub(crate) fn statements(model: &Model, plan: &Plan, dialect: Dialect) -> Vec<ExplainedStatement> {
    let explained = |purpose, step: &Step| explained(model, dialect, purpose, step);
    let before = plan.steps.first().and_then(|first| look(plan, first));
    let before = before.map(|step| explained("current member", &step));
    let steps = plan.steps.iter().flat_map(|step| {
        let lists = lists(model, step).filter(|_| dialect == Dialect::Sqlite);
        std::iter::once(explained(purpose(&step.shape), step))
            .chain(lists.map(|list| explained(purpose(&list.shape), &list)))
    });
    let otherwise = plan.otherwise.as_deref();
    let otherwise = otherwise.map(|step| explained("insert, if there is no member", step));
    before.into_iter().chain(steps).chain(otherwise).collect()
}

/// The statements of the lists that come with the rows of a step, if they are statements of their
/// own.
fn lists(model: &Model, step: &Step) -> impl Iterator<Item = Step> {
    let (place, values) = (step.shape.place(), RunInputs::from(step).list_values(&step.shape));
    step.shape.lists(model).into_iter().map(move |placed| {
        let values = placed.values(values).unwrap_or_default().to_vec();
        Step { shape: placed.shape(place), values }
    })
}

/// The step that reads the member which a write with preconditions, or with read-only fields in its
/// body, is about to change.
fn look(plan: &Plan, first: &Step) -> Option<Step> {
    if plan.guard.is_open() || !matches!(first.shape, Shape::Update { .. } | Shape::Delete { .. }) {
        return None;
    }
    let place = first.shape.place();
    let fields = plan.guard.echoes.iter().map(|echo| echo.field).collect();
    let key = first.values[..=usize::from(place.depth)].to_vec();
    Some(Step { shape: Shape::Look { place, fields }, values: key })
}

const fn purpose(shape: &Shape) -> &'static str {
    match shape {
        Shape::List { .. } => "page",
        Shape::Count { .. } => "total",
        Shape::Get { .. } => "member",
        Shape::ListRows { .. } => "list",
        Shape::Insert { .. } => "insert",
        Shape::Update { .. } => "update",
        Shape::Delete { .. } | Shape::DeleteMany { .. } => "delete",
        Shape::Look { .. }
        | Shape::Ids { .. }
        | Shape::Links { .. }
        | Shape::Exists { .. }
        | Shape::Choices { .. }
        | Shape::CountMost { .. }
        | Shape::Tally { .. }
        | Shape::Taken { .. } => "look-up",
    }
}

fn explained(
    model: &Model,
    dialect: Dialect,
    purpose: &'static str,
    step: &Step,
) -> ExplainedStatement {
    let SqlStatement { text, parameters } = sql::statement(&step.shape, model, dialect);
    let values = parameters.origins().map(|(origin, at)| bound(model, step, origin, at)).collect();
    ExplainedStatement { purpose, text, values }
}

/// The value that a parameter of a step is bound to.
fn bound(model: &Model, step: &Step, origin: &Origin, at: Option<usize>) -> BoundValue {
    let value = at.and_then(|at| step.values.get(at)).unwrap_or(&Value::Null);
    match (origin, value) {
        (Origin::Rule(value), _) => of_rule(model, value),
        (Origin::Time, _) => BoundValue::Time,
        (Origin::Revision, _) => BoundValue::Revision,
        (Origin::ListOwner, _) => BoundValue::ListOwner,
        // One more row shows whether there is a next page.
        (Origin::Limit, Value::Integer(limit)) if matches!(step.shape, Shape::List { .. }) => {
            BoundValue::Known(Value::Integer(limit.saturating_add(1)))
        }
        _ => BoundValue::Known(value.clone()),
    }
}

fn of_rule(model: &Model, value: &RuleValue) -> BoundValue {
    match value {
        RuleValue::Fixed(value) => BoundValue::Known(value.clone()),
        RuleValue::Now(_) => BoundValue::Time,
        RuleValue::Account(at) => {
            let field = model.accounts.as_ref().and_then(|accounts| {
                let field = accounts.values.get(usize::from(*at))?;
                Some(model[accounts.resource][*field].name.to_string())
            });
            field.map_or(BoundValue::Known(Value::Null), BoundValue::Account)
        }
    }
}
