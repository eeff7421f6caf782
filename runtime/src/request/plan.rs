//! The conversion of an action to a plan, the reads and writes that the store runs. The store does
//! not use the action.

use crate::{
    base::hash::StableHasher,
    http::negotiate::Format,
    model::{Chain, FieldIx, Model, RowChange, RuleSet, Selection, SortKey, View, value::Value},
    plan::{
        CallerValues, Filter, Guard, Op, Part, Place, Plan, Preconditions, ResponseKey, Shape,
        Sources, Step,
        grant::{GrantChange, PasswordMark},
        validator,
    },
    request::action::{Action, ActionKind, Assignments, CollectionQuery, OwnChange, Window},
};

impl Plan {
    /// Creates the plan of an action. `view` selects the fields of the members that the plan
    /// returns.
    #[must_use]
    pub fn of(model: &Model, action: &Action, view: View) -> Self {
        let caller = action.caller.values(model);
        let mut plan = Self::of_kind(model, action, view, caller);
        if let (Some(related), Some(step)) = (&action.preferences.related, plan.steps.first_mut()) {
            step.values.extend_from_slice(&related.values);
        }
        // Who may not submit a form does not get it.
        if action.is_form() && matches!(action.kind, ActionKind::Get { .. }) {
            plan = plan.reading_to(RowChange::Update);
        }
        debug_assert!(
            action.page.is_none() && !action.is_cached || action.has_all_passed(model, &plan),
            "the sources of a response must have all that its statements pass"
        );
        (plan.client, plan.is_movable) = (action.client, action.is_movable);
        plan.grants = kept_tokens(model, action).map(Box::new);
        plan
    }

    /// Returns the step that finds the account of a caller, with the role that the access rules of
    /// its request have. So two administrators cannot delete each other at the same time. For a
    /// change of the own password or login, the account must still have the password that the
    /// request was identified with.
    pub(crate) fn account_step(model: &Model, action: &Action) -> Option<Box<Step>> {
        let (accounts, account) = model.accounts.as_ref().zip(action.caller.account())?;
        if account.id.is_null() {
            return None;
        }
        let is_equal = |field| Filter::test(field, Op::Eq);
        let (mut filters, mut values) = (vec![is_equal(FieldIx::ID)], vec![account.id.clone()]);
        // A token of another issuer may have set the role.
        let is_stored = account.until.is_none();
        if let Some((field, role)) = accounts.role.zip(account.role.clone()).filter(|_| is_stored) {
            filters.push(is_equal(field));
            values.push(Value::Text(role));
        }
        if action.own_change(model).is_some_and(OwnChange::sets_credentials) {
            filters.push(is_equal(accounts.password));
            values.push(Value::Text(account.hash.reveal().to_owned()));
        }
        values.extend([Value::Integer(1), Value::Integer(0)]);
        let shape = Shape::List {
            place: Place::new(accounts.resource, 0),
            filter: Filter::All(filters),
            sort: vec![SortKey { field: FieldIx::ID, descending: false }],
            selection: View::Shown.into(),
            part: Part::Counted,
            beyond: vec![],
        };
        Some(Box::new(Step { shape, values }))
    }

    /// Returns the step of [`account_step`](Self::account_step) for a change of the own password or
    /// login, and `None` for any other action.
    pub(crate) fn credentials_step(model: &Model, action: &Action) -> Option<Box<Step>> {
        let is_credentials = action.own_change(model)?.sets_credentials();
        is_credentials.then(|| Self::account_step(model, action))?
    }

    fn of_kind(model: &Model, action: &Action, view: View, caller: CallerValues) -> Self {
        let rules = action.caller.rules(model);
        let mut guard = Guard { conditions: conditions(model, action), ..Guard::default() };
        let sources = |chain: &Chain, given: &str| {
            let sources =
                Sources { passed: action.passed.clone(), ..Sources::of(chain.place(rules)) };
            let key = ResponseKey::of(model, &sources, &caller);
            let seed = validator::seed(model, chain, (given, action.preferences.format), &key);
            Some(Sources { seed: of_reader(seed, action), ..sources })
        };
        let related = action.preferences.related.as_deref();
        let selection = || {
            related.map_or(view.into(), |related| Selection::new(view, related.selections.clone()))
        };
        let plan = match &action.kind {
            ActionKind::List { chain, query } => {
                let steps = list(RuledChain { chain, rules }, query, selection(), action.exports());
                Self::read(sources(chain, &query.text), steps)
            }
            ActionKind::Get { chain, id } => {
                let shape = Shape::Get { place: chain.place(rules), selection: selection() };
                let step = Step { shape, values: with(chain, [id.clone()]) };
                // The validator of a member is in its row. Only the response cache, and a member
                // that passes other rows, need the state of the tables.
                let needs_state = action.is_cached || action.passed.is_some();
                let reads = if needs_state { sources(chain, "") } else { None };
                Self::read(reads, vec![step])
            }
            // The URL of a form is proven as that of the member that it makes.
            ActionKind::NewForm { chain } => {
                let steps = parent(model, chain).map(|(above, id)| {
                    let selection = view.into();
                    let shape = Shape::Get { place: above.place(rules), selection };
                    Step { shape, values: with(&above, [id]) }
                });
                Self::read(None, steps.into_iter().collect())
            }
            ActionKind::Create { chain, members, once, .. } => {
                let steps = members
                    .iter()
                    .map(|member| insert(RuledChain { chain, rules }, member, view))
                    .collect();
                guard.idempotency.clone_from(once);
                let plan = Self::write(vec![chain.resource], steps);
                Self { reads: sources(chain, ""), ..plan }
            }
            ActionKind::Write { chain, id, change, create, .. } => {
                guard.echoes.clone_from(&change.echoes);
                let step = update(RuledChain { chain, rules }, id, change, view);
                let create = create.as_ref().ok();
                let otherwise =
                    create.map(|new| Box::new(insert(RuledChain { chain, rules }, new, view)));
                Self { otherwise, ..Self::write(vec![chain.resource], vec![step]) }
            }
            ActionKind::Delete { chain, id } => {
                let shape = Shape::Delete { place: chain.place(rules) };
                let step = Step { shape, values: with(chain, [id.clone()]) };
                Self::write(model[chain.resource].deletes.to_vec(), vec![step])
            }
            ActionKind::DeleteMany { chain, predicate, given } => {
                let (place, (filter, values)) = (chain.place(rules), predicate.split());
                let shape = Shape::DeleteMany { place, filter, listed: false };
                let step = Step { shape, values: with(chain, values) };
                let plan = Self::write(model[chain.resource].deletes.to_vec(), vec![step]);
                Self { reads: sources(chain, given), ..plan }
            }
            _ => Self::default(),
        };
        Self { guard, caller, ..plan }
    }
}

