//! Loads two servers on the same PostgreSQL database alternately: one that is written by hand with
//! hyper and tokio-postgres, and Nouns. Prints the ratios of their requests per second.

mod by_hand;
mod counting;

use std::{ffi::OsStr, fs, io, path::Path, thread, time::Duration};

use clap::Args;
use tokio_postgres::NoTls;

pub(crate) use self::by_hand::serve;
use crate::{
    child::Child,
    client::Traffic,
    say,
    start::Program,
    turn::{Turn, cpu, half, percent, slow, spread},
    workload::{self, ALL, Workload},
};

/// Copies the tables of Nouns into the schema `by_hand`, with their indexes and without triggers.
const COPY: &str = "CREATE SCHEMA by_hand; \
    CREATE TABLE by_hand.zoos (LIKE public.zoos INCLUDING ALL); \
    CREATE TABLE by_hand.animal_types (LIKE public.animal_types INCLUDING ALL); \
    CREATE TABLE by_hand.animals (LIKE public.animals INCLUDING ALL); \
    INSERT INTO by_hand.zoos SELECT * FROM public.zoos; \
    INSERT INTO by_hand.animal_types SELECT * FROM public.animal_types; \
    INSERT INTO by_hand.animals SELECT * FROM public.animals; \
    ALTER TABLE by_hand.animals ADD FOREIGN KEY (zoo_id) REFERENCES by_hand.zoos (id); \
    ALTER TABLE by_hand.animals ADD FOREIGN KEY (animal_type_id) REFERENCES by_hand.animal_types (id); \
    SELECT setval(pg_get_serial_sequence('by_hand.animals', 'id'), max(id)) FROM by_hand.animals; \
    CREATE TABLE by_hand.counters (LIKE public._nouns_counters INCLUDING ALL) WITH (fillfactor = 10); \
    INSERT INTO by_hand.counters SELECT 'animals', slot FROM generate_series(1, 256) AS slot; \
    ANALYZE";

/// The workloads of two nodes.
const NODE_WORK: [Workload; 2] = [workload::POINT, workload::PATCH];

/// The options of `postgres`.
#[derive(Args, Debug)]
pub(crate) struct Postgres {
    /// The URL of an empty database.
    database: String,
    /// How many turns each server has for each workload.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in milliseconds.
    #[arg(long, default_value_t = 2000)]
    turn_millis: u64,
    /// The number of connections that are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    /// Runs only workloads whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    program: Program,
}

impl Postgres {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let schema = folder.path().join("zoo.yaml");
        fs::write(&schema, workload::schema())?;
        let nouns = self.nouns(&schema, "0")?;
        workload::fill(workload::ZOOS, |path, body| workload::create(nouns.address, path, body))?;
        copy(&self.database)?;
        let caching = self.nouns(&schema, "8")?;
        let by_hand = Child::own(&[OsStr::new("by-hand-postgres"), OsStr::new(&self.database)])?;
        say(&format!(
            "{} animals; {} connections; medians of {} turns of {} ms, spread in brackets\n\n\
             | work | of by hand | by hand req/s | nouns req/s | cpu µs/req: by hand, nouns | p50, p99 in ms: by hand | nouns |\n\
             |---|---|---|---|---|---|---|",
            workload::ZOOS * workload::ANIMALS_PER_ZOO,
            self.connections,
            self.rounds,
            self.turn_millis,
        ));
        let works = ALL.iter().filter(|work| is_known(work)).chain(&workload::ON_POSTGRES);
        for work in works.filter(|work| work.name.contains(&self.only)) {
            let server = if work.is_cached { &caching } else { &nouns };
            self.measure(work, &by_hand, server)?;
        }
        counting::run(&self.database, self.rounds, Duration::from_millis(self.turn_millis))?;
        self.nodes(&nouns, &self.nouns(&schema, "0")?)
    }

    /// Divides the connections among two nodes, and compares them with the first one alone.
    fn nodes(&self, one: &Child, other: &Child) -> io::Result<()> {
        say("\n| work | two nodes, of one | one req/s | two req/s |\n|---|---|---|---|");
        for work in &NODE_WORK {
            let (traffic, _) = work.traffic(one.address)?;
            let (mut alone, mut both) = (vec![], vec![]);
            for _ in 0..self.rounds {
                alone.push(self.turn(one, &traffic)?);
                both.push(self.shared(&[one, other], &traffic)?);
            }
            let ratio = percent(&alone, &both).unwrap_or_default();
            say(&format!(
                "| {} | **{ratio:.0} %** | {} | {} |",
                work.name,
                spread(&alone),
                spread(&both)
            ));
        }
        Ok(())
    }

    /// Loads several nodes at the same time.
    fn shared(&self, nodes: &[&Child], traffic: &Traffic) -> io::Result<Turn> {
        let (time, each) = (self.turn_millis, self.connections / nodes.len() as u64);
        let turns = thread::scope(|scope| {
            let turn = |node: &&Child| {
                let address = node.address;
                scope.spawn(move || Turn::at(address, traffic, each, Duration::from_millis(time)))
            };
            let running: Vec<_> = nodes.iter().map(turn).collect();
            let panicked = |_| Err(io::Error::other("a client panicked"));
            running
                .into_iter()
                .map(|turn| turn.join().unwrap_or_else(panicked))
                .collect::<io::Result<Vec<_>>>()
        })?;
        Ok(Turn::together(&turns))
    }

    fn nouns(&self, schema: &Path, cache: &str) -> io::Result<Child> {
        self.program.serve(schema, Path::new(&self.database), &["--cache", cache])
    }

    fn measure(&self, work: &Workload, by_hand: &Child, nouns: &Child) -> io::Result<()> {
        let (traffic, _) = work.traffic(nouns.address)?;
        let (mut hand, mut own) = (vec![], vec![]);
        for _ in 0..self.rounds {
            if work.by_hand {
                hand.push(self.turn(by_hand, &traffic)?);
            }
            own.push(self.turn(nouns, &traffic)?);
        }
        let ratio =
            percent(&hand, &own).map_or_else(|| "–".into(), |ratio| format!("{ratio:.0} %"));
        let times = |turns: &Vec<Turn>| match turns.as_slice() {
            [] => "–".into(),
            turns => format!("{}, {}", half(turns), slow(turns)),
        };
        say(&format!(
            "| {} | **{ratio}** | {} | {} | {}, {} | {} | {} |",
            work.name,
            spread(&hand),
            spread(&own),
            cpu(&hand),
            cpu(&own),
            times(&hand),
            times(&own),
        ));
        Ok(())
    }

    fn turn(&self, server: &Child, traffic: &Traffic) -> io::Result<Turn> {
        Turn::of(server, traffic, self.connections, Duration::from_millis(self.turn_millis))
    }
}

/// Whether the server written by hand knows the requests, or has no part in the measurement.
fn is_known(work: &Workload) -> bool {
    !work.by_hand
        || ["by id", "20 animals", "PATCH", "POST an animal"]
            .iter()
            .any(|part| work.name.contains(part))
}

fn copy(url: &str) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let copied = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute(COPY).await
    });
    copied.map_err(io::Error::other)
}
