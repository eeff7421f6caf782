//! Tests of sessions with the program: a killed server, and what its log says.

use std::{
    io::Write as _,
    net::TcpStream,
    time::{Duration, Instant},
};

use super::{Serving, account, run, stderr};
use crate::{
    access::{BLOG, cookie, sign_in},
    client::Client,
};

/// A served blog with an account, and a connection to it. The schema has further keys of `auth`.
fn serve(folder: &std::path::Path, keys: &str) -> (Serving, Client) {
    let schema = BLOG.replace("realm: The blog", &format!("realm: The blog, {keys}"));
    std::fs::write(folder.join("blog.yaml"), schema).unwrap();
    let serving = Serving::start(folder, &["blog.yaml"]);
    let client = serving.client();
    (serving, client)
}

fn add_account(folder: &std::path::Path) {
    let add = ["add", "blog.yaml", "ann", "--password-stdin"];
    assert!(account::account(folder, &add, "tall trees\n").status.success());
}

/// A session that was answered survives a server that is killed, and one that has ended does not
/// come back.
#[test]
fn sessions_survive_a_kill() {
    for (store, expected) in [("file", 200), ("database", 200), ("memory", 401)] {
        let folder = tempfile::tempdir().unwrap();
        let keys = format!("session: {{ store: {store} }}");
        let (serving, mut client) = serve(folder.path(), &keys);
        add_account(folder.path());
        let kept = cookie(&sign_in(&mut client, "ann", "tall trees", &[]));
        let ended = cookie(&sign_in(&mut client, "ann", "tall trees", &[]));
        let out = [("cookie", ended.as_str())];
        assert_eq!(client.request("DELETE", "/sessions/current", &out, None).status(), 204);
        serving.stop("-KILL");
        let (serving, mut client) = serve(folder.path(), &keys);
        for (cookie, expected) in [(&kept, expected), (&ended, 401)] {
            let fields = [("cookie", cookie.as_str())];
            let status = client.request("GET", "/notes", &fields, None).status();
            assert_eq!(status, expected, "{store}");
        }
        serving.stop("-TERM");
    }
}

/// One process has the files of the sessions. A second one does not start beside it.
#[test]
fn a_second_server_does_not_share_files_of_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let (serving, mut client) = serve(folder.path(), "session: { store: file }");
    let second = run(folder.path(), &["serve", "blog.yaml", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1));
    let message = stderr(&second);
    assert!(message.contains("another process uses the folder"), "{message}");
    // The command for accounts needs no sessions.
    add_account(folder.path());
    assert_eq!(sign_in(&mut client, "ann", "tall trees", &[]).status(), 201);
    serving.stop("-TERM");
}

/// A request that is refused for lack of time is logged without its secret.
#[test]
fn the_log_of_an_overload_has_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let schema = BLOG
        .replace("realm: The blog", "realm: The blog, session: { url_parameter: sid }")
        .replace("nouns: 1\n", "nouns: 1\nserver: { limits: { requests: 1 } }\n");
    std::fs::write(folder.path().join("blog.yaml"), schema).unwrap();
    let serving = Serving::start(folder.path(), &["blog.yaml"]);
    let mut waiting = TcpStream::connect(serving.address()).unwrap();
    let begun = b"POST /notes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";
    waiting.write_all(begun).unwrap();
    let mut client = serving.client();
    let referer = [("referer", "http://zoo.localhost/notes?sid=feathers")];
    let begun = Instant::now();
    while client.request("GET", "/notes?limit=2&sid=feathers", &referer, None).status() != 503 {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("query=\"limit=2\" status=503"), "{log}");
    assert!(!log.contains("feathers"), "{log}");
}

