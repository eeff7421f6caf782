//! The statement of a deletion, with the tests of the references that may be left.

use std::sync::Arc;

use super::{PostgresHandle, statements::bound};
use crate::{
    model::Model,
    plan::{CallerValues, Step},
    store::{
        failure::Failure,
        postgres::{fault::Remedy, rows::before},
    },
};

/// The command after the savepoint of a deletion with cascades.
const DEFER: &str = "; SET CONSTRAINTS ALL DEFERRED";
/// The command after such a deletion.
const TEST: &str = "SET CONSTRAINTS ALL IMMEDIATE";

impl PostgresHandle {
    /// Runs the statement of a deletion. Returns the number of deleted members.
    ///
    /// With `cascades`, references are tested after all actions of foreign keys. Otherwise the
    /// server would test a reference before another key has deleted its row. It does all of that in
    /// one round trip.
    pub(in crate::store::postgres) fn delete(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
        cascades: bool,
    ) -> Result<u64, Failure> {
        let prepared = self.prepared(model, &step.shape)?;
        let values = bound(&prepared, caller, step)?;
        self.count += 1;
        let mut commands = self.step();
        if cascades {
            commands.push_str(DEFER);
        }
        let result = self.wire.wait(async |client| {
            let run = client.execute_raw(&prepared.statement, values);
            let test = before(client, if cascades { TEST } else { "" });
            let (begun, count, tested) = tokio::join!(biased; before(client, &commands), run, test);
            let count = begun.and(count)?;
            tested.map(|()| count)
        });
        let count = result.map_err(|error| self.undo_step(error))?;
        self.remedy = Remedy::None;
        Ok(count)
    }
}
