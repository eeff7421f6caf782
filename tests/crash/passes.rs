//! Tests of the checkpointer, a thread that copies the WAL into the database while the writer
//! works. It syncs the database after each pass. A power loss or a failed sync must not lose an
//! acknowledged write.

use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, Instant},
};

use nouns::__runtime::{limits, store::Synchronous};
use rusqlite::{Connection, ffi};

use crate::{
    disk::{Call, Fault},
    faults::{Bed, FILE, logged},
    load::Load,
    power::{Recording, Serving},
    random::{Random, env_number, seed},
    state::{self, State},
};

/// The number of bytes to write, so that the WAL needs several checkpoint passes and is restarted.
const WRITTEN_BYTES: u64 = limits::WAL_BYTES as u64 * 3 / 2;
/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_loss_of_power_while_the_log_is_copied_takes_nothing_that_was_acknowledged() {
    let mut random = Random::new(seed("NOUNS_CRASH_SEED"));
    let recording = Recording::make(Synchronous::Full, WRITTEN_BYTES, &mut random);
    let (passes, (database, log)) = (recording.disk.passes(), recording.disk.syncs());
    println!("{log} passes with {} writes and syncs, {database} of the database", passes.len());
    assert!(passes.len() > 1_000 && log > 0, "the checkpointer must have copied the WAL");
    assert!(
        database >= log,
        "every checkpoint pass must sync the database, even if it does not reach the end of the WAL"
    );
    assert_eq!(
        recording.lose_power_after(&passes, env_number("NOUNS_PASS_LOSSES", 24), &mut random),
        0
    );
}

/// When a sync of the database fails, the kernel drops the unwritten pages, and reports the error
/// only once. SQLite regards these pages as copied, so the server must keep the whole WAL.
#[test]
fn what_a_sync_of_the_database_has_lost_stays_in_the_log() {
    let bed = Bed::new();
    let log = || fs::metadata(bed.database.with_extension("db-wal")).unwrap().len();
    let mut load = Load::new("c0".into(), Random::new(1), &mut bed.client());
    load.is_large = true;
    let (mut client, until) = (bed.client(), Instant::now() + PATIENCE);
    let mut write = |load: &mut Load| {
        assert!(Instant::now() < until, "the writes did not finish in time");
        load.write(&mut client).unwrap();
    };
    while log() < limits::WAL_BYTES as u64 / 2 {
        write(&mut load);
    }
    // A read transaction in the middle of the WAL keeps each pass from the end of the WAL. SQLite
    // itself would sync at that end.
    let reader = Connection::open(&bed.database).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM books").unwrap();
    bed.disk
        .fail(Some(Fault { times: 1, ..Fault::new(Call::Sync, FILE, ffi::SQLITE_IOERR_FSYNC) }));
    while !logged("the write-ahead log is kept; check the disk") {
        write(&mut load);
    }
    reader.execute_batch("COMMIT").unwrap();
    let written = bed.disk.written();
    while bed.disk.written() - written < limits::WAL_BYTES as u64 * 5 / 2 {
        write(&mut load);
    }
    let mut looks = 0;
    bed.disk.lose_power(&BTreeSet::from([bed.disk.now()]), &mut Random::new(1), |_, folder| {
        let database = folder.join(FILE);
        let serving = Serving::start(&database, Synchronous::Full);
        assert_eq!(load.state.difference(&State::read(&state::sound(&database), "c0")), None);
        serving.stop();
        looks += 1;
    });
    assert_eq!(looks, 1);
    let begun = Instant::now();
    bed.serving.stop();
    assert!(
        begun.elapsed() < PATIENCE && log() > 0,
        "the server must stop in time, and leave the WAL to the next start"
    );
    bed.disk.forget();
}
