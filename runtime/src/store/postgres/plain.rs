//! Plain plans: those of a single statement, which runs on a lane in one round trip. This file has
//! those that read, and `plain_write.rs` those that write.
//!
//! Such a run either succeeds as a whole, or it changes nothing and has no result. Then the plan
//! runs on a thread of a pool, which also finds out why: a member is missing, a value is taken, a
//! row is locked.

use std::sync::Arc;

use super::{
    cells::BinaryRow,
    fault::{self, Remedy},
    grants,
    home::Home,
    lane::{ANSWER_BYTES_MAX, LaneFailure, PostgresLane},
    lanes::{self, UsedLane},
    prefetched::{PrefetchedRows, PrefetchedSession},
    prepared::PreparedStatement,
    proven::ProvenShapes,
};
use crate::{
    base::grant_secret::SecretDigest,
    http::http_date::Second,
    model::{GrantKind, Model, ResourceIx, value::Value},
    plan::{
        CollectionState, Outcome, Plan, Shape, Sources, SourcesState, Step, grant::Grant,
        validator::NO_TAG,
    },
    store::{
        failure::Failure,
        read::{self, Attempt},
        row::MemberRow as _,
        sink::{RowSink as _, Sink},
        sql::{self, Dialect, parameters::RunInputs},
    },
};

/// The tables whose state a plan needs, with its sources.
struct NeededState<'p> {
    sources: &'p Sources,
    tables: Vec<ResourceIx>,
    /// Those whose state the statement of a page returns: the tables that its shape names. A web
    /// page looks up others.
    returned: Vec<ResourceIx>,
}

impl<'p> NeededState<'p> {
    fn of(model: &Model, shape: &Shape, sources: &'p Sources) -> Self {
        let passed = shape.passed(model);
        let passed = (!passed.is_empty()).then(|| passed.into());
        let returned = Sources { passed, ..Sources::of(shape.place()) };
        let returned = returned.tables(model).collect();
        Self { sources, tables: sources.tables(model).collect(), returned }
    }

    /// The tables whose state is asked for in a statement of its own.
    fn others(&self) -> Vec<ResourceIx> {
        let is_other = |ix: &&ResourceIx| !self.returned.contains(ix);
        self.tables.iter().filter(is_other).copied().collect()
    }
}

/// Reads the state of tables. `None` if no lane can read it now.
pub(super) async fn state(home: &Arc<Home>, model: &Model, sources: &Sources) -> Option<u64> {
    let lane = lanes::read_lane(home)?;
    let states = lane.ask_state(&names(model, sources.tables(model)))?.states().await?;
    Some(tables_state(&lane, model, sources, &states).number)
}

/// Reads the validator of the accounts, and the number of grants that have ended. `None` if no lane
/// can read them now.
pub(super) async fn identity_state(
    home: &Arc<Home>,
    model: &Model,
    sources: &Sources,
) -> Option<(u64, u64)> {
    let lane = lanes::read_lane(home)?;
    let mut names = names(model, sources.tables(model));
    names.push(grants::TABLE);
    let states = lane.ask_state(&names)?.states().await?;
    let ((ended, _), accounts) = states.split_last()?;
    Some((tables_state(&lane, model, sources, accounts).number, *ended))
}

/// Finds a grant. `None` if it has to be found on a thread of a pool.
pub(super) async fn grant(
    home: &Arc<Home>,
    kind: GrantKind,
    digest: SecretDigest,
) -> Option<Result<Option<Grant>, Failure>> {
    let lane = lanes::read_lane(home)?;
    grants::find_on(&lane, kind, digest).await
}

fn names(model: &Model, tables: impl IntoIterator<Item = ResourceIx>) -> Vec<&'static str> {
    tables.into_iter().map(|ix| model[ix].def.table).collect()
}

fn tables_state(
    lane: &PostgresLane,
    model: &Model,
    sources: &Sources,
    states: &[(u64, Second)],
) -> CollectionState {
    sources.state(model, &lane.identity, states.iter().copied()).without_order()
}

