//! Statements of the store itself whose text is not fixed, and whose results are texts.

use tokio_postgres::SimpleQueryMessage;

use super::PostgresHandle;
use crate::store::failure::Failure;

impl PostgresHandle {
    /// Runs a statement without parameters. Returns the rows, without columns that have no value.
    pub(in crate::store::postgres) fn texts(
        &mut self,
        text: &str,
    ) -> Result<Vec<Vec<String>>, Failure> {
        self.flush()?;
        let result = self.wire.wait(async |client| client.simple_query(text).await);
        let messages = result.map_err(|error| self.broken(error))?;
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                let values = (0..row.len()).filter_map(|at| row.get(at).map(str::to_owned));
                Some(values.collect())
            }
            _ => None,
        });
        Ok(rows.collect())
    }
}