/// The audit log says who has done what, and no log has a secret.
#[test]
fn the_log_has_events_and_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let (serving, mut client) = serve(folder.path(), "session: { url_parameter: sid }");
    add_account(folder.path());
    let session = cookie(&sign_in(&mut client, "ann", "tall trees", &[]));
    assert_eq!(sign_in(&mut client, "ann", "low bushes", &[]).status(), 401);
    let secret = session.split_once('=').unwrap().1;
    let referer = format!("http://zoo.localhost/notes?sid={secret}");
    let fields = [("referer", referer.as_str())];
    let page = client.request("GET", &format!("/notes?limit=2&sid={secret}"), &fields, None);
    assert_eq!(page.status(), 200);
    let with = [("cookie", session.as_str()), ("content-type", "application/json")];
    let made = client.request("POST", "/tokens", &with, Some(b"{\"name\":\"ci\"}")).json();
    let token = made["token"].as_str().unwrap();
    let bearer = format!("Bearer {token}");
    let used = client.request("GET", "/notes", &[("authorization", &*bearer)], None);
    assert_eq!(used.status(), 200);
    let refused = client.request("DELETE", "/users/1", &[("cookie", session.as_str())], None);
    assert_eq!(refused.status(), 403);
    let foreign = [("cookie", session.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(client.request("DELETE", "/sessions/current", &foreign, None).status(), 403);
    let id = made["id"].as_str().unwrap();
    let revoked =
        client.request("DELETE", &format!("/tokens/{id}"), &[("cookie", session.as_str())], None);
    assert_eq!(revoked.status(), 204);
    let wrong = client.request("GET", "/notes", &[("authorization", &*bearer)], None);
    assert_eq!(wrong.status(), 401);
    let out = [("cookie", session.as_str())];
    assert_eq!(client.request("DELETE", "/sessions/current", &out, None).status(), 204);
    let (_, log) = serving.stop("-TERM");
    for event in [
        "event=\"signed_in\" account=\"1\"",
        "event=\"sign_in_failed\"",
        "event=\"token_made\" account=\"1\"",
        "event=\"token_used\" account=\"1\"",
        "event=\"refused\" account=\"1\"",
        "event=\"cross_site\"",
        "event=\"token_revoked\" account=\"1\"",
        "event=\"token_refused\"",
        "event=\"signed_out\" account=\"1\"",
    ] {
        assert!(log.contains(event), "the log must contain `{event}`: {log}");
    }
    assert!(log.contains("query=\"limit=2\"") && log.contains("address=127.0.0.1"), "{log}");
    for hidden in [secret, token, "tall trees", "low bushes"] {
        assert!(!log.contains(hidden), "{hidden}: {log}");
    }
}

/// A server without the keys that it needs does not start, and says which file is missing or wrong.
#[test]
fn a_server_needs_the_keys_of_its_issuer() {
    let folder = tempfile::tempdir().unwrap();
    let jwt = "realm: The blog, jwt: { keys: jwks.json, issuer: me, audience: blog }";
    std::fs::write(folder.path().join("blog.yaml"), BLOG.replace("realm: The blog", jwt)).unwrap();
    let long = format!("{{\"keys\": [], \"x\": \"{}\"}}", "x".repeat(1024 * 1024));
    let short = r#"{"keys": [{"kty": "oct", "k": "YWJj", "kid": "one"}]}"#;
    let other = r#"{"keys": [{"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA"}]}"#;
    let key = format!(r#"{{"kty": "oct", "k": "{}"}}"#, "A".repeat(43));
    let twice = format!(r#"{{"keys": [{key}, {key}]}}"#);
    for (keys, expected) in [
        (None, "jwks.json"),
        (Some("{"), "is no JWK Set"),
        (Some("[]"), "is no JWK Set"),
        (Some(r#"{"keys": []}"#), "has no key for RS256, ES256, EdDSA or HS256"),
        (Some(other), "has no key for RS256, ES256, EdDSA or HS256"),
        (Some(short), "has the key `one`, whose `k` must be base64url of at least 32 bytes"),
        (Some(&*twice), "twice for HS256; give each another `kid`"),
        (Some(&*long), "has more than 1048576 bytes"),
    ] {
        if let Some(keys) = keys {
            std::fs::write(folder.path().join("jwks.json"), keys).unwrap();
        }
        let served = run(folder.path(), &["serve", "blog.yaml", "--listen", "127.0.0.1:0"]);
        let message = stderr(&served);
        assert_eq!(served.status.code(), Some(1), "{message}");
        assert!(message.contains(expected) && message.contains("jwks.json"), "{message}");
    }
    // The command for accounts needs no keys.
    add_account(folder.path());
    let keys = format!(r#"{{"keys": [{key}]}}"#);
    std::fs::write(folder.path().join("jwks.json"), keys).unwrap();
    let serving = Serving::start(folder.path(), &["blog.yaml"]);
    assert_eq!(sign_in(&mut serving.client(), "ann", "tall trees", &[]).status(), 201);
    serving.stop("-TERM");
}

/// Whoever can write into the folder of the sessions could remove them or put old ones back.
#[test]
fn a_folder_of_sessions_that_others_can_write_is_refused_at_the_start() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let (serving, _) = serve(folder.path(), "session: { store: file }");
    serving.stop("-TERM");
    let sessions = folder.path().join("blog.db.sessions");
    for (mode, code) in [(0o770, Some(1)), (0o702, Some(1)), (0o755, Some(0))] {
        std::fs::set_permissions(&sessions, std::fs::Permissions::from_mode(mode)).unwrap();
        if code == Some(0) {
            let (ended, log) = serve(folder.path(), "session: { store: file }").0.stop("-TERM");
            assert_eq!(ended, code, "{log}");
            continue;
        }
        let output = run(folder.path(), &["serve", "blog.yaml", "--listen", "127.0.0.1:0"]);
        assert_eq!(output.status.code(), code, "{mode:o}");
        let said = "others can write into the folder; run `chmod go-w` on it";
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}
