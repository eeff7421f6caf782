//! Tests of `nouns serve --watch`.

use std::{fs, path::Path};

use serde_json::json;

use super::{Serving, schema};
use crate::client::{Answer, Client};

const NAME: &str = "      name: { type: string, required: true }\n";

const RELOADED: &str = "the schema was reloaded";
const KEPT: &str = "the schema was not reloaded: the server goes on with the former one";

/// Replaces the schema file by a new file with its name, as many editors do.
fn replace(folder: &Path, fields: &str) {
    let other = tempfile::tempdir_in(folder).unwrap();
    fs::rename(schema(other.path(), fields), folder.join("zoo.yaml")).unwrap();
}

#[test]
fn a_changed_file_is_reloaded_and_its_additions_are_applied() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    assert!(
        serving.banner.contains("zoo.yaml is reloaded when it changes.\n"),
        "{}",
        serving.banner
    );
    let mut client = serving.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    schema(folder.path(), &format!("{NAME}      city: string\n"));
    serving.log.until(RELOADED, 1);
    client.create("/zoos", &json!({ "name": "Other", "city": "Bonn" }));
    replace(folder.path(), &format!("{NAME}      city: string\n      opened: date\n"));
    serving.log.until(RELOADED, 2);
    assert_eq!(client.get("/zoos?opened[null]=true").json()["items"].as_array().unwrap().len(), 2);
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("applied to `zoo.db`: The column `zoos.city` is new."), "{log}");
}

#[test]
fn a_broken_edit_keeps_the_last_good_schema_and_shows_its_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    let mut client = serving.client();
    replace(folder.path(), "      name: strng\n");
    serving.log.until(KEPT, 1);
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    fs::remove_file(&file).unwrap();
    serving.log.until(KEPT, 2);
    schema(folder.path(), &format!("{NAME}      city: string\n"));
    serving.log.until(RELOADED, 1);
    assert_eq!(client.get("/zoos?city[null]=true").status(), 200);
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("did you mean `string`?") && log.contains("zoo.yaml:5:13"), "{log}");
}

/// A renamed field loses the rows of a temporary database.
#[test]
fn the_tables_of_a_temporary_database_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let title = NAME.replace("name:", "title:");
    let serving = Serving::start(folder.path(), &[&file, "--watch", "--mock", "1"]);
    let mut client = serving.client();
    let created = client.create("/zoos", &json!({ "name": "Tierpark" }));
    assert_eq!(created.field("location"), Some("/zoos/2"));
    let tag = created.field("etag").unwrap().to_owned();
    let before = client.get("/zoos").field("etag").unwrap().to_owned();
    schema(folder.path(), &title);
    serving.log.until(RELOADED, 1);
    assert_eq!(client.get("/zoos").json()["items"].as_array().unwrap().len(), 1);
    client.create("/zoos", &json!({ "title": "Other" }));
    // The first schema again: no validator of before is valid.
    schema(folder.path(), NAME);
    serving.log.until(RELOADED, 2);
    let created = client.create("/zoos", &json!({ "name": "Tierpark" }));
    assert_eq!(created.field("location"), Some("/zoos/2"));
    assert_ne!(created.field("etag"), Some(&*tag));
    assert_eq!(client.request("GET", "/zoos", &[("if-none-match", &before)], None).status(), 200);
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(
        log.contains("the tables of a temporary database were made again, without their rows:\n- "),
        "{log}"
    );
}

/// The files in a folder whose names contain a text.
fn files(folder: &Path, text: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| name.contains(text)).collect()
}

/// A file that the server has made gets new tables, too. A copy of it has the rows.
#[test]
fn the_tables_of_a_file_that_the_server_has_made_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let title = NAME.replace("name:", "title:");
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    serving.client().create("/zoos", &json!({ "name": "Tierpark" }));
    schema(folder.path(), &title);
    serving.log.until(RELOADED, 1);
    serving.client().create("/zoos", &json!({ "title": "Other" }));
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    let [copy] = files(folder.path(), ".replaced-").try_into().unwrap();
    let said = format!(
        "the tables of `zoo.db` were made again, without their rows, which are in `{copy}`:\n- "
    );
    assert!(log.contains(&said), "{log}");
    let serving = Serving::start(folder.path(), &[&file]);
    assert_eq!(serving.client().get("/zoos").json()["items"][0]["title"], "Other");
    serving.stop("-TERM");
    schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--database", &copy]);
    assert_eq!(serving.client().names("/zoos"), "Tierpark");
    serving.stop("-TERM");
}

/// A file that was there before the server is never emptied.
#[test]
fn the_tables_of_an_older_file_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    Serving::start(folder.path(), &[&file, "--watch"]).stop("-TERM");
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    serving.client().create("/zoos", &json!({ "name": "Tierpark" }));
    schema(folder.path(), &NAME.replace("name:", "title:"));
    serving.log.until(KEPT, 1);
    assert_eq!(serving.client().names("/zoos"), "Tierpark");
    serving.stop("-TERM");
    assert_eq!(files(folder.path(), ".replaced-").len(), 0);
}

