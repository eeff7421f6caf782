//! The content of the response to a creation: an access rule may keep the creator from reading what
//! it has created.

use super::run::JobRun;
use crate::{
    model::{Layout, View},
    plan::{Outcome, Shape},
    store::{
        failure::Failure,
        session::WriteSession,
        sink::{JsonSink, RowSink as _, Sink},
    },
};

impl<S: WriteSession> JobRun<'_, S> {
    /// Renders only those of the created members that the caller may read. Without a rule, all of
    /// them are rendered already. A program gets all members that it has created.
    pub(super) fn leave_out_hidden(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        let (Outcome::Members { written, created: true, .. }, Some(step)) =
            (outcome, self.plan.steps.first())
        else {
            return Ok(());
        };
        let place = step.shape.place().flat(step.shape.place().resource);
        let has_rule = self.model.readable_rows(place.rules, place.resource).is_some();
        if !has_rule || matches!(self.sink, Sink::Nothing | Sink::Values(_)) {
            return Ok(());
        }
        let (sink, model) = (&mut *self.sink, self.model);
        let mut statements = self.session.acting_for(&self.plan.caller);
        sink.reset();
        let mut rendered = 0;
        for (id, _) in written {
            let shape = Shape::Get { place, selection: View::Shown.into() };
            statements.query(model, &shape, id, |row| {
                sink.row(model, row);
                rendered += 1;
                false
            })?;
        }
        // A response without a member has no content at all, not even a header row.
        if rendered == 0 && self.plan.steps.len() == 1 {
            *sink = Sink::Json(JsonSink::new(Layout::empty(place.resource), ""));
        }
        Ok(())
    }
}
