//! A table that grows, and pages that lie deeper in it.

use std::{fs, io, path::Path};

use rusqlite::Connection;
use serde_json::Value;

use super::{Cost, GrowthFiles, counted, micros, time};
use crate::{
    bed::Bed,
    grouped,
    plot::{Line, Plot},
    say, workload,
};

const ZOOS: u64 = 1000;
/// What a page has.
const LIMIT: u64 = 20;
const DEPTHS: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// A request by its name; `{middle}` stands for the id in the middle of the table.
const CASES: [(&str, &str); 9] = [
    ("a member by id", "/animals/{middle}"),
    ("the first 100", "/animals?limit=100"),
    ("20 of a kind, by name", "/animals?animal_type_id=3&sortby=name&limit=20"),
    ("20 by name", "/animals?sortby=name&limit=20"),
    ("20 by name, backwards", "/animals?sortby=-name&limit=20"),
    ("20 by weight, which some lack", "/animals?sortby=weight_kg&limit=20"),
    ("20 by weight, backwards", "/animals?sortby=-weight_kg&limit=20"),
    ("20 by name, and the total", "/animals?limit=20&count=true"),
    ("20 by a filter without an index", "/animals?born=1999-12-31&limit=20"),
];

/// What was measured of one table.
struct TableCosts {
    rows: u64,
    cases: Vec<Cost>,
    /// By cursor and by offset, at each depth that it has.
    depths: Vec<[Cost; 2]>,
}

pub(super) fn measure(sizes: &[u64], plots: Option<&Path>) -> io::Result<()> {
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
    match plots {
        Some(folder) => draw(&measured, folder),
        None => Ok(()),
    }
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

/// Zoos, types and animals, whose names are in another order than their ids; every tenth animal has
/// no weight.
fn fill(database: &Path, rows: u64) -> rusqlite::Result<()> {
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN")?;
    let numbers = "WITH RECURSIVE numbers (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM numbers WHERE at < ?1)";
    // Revisions beyond the counter, as those of the server are, so that no trigger has to give
    // them.
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

/// The targets of pages at these depths, found by following the links.
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

/// What is looked at rather than read: times by rows, and by depth in the largest table.
fn draw(measured: &[TableCosts], folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let by_rows = CASES.iter().enumerate().map(|(at, (name, _))| Line {
        name: (*name).into(),
        points: measured.iter().map(|table| (table.rows as f64, table.cases[at].micros)).collect(),
    });
    let plot = Plot {
        title: "Time of a request by the rows of its table",
        across: "rows",
        lines: by_rows.collect(),
    };
    fs::write(folder.join("rows.svg"), plot.svg())?;
    let Some(largest) = measured.last() else { return Ok(()) };
    let by_depth = ["by cursor", "by offset"].iter().enumerate().map(|(way, name)| Line {
        name: (*name).into(),
        points: DEPTHS
            .iter()
            .zip(&largest.depths)
            .map(|(depth, both)| (*depth as f64, both[way].micros))
            .collect(),
    });
    let title = format!("Time of a page of {LIMIT} by its depth in {} rows", grouped(largest.rows));
    let plot = Plot { title: &title, across: "page", lines: by_depth.collect() };
    fs::write(folder.join("depth.svg"), plot.svg())
}
