//! Tests that renames in a schema keep the rows, with the keys that the guide and the messages
//! propose.

use serde_json::json;

use super::{Serving, run, stderr};

const BEFORE: &str = "nouns: 1
resources:
  zoo:
    fields:
      name: { type: string, required: true, unique: true, index: true }
  animal:
    parent: zoo
    fields:
      name: string
      twin_id: { references: animal }
      home_id: { references: zoo }
";

const AFTER: &str = "nouns: 1
resources:
  park:
    table: zoos
    fields:
      title: { type: string, required: true, unique: true, index: true, column: name }
  animal:
    parent: { resource: park, field: zoo_id }
    fields:
      name: string
      twin_id: { references: animal }
      home_id: { references: park }
";

#[test]
fn renamed_resources_and_fields_keep_their_rows_where_table_and_column_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zoo.yaml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, BEFORE).unwrap();
    let serving = Serving::start(folder.path(), &[path]);
    serving.client().create("/zoos", &json!({ "name": "Tierpark" }));
    serving.client().create("/zoos/1/animals", &json!({ "name": "Bella", "home_id": 1 }));
    serving.stop("-TERM");

    std::fs::write(&file, AFTER).unwrap();
    let serving = Serving::start(folder.path(), &[path]);
    assert_eq!(serving.client().get("/parks/1").json()["title"], "Tierpark");
    assert_eq!(serving.client().get("/parks/1/animals/1").json()["home_id"], 1);
    serving.stop("-TERM");
}

#[test]
fn renamed_without_them_is_refused_with_the_words_that_keep_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zoo.yaml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, BEFORE).unwrap();
    Serving::start(folder.path(), &[path]).stop("-TERM");
    for (from, to, advice) in [
        (
            "    fields:\n      name: {",
            "    fields:\n      title: {",
            "write `column: name` beside the new name",
        ),
        ("  zoo:\n", "  park:\n", "write `table: zoos` beside the new name"),
    ] {
        let renamed =
            BEFORE.replace(from, to).replace(": zoo\n", ": park\n").replace(": zoo }", ": park }");
        let renamed = if to.contains("park") { renamed } else { BEFORE.replace(from, to) };
        std::fs::write(&file, renamed).unwrap();
        let output = run(folder.path(), &["serve", path, "--listen", "127.0.0.1:0", "--apply"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(advice), "{}", stderr(&output));
    }
}
