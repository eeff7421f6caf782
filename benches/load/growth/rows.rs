//! Measures requests on tables of several sizes, and on pages at several depths.

use std::{fs, io, path::Path};

use rusqlite::Connection;
use serde_json::Value;

use super::{Cost, GrowthFiles, counted, micros, time};
use crate::{bed::Bed, grouped, say, workload};

const ZOOS: u64 = 1000;
/// The number of members on a page.
const LIMIT: u64 = 20;
const DEPTHS: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// The names and targets of the requests. `{middle}` stands for the id in the middle of the table.
const CASES: [(&str, &str); 9] = [
    ("a member by id", "/animals/{middle}"),
    ("the first 100", "/animals?limit=100"),
    ("20 of a kind, by name", "/animals?animal_type_id=3&sortby=name&limit=20"),
    ("20 by name", "/animals?sortby=name&limit=20"),
    ("20 by name, backwards", "/animals?sortby=-name&limit=20"),
    ("20 by weight, null in some rows", "/animals?sortby=weight_kg&limit=20"),
    ("20 by weight, backwards", "/animals?sortby=-weight_kg&limit=20"),
    ("20 by name, and the total", "/animals?limit=20&count=true"),
    ("20 by a filter without an index", "/animals?born=1999-12-31&limit=20"),
];

/// The measurements of one table size.
struct TableCosts {
    rows: u64,
    cases: Vec<Cost>,
    /// The cost of a page by cursor and of the same page by offset, at each depth that the table
    /// reaches.
    depths: Vec<[Cost; 2]>,
}

pub(super) fn measure(sizes: &[u64]) -> io::Result<()> {
    let measured = sizes.iter().map(|rows| of(*rows)).collect::<io::Result<Vec<_>>>()?;
    let columns = |unit: &str| {
        measured
            .iter()
            .map(|table| format!(" {}: {unit} |", grouped(table.rows)))
            .collect::<String>()
    };
    say(&format!("| by the rows of the table |{}{}", columns("µs"), columns("instructions")));
    say(&format!("|---|{}", "---:|".repeat(2 * measured.len())));
    for (at, (name, _)) in CASES.iter().enumerate() {
        let cells = |cell: fn(Cost) -> String| {
            measured.iter().map(|table| format!(" {} |", cell(table.cases[at]))).collect::<String>()
        };
        say(&format!("| {name} |{}{}", cells(|cost| time(cost.micros)), cells(counted)));
    }
    say(
        "\n| rows | page | by cursor: µs | by offset: µs | by cursor: instructions | by offset: instructions |",
    );
    say("|---:|---:|---:|---:|---:|---:|");
    for table in &measured {
        for (depth, both) in DEPTHS.iter().zip(&table.depths) {
            let times = both.map(|cost| time(cost.micros)).join(" | ");
            let (rows, page) = (grouped(table.rows), grouped(*depth));
            say(&format!("| {rows} | {page} | {times} | {} |", both.map(counted).join(" | ")));
        }
    }
    Ok(())
}

fn of(rows: u64) -> io::Result<TableCosts> {
    let folder = tempfile::tempdir()?;
    let (schema, database) = (folder.path().join("zoo.yaml"), folder.path().join("zoo.db"));
    let indexes = "indexes: [[name], [animal_type_id, name], [weight_kg]]";
    fs::write(
        &schema,
        workload::schema().replace("indexes: [[zoo_id, animal_type_id, name]]", indexes),
    )?;
    let subject = GrowthFiles { schema: &schema, database: &database };
    drop(subject.bed()?);
    fill(&database, rows).map_err(io::Error::other)?;
    let bed = subject.bed()?;
    let cases = CASES.iter().map(|(_, target)| target.replace("{middle}", &(rows / 2).to_string()));
    let depths: Vec<u64> = DEPTHS.into_iter().filter(|depth| depth * LIMIT <= rows).collect();
    let by_cursor = cursors(&bed, &depths)?;
    let by_offset =
        depths.iter().map(|depth| format!("/animals?limit={LIMIT}&offset={}", (depth - 1) * LIMIT));
    let pages = by_cursor.into_iter().zip(by_offset).flat_map(<[_; 2]>::from);
    let timed = cases.chain(pages).map(|target| Ok((target.clone(), micros(&bed, &target)?)));
    let timed = timed.collect::<io::Result<Vec<_>>>()?;
    drop(bed);
    let mut cases = subject.costs(&timed)?;
    let pages = cases.split_off(CASES.len());
    let depths = pages.chunks_exact(2).map(|both| [both[0], both[1]]).collect();
    Ok(TableCosts { rows, cases, depths })
}

/// Inserts zoos, animal types and animals. Sorting animals by name gives another order than by id.
/// Every tenth animal has no weight.
fn fill(database: &Path, rows: u64) -> rusqlite::Result<()> {
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN")?;
    let numbers = "WITH RECURSIVE numbers (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM numbers WHERE at < ?1)";
    // The revisions are above the counter, as the server would set them, so that no trigger runs.
    let revision = "(SELECT revision FROM _nouns_state) + at";
    for (table, named, count) in
        [("zoos", "Zoo ", ZOOS), ("animal_types", "Type ", workload::TYPES)]
    {
        let select = format!(
            "{numbers} INSERT INTO {table} (name, revision) SELECT '{named}' || at, {revision} FROM numbers"
        );
        connection.execute(&select, [count.cast_signed()])?;
    }
    let animals = format!(
        "{numbers} INSERT INTO animals (zoo_id, name, animal_type_id, weight_kg, born, revision) \
         SELECT at % {ZOOS} + 1, printf('Animal %07d', at * 7919 % ?1), at % {types} + 1, \
         iif(at % 10 = 0, NULL, at * 104729 % 5000 / 10.0), '2020-02-29', {revision} FROM numbers",
        types = workload::TYPES
    );
    connection.execute(&animals, [rows.cast_signed()])?;
    connection.execute(
        "UPDATE _nouns_state SET revision = revision + ?1",
        [(rows + ZOOS).cast_signed()],
    )?;
    let counted = "UPDATE _nouns_tables SET revision = (SELECT revision FROM _nouns_state); COMMIT";
    connection.execute_batch(counted)
}

/// Returns the targets of the pages at these depths. It finds them by following the `next` links.
fn cursors(bed: &Bed, depths: &[u64]) -> io::Result<Vec<String>> {
    let (mut targets, mut target) = (vec![], format!("/animals?limit={LIMIT}"));
    for page in 1..=depths.last().copied().unwrap_or_default() {
        if depths.contains(&page) {
            targets.push(target.clone());
        }
        let content: Value = serde_json::from_slice(&bed.get(&target)?)?;
        match content["links"]["next"].as_str() {
            Some(next) => target = next.to_owned(),
            None => break,
        }
    }
    Ok(targets)
}
