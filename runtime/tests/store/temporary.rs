//! Stores for tests: a real database that leaves nothing behind.

use nouns_runtime::{Api, Query, Store};

use super::bed::wait;
use crate::typed::zoo::{NewZoo, Zoo};

/// The file of a temporary store, as SQLite names it.
fn file(store: &Store) -> std::path::PathBuf {
    let read = store.transaction_as_system(|tx| {
        tx.of::<Zoo>().create(NewZoo::new("a".into()))?;
        Ok(())
    });
    wait(read).unwrap();
    let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let mut named: Vec<_> = folders
        .map(|folder| folder.path())
        .filter(|path| path.join("test.db").exists())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("nouns-"))
        .collect();
    named.sort();
    named.pop().unwrap()
}

#[test]
fn it_is_removed_after_the_last_clone() {
    let model = Api::new("Zoos").resource::<Zoo>().build().unwrap();
    let store = Store::temporary(&model).unwrap();
    let other = Store::temporary(&model).unwrap();
    let folder = file(&store);
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