/// Returns the preconditions of an action. Content that depends on the time has no validators.
fn conditions(model: &Model, action: &Action) -> Preconditions {
    let conditions = action.preconditions.clone();
    if action.is_momentary(model) { conditions.without_validators() } else { conditions }
}

/// Adds the reader of a page to the seed of its validator, since the page names its reader.
fn of_reader(seed: u64, action: &Action) -> u64 {
    match action.preferences.format {
        Format::Html => {
            StableHasher::new().number(seed).number(action.caller.page_number()).finish()
        }
        _ => seed,
    }
}

/// The change that keeps the tokens of an account that changes its own password. All other changes
/// of a password make the tokens of the account void, too.
fn kept_tokens(model: &Model, action: &Action) -> Option<GrantChange> {
    let (accounts, account) = model.accounts.as_ref().zip(action.caller.account())?;
    let after = PasswordMark::of(action.own_password(model)?);
    let account_id = account.id.spell(model[accounts.resource][FieldIx::ID].kind);
    Some(GrantChange::Keep { account: account_id, before: account.password, after })
}

/// A chain (a collection and the ids of its ancestors), and the access rules of the caller.
#[derive(Clone, Copy)]
struct RuledChain<'a> {
    chain: &'a Chain,
    rules: RuleSet,
}

/// Returns the collection of the member that a nested collection is below, and its id.
fn parent(model: &Model, chain: &Chain) -> Option<(Chain, Value)> {
    let (id, ids) = chain.ids.split_last()?;
    let resource = model.ancestors(chain.resource).next()?;
    Some((Chain { resource, ids: ids.to_vec() }, id.clone()))
}

/// Returns the ids of the ancestors in a chain, followed by the given values.
fn with(chain: &Chain, values: impl IntoIterator<Item = Value>) -> Vec<Value> {
    chain.ids.iter().cloned().chain(values).collect()
}

/// The room for the values of a filter and for the limit and offset of a page: few queries have
/// more.
const VALUES_USUAL: usize = 6;

fn list(
    RuledChain { chain, rules }: RuledChain<'_>,
    query: &CollectionQuery,
    selection: Selection,
    export: bool,
) -> Vec<Step> {
    let place = chain.place(rules);
    let (filter, page) = (query.predicate.filter(), &query.page);
    let (part, from): (_, &[Value]) = match &page.window {
        _ if export => (Part::Counted, &[]),
        Window::Offset(_) | Window::Page(_) => (Part::Counted, &[]),
        Window::Start => (Part::First, &[]),
        Window::After(place) => (Part::Later, &place.values),
        Window::Before(place) => (Part::Earlier, &place.values),
    };
    // A value of a key that does not decide would not be in the text.
    let is_bound =
        |(at, value): (usize, &Value)| !value.is_null() && filter.leaves_open(&query.sort, at);
    let beyond: Vec<_> = from.iter().enumerate().map(is_bound).collect();
    let limit = if export { i64::MAX } else { page.limit.into() };
    let window = [Value::Integer(limit), Value::Integer(page.offset())];
    let mut values = Vec::with_capacity(chain.ids.len() + from.len() + VALUES_USUAL);
    values.extend_from_slice(&chain.ids);
    let bound = from.iter().zip(&beyond).filter(|(_, is_bound)| **is_bound);
    values.extend(bound.map(|(value, _)| value.clone()));
    query.predicate.bind(&mut values);
    values.extend(window);
    let count = query.count.then(|| Shape::Count { place, filter: filter.clone() });
    let sort = query.sort.clone();
    let shape = Shape::List { place, filter, sort, selection, part, beyond };
    let mut steps = vec![Step { shape, values }];
    if let Some(shape) = count {
        let mut values = chain.ids.to_vec();
        query.predicate.bind(&mut values);
        steps.push(Step { shape, values });
    }
    steps
}

fn insert(RuledChain { chain, rules }: RuledChain<'_>, member: &Assignments, view: View) -> Step {
    let (columns, values): (Vec<FieldIx>, Vec<Value>) = member.columns.iter().cloned().unzip();
    Step {
        shape: Shape::Insert { place: chain.place(rules), columns, view },
        values: with(chain, values),
    }
}

fn update(
    RuledChain { chain, rules }: RuledChain<'_>,
    id: &Value,
    change: &Assignments,
    view: View,
) -> Step {
    let (columns, values): (Vec<FieldIx>, Vec<Value>) = change.columns.iter().cloned().unzip();
    let values = with(chain, std::iter::once(id.clone()).chain(values));
    let shape =
        Shape::Update { place: chain.place(rules), columns, merged: change.merged.clone(), view };
    Step { shape, values }
}