/// Runs a plan that reads one member or one page. `None` if it has to run on a thread of a pool.
/// The sink then has no rows.
pub(super) async fn read(
    home: &Arc<Home>,
    proven: &ProvenShapes,
    model: &Arc<Model>,
    plan: &Plan,
    sink: &mut Sink,
) -> Option<(Outcome, Option<SourcesState>)> {
    let [step] = plan.steps.as_slice() else { return None };
    let needed = plan.reads.as_ref();
    let needed = needed.map(|sources| NeededState::of(model, &step.shape, sources));
    let is_page = matches!(step.shape, Shape::List { .. });
    if !is_page && !matches!(step.shape, Shape::Get { .. }) || is_page && needed.is_none() {
        return None;
    }
    let lane = lanes::read_lane(home)?;
    let prepared = match lane.known(model, &step.shape) {
        Some(prepared) => prepared,
        None if !proven.admits(&step.shape) => return None,
        None => {
            let statement = match &needed {
                Some(needed) if is_page => sql::with_state(&step.shape, model, &needed.returned)?,
                _ => sql::statement(&step.shape, model, Dialect::Postgres),
            };
            lane.prepare(&step.shape, statement).await.ok()?
        }
    };
    if let Some(needed) = needed.as_ref().filter(|_| is_page && !plan.guard.conditions.is_empty()) {
        let state = lane.ask_state(&names(model, needed.tables.iter().copied()));
        let is_whole = is_whole(&lane, model, plan, step).await?;
        let state = tables_state(&lane, model, needed.sources, &state?.states().await?);
        let current = state.current(&lane.identity);
        let outcome = read::early_outcome(&plan.guard, current).filter(|_| is_whole);
        if let Some(outcome) = outcome {
            return Some((outcome, None));
        }
    }
    let fetched = match is_page {
        true => page(&lane, model, plan, (step, &prepared), needed.as_ref()?).await,
        false => member(&lane, model, plan, (step, &prepared), needed.as_ref()).await,
    };
    let (rows, state) = match fetched {
        Ok(fetched) => fetched,
        Err(failure) => {
            note(&lane, proven, step, &failure);
            return None;
        }
    };
    let mut session = PrefetchedSession {
        rows: PrefetchedRows::new(&step.shape, rows),
        identity: &lane.identity,
        state: state.unwrap_or(NO_STATE),
    };
    match read::run(&mut session, model, plan, sink) {
        Ok(Attempt::Done { outcome, state: read, .. }) => {
            Some((outcome, read.filter(|_| state.is_some())))
        }
        // A second statement is needed.
        Ok(Attempt::TooSlow | Attempt::TooLarge) | Err(_) => {
            sink.reset();
            None
        }
    }
}

/// Notes why a statement has failed.
fn note(lane: &PostgresLane, proven: &ProvenShapes, step: &Step, failure: &LaneFailure) {
    match failure {
        LaneFailure::TooSlow => {
            proven.note_slow(&step.shape);
            lane.forget(&step.shape);
        }
        LaneFailure::TooLarge => {
            proven.note_large(&step.shape);
            lane.forget(&step.shape);
        }
        LaneFailure::Refused(error) if fault::remedy(error) == Remedy::Prepare => {
            lane.forget_statements();
        }
        LaneFailure::Refused(_) | LaneFailure::Lost => {}
    }
}

/// Whether all ancestors in the URL exist. `None` if that is not known.
async fn is_whole(
    lane: &PostgresLane,
    model: &Arc<Model>,
    plan: &Plan,
    step: &Step,
) -> Option<bool> {
    let place = step.shape.place();
    if place.depth == 0 {
        return Some(true);
    }
    let shape = Shape::Links { place };
    let prepared = match lane.known(model, &shape) {
        Some(prepared) => prepared,
        None => {
            let statement = sql::statement(&shape, model, Dialect::Postgres);
            lane.prepare(&shape, statement).await.ok()?
        }
    };
    let values = prepared.bound(&plan.caller, step)?;
    let rows = lane.rows(&prepared.statement, values, ANSWER_BYTES_MAX).await.ok()?;
    let row = rows.first()?;
    Some((0..row.len()).all(|at| row.integer(at) == Some(1)))
}

