//! The look-ups of a web page: statements that are sent together, and read one state of the
//! database.

use std::{sync::Arc, time::Duration};

use super::{
    lane::{LaneFailure, PostgresLane},
    prefetched::{FetchedRows, PrefetchedRows},
    prepared::PreparedStatement,
    proven::ProvenShapes,
    read_connections::ConnectionRead,
    rows,
};
use crate::{
    model::Model,
    plan::{CallerValues, LookupRows, Step},
    store::{failure::Failure, lookups, session::CallerStatements},
};

/// The time of all look-ups of a web page together. The page is shown without those that are late.
const LOOKUPS_TIME_MAX: Duration = Duration::from_millis(250);

/// The read of look-ups.
pub(super) struct LookupsRead<'r> {
    pub(super) model: &'r Arc<Model>,
    pub(super) steps: &'r [Step],
    pub(super) caller: &'r CallerValues,
}

impl LookupsRead<'_> {
    async fn prepared(&self, lane: &PostgresLane) -> Result<Vec<PreparedStatement>, LaneFailure> {
        let mut prepared = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            prepared.push(lane.statement(self.model, &step.shape).await?);
        }
        Ok(prepared)
    }

    /// Returns the rows of a look-up as the page needs them.
    fn rows_of(&self, step: &Step, rows: &FetchedRows) -> Result<LookupRows, Failure> {
        let mut statements = PrefetchedRows { shape: &step.shape, fetched: rows, count: 1 };
        let mut statements = CallerStatements::new(&mut statements, self.caller);
        let (found, result) = lookups::rows_of(&mut statements, self.model, step);
        result.map(|()| found)
    }
}

impl ConnectionRead for LookupsRead<'_> {
    /// The rows of each look-up, and the number of statements.
    type Found = (Vec<LookupRows>, u32);

    /// Look-ups have a transaction, which nobody else may be in.
    fn may_share(&mut self, _: &PostgresLane, _: &ProvenShapes) -> bool {
        false
    }

    async fn run(&mut self, lane: &PostgresLane) -> Result<Self::Found, LaneFailure> {
        let prepared = match self.prepared(lane).await {
            Err(LaneFailure::TooSlow) => {
                return Ok((vec![LookupRows::default(); self.steps.len()], 0));
            }
            prepared => prepared?,
        };
        let mut statements = Vec::with_capacity(prepared.len());
        for (prepared, step) in prepared.iter().zip(self.steps) {
            let values = prepared.bound(self.caller, step);
            let no_value = || Failure::internal("a look-up has too few values");
            statements.push((prepared, values.ok_or_else(no_value)?));
        }
        let results = lane.transaction(statements, LOOKUPS_TIME_MAX).await?;
        let (mut found, mut count) = (Vec::with_capacity(self.steps.len()), 0);
        for (step, result) in self.steps.iter().zip(results) {
            let Some(result) = result else {
                found.push(LookupRows::default());
                continue;
            };
            let rows: Result<Vec<_>, _> = result.into_iter().map(rows::read).collect();
            found.push(self.rows_of(step, &rows?.into())?);
            count += 1;
        }
        Ok((found, count))
    }
}
