//! Plans that read. Each is a single statement on a connection of any kind. A second one finds out
//! which ancestor in the URL is missing, if there are no rows.

use std::sync::Arc;

use super::{
    cells::BinaryRow,
    lane::{ANSWER_BYTES_MAX, CollectedRows, Excess, LaneFailure, PostgresLane, RowsLimit},
    needed_state::{NeededState, StatesAsked, names},
    prefetched::{FetchedRows, PrefetchedRows, PrefetchedSession},
    prepared::PreparedStatement,
    proven::ProvenShapes,
    read_connections::ConnectionRead,
};
use crate::{
    base::error::Error,
    http::http_date::Second,
    model::{FieldIx, Model, value::Value},
    plan::{
        CollectionState, EarlyEnd, Outcome, Part, Plan, Shape, SourcesState, Step,
        validator::NO_TAG,
    },
    store::{
        failure::Failure,
        read::{self, Attempt},
        row::MemberRow as _,
        sink::Sink,
        sql::{self, Dialect, parameters::RunInputs},
    },
};

/// The state for a plan that needs none.
const NO_STATE: CollectionState =
    CollectionState { number: NO_TAG, passed: 0, modified: Second(0), is_ordered: false };

/// The read of a plan: of a page, a member, or ids.
pub(super) struct PlanRead<'r> {
    model: &'r Arc<Model>,
    plan: &'r Plan,
    sink: &'r mut Sink,
    /// The maximum size of a page that the thread renders, in bytes.
    bytes_max: usize,
    step: &'r Step,
    /// The shape that counts the members of the page, if its total is asked for.
    count: Option<&'r Shape>,
    needed: Option<NeededState<'r>>,
    /// The prepared statement of the next connection, if it is known.
    prepared: Option<PreparedStatement>,
}

/// The outcome of a plan, the number of its statements, and the state of its tables.
pub(super) type PlanFound = (Outcome, u32, Option<SourcesState>);

impl<'r> PlanRead<'r> {
    /// Creates the read of a plan. An error if the plan does not read.
    pub(super) fn new(
        model: &'r Arc<Model>,
        plan: &'r Plan,
        sink: &'r mut Sink,
        bytes_max: usize,
    ) -> Result<Self, Error> {
        let (step, count) = match plan.steps.as_slice() {
            [step] => (step, None),
            [list, count] => (list, Some(&count.shape)),
            _ => return Err(Error::internal("a read plan must select a page, a member or ids")),
        };
        let needed = plan.reads.as_ref();
        let needed = needed.map(|sources| NeededState::new(model, &step.shape, sources));
        Ok(Self { model, plan, sink, bytes_max, step, count, needed, prepared: None })
    }

    const fn is_page(&self) -> bool {
        matches!(self.step.shape, Shape::List { .. })
    }

    fn known(&self, lane: &PostgresLane) -> Option<PreparedStatement> {
        lane.known(self.model, &self.step.shape, self.count.is_some())
    }

    /// Returns the prepared statement of the plan.
    async fn prepared(&mut self, lane: &PostgresLane) -> Result<PreparedStatement, LaneFailure> {
        if let Some(prepared) = self.prepared.take().or_else(|| self.known(lane)) {
            return Ok(prepared);
        }
        let (shape, model) = (&self.step.shape, self.model);
        let statement = match &self.needed {
            Some(needed) if self.is_page() => {
                let statement = sql::with_state(shape, self.count, model, &needed.returned);
                statement.ok_or_else(|| Failure::internal("the steps of a page do not match"))?
            }
            _ => sql::statement(shape, model, Dialect::Postgres),
        };
        lane.prepare(model, (shape, self.count.is_some()), statement).await
    }

    /// Returns the outcome of a page whose preconditions do not hold. The state of its tables is
    /// read first, as the page may not be needed.
    async fn early(&self, lane: &PostgresLane) -> Result<Option<Outcome>, LaneFailure> {
        let needed = self.needed.as_ref().filter(|_| self.is_page());
        let Some(needed) = needed.filter(|_| !self.plan.guard.conditions.is_empty()) else {
            return Ok(None);
        };
        let asked = StatesAsked::of(lane, &needed.names()).await?;
        let links = self.links(lane).await?;
        let states = asked.states().await?;
        let is_whole = links.is_none_or(|links| is_whole(&links));
        let current = needed.state(lane, &states).current(&lane.identity);
        Ok(read::early_outcome(&self.plan.guard, current).filter(|_| is_whole))
    }

    /// Reads which ancestors in the URL exist. `None` if the URL has no ancestors.
    async fn links(&self, lane: &PostgresLane) -> Result<Option<BinaryRow>, LaneFailure> {
        let place = self.step.shape.place();
        match place.depth {
            0 => Ok(None),
            depth => self.first_row(lane, &Shape::Links { place }, depth.into()).await,
        }
    }

