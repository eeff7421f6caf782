//! The permissions of the files of a database: no other user of the system can read them.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

use serde_json::json;

use super::{Serving, ZOO, run, stderr};

fn mode(folder: &Path, name: &str) -> u32 {
    fs::metadata(folder.join(name)).unwrap().mode() & 0o777
}

#[test]
fn a_new_database_and_its_copies_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // As with the umask 022 of most systems, which lets others read new files.
    fs::write(folder.join("usual"), "").unwrap();
    let serving = Serving::start(folder, &[ZOO]);
    serving.client().create("/zoos", &json!({ "name": "Tierpark" }));
    for name in ["zoo.db", "zoo.db-wal", "zoo.db-shm"] {
        assert_eq!(
            mode(folder, name),
            0o600,
            "{name}, where others are {:o}",
            mode(folder, "usual")
        );
    }
    let ok = |arguments: &[&str]| {
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    ok(&["backup", ZOO, "copy.db"]);
    serving.stop("-TERM");
    assert_eq!(mode(folder, "copy.db"), 0o600);
    // A copy that others may read does not make a new database that they may read.
    fs::set_permissions(folder.join("copy.db"), fs::Permissions::from_mode(0o644)).unwrap();
    ok(&["restore", ZOO, "copy.db", "--database", "new.db"]);
    assert_eq!(mode(folder, "new.db"), 0o600);
    // Permissions that somebody has set stay, also those of the copies.
    fs::set_permissions(folder.join("zoo.db"), fs::Permissions::from_mode(0o640)).unwrap();
    ok(&["restore", ZOO, "copy.db", "--replace"]);
    ok(&["backup", ZOO, "other.db"]);
    assert_eq!((mode(folder, "zoo.db"), mode(folder, "other.db")), (0o640, 0o640));
}
