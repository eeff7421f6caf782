//! A database file that is truncated under the server, as by a failing disk. Requests that need a
//! missing page get a 500, and no others.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::Path,
};

use serde_json::{Value, json};

use super::Serving;
use crate::client::Client;

/// The members of the test, in arrays of the maximum length: about 250 pages, so that a tree has
/// two levels.
const NOTES: usize = 2_000;
const ARRAY: usize = 1_000;
/// The step between the requested members: there are a hundred, each on another page.
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

/// The statuses of members; the content of each 200 is checked.
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
    // The log is not read before the end, so it must be short.
    let arguments = [schema.as_str(), "--cache", "0", "--log", "nouns_runtime=error"];
    let serving = Serving::start(folder.path(), &arguments);
    fill(&mut serving.client());
    serving.stop("-TERM");

    // The caches are empty, and the WAL is not.
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
        "{gone} of {}: {found:?}",
        found.len()
    );
    assert_eq!(statuses(&mut client), found, "whoever asks again gets the same answer");
    assert_eq!(client.get("/-/ready").status(), 200, "the database can be read");
    assert_eq!(client.patch("/notes/1", &json!({ "text": "again" })).status(), 200);
    assert_eq!(statuses(&mut client), found, "nor does a write change that");

    file.write_all_at(&whole[half..], half as u64).unwrap();
    assert!(statuses(&mut client).iter().all(|status| *status == 200), "the pages are back");
    assert_eq!(client.get("/notes/1").json()["text"], "again");
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("did not end"), "{log}");
    assert!(
        log.contains(
            "a page of the database is damaged: see to its disk, then restore it from a backup"
        ),
        "{log}"
    );
}
