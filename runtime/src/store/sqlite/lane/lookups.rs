//! The look-ups of web pages. They have a budget of their own, which is counted in steps of
//! SQLite's virtual machine. So what a page shows depends on the data, and not on the load.

use std::{iter::once, sync::Arc};

use super::{super::budget::LOOKUP_STEPS, Lane};
use crate::{
    model::Model,
    plan::{CallerValues, LookupRows, Step},
    store::{
        failure::{Failure, FailureKind},
        lookups,
        session::{ReadSession as _, Session as _, Statements as _},
    },
};

/// The number of look-ups of slow shapes of which one is tried. The others are skipped.
const TRIED_ONE_OF: u32 = 64;

/// The number of steps after which a batch of look-ups ends. Those of interrupted look-ups do not
/// count, since these are not tried each time.
const BATCH_STEPS: u32 = 4 * LOOKUP_STEPS;

/// The number of interrupted look-ups after which a batch ends.
const INTERRUPTED_MAX: u32 = 16;

/// The part of its budget that a batch of look-ups has used.
#[derive(Default)]
struct BatchUsage {
    steps: u32,
    interrupted: u32,
}

impl BatchUsage {
    const fn is_ended(&self) -> bool {
        self.steps >= BATCH_STEPS || self.interrupted >= INTERRUPTED_MAX
    }
}

impl Lane {
    /// Runs look-ups in one snapshot, each a statement. Returns their rows, and the number of
    /// statements. A look-up that exceeds its budget is not complete, and further ones have no rows
    /// if the batch has used up its own.
    pub(in crate::store::sqlite) fn look_up(
        &mut self,
        model: &Arc<Model>,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Failure> {
        if let Some(budget) = &self.budget {
            budget.begin_lookups();
        }
        self.snapshot(|lane| {
            let mut usage = BatchUsage::default();
            let mut found = Vec::with_capacity(steps.len());
            for step in steps {
                let rows = match usage.is_ended() || lane.skips(step) {
                    true => LookupRows::default(),
                    false => lane.rows_of(model, step, caller, &mut usage)?,
                };
                found.push(rows);
            }
            Ok((found, lane.handle.take_count()))
        })
    }

    /// Whether a look-up is not tried, because it is known to be slow.
    fn skips(&mut self, step: &Step) -> bool {
        let is_slow = self.handle.is_slow(&step.shape);
        self.skipped_lookups = self.skipped_lookups.wrapping_add(u32::from(is_slow));
        is_slow && !self.skipped_lookups.is_multiple_of(TRIED_ONE_OF)
    }

    fn rows_of(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
        usage: &mut BatchUsage,
    ) -> Result<LookupRows, Failure> {
        if let Some(budget) = &self.budget {
            budget.begin_lookup();
        }
        let before = self.handle.effort(once(&step.shape));
        let (mut found, result) = lookups::rows_of(&mut self.acting_for(caller), model, step);
        let steps = self.handle.effort(once(&step.shape)).since(before).steps;
        match result {
            // The interruption comes some steps late, at a point that differs from run to run.
            Ok(()) if steps <= LOOKUP_STEPS => {
                self.handle.note(&step.shape, false);
                usage.steps = usage.steps.saturating_add(steps);
            }
            Err(failure) if failure.kind != FailureKind::Interrupted => return Err(failure),
            Ok(()) | Err(_) => {
                self.handle.note(&step.shape, true);
                found.is_complete = false;
                usage.interrupted += 1;
            }
        }
        Ok(found)
    }
}
