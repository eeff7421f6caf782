//! A session whose only statement has already been run. With it, the code that all engines share
//! reads rows that were fetched in one round trip.

use std::{sync::Arc, time::Instant};

use super::cells::BinaryRow;
use crate::{
    base::error::Error,
    model::Model,
    plan::{CallerValues, CollectionState, Plan, Shape, Sources, validator::Identity},
    store::{
        end_demand::EndDemand,
        failure::{Failure, FailureKind},
        session::{ReadSession, Session, Statements},
        sink::Sink,
        sql::{
            Dialect,
            parameters::{RunInputs, SqlStatement},
        },
    },
};

/// The session of a plan that reads, whose rows and state were read before.
pub(super) struct PrefetchedSession<'p> {
    pub(super) rows: PrefetchedRows<'p>,
    pub(super) identity: &'p Identity,
    /// The state of the tables that the plan reads, in the snapshot of the rows.
    pub(super) state: CollectionState,
}

/// The rows of the only statement. Any other statement fails as one that takes too long: then the
/// plan runs on a thread that may wait.
pub(super) struct PrefetchedRows<'p> {
    /// The shape of the statement.
    shape: &'p Shape,
    rows: Option<Vec<BinaryRow>>,
    count: u32,
}

impl<'p> PrefetchedRows<'p> {
    pub(super) fn new(shape: &'p Shape, rows: Vec<BinaryRow>) -> Self {
        Self { shape, rows: Some(rows), count: 1 }
    }
}

fn not_fetched() -> Failure {
    let error = Error::internal("a plan needs a statement that was not run before");
    Failure::new(FailureKind::Interrupted, error)
}

impl Statements for PrefetchedRows<'_> {
    type Row<'r> = BinaryRow;

    const DIALECT: Dialect = Dialect::Postgres;

    fn query<'v>(
        &mut self,
        _: &'v Arc<Model>,
        shape: &Shape,
        _: &'v CallerValues,
        _: RunInputs<'v>,
        mut row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        if !std::ptr::eq(shape, self.shape) {
            return Err(not_fetched());
        }
        let rows = self.rows.take().ok_or_else(not_fetched)?;
        for each in rows {
            if !row(&each) {
                break;
            }
        }
        Ok(())
    }

    fn query_statement<'v>(
        &mut self,
        _: &'v SqlStatement,
        _: &'v CallerValues,
        _: RunInputs<'v>,
        _: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        Err(not_fetched())
    }

    fn take_count(&mut self) -> u32 {
        std::mem::take(&mut self.count)
    }
}

impl<'p> Session for PrefetchedSession<'p> {
    type Statements = PrefetchedRows<'p>;

    fn parts(&mut self) -> (&mut PrefetchedRows<'p>, &Identity) {
        (&mut self.rows, self.identity)
    }

    fn tables_state(&mut self, _: &Model, _: &Sources) -> Result<CollectionState, Failure> {
        Ok(self.state)
    }
}

impl ReadSession for PrefetchedSession<'_> {
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        work(self)
    }

    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        work(self)
    }

    fn end_at(&mut self, _: Instant, _: &Arc<EndDemand>) -> Result<(), Error> {
        Ok(())
    }

    /// The rows are in memory, and their size is bounded.
    fn bytes_max(&self, _: &Plan, _: &Sink) -> usize {
        usize::MAX
    }
}
