//! The look-ups of web pages.

use super::{Engine, Store};
use crate::{
    base::error::Error,
    plan::{CallerValues, LookupRows, Step},
};

impl Store {
    /// Runs the look-ups of a web page for a caller. Returns the rows of each, and the number of
    /// statements.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read). A look-up that takes too long is no error.
    pub(crate) async fn look_up(
        &self,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.look_up(&self.model, steps, caller).await,
        }
    }
}
