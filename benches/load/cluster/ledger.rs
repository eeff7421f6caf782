//! The ledger of the writes: the rows that the database must have, as far as the clients know.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    io,
};

use super::database::Database;

/// The tables that the ledger knows. Each has a query of `name|number|id` for its rows.
const QUERIES: [(RowKind, &str); 4] = [
    (RowKind::Entries, "SELECT name, count(*), min(id) FROM entries GROUP BY name"),
    // An order without its movement, or the reverse, is half of a write.
    (
        RowKind::Orders,
        "SELECT coalesce(o.name, m.name), CASE WHEN coalesce(o.n, 0) = coalesce(m.n, 0) THEN o.n ELSE -1 END, o.id \
         FROM (SELECT name, count(*) AS n, min(id) AS id FROM orders GROUP BY name) AS o \
         FULL JOIN (SELECT name, count(*) AS n FROM movements GROUP BY name) AS m ON o.name = m.name",
    ),
    (
        RowKind::Shelves,
        "SELECT s.name, count(DISTINCT s.id) * 100 + count(i.id), min(s.id) FROM shelves AS s \
         LEFT JOIN items AS i ON i.shelf_id = s.id GROUP BY s.name",
    ),
    (RowKind::Counters, "SELECT name, value, id FROM counters"),
];

/// The things that a number of the ledger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKind {
    /// The rows with a name.
    Entries,
    /// The orders with a name, each with a movement.
    Orders,
    /// A hundred for each shelf with a name, and one for each of its items.
    Shelves,
    /// The value of a counter.
    Counters,
}

/// A number that the database must have: one of two, if the fate of the last write is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LedgerEntry {
    number: i64,
    other: Option<i64>,
    /// The id that a client was told.
    id: Option<i64>,
}

/// The numbers of one client or of all.
#[derive(Default)]
pub(super) struct Ledger(BTreeMap<(RowKind, String), LedgerEntry>);

/// The counts of what the clients of a trial have done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) acknowledged: u64,
    /// The writes of them that a client has sent again, with the same key.
    pub(super) repeated: u64,
    /// The writes without a key whose fate the client did not learn, and how many of them were
    /// done.
    pub(super) unknown: u64,
    pub(super) unknown_done: u64,
    /// The responses with 503, and those of them that say that the fate is not known.
    pub(super) unavailable: u64,
    pub(super) in_doubt: u64,
    /// The members that another node has returned after they were acknowledged.
    pub(super) read_back: u64,
}

impl Ledger {
    /// Records an acknowledged write.
    pub(super) fn know(&mut self, kind: RowKind, name: &str, number: i64, id: Option<i64>) {
        let id = id.or_else(|| self.0.get(&(kind, name.to_owned()))?.id);
        self.0.insert((kind, name.to_owned()), LedgerEntry { number, other: None, id });
    }

    /// Records a write that may have been done.
    pub(super) fn doubt(&mut self, kind: RowKind, name: &str, before: i64, after: i64) {
        let id = self.0.get(&(kind, name.to_owned())).and_then(|known| known.id);
        self.0.insert(
            (kind, name.to_owned()),
            LedgerEntry { number: before, other: Some(after), id },
        );
    }

    /// Adds what another ledger knows.
    pub(super) fn add(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }

    /// Compares the ledger with the database. Afterwards nothing is in doubt: a write that was not
    /// done then must not be done later.
    pub(super) fn verify(&mut self, database: &Database, counts: &mut Counts) -> io::Result<()> {
        let mut found = BTreeMap::new();
        for (kind, query) in QUERIES {
            for line in database.query(query)?.lines() {
                let mut cells = line.rsplitn(3, '|');
                let (id, number) = (cells.next(), cells.next());
                let parsed = |cell: Option<&str>| cell.and_then(|cell| cell.parse::<i64>().ok());
                let name = cells.next().unwrap_or_default().to_owned();
                found.insert((kind, name), (parsed(number).unwrap_or(-1), parsed(id)));
            }
        }
        let mut wrong = String::new();
        for (key, expected) in &mut self.0 {
            let (number, id) = found.remove(key).unwrap_or_default();
            let is_known_id = number == 0 || expected.id.is_none() || expected.id == id;
            if !is_known_id || number != expected.number && expected.other != Some(number) {
                writeln!(wrong, "{key:?}: {expected}, but is {number} with id {id:?}").ok();
            }
            counts.unknown_done += u64::from(expected.other == Some(number));
            *expected = LedgerEntry { number, other: None, id };
        }
        for (key, number) in found {
            writeln!(wrong, "{key:?}: nobody wrote it, but is {number:?}").ok();
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "the database is not as the clients know it:\n{wrong}"
            ))),
        }
    }
}

impl fmt::Display for LedgerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "should be {}", self.number)?;
        if let Some(other) = self.other {
            write!(f, " or {other}")?;
        }
        self.id.map_or(Ok(()), |id| write!(f, " with id {id}"))
    }
}

impl Counts {
    /// Adds the counts of another client.
    pub(super) fn add(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.repeated += other.repeated;
        self.unknown += other.unknown;
        self.unknown_done += other.unknown_done;
        self.unavailable += other.unavailable;
        self.in_doubt += other.in_doubt;
        self.read_back += other.read_back;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            acknowledged,
            repeated,
            unknown,
            unknown_done,
            unavailable,
            in_doubt,
            read_back,
        } = self;
        write!(
            f,
            "{acknowledged} acknowledged writes, {repeated} of them sent again with their key; \
             {unknown} writes without a key whose fate the client did not learn, {unknown_done} of them done; \
             {unavailable} responses with 503, {in_doubt} of them in doubt; {read_back} members read from another node"
        )
    }
}
