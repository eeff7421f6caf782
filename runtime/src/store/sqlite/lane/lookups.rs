//! The look-ups of web pages. They have a time budget of their own, and end where it ends.

use std::sync::Arc;

use super::Lane;
use crate::{
    model::Model,
    plan::{CallerValues, LookupRows, Step},
    store::{
        failure::{Failure, FailureKind},
        lookups,
        session::{ReadSession as _, Statements as _},
    },
};

/// The number of look-ups of slow shapes of which one is tried. The others are skipped.
const TRIED_ONE_OF: u32 = 64;

impl Lane {
    /// Runs look-ups in one snapshot, each a statement. Returns their rows, and the number of
    /// statements. After a look-up that exceeds the budget, all further ones have no rows.
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
            lane.handle.act_for(caller);
            let mut is_ended = false;
            let mut found = Vec::with_capacity(steps.len());
            for step in steps {
                let rows = match is_ended || lane.skips(step) {
                    true => LookupRows::default(),
                    false => lane.rows_of(model, step, &mut is_ended)?,
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
        is_ended: &mut bool,
    ) -> Result<LookupRows, Failure> {
        let (found, result) = lookups::rows_of(&mut self.handle, model, step);
        match result {
            Ok(()) => self.handle.note(&step.shape, false),
            Err(failure) if failure.kind == FailureKind::Interrupted => *is_ended = true,
            Err(failure) => return Err(failure),
        }
        Ok(found)
    }
}
