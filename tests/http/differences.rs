//! Pairs of servers that respond alike to the same requests: pages, members, forms, exports and
//! writes, with credentials and without. A new pair is a function and a line below.

mod answers;
mod collections;
mod requests;
mod runner;

use nouns::__runtime::limits::CACHE_BYTES;

use self::runner::{Pair, Run};
use crate::{
    access::pages::{CLUBS, filled},
    database,
    random::seed,
    server::TestServer,
};

/// One of so many requests for pages is sent in a short run.
const PAGES_SHARE: u64 = 10;

/// The pseudo-random requests to a pair: in each run of the tests, and in a long run.
const REQUESTS: u64 = 400;
const REQUESTS_LONG: u64 = 20_000;

/// The requests after which a long run begins again with the first rows.
const REQUESTS_OF_ROUND: u64 = 800;

/// The seed of the short run, which is the same each time.
const SEED: u64 = 42;

/// All callers. `read`, `write` and `both` are the scopes of tokens of ann, who also has a session.
const CALLERS: &[&str] =
    &["nobody", "ann", "bob", "read", "write", "both", "session", "eve", "root"];

/// Those who may not read what [`HIDDEN`] changes.
const UNINFORMED: &[&str] = &["nobody", "ann", "bob", "read", "write", "both", "session"];

/// Rows of the other collections.
const ROWS: &str = "
    INSERT INTO items (name, kind, rank, club_id, owner_id) VALUES
        ('One', 'bird', 1, 1, 1), ('Two', 'fish', 2, 1, 1), ('Three', 'fish', 3, 2, 3),
        ('Four', 'bird', NULL, 3, 3), ('Five', 'fish', 3, NULL, 4);
    INSERT INTO tags (id, text) VALUES ('a', 'Ada'), ('b', NULL);
    INSERT INTO audits (text, club_id) VALUES ('one', 1);
";

/// Rows that only one of two servers has, and that the other has had: both assign the same ids.
const MORE: &str = "
    INSERT INTO users (login, password, role, nick) SELECT 'dan', password, role, 'Dan' FROM users WHERE id = 1;
    INSERT INTO clubs (name, motto, is_open, owner_id) VALUES ('more', 'more', FALSE, 3), ('most', NULL, FALSE, 4);
    INSERT INTO desks (club_id, text) VALUES (3, 'more'), (4, 'most');
    INSERT INTO items (name, kind, rank, club_id, owner_id) VALUES ('more', 'fish', 3, 1, 3), ('most', 'fish', 1, 4, 5);
    INSERT INTO audits (text, club_id) VALUES ('more', 1), ('most', 2);
";
const NO_MORE: &str = "
    DELETE FROM audits WHERE id > 1;
    DELETE FROM items WHERE id > 5;
    DELETE FROM desks WHERE id > 3;
    DELETE FROM clubs WHERE id > 3;
    DELETE FROM users WHERE id > 4;
";

/// The difference of one of two servers: nothing of it is for readers.
const HIDDEN: &str = "
    UPDATE clubs SET motto = 'other', vault = NULL, code = 'x' || code, memo = 'other', stage = NULL;
    UPDATE clubs SET name = 'other' WHERE id = 3;
    UPDATE desks SET pin = 'other';
    UPDATE desks SET text = 'other' WHERE club_id = 3;
    UPDATE users SET nick = NULL;
    UPDATE items SET rank = 9, weight = 1.5, made = NULL, club_id = 3 WHERE id IN (3, 5);
";

/// Two servers with the same rows, each on SQLite or PostgreSQL with this many bytes to cache.
fn servers(settings: [(bool, usize); 2]) -> [TestServer; 2] {
    settings.map(|(is_postgres, cache)| {
        let server = filled(TestServer::on(is_postgres, cache, CLUBS));
        server.elsewhere(ROWS);
        server
    })
}

/// Servers that differ only in rows and fields that their callers may not read.
fn hidden(is_postgres: bool) -> Pair {
    let servers = servers([(is_postgres, CACHE_BYTES); 2]);
    servers[0].elsewhere(&format!("{MORE} {NO_MORE}"));
    servers[1].elsewhere(&format!("{MORE} {HIDDEN}"));
    Pair { name: "hidden rows", servers, callers: UNINFORMED, align: |_| {} }
}

/// A server with a response cache, and one without.
fn cached(is_postgres: bool) -> Pair {
    let servers = servers([(is_postgres, CACHE_BYTES), (is_postgres, 0)]);
    Pair { name: "response cache", servers, callers: CALLERS, align: |_| {} }
}

/// A server on SQLite, and one on PostgreSQL.
pub(crate) fn engines() -> Pair {
    let servers = servers([(false, CACHE_BYTES), (true, CACHE_BYTES)]);
    Pair { name: "engines", servers, callers: CALLERS, align: align_ids }
}

/// Closes the gaps of ids on PostgreSQL: a sequence does not go back when a write is refused.
fn align_ids([one, other]: &[TestServer; 2]) {
    let rows = one.database.rows("SELECT name, seq FROM sqlite_sequence");
    let rows = rows.iter().filter(|row| !row[0].starts_with('_'));
    let set = |row: &Vec<String>| {
        format!("SELECT setval(pg_get_serial_sequence('{}', 'id'), {});", row[0], row[1])
    };
    other.elsewhere(&rows.map(set).collect::<String>());
}

/// Sends few requests, the same each time.
pub(crate) fn run_short(pair: &Pair) {
    let mut run = Run::new(pair, SEED);
    run.send_pages(PAGES_SHARE);
    run.send_random(REQUESTS);
}

#[test]
fn what_a_caller_may_not_read_changes_nothing_for_it() {
    run_short(&hidden(database::is_postgres()));
}

#[test]
fn a_response_cache_changes_no_response() {
    run_short(&cached(database::is_postgres()));
}

fn run_long(pair: fn() -> Pair) {
    let first = seed("NOUNS_DIFFERENCES_SEED");
    Run::new(&pair(), first).send_pages(1);
    for round in 0..REQUESTS_LONG / REQUESTS_OF_ROUND {
        Run::new(&pair(), first + round).send_random(REQUESTS_OF_ROUND);
    }
}

/// A test with many requests for each pair.
macro_rules! long {
    ($($name:ident: $pair:expr,)+) => {
        mod long {
            use super::{cached, engines, hidden, run_long};

            $(
                #[test]
                #[ignore = "it takes minutes and needs a PostgreSQL cluster: .ci/nightly runs it"]
                fn $name() {
                    run_long($pair);
                }
            )+
        }
    };
}

// There is a cluster, so each pair is on each engine.
long! {
    hidden_rows_on_sqlite: || hidden(false),
    hidden_rows_on_postgresql: || hidden(true),
    a_response_cache_on_sqlite: || cached(false),
    a_response_cache_on_postgresql: || cached(true),
    sqlite_and_postgresql: engines,
}
