//! The state of tables, asked for by one request and shared by all that ask before the statement is
//! sent.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use tokio::{sync::watch, time::timeout};
use tokio_postgres::{Client, Row as ServerRow, Statement};

use super::{counters, epoch::Epoch, lane::ANSWER_TIME_MAX};
use crate::http::http_date::Second;

/// The sums of the counters of tables, and the times of their last changes.
pub(super) type TableStates = Arc<[(u64, Second)]>;

/// A state that was asked for.
pub(super) struct SharedState {
    /// The number of times that the connection was driven before.
    turn: u64,
    tables: Vec<&'static str>,
    states: watch::Receiver<Option<TableStates>>,
}

/// Waits for a state.
pub(super) struct StateReceiver(watch::Receiver<Option<TableStates>>);

impl SharedState {
    /// Sends the statement, unless the connection is closed.
    pub(super) fn ask(
        (client, epoch): (&Arc<Client>, Option<Arc<Epoch>>),
        sums: &Statement,
        turn: u64,
        tables: &[&'static str],
    ) -> Self {
        let (sender, states) = watch::channel(None);
        let (client, sums, names) = (Arc::clone(client), sums.clone(), tables.to_vec());
        let mut run = Box::pin(async move { client.query(&sums, &[&names]).await });
        // The first poll sends the statement, so that what is sent after it runs after it.
        let first = Pin::as_mut(&mut run).poll(&mut Context::from_waker(Waker::noop()));
        let names = tables.to_vec();
        tokio::spawn(async move {
            let rows = match first {
                Poll::Ready(rows) => rows.ok(),
                Poll::Pending => timeout(ANSWER_TIME_MAX, run).await.ok().and_then(Result::ok),
            };
            let is_over = epoch.is_some_and(|epoch| epoch.is_over());
            let rows = rows.filter(|_| !is_over);
            if let Some(states) = rows.and_then(|rows| read(rows, &names)) {
                sender.send(Some(states)).ok();
            }
        });
        Self { turn, tables: tables.to_vec(), states }
    }

    /// Returns the state for another request, if it asks for the same tables in the same turn.
    pub(super) fn receiver(&self, turn: u64, tables: &[&'static str]) -> Option<StateReceiver> {
        let is_same = self.turn == turn && self.tables == tables;
        is_same.then(|| StateReceiver(self.states.clone()))
    }
}

fn read(rows: Vec<ServerRow>, tables: &[&str]) -> Option<TableStates> {
    counters::of_tables(rows, tables).ok().map(Into::into)
}

impl StateReceiver {
    /// Returns the state. `None` if it could not be read in time.
    pub(super) async fn states(mut self) -> Option<TableStates> {
        self.0.wait_for(Option::is_some).await.ok()?.clone()
    }
}
