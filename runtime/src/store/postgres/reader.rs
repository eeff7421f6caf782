//! A connection that reads: the session of plans that write nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    counters,
    handle::PostgresHandle,
    home::{ConnectedDatabase, Home},
    pool::Seated,
    wire::WaitLimit,
};
use crate::{
    base::error::Error,
    model::Model,
    plan::{CallerValues, CollectionState, LookupRows, Plan, Sources, Step, validator::Identity},
    store::{
        end_demand::EndDemand,
        failure::{Failure, FailureKind},
        lookups,
        session::{ReadSession, Session, Statements as _},
        sink::Sink,
    },
};

/// All statements of a plan read the same state of the database.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The time of all look-ups of a web page together. The page is shown without those that are late.
const LOOKUPS_TIME_MAX: Duration = Duration::from_millis(250);

/// A connection that reads.
pub(super) struct ReadConnection {
    handle: PostgresHandle,
    identity: Identity,
}

impl ReadConnection {
    /// Opens a connection for an export, beside those of the pool.
    pub(super) fn open(home: &Arc<Home>) -> Result<Self, Error> {
        <Self as Seated>::connect(home, &WaitLimit::default())
    }

    /// Runs the look-ups of a web page in one snapshot. Returns their rows, and the number of
    /// statements. After a look-up that takes too long, all further ones have no rows.
    pub(super) fn look_up(
        &mut self,
        model: &Arc<Model>,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Failure> {
        self.handle.wire().set_limit(WaitLimit::new(Instant::now() + LOOKUPS_TIME_MAX, None));
        self.snapshot(|reader| {
            let mut is_ended = false;
            let mut found = Vec::with_capacity(steps.len());
            for step in steps {
                if is_ended {
                    found.push(LookupRows::default());
                    continue;
                }
                let (rows, result) = lookups::rows_of(&mut reader.acting_for(caller), model, step);
                match result {
                    Ok(()) => {}
                    Err(failure) if failure.kind == FailureKind::Interrupted => is_ended = true,
                    Err(failure) => return Err(failure),
                }
                found.push(rows);
            }
            Ok((found, reader.handle.take_count()))
        })
    }
}

impl Seated for ReadConnection {
    fn connect(home: &Arc<Home>, limit: &WaitLimit) -> Result<Self, Error> {
        let ConnectedDatabase { handle, identity, .. } = home.connect(false, limit)?;
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
        self.handle.wire().set_limit(WaitLimit::new(until, None));
        Ok(())
    }

    /// The threads that read serve nobody else, so they read pages of any size.
    fn bytes_max(&self, _: &Plan, _: &Sink) -> usize {
        usize::MAX
    }
}
