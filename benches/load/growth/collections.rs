//! Measures schemas with several numbers of collections: the time of routing and of a start, and
//! the memory.

use std::{fs, io};

use super::{GrowthFiles, counted, micros, time};
use crate::{
    grouped, median,
    memory::Memory,
    say,
    start::{Program, first_answer},
    synthetic,
};

pub(super) fn measure(sizes: &[usize], rounds: usize, program: &Program) -> io::Result<()> {
    say(
        "\n| collections | a member by id, µs | instructions | start, new database, ms | start, existing database, ms | resident, MiB | its own, MiB |",
    );
    say("|---:|---:|---:|---:|---:|---:|---:|");
    sizes.iter().try_for_each(|size| of(*size, rounds, program))
}

fn of(size: usize, rounds: usize, program: &Program) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let (schema, database) = (folder.path().join("parts.yaml"), folder.path().join("parts.db"));
    fs::write(&schema, synthetic::schema(size))?;
    let subject = GrowthFiles { schema: &schema, database: &database };
    // The URL path of the last collection that has no parent.
    let collection = format!("/{}s", synthetic::noun((size - 1) / 4 * 4));
    let member = format!("{collection}/1");
    let bed = subject.bed()?;
    bed.create(&collection, r#"{"name":"Wheel"}"#)?;
    let micros = micros(&bed, &member)?;
    drop(bed);
    let cost = subject.costs(&[(member, micros)])?[0];
    let (mut new, mut existing, mut memory) = (vec![], vec![], Memory::default());
    for round in 0..rounds {
        let database = folder.path().join(format!("{round}.db"));
        for times in [&mut new, &mut existing] {
            let (millis, server) =
                first_answer(|| program.serve(&schema, &database, &[]), &collection)?;
            memory = Memory::of(server.id())?;
            server.stop()?;
            times.push(millis);
        }
    }
    say(&format!(
        "| {} | {} | {} | {:.0} | {:.0} | {:.1} | {:.1} |",
        grouped(size as u64),
        time(cost.micros),
        counted(cost),
        median(new),
        median(existing),
        memory.resident,
        memory.anonymous
    ));
    Ok(())
}
