//! Runs the commands of `docs/upgrading.md`, and checks what the page says about going back.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use super::{Serving, run, schema, stderr};
use crate::{tidy::root, tools};

/// The `sh` blocks of a page, as one script.
fn script(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1);
    let blocks: Vec<_> = blocks.map(|block| block.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 5, "the page has only {} blocks", blocks.len());
    blocks.concat()
}

#[test]
fn the_commands_of_the_page_succeed() {
    if !tools::has("bash", "the commands of docs/upgrading.md") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(root().join("docs/upgrading.md")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_nouns")).parent().unwrap().to_owned();
    let paths = env::var_os("PATH").unwrap();
    let paths = env::join_paths([programs].into_iter().chain(env::split_paths(&paths))).unwrap();
    let trace = fs::File::create(folder.path().join("trace")).unwrap();
    // The last server ends with the test.
    let script = format!("trap 'kill $server' EXIT\n{}", script(&page));
    let status = Command::new("bash")
        .args(["-eux", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", paths)
        .env("NOUNS_LISTEN", "127.0.0.1:0")
        .env("NO_COLOR", "1")
        .stdout(Stdio::null())
        .stderr(trace)
        .status();
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    assert!(status.unwrap().success(), "{trace}");
}

/// A database of a later format is refused by this program, as by an older one.
#[test]
fn an_older_program_refuses_a_newer_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      name: string\n");
    Serving::start(folder.path(), &[&file]).stop("-TERM");
    let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
    database.execute_batch("UPDATE _nouns_state SET format = format + 1").unwrap();
    drop(database);
    let output = run(folder.path(), &["serve", &file, "--listen", "127.0.0.1:0"]);
    let page = fs::read_to_string(root().join("docs/upgrading.md")).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(page.contains(stderr(&output).trim()), "{}", stderr(&output));
}
