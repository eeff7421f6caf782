//! Statements that are sent together, and read one state of the database.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::atomic::Ordering,
    task::Poll,
    time::Duration,
};

use tokio::time::timeout;
use tokio_postgres::{Error as ServerError, Row as ServerRow};

use super::{LaneFailure, PostgresLane};
use crate::{
    plan::PAGE_LOOKUP_BYTES_MAX,
    store::postgres::{
        fault::Remedy, parameter::BinaryParameter, prepared::PreparedStatement, reader::SNAPSHOT,
        rows::next,
    },
};

/// The maximum size of the rows of a statement, in bytes. A look-up keeps texts of a quarter of it,
/// and is not complete beyond that.
const ROWS_BYTES_MAX: usize = 4 * PAGE_LOOKUP_BYTES_MAX;

/// A statement with its values.
pub(in crate::store::postgres) type BoundStatement<'s> =
    (&'s PreparedStatement, Vec<BinaryParameter<'s>>);

/// The rows of a statement, or the error with which it has failed.
type StatementResult = Result<Vec<ServerRow>, ServerError>;

type SentStatement<'s> = Pin<Box<dyn Future<Output = StatementResult> + Send + 's>>;

impl PostgresLane {
    /// Runs statements in a transaction of their own, all in one round trip. Returns their rows. A
    /// statement that takes too long has none, nor has any that follows it, as they fail with the
    /// transaction.
    ///
    /// Nobody else may use the connection.
    pub(in crate::store::postgres) async fn transaction(
        &self,
        statements: Vec<BoundStatement<'_>>,
        time_max: Duration,
    ) -> Result<Vec<Option<Vec<ServerRow>>>, LaneFailure> {
        let mut runs = vec![self.command_run(SNAPSHOT)];
        runs.extend(statements.into_iter().map(|statement| self.statement_run(statement)));
        runs.push(self.command_run("ROLLBACK"));
        let mut results: Vec<_> = runs.iter().map(|_| None).collect();
        self.unanswered.fetch_add(1, Ordering::Relaxed);
        let ended = {
            let all = pin!(all(&mut runs, &mut results));
            timeout(time_max, self.kept(all)).await
        };
        match ended {
            Ok(Some(())) => self.unanswered.fetch_sub(1, Ordering::Relaxed),
            Ok(None) => return Err(LaneFailure::Lost),
            Err(_) => 0,
        };
        // The first and the last one are those of the transaction.
        results.pop();
        let mut found = vec![];
        for result in results.into_iter().skip(1) {
            found.push(match result {
                Some(Ok(rows)) => Some(rows),
                Some(Err(error)) => match self.failure(error) {
                    failure if failure.remedy() == Remedy::MoreTime => None,
                    failure => return Err(failure),
                },
                None => None,
            });
        }
        Ok(found)
    }

    fn command_run(&self, command: &'static str) -> SentStatement<'_> {
        Box::pin(async move { self.client.batch_execute(command).await.map(|()| vec![]) })
    }

    /// Runs a statement. Rows that are too large are left out: the limit of a look-up is smaller.
    fn statement_run<'s>(&'s self, (prepared, values): BoundStatement<'s>) -> SentStatement<'s> {
        Box::pin(async move {
            let mut stream = pin!(self.client.query_raw(&prepared.statement, values).await?);
            let (mut rows, mut bytes) = (vec![], 0);
            while let Some(row) = next(stream.as_mut()).await {
                let row = row?;
                if bytes <= ROWS_BYTES_MAX {
                    bytes += row.raw_size_bytes();
                    rows.push(row);
                }
            }
            Ok(rows)
        })
    }
}

/// Waits for all runs. What each run has to send is sent when this first runs, in their order.
async fn all(runs: &mut [SentStatement<'_>], results: &mut [Option<StatementResult>]) {
    poll_fn(|context| {
        let mut is_done = true;
        for (run, result) in runs.iter_mut().zip(results.iter_mut()) {
            if result.is_none() {
                match run.as_mut().poll(context) {
                    Poll::Ready(ended) => *result = Some(ended),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
