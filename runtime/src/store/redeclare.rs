//! [`Store::with_model`]: another model for an open store.

use std::sync::Arc;

use super::{
    AfterHookQueue, Difference, Engine, Issuer, Migration, OpenError, Store,
    process_sessions::ProcessSessions,
};
use crate::model::Model;

impl Store {
    /// Returns the same store with another model, and the differences that were corrected in the
    /// database. With `apply`, additive differences are corrected, while the store is in use.
    ///
    /// Both handles have one database, one writer, and the same sessions, unless the other model
    /// stores sessions elsewhere. The old handle may be used as long as it is needed. Close only
    /// one of the two.
    ///
    /// The call blocks its thread until the tables are changed, and writes wait meanwhile. To serve
    /// the other model, see [`RunningServer::replace`](crate::server::RunningServer::replace).
    ///
    /// # Errors
    /// As of [`open`](Self::open). Nothing was changed then, and this handle works as before.
    pub fn with_model(
        &self,
        model: &Arc<Model>,
        apply: bool,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        self.migrated(model, Migration::of(apply))
    }

    /// Returns the same store with another model, as [`with_model`](Self::with_model) does. If a
    /// difference is not additive, all tables are made again: every row is lost, and there are no
    /// accounts, sessions and tokens. The differences are those that were corrected otherwise.
    ///
    /// # Errors
    /// As of [`open`](Self::open), but not for differences.
    #[doc(hidden)]
    pub fn with_model_or_new_tables(
        &self,
        model: &Arc<Model>,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        self.migrated(model, Migration::Remake)
    }

    fn migrated(
        &self,
        model: &Arc<Model>,
        migration: Migration,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        let applied = match &self.engine {
            Engine::Sqlite(engine) => engine.redeclare(model, migration)?,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.redeclare(model, migration)?,
        };
        let after = match &self.after {
            Some(after) => Some(after.clone()),
            None => AfterHookQueue::of(model, &self.path)?,
        };
        let sessions = ProcessSessions::with_model(self.sessions.as_ref(), model, &self.path);
        let (model, issuer) = (Arc::clone(model), Issuer::of(model));
        Ok((Self { model, after, sessions, issuer, ..self.clone() }, applied))
    }

    /// Whether two handles are of the same open store.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Sqlite(one), Engine::Sqlite(other)) => Arc::ptr_eq(one, other),
            #[cfg(feature = "postgres")]
            (Engine::Postgres(one), Engine::Postgres(other)) => Arc::ptr_eq(one, other),
            #[cfg(feature = "postgres")]
            _ => false,
        }
    }
}
