//! Runs the SQL of `docs/bring-your-data.md` beside a server, which then has the rows. On
//! PostgreSQL, it also runs that of `docs/postgresql.md`.

use serde_json::json;

use crate::{database, server::TestServer};

const PAGE: &str = include_str!("../../docs/bring-your-data.md");

const POSTGRES: &str = include_str!("../../docs/postgresql.md");

/// The SQL blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn rows_that_sql_inserts_keep_their_ids() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let before = client.get("/zoos").field("etag").unwrap().to_owned();
    let [rows, copy] = blocks(PAGE)[..] else { panic!("the page has two blocks of SQL") };
    let rows = match database::is_postgres() {
        // It tests references always.
        true => rows.strip_prefix("PRAGMA foreign_keys = ON;\n").unwrap(),
        false => rows,
    };
    server.elsewhere(rows);
    let zoos = client.request("GET", "/zoos?fields=id,name", &[("if-none-match", &before)], None);
    let expected = json!([{ "id": 7, "name": "Tierpark" }, { "id": 9, "name": "Bergzoo" }]);
    assert_eq!(zoos.json()["items"], expected);
    let bella = client.get("/zoos/7/animals/41").json();
    assert_eq!(bella["created_at"], "2024-05-01T08:30:00.000000Z");

    // The line that `sqlite3` alone knows is replaced by a row.
    let (begin, end) = copy.split_once("-- .import --csv --skip 1 zoos.csv raw\n").unwrap();
    server.elsewhere(&format!("{begin} INSERT INTO raw VALUES (12, 'Aquarium', ''); {end}"));
    assert_eq!(client.get("/zoos/12").json()["city"], json!(null));
    if database::is_postgres() {
        blocks(POSTGRES).into_iter().for_each(|script| server.elsewhere(script));
    }
    let created = client.create("/zoos", &json!({ "name": "New" }));
    assert_eq!(created.field("location"), Some("/zoos/13"));
}
