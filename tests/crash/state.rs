//! The state of the members: as a client expects it, and as a database file has it.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use nouns::__runtime::plan::TagCipher;
use rusqlite::{Connection, Row as Fetched};
use serde_json::{Value, json};

/// The kind of a member. Each kind has its own table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Shelf,
    Reader,
    Book,
}

/// A member: its content, its id, and the number in its entity tag, which hides its revision. An id
/// or number that the client does not know is `None`.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: Option<i64>,
    pub(crate) number: Option<u64>,
    pub(crate) content: Arc<Value>,
}

/// The members of one client, by kind and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct State(pub(crate) BTreeMap<(Kind, String), Row>);

const SHELVES: &str = "SELECT name, id, revision FROM shelves WHERE name LIKE ?1";
const READERS: &str = "SELECT name, id, revision FROM readers WHERE name LIKE ?1";
const BOOKS: &str = "SELECT b.title, b.id, b.revision, s.name, b.copies, r.name, b.notes, b.text \
                     FROM books b JOIN shelves s ON s.id = b.shelf_id LEFT JOIN readers r ON r.id = b.reader_id \
                     WHERE b.title LIKE ?1";

impl State {
    /// Reads the members of a client from a database. Panics if two members have the same kind and
    /// name.
    pub(crate) fn read(connection: &Connection, client: &str) -> Self {
        let (mut state, cipher) = (Self::default(), cipher(connection));
        for (kind, text) in [(Kind::Shelf, SHELVES), (Kind::Reader, READERS), (Kind::Book, BOOKS)] {
            let mut statement = connection.prepare(text).unwrap();
            let mut rows = statement.query([format!("{client}-%")]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let name: String = row.get(0).unwrap();
                let found = Row::read(row, kind, &cipher);
                let twice = state.0.insert((kind, name), found);
                assert!(
                    twice.is_none(),
                    "two rows have the same name, so a write was executed twice: {twice:?}"
                );
            }
        }
        state
    }

    /// Describes the first difference between this expected state and `found`; `None` if they are
    /// equal.
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

    /// The highest revision of a member that the client knows; 0 if it knows none.
    pub(crate) fn revision(&self, cipher: &TagCipher) -> u64 {
        self.0.values().filter_map(|row| row.revision(cipher)).max().unwrap_or_default()
    }

    pub(crate) fn names(&self, kind: Kind) -> Vec<&String> {
        self.0.keys().filter(|(of, _)| *of == kind).map(|(_, name)| name).collect()
    }

    pub(crate) fn of(&self, kind: Kind, name: &str) -> &Row {
        &self.0[&(kind, name.to_owned())]
    }

    pub(crate) fn id(&self, kind: Kind, name: &str) -> i64 {
        self.of(kind, name).id.expect("an acknowledged member has an id")
    }
}

impl Row {
    pub(crate) fn new(content: Value) -> Self {
        Self { id: None, number: None, content: Arc::new(content) }
    }

    /// The revision of the member, if the client knows it.
    pub(crate) fn revision(&self, cipher: &TagCipher) -> Option<u64> {
        self.number.map(|number| cipher.decrypt(number))
    }

    fn read(row: &Fetched<'_>, kind: Kind, cipher: &TagCipher) -> Self {
        let notes = |text: Option<String>| {
            text.map_or(Value::Null, |text| {
                serde_json::from_str(&text).expect("the column `notes` holds valid JSON")
            })
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
        let number = cipher.encrypt(row.get::<_, i64>(2).unwrap().cast_unsigned());
        Self { id: Some(row.get(1).unwrap()), number: Some(number), content: Arc::new(content) }
    }

    /// Whether the row in the database equals this expected row. An unknown id or number is not
    /// compared.
    fn is(&self, found: &Self) -> bool {
        self.content == found.content
            && (self.id.is_none() || self.id == found.id)
            && (self.number.is_none() || self.number == found.number)
    }

    fn show(&self) -> String {
        let mut text = format!("{:?} {:?} {}", self.id, self.number, self.content);
        text.truncate(300);
        text
    }
}

/// Returns what hides the revisions in the tags of a database.
pub(crate) fn cipher(connection: &Connection) -> TagCipher {
    let text = "SELECT secret FROM _nouns_state";
    let secret: Vec<u8> = connection.query_row(text, [], |row| row.get(0)).unwrap();
    TagCipher::of(&secret)
}

/// Opens the database on a connection of its own, as another program would. Checks its integrity
/// and its foreign keys.
pub(crate) fn sound(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    let result: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(result, "ok");
    let broken = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!broken, "a foreign key refers to a missing row");
    connection
}

/// Returns the revision of the database (under the empty name) and of each table. Checks that no
/// row has a higher revision than its table, and no table a higher one than the database.
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
        assert!(
            last <= revisions[table].cast_signed(),
            "a row of {table} has a higher revision than its table"
        );
        assert!(
            revisions[table] <= counter.cast_unsigned(),
            "{table} has a higher revision than its database"
        );
    }
    revisions
}
