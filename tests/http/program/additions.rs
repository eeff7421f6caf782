//! Tests that fields which a schema adds to a table with rows have valid values.

use serde_json::json;

use super::Serving;

const BEFORE: &str = "nouns: 1
resources:
  book:
    fields:
      title: string
";

const AFTER: &str = "nouns: 1
resources:
  book:
    fields:
      title: string
      added: { type: date, default: $now }
      at: { type: time, default: $now }
      moment: { type: datetime, default: $now }
";

/// A row that existed before, and a row of another program, get the default value in the form that
/// the type of the field has.
#[test]
fn the_current_time_as_a_default_is_a_value_of_its_type_in_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("library.yaml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, BEFORE).unwrap();
    let serving = Serving::start(folder.path(), &[path]);
    serving.client().create("/books", &json!({ "title": "Ulysses" }));
    serving.stop("-TERM");

    std::fs::write(&file, AFTER).unwrap();
    let serving = Serving::start(folder.path(), &[path, "--apply"]);
    let database = rusqlite::Connection::open(folder.path().join("library.db")).unwrap();
    database.execute("INSERT INTO books (title) VALUES ('Emma')", ()).unwrap();
    let mut client = serving.client();
    for id in [1, 2] {
        let target = format!("/books/{id}");
        let book = client.get(&target).json();
        let date = book["added"].as_str().unwrap();
        assert_eq!(
            client.get(&format!("/books?added={date}&id={id}&count=true")).json()["total"],
            1
        );
        let time = book["at"].as_str().unwrap();
        assert_eq!(client.get(&format!("/books?at={time}&id={id}&count=true")).json()["total"], 1);
        let response = client.request("PUT", &target, &[], Some(book.to_string().as_bytes()));
        assert_eq!(response.status(), 200, "{}", response.json());
    }
    serving.stop("-TERM");
}
