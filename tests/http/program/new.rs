//! Tests of `nouns new`.

use std::{fs, path::Path};

use super::{Serving, banner::words, nouns, run, stderr, stdout};

fn new(folder: &Path, directory: &str) -> String {
    let output = run(folder, &["new", "--", directory]);
    assert_eq!(output.status.code(), Some(0), "{directory}: {}", stderr(&output));
    stdout(&output)
}

/// The indented lines of an output: the commands that the user should type.
fn commands(output: &str) -> Vec<Vec<String>> {
    output.lines().filter_map(|line| line.strip_prefix("  ")).map(words).collect()
}

/// Serves the schema in a new directory as the output says, and sends the proposed requests.
fn serve(folder: &Path, directory: &str) {
    let commands = commands(&new(folder, directory));
    assert_eq!(commands[0][0], "cd");
    let inside = folder.join(&commands[0][1]);
    assert_eq!(commands[1][..2], ["nouns", "serve"]);
    let file = &*commands[1][2];
    let check = run(&inside, &["check", "--deny-warnings", file]);
    assert_eq!(check.status.code(), Some(0), "{}{}", stdout(&check), stderr(&check));
    let serving = Serving::start(&inside, &[file]);
    let mut statuses = vec![];
    for command in &commands[2..] {
        assert_eq!(command[0], "curl");
        let target = command.last().unwrap().strip_prefix("http://127.0.0.1:8080").unwrap();
        let body = command.iter().position(|word| word == "--json").map(|at| &command[at + 1]);
        let answer = match body {
            Some(body) => serving.client().post(target, &serde_json::from_str(body).unwrap()),
            None => {
                let answer = serving.client().get(target);
                assert_eq!(answer.json()["items"].as_array().unwrap().len(), 1, "{target}");
                answer
            }
        };
        statuses.push(answer.status());
    }
    assert_eq!(statuses, [201, 201, 200]);
    let comment = serde_json::json!({ "name": "Kim", "text": "Well said!" });
    assert_eq!(serving.client().post("/articles/1/comments", &comment).status(), 201);
    assert!(inside.join(file).with_extension("db").exists(), "{file}");
    serving.stop("-TERM");
}

#[test]
fn a_new_schema_can_be_served_whatever_its_directory_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for directory in ["blog", "my shop's $(x) v2.0", "-rf", "日本", "null", ":memory:", "a/b"] {
        serve(folder.path(), directory);
    }
    let text = fs::read_to_string(folder.path().join("blog/blog.yaml")).unwrap();
    assert!(
        text.contains("\n  title: Blog\n") && text.contains("nouns check blog.yaml "),
        "{text}"
    );
    let names = text.lines().next().unwrap().ends_with("$schema=nouns.schema.json");
    let json = fs::read_to_string(folder.path().join("blog/nouns.schema.json")).unwrap();
    let shipped = crate::tidy::root().join("schemas/nouns.schema.json");
    assert!(names && json == fs::read_to_string(shipped).unwrap());
}

/// The schema shows the keys that a beginner needs, and says in a comment what they do.
#[test]
fn a_new_schema_teaches() {
    let folder = tempfile::tempdir().unwrap();
    new(folder.path(), "blog");
    let text = fs::read_to_string(folder.path().join("blog/blog.yaml")).unwrap();
    for key in
        ["parent", "references", "enum", "sort", "timestamps", "required", "default", "unique"]
    {
        assert!(text.contains(&format!("{key}: ")), "{key}");
    }
    let comments = text.lines().filter(|line| line.contains("# ")).count();
    assert!(comments >= 15, "{comments}");
    assert!(text.lines().all(|line| line.len() <= 100));
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let blog = folder.path().join("blog");
    fs::create_dir(&blog).unwrap();
    fs::write(blog.join("nouns.schema.json"), "mine").unwrap();
    new(folder.path(), "blog");
    assert_eq!(fs::read(blog.join("nouns.schema.json")).unwrap(), b"mine");
    fs::write(blog.join("blog.yaml"), "mine").unwrap();
    let again = run(folder.path(), &["new", "blog"]);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(stderr(&again), "error: `blog/blog.yaml` exists, and is not replaced\n");
    assert_eq!(fs::read(blog.join("blog.yaml")).unwrap(), b"mine");
    let inside = nouns(&blog).args(["new", "."]).output().unwrap();
    assert_eq!(inside.status.code(), Some(1), "{}", stderr(&inside));
    fs::write(folder.path().join("file"), "").unwrap();
    for directory in ["file", "file/blog"] {
        let output = run(folder.path(), &["new", directory]);
        let expected = format!("error: `{directory}` is not a directory\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), expected));
    }
}

#[test]
fn a_schema_is_written_into_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("Pet-Shop");
    fs::create_dir(&shop).unwrap();
    let output = new(&shop, ".");
    assert!(output.starts_with("Created `Pet-Shop.yaml`"), "{output}");
    assert_eq!(commands(&output)[0], ["nouns", "serve", "Pet-Shop.yaml"]);
    let text = fs::read_to_string(shop.join("Pet-Shop.yaml")).unwrap();
    assert!(text.contains("\n  title: Pet Shop\n"), "{text}");
}
