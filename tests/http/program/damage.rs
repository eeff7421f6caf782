//! Tests of a database file that is truncated while the server runs, as by a failing disk. A
//! request that needs a missing page is 500. Other requests succeed.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::Path,
};

use serde_json::{Value, json};

use super::Serving;
use crate::client::Client;

/// The number of notes, and of notes in one POST. The notes need about 250 pages, so their B-tree
/// has two levels.
const NOTES: usize = 2_000;
const ARRAY: usize = 1_000;
/// The step between the ids of requested notes. A hundred notes are requested, each on another
/// page.
const STEP: usize = 20;

fn text(id: usize) -> String {
    format!("{id:0>400}")
}

fn write_schema(folder: &Path) -> String {
    let path = folder.join("notes.yaml");
    fs::write(&path, "nouns: 1\nresources:\n  note:\n    fields:\n      text: string\n").unwrap();
    path.to_str().unwrap().to_owned()
}

fn fill(client: &mut Client) {
    for first in (1..=NOTES).step_by(ARRAY) {
        let notes: Vec<_> = (first..first + ARRAY).map(|id| json!({ "text": text(id) })).collect();
        assert_eq!(client.post("/notes", &notes.into()).status(), 201);
    }
}

/// Returns the statuses of the requested notes. Checks the content of each 200.
fn statuses(client: &mut Client) -> Vec<u16> {
    let ids = (2..=NOTES).step_by(STEP);
    let status = |id| {
        let answer = client.get(&format!("/notes/{id}"));
        if answer.status() == 200 {
            assert_eq!(answer.json()["text"], Value::from(text(id)));
        }
        answer.status()
    };
    ids.map(status).collect()
}

#[test]
fn a_file_that_is_cut_short_costs_the_pages_that_are_gone_until_they_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let schema = write_schema(folder.path());
    // The test reads the log only at the end, so the log must fit in the pipe.
    let arguments = [schema.as_str(), "--cache", "0", "--log", "nouns_runtime=error"];
    let serving = Serving::start(folder.path(), &arguments);
    fill(&mut serving.client());
    serving.stop("-TERM");

    // After a restart, the caches are empty. The PATCH makes the WAL non-empty.
    let serving = Serving::start(folder.path(), &arguments);
    let mut client = serving.client();
    assert_eq!(client.patch("/notes/1", &json!({ "text": "changed" })).status(), 200);
    assert_eq!(client.get("/notes/1").json()["text"], "changed");
    assert_ne!(fs::metadata(folder.path().join("notes.db-wal")).unwrap().len(), 0);
    let path = folder.path().join("notes.db");
    let whole = fs::read(&path).unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let half = whole.len() / 2 / 4096 * 4096;
    file.set_len(half as u64).unwrap();

    let found = statuses(&mut client);
    assert!(found.iter().all(|status| [200, 500].contains(status)), "{found:?}");
    let gone = found.iter().filter(|status| **status == 500).count();
    assert!(
        gone > found.len() / 4 && gone < found.len() * 3 / 4,
        "about half of the notes must be missing: {gone} of {}: {found:?}",
        found.len()
    );
    assert_eq!(statuses(&mut client), found, "a second request must get the same status");
    assert_eq!(
        client.get("/-/ready").status(),
        200,
        "`/-/ready` must be 200, since its page is not missing"
    );
    assert_eq!(client.patch("/notes/1", &json!({ "text": "again" })).status(), 200);
    assert_eq!(
        statuses(&mut client),
        found,
        "a write must not change the statuses of the other notes"
    );

    file.write_all_at(&whole[half..], half as u64).unwrap();
    assert!(
        statuses(&mut client).iter().all(|status| *status == 200),
        "all notes must be readable after the pages are back"
    );
    assert_eq!(client.get("/notes/1").json()["text"], "again");
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("did not end"), "{log}");
    assert!(
        log.contains(
            "a page of the database is damaged: check its disk, then restore the database from a backup"
        ),
        "{log}"
    );
}
