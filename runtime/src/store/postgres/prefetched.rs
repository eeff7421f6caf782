//! A session whose statement has already been run. With it, the code that all engines share reads
//! rows that were fetched in one round trip.

use std::{sync::Arc, time::Instant};

use super::cells::BinaryRow;
use crate::{
    base::error::Error,
    model::{Model, value::Value},
    plan::{CallerValues, CollectionState, Part, Plan, Shape, Sources, validator::Identity},
    store::{
        end_demand::EndDemand,
        failure::Failure,
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
    /// The maximum size of a page that the thread renders, in bytes.
    pub(super) bytes_max: usize,
}

/// The rows of a statement, and of what the reason for a refusal is found in.
pub(super) struct PrefetchedRows<'p> {
    /// The shape of the statement.
    pub(super) shape: &'p Shape,
    pub(super) fetched: &'p FetchedRows,
    pub(super) count: u32,
}

/// The rows that were fetched for a plan.
pub(super) struct FetchedRows {
    pub(super) rows: Vec<BinaryRow>,
    /// Whether only some of the rows were received, since they are too large together.
    pub(super) is_cut: bool,
    /// The row whose first cell is the total of the page.
    pub(super) total: Option<BinaryRow>,
    /// The row that says which ancestors in the URL exist. It is fetched if there are no rows;
    /// otherwise, all of them exist.
    pub(super) links: Option<BinaryRow>,
    /// The row of a member that the caller may see, but not change. It is fetched if the statement
    /// looks for a member to change, and has found none.
    pub(super) seen: Option<BinaryRow>,
}

impl From<Vec<BinaryRow>> for FetchedRows {
    fn from(rows: Vec<BinaryRow>) -> Self {
        Self { rows, is_cut: false, total: None, links: None, seen: None }
    }
}

impl FetchedRows {
    /// Returns the rows of a statement with a limit, which may be smaller than before. A page that
    /// is read backwards has its last rows.
    fn limited(&self, shape: &Shape, limit: usize) -> &[BinaryRow] {
        match shape {
            Shape::List { part: Part::Earlier, .. } => {
                &self.rows[self.rows.len().saturating_sub(limit)..]
            }
            _ => &self.rows,
        }
    }
}

fn not_fetched() -> Failure {
    Failure::internal("a plan needs a statement that was not run before")
}

impl Statements for PrefetchedRows<'_> {
    type Row<'r> = BinaryRow;

    const DIALECT: Dialect = Dialect::Postgres;

    fn query<'v>(
        &mut self,
        _: &'v Arc<Model>,
        shape: &Shape,
        _: &'v CallerValues,
        inputs: RunInputs<'v>,
        row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let limit = match inputs.limit() {
            Some(Value::Integer(limit)) => usize::try_from(*limit).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let rows = match shape {
            _ if std::ptr::eq(shape, self.shape) => self.fetched.limited(shape, limit),
            Shape::Count { .. } => self.fetched.total.as_slice(),
            Shape::Links { .. } => self.fetched.links.as_slice(),
            Shape::Look { .. } => self.fetched.seen.as_slice(),
            _ => return Err(not_fetched()),
        };
        if rows.iter().all(row) && self.fetched.is_cut && rows.len() < limit {
            // There are further rows, which were not received.
            return Err(Failure::too_large());
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

    fn bytes_max(&self, _: &Plan, _: &Sink) -> usize {
        self.bytes_max
    }
}
