//! Tests of `nouns account`.

use std::{
    io::Write,
    path::Path,
    process::{Output, Stdio},
};

use super::{Serving, nouns, stderr, stdout};
use crate::access::{BLOG, basic};

/// Runs `nouns account` with a password on standard input.
pub(super) fn account(folder: &Path, arguments: &[&str], password: &str) -> Output {
    let mut command = nouns(folder);
    command.arg("account").args(arguments).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments does not read the password.
    let _ = child.stdin.take().unwrap().write_all(password.as_bytes());
    child.wait_with_output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("blog.yaml"), BLOG).unwrap();
    folder
}

/// The status of the answer to an account that reads a collection.
fn status(serving: &Serving, login: &str, password: &str) -> u16 {
    let fields = [("authorization", basic(login, password))];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    serving.client().request("GET", "/notes", &fields, None).status()
}

#[test]
fn the_first_account_is_added_listed_and_signs_in() {
    let folder = folder();
    let add = ["add", "blog.yaml", "root", "--set", "role=admin", "--password-stdin"];
    let added = account(folder.path(), &add, "tall trees\n");
    assert_eq!(stdout(&added), "added account `root` with the id 1\n", "{}", stderr(&added));
    let listed = account(folder.path(), &["list", "blog.yaml"], "");
    assert_eq!(stdout(&listed), "1\troot\tadmin\n");

    let serving = Serving::start(folder.path(), &["blog.yaml"]);
    assert_eq!(status(&serving, "root", "tall trees"), 200);
    assert_eq!(status(&serving, "root", "tall trees\n"), 401);
    serving.stop("-TERM");
}

#[test]
fn a_running_server_takes_what_the_command_writes() {
    let folder = folder();
    let serving = Serving::start(folder.path(), &["blog.yaml"]);
    let added =
        account(folder.path(), &["add", "blog.yaml", "ann", "--password-stdin"], "tall trees");
    assert!(added.status.success(), "{}", stderr(&added));
    assert_eq!(status(&serving, "ann", "tall trees"), 200);

    let set =
        account(folder.path(), &["password", "blog.yaml", "ann", "--password-stdin"], "low bushes");
    assert_eq!(stdout(&set), "set the password of `ann`\n", "{}", stderr(&set));
    assert_eq!(status(&serving, "ann", "tall trees"), 401, "the old password still signs in");
    assert_eq!(status(&serving, "ann", "low bushes"), 200);
    serving.stop("-TERM");
}

#[test]
fn what_cannot_be_is_one_sentence() {
    let folder = folder();
    std::fs::copy(super::ZOO, folder.path().join("zoo.yaml")).unwrap();
    let add = |login, more: &[&str]| {
        let arguments = [&["add", "blog.yaml", login, "--password-stdin"], more].concat();
        account(folder.path(), &arguments, "tall trees")
    };
    assert!(add("ann", &[]).status.success());
    let cases = [
        (add("ann", &[]), "the same `login`"),
        (add("bob", &["--set", "role=king"]), "`role` must be one of"),
        (add("bob", &["--set", "rank=1"]), "`rank`"),
        (account(folder.path(), &["password", "blog.yaml", "eve", "--password-stdin"], "x"), "eve"),
        (account(folder.path(), &["list", "zoo.yaml"], ""), "`zoo.yaml` has no accounts"),
        (account(folder.path(), &["add", "blog.yaml", "bob"], ""), "--password-stdin"),
    ];
    for (output, named) in cases {
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.starts_with("error: ") && text.contains(named), "{named}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains("tall trees"), "{text}");
    }
    assert_eq!(stdout(&account(folder.path(), &["list", "blog.yaml"], "")), "1\tann\treader\n");
}