    /// Returns the first row of a shape that has this many values of the step.
    async fn first_row(
        &self,
        lane: &PostgresLane,
        shape: &Shape,
        values: usize,
    ) -> Result<Option<BinaryRow>, LaneFailure> {
        let prepared = lane.statement(self.model, shape).await?;
        let values = self.step.values.get(..values).ok_or_else(no_value)?;
        let bound = prepared.bound(&self.plan.caller, values).ok_or_else(no_value)?;
        let rows = lane.rows(&prepared.statement, bound, ANSWER_BYTES_MAX).await?;
        Ok(rows.into_iter().next())
    }

    /// Fetches the rows in which the reason is found why a plan has none.
    async fn reasons(
        &self,
        lane: &PostgresLane,
        fetched: &mut FetchedRows,
    ) -> Result<(), LaneFailure> {
        fetched.links = self.links(lane).await?;
        let (shape, place) = (&self.step.shape, self.step.shape.place());
        let may_be_forbidden =
            matches!(shape, Shape::Get { .. }) && shape.changes(self.model).is_some();
        if may_be_forbidden && fetched.links.as_ref().is_none_or(is_whole) {
            let look = Shape::Look { place: place.to_read(), fields: vec![] };
            fetched.seen = self.first_row(lane, &look, usize::from(place.depth) + 1).await?;
        }
        Ok(())
    }

    /// Fetches a page, the state of its tables and its total, in one statement.
    async fn page(
        &self,
        lane: &PostgresLane,
        prepared: &PreparedStatement,
        needed: &NeededState<'_>,
    ) -> Result<(FetchedRows, CollectionState), LaneFailure> {
        // The state of what a web page looks up is read before its rows.
        let others = needed.others();
        let asked = StatesAsked::of(lane, &names(self.model, &others)).await?;
        // One more row shows whether more members follow.
        let one_more = self.step.limit().ok_or_else(no_value)?.saturating_add(1);
        let one_more = Value::Integer(one_more);
        let inputs = RunInputs::from(self.step).limited(&one_more);
        let values = prepared.bound(&self.plan.caller, inputs).ok_or_else(no_value)?;
        let limit = match &self.step.shape {
            _ if lane.is_shared() => {
                let (bytes_max, excess) = (ANSWER_BYTES_MAX, Excess::Fails);
                RowsLimit { bytes_max, excess, unread: vec![] }
            }
            Shape::List { part: Part::Earlier, .. } => self.limit_of(Excess::KeepsLast),
            _ => self.limit_of(Excess::KeepsFirst),
        };
        let collected = lane.collect(&prepared.statement, values, limit).await?;
        let CollectedRows { mut rows, is_cut } = collected;
        if rows.is_empty() {
            return Err(Failure::internal("a page has no row with its state").into());
        }
        let first = rows.remove(0);
        let count = needed.returned.len();
        let too_few = || Failure::internal("the first row of a page has too few cells");
        let sums = first.len().checked_sub(count + 1).ok_or_else(too_few)?;
        let changed = first.changed(first.len() - 1).unwrap_or_default();
        let sum = |at: usize| first.integer(sums + at).unwrap_or_default().cast_unsigned();
        let returned = (0..count).map(|at| (sum(at), changed));
        let others_states = asked.states().await?;
        let others = others.into_iter().zip(others_states.iter().copied());
        let state = needed.whole_state(lane, returned, others)?;
        Ok((FetchedRows { is_cut, total: Some(first), ..rows.into() }, state))
    }

    /// Returns the limit of a page whose further rows are left out. Rows may have twice as many
    /// bytes as what is rendered of them.
    fn limit_of(&self, excess: Excess) -> RowsLimit {
        let bytes_max = 2 * self.sink.size_max().min(self.bytes_max);
        RowsLimit { bytes_max, excess, unread: self.unread() }
    }

    /// Returns for each field of a page, after the revision, whether neither the sink nor a cursor
    /// needs it.
    fn unread(&self) -> Vec<bool> {
        let (Some(layout), Shape::List { place, sort, selection, .. }) =
            (self.sink.layout(), &self.step.shape)
        else {
            return vec![];
        };
        let shown: Vec<_> = layout.fields(self.model).map(|(at, _)| at).collect();
        let is_read = |at: usize, ix: FieldIx| {
            ix == FieldIx::ID || shown.contains(&at) || sort.iter().any(|key| key.field == ix)
        };
        let fields = self.model[place.resource].viewed(selection.view);
        let unread = (1..).zip(fields).map(|(at, (ix, _))| !is_read(at, ix));
        std::iter::once(false).chain(unread).collect()
    }

