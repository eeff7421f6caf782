//! Writes of tables that have triggers of others. Such a trigger may change the written row, after
//! the statement has returned it, so the row is read again.

use super::run::{JobRun, WrittenMember};
use crate::{
    base::error::Error,
    model::{Layout, Place, View},
    plan::{Outcome, Refusal, Shape, validator::NO_TAG},
    store::{
        failure::Failure,
        refusal::JobError,
        session::WriteSession,
        sink::{JsonSink, RowSink as _, Sink},
    },
};

impl<S: WriteSession> JobRun<'_, S> {
    /// Whether any table that the plan writes has triggers of others.
    pub(super) fn is_triggered(&self) -> bool {
        self.session.has_others_triggers(self.model, &self.plan.writes)
    }

    /// Runs a statement that may fire triggers of others.
    pub(super) fn firing<T>(
        &mut self,
        statement: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if !self.is_triggered() {
            return statement(self);
        }
        self.session.before_triggers()?;
        let result = statement(self);
        if self.session.is_open() {
            self.session.after_triggers()?;
        }
        result
    }

    /// Renders the written members as the triggers of others have left them. Without such triggers,
    /// and for a resource with hooks, `outcome` is returned unchanged: hooks have read the members
    /// already.
    pub(super) fn reread(&mut self, outcome: Outcome) -> Result<Outcome, JobError> {
        let Outcome::Members { written, created, place: moved, .. } = &outcome else {
            return Ok(outcome);
        };
        if self.hooked.is_some() || written.is_empty() || !self.is_triggered() {
            return Ok(outcome);
        }
        let Some(step) = self.plan.steps.first() else { return Ok(outcome) };
        let view = match &step.shape {
            Shape::Insert { view, .. } | Shape::Update { view, .. } => *view,
            _ => View::Shown,
        };
        let resource = step.shape.place().resource;
        let place = match self.sink {
            // A program gets all members that it has written.
            Sink::Values(_) => Place::new(resource, 0),
            _ => step.shape.place().flat(resource),
        };
        let shape = Shape::Get { place, selection: view.into() };
        let (mut members, mut modified) = (Vec::with_capacity(written.len()), None);
        self.sink.reset();
        let mut rendered = 0;
        for (id, _) in written {
            let mut found = None;
            let (sink, model) = (&mut *self.sink, self.model);
            let (mut statements, identity) = self.session.parts_for(&self.plan.caller);
            statements.query(model, &shape, id, |row| {
                sink.row(model, row);
                found = Some(WrittenMember::of(row, model, &shape, identity).current);
                false
            })?;
            rendered += usize::from(found.is_some());
            if rendered > 1 && self.sink.is_too_large() {
                return Err(JobError::Refused(Refusal::TooMuch));
            }
            modified = found.as_ref().and_then(|current| current.modified);
            members.push((id.clone(), found.map_or(NO_TAG, |current| current.tag)));
        }
        // A response without a member has no content at all, not even a header row.
        if rendered == 0 && self.plan.steps.len() == 1 {
            match self.sink {
                Sink::Nothing => {}
                Sink::Values(_) => return Err(JobError::Declined(gone())),
                _ => *self.sink = Sink::Json(JsonSink::new(Layout::empty(resource), "")),
            }
        }
        Ok(Outcome::written(members, *created, modified, moved.clone()))
    }
}

/// The error (500) of a program or a hook whose row a trigger has deleted.
pub(super) fn gone() -> Error {
    Error::internal("a trigger of the database has deleted the row that was written")
}
