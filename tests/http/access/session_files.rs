//! Files of sessions that the server has not made.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{PASSWORD, blog_with, cookie, nothing, sign_in, with};
use crate::server::TestServer;

fn served() -> (TestServer, PathBuf) {
    let server = blog_with(", session: { store: file }");
    let folder = PathBuf::from(format!("{}.sessions", server.database.file.display()));
    (server, folder)
}

fn status(server: &TestServer, cookie: &str) -> u16 {
    with(&mut server.client(), ("cookie", cookie), "GET /sessions/current", &nothing()).status()
}

/// The file of the only session.
fn only(folder: &Path) -> PathBuf {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_file = |path: &PathBuf| fs::symlink_metadata(path).unwrap().is_file();
    let mut paths: Vec<_> = paths.filter(|path| is_file(path) && !path.ends_with("lock")).collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}

/// A changed file could be the session of another account, and a file with another name that of
/// somebody else's secret.
#[test]
fn a_file_that_the_server_has_not_made_is_no_session() {
    let (mut server, folder) = served();
    let own = cookie(&sign_in(&mut server.client(), "ann", PASSWORD, &[]));
    server.restart();
    assert_eq!(status(&server, &own), 200);
    let path = only(&folder);
    let content = fs::read_to_string(&path).unwrap();
    let account = "\"account\":\"1\"";
    assert!(content.contains(account), "{content}");
    let (_, json) = content.split_once('\n').unwrap();
    let swapped = content.replacen("\"persistent\":false", "\"persistent\":true", 1);
    for forged in [&swapped, json, "", "\n", &format!("{}\n{json}", "0".repeat(64))] {
        fs::write(&path, forged).unwrap();
        server.restart();
        assert_eq!(status(&server, &own), 401, "{forged}");
    }
    fs::write(&path, &content).unwrap();
    server.restart();
    assert_eq!(status(&server, &own), 200);
    let other = folder.join("0".repeat(64));
    fs::rename(&path, &other).unwrap();
    server.restart();
    // No cookie has this digest; the log says that the file is no session.
    assert_eq!(status(&server, &own), 401);
    let own = cookie(&sign_in(&mut server.client(), "ann", PASSWORD, &[]));
    let list = with(&mut server.client(), ("cookie", &own), "GET /sessions", &nothing());
    assert_eq!(list.json()["items"].as_array().unwrap().len(), 1, "the renamed file is none");
}

/// Reading a pipe would wait for somebody who writes into it. A link could lead to a pipe.
#[test]
fn only_regular_files_are_read() {
    let (mut server, folder) = served();
    let own = cookie(&sign_in(&mut server.client(), "ann", PASSWORD, &[]));
    let pipe = folder.join("1".repeat(64));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink(&pipe, folder.join("2".repeat(64))).unwrap();
    std::os::unix::fs::symlink(only(&folder), folder.join("3".repeat(64))).unwrap();
    server.restart();
    assert_eq!(status(&server, &own), 200);
}