    /// Fetches a member, after the state of its tables if a cache needs it. A member that has
    /// changed in between has a newer state, so the cached response is not used. Or fetches ids.
    async fn rows(
        &self,
        lane: &PostgresLane,
        prepared: &PreparedStatement,
    ) -> Result<(FetchedRows, Option<CollectionState>), LaneFailure> {
        let needed = self.needed.as_ref();
        let asked = match needed {
            Some(needed) => Some(StatesAsked::of(lane, &needed.names()).await?),
            None => None,
        };
        let values = prepared.bound(&self.plan.caller, self.step).ok_or_else(no_value)?;
        // The statement has a limit of rows, and a row may have any size.
        let bytes_max = if lane.is_shared() { ANSWER_BYTES_MAX } else { usize::MAX };
        let rows = lane.rows(&prepared.statement, values, bytes_max).await?;
        let states = match asked {
            Some(asked) => Some(asked.states().await?),
            None => None,
        };
        let state = needed.zip(states).map(|(needed, states)| needed.state(lane, &states));
        Ok((rows.into(), state))
    }

    fn session<'s>(
        &self,
        shape: &'s Shape,
        lane: &'s PostgresLane,
        fetched: &'s FetchedRows,
        state: Option<CollectionState>,
    ) -> PrefetchedSession<'s> {
        let reasons = u32::from(fetched.links.is_some()) + u32::from(fetched.seen.is_some());
        let count = 1 + reasons;
        PrefetchedSession {
            rows: PrefetchedRows { shape, fetched, count },
            identity: &lane.identity,
            state: state.unwrap_or(NO_STATE),
            bytes_max: self.bytes_max,
        }
    }

    /// Runs the plan with the rows that were fetched for it.
    fn finish(
        &mut self,
        lane: &PostgresLane,
        fetched: &FetchedRows,
        state: Option<CollectionState>,
    ) -> Result<PlanFound, LaneFailure> {
        let mut session = self.session(&self.step.shape, lane, fetched, state);
        let attempt = read::run(&mut session, self.model, self.plan, self.sink);
        match attempt.map_err(LaneFailure::Failed)? {
            Attempt::Done { outcome, statements, state: read } => {
                Ok((outcome, statements, read.filter(|_| state.is_some())))
            }
            Attempt::TooLarge if self.bytes_max < usize::MAX => Ok((Outcome::TooLarge, 1, None)),
            Attempt::TooLarge => self.finish_early(lane, fetched, state),
            Attempt::TooSlow => Err(Failure::internal("rows in memory were slow").into()),
        }
    }

    /// Renders the members that were received of a page. The others are on the next page.
    fn finish_early(
        &mut self,
        lane: &PostgresLane,
        fetched: &FetchedRows,
        state: Option<CollectionState>,
    ) -> Result<PlanFound, LaneFailure> {
        let members = fetched.rows.len().saturating_sub(1);
        let mut plan = self.plan.clone();
        if let [list, ..] = plan.steps.as_mut_slice() {
            list.set_limit(i64::try_from(members).unwrap_or(i64::MAX));
        }
        let shape = &plan.steps.first().ok_or_else(no_value)?.shape;
        let mut session = self.session(shape, lane, fetched, state);
        let attempt = read::run(&mut session, self.model, &plan, self.sink);
        match attempt.map_err(LaneFailure::Failed)? {
            Attempt::Done { mut outcome, statements, state } => {
                if let Outcome::Page { ends, .. } = &mut outcome {
                    let members = u32::try_from(members).unwrap_or(u32::MAX);
                    ends.early.get_or_insert(EarlyEnd { members, fits: members });
                }
                Ok((outcome, statements, state))
            }
            _ => Err(Failure::internal("the received rows of a page do not suffice").into()),
        }
    }
}

/// Whether all ancestors in the URL exist.
fn is_whole(links: &BinaryRow) -> bool {
    (0..links.len()).all(|link| links.integer(link) == Some(1))
}

fn no_value() -> Failure {
    Failure::internal("a step has too few values")
}

impl ConnectionRead for PlanRead<'_> {
    type Found = PlanFound;

    fn may_share(&mut self, lane: &PostgresLane, proven: &ProvenShapes) -> bool {
        self.prepared = self.known(lane);
        let mut steps = self.plan.steps.iter();
        self.prepared.is_some() || steps.all(|step| proven.admits(&step.shape))
    }

    async fn run(&mut self, lane: &PostgresLane) -> Result<PlanFound, LaneFailure> {
        let prepared = self.prepared(lane).await?;
        if let Some(outcome) = self.early(lane).await? {
            // The statement that reads the state is not counted.
            let links = u32::from(self.step.shape.place().depth > 0);
            return Ok((outcome, links, None));
        }
        let (mut fetched, state) = match &self.needed {
            Some(needed) if self.is_page() => {
                let (fetched, state) = self.page(lane, &prepared, needed).await?;
                (fetched, Some(state))
            }
            None if self.is_page() => {
                return Err(Failure::internal("a page plan has no sources").into());
            }
            _ => self.rows(lane, &prepared).await?,
        };
        let is_id_list = matches!(self.step.shape, Shape::Ids { .. });
        if fetched.rows.is_empty() && !is_id_list {
            self.reasons(lane, &mut fetched).await?;
        }
        self.finish(lane, &fetched, state)
    }
}
