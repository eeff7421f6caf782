//! A connection of a thread that reads: the session of exports, and of attempts to sign in.

use std::{sync::Arc, time::Instant};

use super::{
    counters,
    handle::PostgresHandle,
    home::{ConnectedDatabase, Home, opening_limit},
    pool::PooledSession,
    wire::{Driver, WaitLimit},
};
use crate::{
    base::error::Error,
    model::Model,
    plan::{CollectionState, Plan, Sources, validator::Identity},
    store::{
        end_demand::EndDemand,
        failure::Failure,
        session::{ReadSession, Session},
        sink::Sink,
    },
};

/// All statements of a transaction read the same state of the database.
pub(super) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A connection that reads.
pub(super) struct ReadConnection {
    handle: PostgresHandle,
    identity: Identity,
}

impl ReadConnection {
    /// Opens a connection for an export, beside those of the pool.
    pub(super) fn open(home: &Arc<Home>) -> Result<Self, Error> {
        let mut opened = <Self as PooledSession>::connect(home, &opening_limit())?;
        opened.handle.wire().set_limit(WaitLimit::default());
        Ok(opened)
    }
}

impl PooledSession for ReadConnection {
    fn connect(home: &Arc<Home>, limit: &WaitLimit) -> Result<Self, Error> {
        let ConnectedDatabase { handle, identity, .. } =
            home.connect(Driver::own()?, false, limit)?;
        Ok(Self { handle, identity })
    }

    fn handle(&mut self) -> &mut PostgresHandle {
        &mut self.handle
    }
}

impl Session for ReadConnection {
    type Statements = PostgresHandle;

    fn parts(&mut self) -> (&mut PostgresHandle, &Identity) {
        (&mut self.handle, &self.identity)
    }

    fn tables_state(
        &mut self,
        model: &Model,
        sources: &Sources,
    ) -> Result<CollectionState, Failure> {
        let tables: Vec<_> = sources.tables(model).map(|ix| model[ix].def.table).collect();
        let sums = counters::sums(&mut self.handle, &tables)?;
        Ok(sources.state(model, &self.identity, sums.into_iter()).without_order())
    }
}

impl ReadSession for ReadConnection {
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.handle.begin(SNAPSHOT);
        let result = work(self);
        self.handle.roll_back();
        result
    }

    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        work(self)
    }

    fn end_at(&mut self, until: Instant, _: &Arc<EndDemand>) -> Result<(), Error> {
        self.handle.wire().set_limit(WaitLimit::new(until));
        Ok(())
    }

    /// An export is rendered in pieces.
    fn bytes_max(&self, _: &Plan, _: &Sink) -> usize {
        usize::MAX
    }
}