#[test]
fn without_the_flag_a_change_waits_for_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--apply"]);
    schema(folder.path(), &NAME.replace("name:", "title:"));
    serving.hang_up(KEPT);
    let (_, log) = serving.stop("-TERM");
    assert_eq!(log.matches(KEPT).count(), 1, "{log}");
}

/// The page of the collection, and the response if the client has it already.
fn page(client: &mut Client, target: &str, tag: Option<&str>) -> Answer {
    let accept = ("accept", "text/html");
    let fields: Vec<_> =
        [accept].into_iter().chain(tag.map(|tag| ("if-none-match", tag))).collect();
    client.request("GET", target, &fields, None)
}

const MISTAKE: &str = "A file has a mistake";

#[test]
fn a_broken_edit_is_shown_on_every_page_until_the_next_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    let mut client = serving.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    let pages = ["/", "/zoos", "/zoos/1", "/-/docs", "/-/problems", "/zoos?x=1"];
    let tags: Vec<_> = pages
        .map(|target| page(&mut client, target, None).field("etag").map(str::to_owned))
        .into_iter()
        .collect();
    let state = client.get("/-/watch");
    assert_eq!(state.field("cache-control"), Some("no-store"));
    let broken = "      name: { type: string, required: true, pattern: \"<script>(\" }\n";
    replace(folder.path(), broken);
    serving.log.until(KEPT, 1);
    for (target, tag) in pages.iter().zip(&tags) {
        let answer = page(&mut client, target, tag.as_deref());
        assert_ne!(answer.status(), 304, "{target}");
        let html = String::from_utf8(answer.body).unwrap();
        assert!(html.contains(MISTAKE) && html.contains("zoo.yaml:5:"), "{target}: {html}");
        assert!(html.contains("&lt;script&gt;") && !html.contains("<script>"), "{target}: {html}");
    }
    assert_ne!(client.get("/-/watch").body, state.body);
    let json = client.get("/zoos").body;
    assert!(!String::from_utf8(json).unwrap().contains("mistake"));
    // The edit is undone: the schema is the one that is served.
    replace(folder.path(), NAME);
    serving.log.until("the schema is unchanged", 1);
    for (target, tag) in pages.iter().zip(&tags) {
        let html = String::from_utf8(page(&mut client, target, None).body).unwrap();
        assert!(!html.contains(MISTAKE), "{target}: {html}");
        if tag.is_some() {
            assert_eq!(page(&mut client, target, tag.as_deref()).status(), 304, "{target}");
        }
    }
    assert_eq!(client.get("/-/watch").body, state.body);
    replace(folder.path(), &format!("{NAME}      city: string\n"));
    serving.log.until(RELOADED, 1);
    assert_ne!(client.get("/-/watch").body, state.body);
    serving.stop("-TERM");
}

#[test]
fn without_watch_no_page_shows_a_broken_edit() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file]);
    let mut client = serving.client();
    replace(folder.path(), "      name: strng\n");
    serving.signal("-HUP");
    serving.log.until(KEPT, 1);
    for target in ["/", "/zoos", "/-/docs", "/-/problems"] {
        let answer = page(&mut client, target, None);
        let html = String::from_utf8(answer.body).unwrap();
        assert!(!html.contains(MISTAKE) && !html.contains("data-watch"), "{target}: {html}");
    }
    assert_eq!(client.get("/-/watch").status(), 404);
    serving.stop("-TERM");
}

/// Others need not know what is in the file, and nobody what is in `server`, such as a password.
#[test]
fn only_a_local_reader_sees_a_mistake_and_never_one_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    let serving = Serving::start(folder.path(), &[&file, "--watch"]);
    let mut client = serving.client();
    replace(folder.path(), "      name: strng\n");
    serving.log.until(KEPT, 1);
    let mut shown = |target: &str, field: Option<(&str, &str)>| {
        let fields: Vec<_> = [("accept", "text/html")].into_iter().chain(field).collect();
        let html = client.request("GET", target, &fields, None).body;
        String::from_utf8(html).unwrap()
    };
    let pages = ["/", "/zoos", "/-/docs", "/-/problems", "/zoos?x=1"];
    for target in pages {
        for field in [("x-forwarded-for", "192.0.2.7"), ("via", "1.1 proxy")] {
            let html = shown(target, Some(field));
            assert!(!html.contains(MISTAKE) && !html.contains("strng"), "{target}: {html}");
        }
        assert!(shown(target, None).contains("strng"), "{target}");
    }
    let server = "nouns: 1\nserver:\n  listen: secret-value\n";
    let rest = "resources:\n  zoo:\n    fields:\n      name: strng\n";
    fs::write(&file, format!("{server}{rest}")).unwrap();
    serving.log.until(KEPT, 2);
    for target in pages {
        let html = shown(target, None);
        assert!(html.contains("there is a mistake in `server`"), "{target}: {html}");
        assert!(html.contains("strng") && !html.contains("secret-value"), "{target}: {html}");
    }
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("secret-value"), "the terminal shows all: {log}");
}
