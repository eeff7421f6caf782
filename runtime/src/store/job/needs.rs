//! The needs of a job, for the engine that runs it: the tables that it will change, the collection
//! that it tests, and how strictly other transactions are to be kept apart from it.

use std::sync::Arc;

use super::{Job, Work};
use crate::{
    model::{Model, ResourceIx},
    plan::{Shape, Sources, Step},
};

impl Job {
    /// Returns the model of the job.
    pub(in crate::store) const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the tables that the job will change, as far as that is known before it runs.
    pub(in crate::store) fn tables(&self) -> &[ResourceIx] {
        match &self.work {
            Work::Plan(write) => &write.plan.writes,
            Work::Program(_) | Work::Grants(_) => &[],
        }
    }

    /// Returns the collection whose preconditions the job tests, or `None` if it tests none.
    pub(in crate::store) fn tested_collection(&self) -> Option<&Sources> {
        match &self.work {
            Work::Plan(write) if write.plan.tests_collection() => write.plan.reads.as_ref(),
            _ => None,
        }
    }

    /// Whether the job writes what depends on what it has read before, in ways that only its code
    /// knows: a hook within it, a transaction of the program, a deletion that a rule may refuse.
    pub(in crate::store) fn decides_by_reading(&self) -> bool {
        let is_ruled = |step: &Step| {
            matches!(step.shape, Shape::DeleteMany { .. })
                && step.shape.changes(&self.model).is_some()
        };
        match &self.work {
            Work::Plan(write) => write.hooks.is_some() || write.plan.steps.iter().any(is_ruled),
            Work::Program(_) => true,
            Work::Grants(_) => false,
        }
    }
}
