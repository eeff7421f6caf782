//! Measures what the counters for validators cost writers of different rows, without HTTP: the same
//! statements with counters and without them, alternately.

use std::{io, time::Duration};

use tokio_postgres::{Client, NoTls, Statement};

use crate::{
    median, say,
    workload::{ANIMALS_PER_ZOO, Random, ZOOS},
};

/// The SQL that counts a change before it is made, in the slot of the connection.
const COUNTED: &str = "WITH counted AS (UPDATE counters SET count = count + 1, changed_at = now() \
    WHERE name = 'animals' AND slot = $3 RETURNING 1) ";
const IS_COUNTED: &str = " AND EXISTS (SELECT 1 FROM counted)";

/// Writers that share statements.
struct Writers {
    name: &'static str,
    connections: i32,
    /// The number of rows that a statement writes, each for one writer.
    rows: u64,
}

/// 32 writers: on a connection each, and as batches, as the workers of Nouns write on two cores.
const WRITERS: [Writers; 2] = [
    Writers { name: "32 connections, each with one row", connections: 32, rows: 1 },
    Writers { name: "2 connections, each with batches of 16 rows", connections: 2, rows: 16 },
];

/// A connection with the same statement in both forms.
struct CountingConnection {
    client: Client,
    without: Statement,
    with: Statement,
    slot: i32,
    random: Random,
}

/// Prints how much of the writes without counters those with counters reach.
pub(super) fn run(url: &str, rounds: usize, turn: Duration) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    say(
        "\n| writers of different rows, by SQL | with counters, of without | without, rows/s | with, rows/s |\n|---|---|---|---|",
    );
    for writers in &WRITERS {
        let [without, with] =
            runtime.block_on(measured(url, writers, rounds, turn)).map_err(io::Error::other)?;
        let ratios = without.iter().zip(&with).map(|(without, with)| 100.0 * with / without);
        say(&format!(
            "| {} | **{:.0} %** | {:.0} | {:.0} |",
            writers.name,
            median(ratios),
            median(without.iter().copied()),
            median(with.iter().copied()),
        ));
    }
    Ok(())
}

/// Returns the rows per second of each turn, without counters and with them.
async fn measured(
    url: &str,
    writers: &Writers,
    rounds: usize,
    turn: Duration,
) -> Result<[Vec<f64>; 2], tokio_postgres::Error> {
    let mut connections = vec![];
    for slot in 1..=writers.connections {
        connections.push(connect(url, slot).await?);
    }
    let mut figures = [vec![], vec![]];
    for _ in 0..rounds {
        for (counts, figures) in figures.iter_mut().enumerate() {
            let mut tasks = tokio::task::JoinSet::new();
            for connection in connections.drain(..) {
                tasks.spawn(connection.write(writers.rows, counts == 1, turn));
            }
            let mut written = 0;
            for result in tasks.join_all().await {
                let (connection, rows) = result?;
                connections.push(connection);
                written += rows;
            }
            figures.push(written as f64 / turn.as_secs_f64());
        }
    }
    Ok(figures)
}

async fn connect(url: &str, slot: i32) -> Result<CountingConnection, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("SET search_path = by_hand").await?;
    let text = |first: &str, condition: &str| {
        format!(
            "{first}UPDATE animals AS t SET weight_kg = v.weight, updated_at = now() \
             FROM unnest($1::bigint[], $2::double precision[]) AS v(id, weight) \
             WHERE t.id = v.id{condition} RETURNING t.*"
        )
    };
    let without = client.prepare(&text("", "")).await?;
    let with = client.prepare(&text(COUNTED, IS_COUNTED)).await?;
    let random = Random::new(slot.unsigned_abs().into());
    Ok(CountingConnection { client, without, with, slot, random })
}

impl CountingConnection {
    /// Writes rows until the turn is over. Returns how many.
    async fn write(
        mut self,
        rows: u64,
        counts: bool,
        turn: Duration,
    ) -> Result<(Self, u64), tokio_postgres::Error> {
        let (mut written, end) = (0, std::time::Instant::now() + turn);
        while std::time::Instant::now() < end {
            let id = |_| self.random.to(ZOOS * ANIMALS_PER_ZOO).cast_signed();
            let mut ids: Vec<_> = (0..rows).map(id).collect();
            ids.sort_unstable();
            ids.dedup();
            let weights: Vec<_> = ids.iter().map(|id| (id % 900) as f64).collect();
            let answer = match counts {
                true => self.client.query(&self.with, &[&ids, &weights, &self.slot]).await?,
                false => self.client.query(&self.without, &[&ids, &weights]).await?,
            };
            written += answer.len() as u64;
        }
        Ok((self, written))
    }
}
