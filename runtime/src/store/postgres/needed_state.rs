//! The state of the tables that a response is made from, read on a connection of any kind.

use std::sync::Arc;

use super::{
    lane::{LaneFailure, PostgresLane},
    proven::ProvenShapes,
    read_connections::ConnectionRead,
    shared::{StateReceiver, TableStates},
};
use crate::{
    http::http_date::Second,
    model::{Model, ResourceIx},
    plan::{CollectionState, Shape, Sources},
    store::failure::Failure,
};

/// The tables whose state a plan needs, with its sources.
pub(super) struct NeededState<'r> {
    model: &'r Model,
    pub(super) sources: &'r Sources,
    tables: Vec<ResourceIx>,
    /// The tables whose state the statement of a page returns: those that its shape names. A web
    /// page looks up others.
    pub(super) returned: Vec<ResourceIx>,
}

impl<'r> NeededState<'r> {
    pub(super) fn new(model: &'r Model, shape: &Shape, sources: &'r Sources) -> Self {
        let passed = shape.passed(model);
        let passed = (!passed.is_empty()).then(|| passed.into());
        let returned = Sources { passed, ..Sources::of(shape.place()) };
        let returned = returned.tables(model).collect();
        Self { model, sources, tables: sources.tables(model).collect(), returned }
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        names(self.model, &self.tables)
    }

    pub(super) fn state(&self, lane: &PostgresLane, states: &[(u64, Second)]) -> CollectionState {
        state_of(self.model, self.sources, lane, states)
    }

    /// Returns the tables whose state the statement of a page does not return.
    pub(super) fn others(&self) -> Vec<ResourceIx> {
        let is_other = |ix: &&ResourceIx| !self.returned.contains(ix);
        self.tables.iter().filter(is_other).copied().collect()
    }

    /// Returns the state of all tables, from those that a page returned and the others.
    pub(super) fn whole_state(
        &self,
        lane: &PostgresLane,
        returned: impl Iterator<Item = (u64, Second)>,
        others: impl Iterator<Item = (ResourceIx, (u64, Second))>,
    ) -> Result<CollectionState, Failure> {
        let known: Vec<_> = self.returned.iter().copied().zip(returned).chain(others).collect();
        let of = |ix: &ResourceIx| known.iter().find(|(table, _)| table == ix).map(|one| one.1);
        let states: Option<Vec<_>> = self.tables.iter().map(of).collect();
        let states =
            states.ok_or_else(|| Failure::internal("the state of a table was not read"))?;
        Ok(self.state(lane, &states))
    }
}

pub(super) fn names(model: &Model, tables: &[ResourceIx]) -> Vec<&'static str> {
    tables.iter().map(|ix| model[*ix].def.table).collect()
}

fn state_of(
    model: &Model,
    sources: &Sources,
    lane: &PostgresLane,
    states: &[(u64, Second)],
) -> CollectionState {
    sources.state(model, &lane.identity, states.iter().copied()).without_order()
}

/// The state of tables that was asked for, before the statement of a read.
pub(super) enum StatesAsked {
    /// A state that arrives with those that others ask for.
    Shared(StateReceiver),
    /// A state that has arrived.
    Known(TableStates),
}

impl StatesAsked {
    /// Asks for the state of tables. On a connection that others use, it is under way when this
    /// ends. On one that a read has alone it has arrived, as what is under way there must not be
    /// given to the next read.
    pub(super) async fn of(
        lane: &PostgresLane,
        tables: &[&'static str],
    ) -> Result<Self, LaneFailure> {
        if tables.is_empty() {
            return Ok(Self::Known(Arc::default()));
        }
        match lane.is_shared() {
            true => Ok(Self::Shared(lane.ask_state(tables).ok_or(LaneFailure::Lost)?)),
            false => Ok(Self::Known(lane.states(tables).await?)),
        }
    }

    /// Returns the state.
    pub(super) async fn states(self) -> Result<TableStates, LaneFailure> {
        match self {
            Self::Shared(asked) => asked.states().await.ok_or(LaneFailure::Lost),
            Self::Known(states) => Ok(states),
        }
    }
}

/// The read of the state of sources.
pub(super) struct StateRead<'r> {
    pub(super) model: &'r Model,
    pub(super) sources: &'r Sources,
    /// A further table with counters, whose sum is read in the same snapshot.
    pub(super) further: Option<&'static str>,
}

impl ConnectionRead for StateRead<'_> {
    /// The number of the state, and the sum of the further table.
    type Found = (u64, u64);

    fn may_share(&mut self, _: &PostgresLane, _: &ProvenShapes) -> bool {
        true
    }

    async fn run(&mut self, lane: &PostgresLane) -> Result<(u64, u64), LaneFailure> {
        let tables: Vec<_> = self.sources.tables(self.model).collect();
        let mut names = names(self.model, &tables);
        names.extend(self.further);
        let states: TableStates = lane.states(&names).await?;
        let (of_sources, further) = states.split_at(tables.len());
        let number = state_of(self.model, self.sources, lane, of_sources).number;
        Ok((number, further.first().map_or(0, |(sum, _)| *sum)))
    }
}
