//! Tests of the flags about metrics, and of the admin listener, of `nouns serve`.

use std::{fs, path::Path};

use super::{Serving, ZOO, nouns, run, stderr};
use crate::client::Client;

/// A client of the admin listener.
fn admin(serving: &Serving) -> Option<Client> {
    serving.admin().map(Client::connect)
}

fn metrics(client: &mut Client) -> u16 {
    client.get("http://localhost/-/metrics").status()
}

fn with_schema(folder: &Path) -> String {
    let text = fs::read_to_string(ZOO).unwrap();
    let text = format!("server: {{ admin_listen: \"127.0.0.1:0\" }}\n{text}");
    let file = folder.join("zoo.yaml");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn the_admin_listener_is_a_flag_a_variable_and_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let schema = with_schema(folder.path());
    let mut command = nouns(folder.path());
    command.env("NOUNS_ADMIN_LISTEN", "127.0.0.1:0");
    let by_flag = Serving::start(folder.path(), &[ZOO, "--admin-listen", "127.0.0.1:0"]);
    for serving in [
        by_flag,
        Serving::start_with(command, &[ZOO, "--database", "b.db"]),
        Serving::start(folder.path(), &[&schema, "--database", "c.db"]),
    ] {
        let mut admin = admin(&serving).unwrap();
        assert_eq!((metrics(&mut admin), admin.get("/-/ready").status()), (200, 200));
        assert_eq!(admin.get("/zoos").status(), 404);
        assert_eq!(metrics(&mut serving.client()), 404);
        assert_eq!(serving.client().get("/zoos").status(), 200);
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{log}");
    }
    let output = run(folder.path(), &["serve", ZOO, "--admin-listen", "nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`nowhere` is not an address"), "{}", stderr(&output));
}

#[test]
fn a_flag_hides_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    assert!(admin(&serving).is_none());
    assert_eq!(metrics(&mut serving.client()), 200);
    serving.stop("-TERM");
    let serving = Serving::start(folder.path(), &[ZOO, "--metrics=false"]);
    assert_eq!(metrics(&mut serving.client()), 404);
    serving.stop("-TERM");
    let mut command = nouns(folder.path());
    command.env("NOUNS_METRICS", "true").env("NOUNS_SERVER_TIMING", "yes");
    let serving = Serving::start_with(command, &[ZOO, "--trusted-proxy", "127.0.0.1"]);
    assert_eq!(metrics(&mut serving.client()), 200);
    let wanted = [("prefer", "server-timing"), ("forwarded", "for=192.0.2.1")];
    let answer = serving.client().request("GET", "/zoos", &wanted, None);
    assert!(answer.field("server-timing").is_some(), "{answer:?}");
    serving.stop("-TERM");
}