type FetchedRows = (Vec<BinaryRow>, Option<CollectionState>);

/// The state for a plan that needs none, or whose state could not be read.
const NO_STATE: CollectionState =
    CollectionState { number: NO_TAG, passed: 0, modified: Second(0), is_ordered: false };

/// Reads a page and the state of its tables, in one statement. The state of the tables that a web
/// page looks up is read before.
async fn page(
    lane: &UsedLane,
    model: &Model,
    plan: &Plan,
    (step, prepared): (&Step, &PreparedStatement),
    needed: &NeededState<'_>,
) -> Result<FetchedRows, LaneFailure> {
    let others = needed.others();
    let asked = match others.is_empty() {
        true => None,
        false => {
            let names = names(model, others.iter().copied());
            Some(lane.ask_state(&names).ok_or(LaneFailure::Lost)?)
        }
    };
    // One more row shows whether more members follow.
    let one_more = step.limit().ok_or(LaneFailure::TooLarge)?.saturating_add(1);
    let one_more = Value::Integer(one_more);
    let values = prepared.bound(&plan.caller, RunInputs::from(step).limited(&one_more));
    let values = values.ok_or(LaneFailure::TooLarge)?;
    let mut rows = lane.rows(&prepared.statement, values, ANSWER_BYTES_MAX).await?;
    if rows.is_empty() {
        return Err(LaneFailure::TooLarge);
    }
    let others_states = match asked {
        Some(asked) => asked.states().await.ok_or(LaneFailure::Lost)?.to_vec(),
        None => vec![],
    };
    let state = rows.remove(0);
    let count = needed.returned.len();
    let sums = state.len() - count - 1;
    let changed = state.changed(state.len() - 1).unwrap_or_default();
    let sum = |at: usize| state.integer(sums + at).unwrap_or_default().cast_unsigned();
    let returned = needed.returned.iter().copied().zip((0..count).map(|at| (sum(at), changed)));
    let known: Vec<_> = returned.chain(others.into_iter().zip(others_states)).collect();
    let state_of = |ix: &ResourceIx| known.iter().find(|(of, _)| of == ix).map(|(_, state)| *state);
    let states: Option<Vec<_>> = needed.tables.iter().map(state_of).collect();
    let states = states.ok_or(LaneFailure::Lost)?;
    let state = tables_state(lane, model, needed.sources, &states);
    Ok((rows, Some(state)))
}

/// Reads a member, after the state of its tables if a cache needs it. A member that has changed in
/// between has a newer state, so the cached response is not used.
async fn member(
    lane: &UsedLane,
    model: &Arc<Model>,
    plan: &Plan,
    (step, prepared): (&Step, &PreparedStatement),
    needed: Option<&NeededState<'_>>,
) -> Result<FetchedRows, LaneFailure> {
    let ask =
        |needed: &NeededState<'_>| lane.ask_state(&names(model, needed.tables.iter().copied()));
    let state = needed.and_then(ask);
    let values = prepared.bound(&plan.caller, step).ok_or(LaneFailure::TooLarge)?;
    let rows = lane.rows(&prepared.statement, values, ANSWER_BYTES_MAX).await?;
    let states = match state {
        Some(state) => state.states().await,
        None => None,
    };
    // The tag of a member that passes rows of other tables needs their state.
    if states.is_none() && needed.is_some_and(|needed| needed.sources.passed.is_some()) {
        return Err(LaneFailure::Lost);
    }
    let state = needed
        .zip(states)
        .map(|(needed, states)| tables_state(lane, model, needed.sources, &states));
    Ok((rows, state))
}
