//! The rows of a result, as they arrive from a server.

use std::{future::poll_fn, pin::Pin, task::Poll};

use futures_core::Stream as _;
use tokio_postgres::{Client, Row as ServerRow, RowStream};

use super::cells::BinaryRow;
use crate::store::failure::Failure;

/// The number of rows that are taken from the connection at once, if they have arrived.
pub(super) const ROWS_AT_ONCE: usize = 64;

/// The size of these rows, in bytes, from which no further one is taken.
const BYTES_AT_ONCE: usize = 1024 * 1024;

/// Sends commands before a statement. Both are under way at the same time.
pub(super) async fn before(client: &Client, commands: &str) -> Result<(), tokio_postgres::Error> {
    if commands.is_empty() { Ok(()) } else { client.batch_execute(commands).await }
}

/// Takes the rows that have arrived, but not too many at once. Returns whether more may follow. A
/// stream that has ended must not be asked again.
///
/// Large rows have lists, so few of them are taken.
pub(super) async fn take(
    mut stream: Pin<&mut RowStream>,
    rows: &mut Vec<ServerRow>,
) -> Result<bool, tokio_postgres::Error> {
    let mut bytes = 0;
    poll_fn(|context| {
        while rows.len() < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE {
            match stream.as_mut().poll_next(context) {
                Poll::Ready(Some(row)) => {
                    let row = row?;
                    bytes += row.raw_size_bytes();
                    rows.push(row);
                }
                Poll::Ready(None) => return Poll::Ready(Ok(false)),
                Poll::Pending if rows.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(Ok(true))
    })
    .await
}

/// Takes all rows.
pub(super) async fn take_all(
    mut stream: Pin<&mut RowStream>,
) -> Result<Vec<ServerRow>, tokio_postgres::Error> {
    let mut rows = vec![];
    while let Some(row) = next(stream.as_mut()).await {
        rows.push(row?);
    }
    Ok(rows)
}

/// Waits for the next row.
pub(super) async fn next(
    mut stream: Pin<&mut RowStream>,
) -> Option<Result<ServerRow, tokio_postgres::Error>> {
    poll_fn(|context| stream.as_mut().poll_next(context)).await
}

/// Decodes a row.
pub(super) fn read(row: ServerRow) -> Result<BinaryRow, Failure> {
    BinaryRow::read(row).ok_or_else(foreign)
}

/// Decodes a row without the cells that nobody reads.
pub(super) fn read_without(row: ServerRow, unread: &[bool]) -> Result<BinaryRow, Failure> {
    BinaryRow::read_without(row, unread).ok_or_else(foreign)
}

fn foreign() -> Failure {
    Failure::internal("a column has a type of another program")
}
