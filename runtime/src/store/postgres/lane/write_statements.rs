//! The prepared statements of plain writes: each in two forms, for one member and for a batch.

use std::sync::Arc;

use tokio_postgres::types::Type;

use super::{LaneFailure, LaneState, PostgresLane};
use crate::{
    model::Model,
    plan::Shape,
    store::{
        postgres::prepared::{PreparedStatement, PreparedStatements},
        sql::{self, CountedWrite},
    },
};

/// The number of statements that find accounts, or none: with a role and without one, and those of
/// the model before. Each has writes in two forms.
const WRITE_KINDS_MAX: usize = 2 * 5;

/// The forms of a statement that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::postgres) enum WriteForm {
    /// It writes one member.
    Single,
    /// It writes several members, each with values of its own.
    Batch,
}

impl LaneState {
    /// Returns the statements of writes in a form that find an account by this statement, or none.
    fn writes(&mut self, form: WriteForm, account: Option<&Shape>) -> &mut PreparedStatements {
        let is_it = |(known, shape, _): &(WriteForm, Option<Shape>, _)| {
            *known == form && shape.as_ref() == account
        };
        let at = self.writes.iter().position(is_it).unwrap_or_else(|| {
            if self.writes.len() >= WRITE_KINDS_MAX {
                self.writes.clear();
            }
            self.writes.push((form, account.cloned(), PreparedStatements::default()));
            self.writes.len() - 1
        });
        &mut self.writes[at].2
    }
}

impl PostgresLane {
    /// Returns the prepared statement of a write, and prepares it if the lane does not have it.
    /// `None` if the write has no such form.
    pub(in crate::store::postgres) async fn write_statement(
        &self,
        model: &Arc<Model>,
        write: &CountedWrite<'_>,
        form: WriteForm,
    ) -> Result<Option<PreparedStatement>, LaneFailure> {
        let single = match self.known_write(model, write, form) {
            Some(statement) => return Ok(Some(statement)),
            None if form == WriteForm::Single => None,
            None => self.known_write(model, write, WriteForm::Single),
        };
        let single = match single {
            Some(statement) => statement,
            None => {
                let Some(statement) = write.statement(model) else { return Ok(None) };
                self.prepared_write(model, write, WriteForm::Single, statement).await?
            }
        };
        if form == WriteForm::Single {
            return Ok(Some(single));
        }
        // The server has inferred the types of the values of one member.
        let types: Vec<_> = single.statement.params().iter().map(Type::name).collect();
        let Some(statement) = write.batch(model, &types) else { return Ok(None) };
        self.prepared_write(model, write, form, statement).await.map(Some)
    }

    fn known_write(
        &self,
        model: &Arc<Model>,
        write: &CountedWrite<'_>,
        form: WriteForm,
    ) -> Option<PreparedStatement> {
        self.lock().writes(form, write.account).find(model, write.shape)
    }

    async fn prepared_write(
        &self,
        model: &Arc<Model>,
        write: &CountedWrite<'_>,
        form: WriteForm,
        statement: sql::SqlStatement,
    ) -> Result<PreparedStatement, LaneFailure> {
        let prepared = self.prepared(statement).await?;
        self.lock().writes(form, write.account).add(model, write.shape, &prepared);
        Ok(prepared)
    }
}
