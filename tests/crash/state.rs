//! The state of the members: as one client expects it, and as a database file has it.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use rusqlite::{Connection, Row as Fetched};
use serde_json::{Value, json};

/// A kind of member, by its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Shelf,
    Reader,
    Book,
}

/// A member: its content, and its id and revision if they are known.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: Option<i64>,
    pub(crate) revision: Option<u64>,
    pub(crate) content: Arc<Value>,
}

/// The members of one client, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct State(pub(crate) BTreeMap<(Kind, String), Row>);

const SHELVES: &str = "SELECT name, id, revision FROM shelves WHERE name LIKE ?1";
const READERS: &str = "SELECT name, id, revision FROM readers WHERE name LIKE ?1";
const BOOKS: &str = "SELECT b.title, b.id, b.revision, s.name, b.copies, r.name, b.notes, b.text \
                     FROM books b JOIN shelves s ON s.id = b.shelf_id LEFT JOIN readers r ON r.id = b.reader_id \
                     WHERE b.title LIKE ?1";

impl State {
    /// Reads the members of a client from a database. Each name must be unique.
    pub(crate) fn read(connection: &Connection, client: &str) -> Self {
        let mut state = Self::default();
        for (kind, text) in [(Kind::Shelf, SHELVES), (Kind::Reader, READERS), (Kind::Book, BOOKS)] {
            let mut statement = connection.prepare(text).unwrap();
            let mut rows = statement.query([format!("{client}-%")]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let name: String = row.get(0).unwrap();
                let found = Row::read(row, kind);
                let twice = state.0.insert((kind, name), found);
                assert!(twice.is_none(), "done twice: {twice:?}");
            }
        }
        state
    }

    /// Describes the first difference to the state that was found, if there is one.
    pub(crate) fn difference(&self, found: &Self) -> Option<String> {
        let missing = self.0.keys().find(|key| !found.0.contains_key(key));
        let more = found.0.keys().find(|key| !self.0.contains_key(key));
        if let Some(key) = missing {
            return Some(format!("{key:?} is missing"));
        }
        if let Some(key) = more {
            return Some(format!("{key:?} is too much"));
        }
        let other = self.0.iter().find(|(key, row)| !row.is(&found.0[*key]));
        other.map(|(key, row)| format!("{key:?} was {} and is {}", row.show(), found.0[key].show()))
    }

    /// The largest known revision.
    pub(crate) fn revision(&self) -> u64 {
        self.0.values().filter_map(|row| row.revision).max().unwrap_or_default()
    }

    pub(crate) fn names(&self, kind: Kind) -> Vec<&String> {
        self.0.keys().filter(|(of, _)| *of == kind).map(|(_, name)| name).collect()
    }

    pub(crate) fn of(&self, kind: Kind, name: &str) -> &Row {
        &self.0[&(kind, name.to_owned())]
    }

    pub(crate) fn id(&self, kind: Kind, name: &str) -> i64 {
        self.of(kind, name).id.expect("what was acknowledged has an id")
    }
}

impl Row {
    pub(crate) fn new(content: Value) -> Self {
        Self { id: None, revision: None, content: Arc::new(content) }
    }

    fn read(row: &Fetched<'_>, kind: Kind) -> Self {
        let notes = |text: Option<String>| {
            text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("no value is torn"))
        };
        let content = match kind {
            Kind::Book => json!({
                "shelf": row.get::<_, String>(3).unwrap(),
                "copies": row.get::<_, i64>(4).unwrap(),
                "reader": row.get::<_, Option<String>>(5).unwrap(),
                "notes": notes(row.get(6).unwrap()),
                "text": row.get::<_, Option<String>>(7).unwrap(),
            }),
            _ => Value::Null,
        };
        let revision = row.get::<_, i64>(2).unwrap().cast_unsigned();
        Self { id: Some(row.get(1).unwrap()), revision: Some(revision), content: Arc::new(content) }
    }

    /// Whether the row that was found equals this one, as far as this one is known.
    fn is(&self, found: &Self) -> bool {
        self.content == found.content
            && (self.id.is_none() || self.id == found.id)
            && (self.revision.is_none() || self.revision == found.revision)
    }

    fn show(&self) -> String {
        let mut text = format!("{:?} {:?} {}", self.id, self.revision, self.content);
        text.truncate(300);
        text
    }
}

/// Opens the file like another program would, after SQLite's integrity checks.
pub(crate) fn sound(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    let said: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
    let broken = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!broken, "a reference leads to nothing");
    connection
}

/// The last revision of a database, and that of each table; no row has a later one.
pub(crate) fn revisions(connection: &Connection) -> BTreeMap<String, u64> {
    let counter: i64 =
        connection.query_row("SELECT revision FROM _nouns_state", [], |row| row.get(0)).unwrap();
    let mut revisions = BTreeMap::from([(String::new(), counter.cast_unsigned())]);
    let mut statement = connection.prepare("SELECT name, revision FROM _nouns_tables").unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        revisions.insert(row.get(0).unwrap(), row.get::<_, i64>(1).unwrap().cast_unsigned());
    }
    for table in ["libraries", "shelves", "readers", "books"] {
        let text = format!("SELECT coalesce(max(revision), 0) FROM {table}");
        let last: i64 = connection.query_row(&text, [], |row| row.get(0)).unwrap();
        assert!(last <= revisions[table].cast_signed(), "a row of {table} is later than its table");
        assert!(revisions[table] <= counter.cast_unsigned(), "{table} is later than its database");
    }
    revisions
}
