//! Stores for tests: a real database that leaves nothing behind.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use nouns_runtime::{Api, Model, Query, Store};
use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::bed::wait;
use crate::typed::zoo::{NewZoo, Zoo};

/// Opens a temporary store that has a zoo, and finds its folder. Programs that run at the same time
/// have folders, too. So the name must have been made while the store was opened, and the zoo must
/// be in the file.
fn store_in_folder(model: &Arc<Model>) -> (Store, PathBuf) {
    let begun = Uuid::now_v7();
    let store = Store::temporary(model).unwrap();
    let opened = Uuid::now_v7();
    let name = opened.to_string();
    wait(store.of::<Zoo>().create(NewZoo::new(name.clone()))).unwrap();
    let is_own = |folder: &PathBuf| {
        let made = folder.file_name().and_then(|name| name.to_str()?.strip_prefix("nouns-"));
        let made = made.and_then(|made| Uuid::try_parse(made).ok());
        made.is_some_and(|made| begun < made && made < opened)
            && has_zoo(&folder.join("test.db"), &name)
    };
    let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let own: Vec<_> = folders.map(|folder| folder.path()).filter(is_own).collect();
    let [folder] = own.as_slice() else { panic!("the store must have one folder, not {own:?}") };
    (store, folder.clone())
}

/// Whether an SQLite file has a zoo of this name.
fn has_zoo(file: &Path, name: &str) -> bool {
    let found =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|file| {
            file.query_row("SELECT count(*) FROM zoos WHERE name = ?1", [name], |row| row.get(0))
        });
    found.is_ok_and(|count: i64| count == 1)
}

#[test]
fn it_is_removed_after_the_last_clone() {
    let model = Api::new("Zoos").resource::<Zoo>().build().unwrap();
    let (store, folder) = store_in_folder(&model);
    let other = Store::temporary(&model).unwrap();
    let clone = store.clone();
    drop(store);
    assert_eq!(wait(clone.of::<Zoo>().count(&Query::new())).unwrap(), 1);
    assert_eq!(wait(other.of::<Zoo>().count(&Query::new())).unwrap(), 0, "each is its own");
    wait(clone.close());
    drop((clone, other));
    for _ in 0..500 {
        if !folder.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} is still there", folder.display());
}
