//! Sessions: the same behaviour in each store, their cookies, and what ends them.

use serde_json::{Value as Json, json};

use super::{PASSWORD, blog, blog_with, cookie, nothing, sign_in, with};
use crate::{client::Client, server::TestServer};

const STORES: [&str; 3] = ["memory", "file", "database"];

/// Whether sessions can be stored there. PostgreSQL has several servers, so none has files.
fn is_there(store: &str) -> bool {
    store != "file" || !crate::database::is_postgres()
}

fn stores() -> impl Iterator<Item = &'static str> {
    STORES.into_iter().filter(|store| is_there(store))
}

/// A blog that keeps its sessions in a store.
fn stored(store: &str) -> TestServer {
    blog_with(&format!(", session: {{ store: {store} }}"))
}

/// The status of a request with a cookie.
fn status(client: &mut Client, cookie: &str, request: &str) -> u16 {
    with(client, ("cookie", cookie), request, &nothing()).status()
}

/// Conformance 115, 120: signing in sets one cookie, with the attributes that protect it.
#[test]
fn signing_in_begins_a_session() {
    for store in stores() {
        let server = stored(store);
        let mut client = server.client();
        let answer = sign_in(&mut client, "ann", PASSWORD, &[]);
        assert_eq!(answer.status(), 201, "{store}: {answer:?}");
        let set = answer.field("set-cookie").unwrap();
        let (pair, attributes) = set.split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax");
        let secret = pair.strip_prefix("session=").unwrap();
        assert_eq!(secret.len(), 43, "256 bits in base64");
        let mut body = answer.json();
        let id = body["id"].as_str().unwrap().to_owned();
        assert_eq!(answer.field("location"), Some(&*format!("/sessions/{id}")));
        assert_eq!(answer.field("cache-control"), Some("no-store"));
        assert!(!String::from_utf8_lossy(&answer.body).contains(secret), "only the cookie has it");
        for time in ["created_at", "used_at", "expires_at"] {
            assert!(body[time].as_str().unwrap().ends_with('Z'));
            body.as_object_mut().unwrap().remove(time);
        }
        let expected = json!({ "id": id, "current": true, "persistent": false, "account": 1 });
        assert_eq!(body, expected);
        for target in [format!("/sessions/{id}"), "/sessions/current".to_owned()] {
            let answer = with(&mut client, ("cookie", pair), &format!("GET {target}"), &nothing());
            assert_eq!((answer.status(), &answer.json()["id"]), (200, &json!(id)));
        }
        assert_eq!(status(&mut client, pair, "GET /notes"), 200);
        assert_eq!(client.get("/notes").status(), 401);
    }
}

/// Conformance 124: what is no session is nobody's, and the server never adopts an id.
#[test]
fn an_unknown_session_is_nobodys() {
    let server = blog();
    let mut client = server.client();
    let chosen = format!("session={}", "A".repeat(43));
    let wrong = ["session=", "session=x", "session=\"x\"", "session", "=;;", "a=b", &chosen];
    for given in wrong {
        let answer = with(&mut client, ("cookie", given), "GET /tags", &nothing());
        assert_eq!((answer.status(), answer.field("set-cookie")), (200, None), "{given}");
        assert_eq!(status(&mut client, given, "GET /notes"), 401);
        assert_eq!(status(&mut client, given, "GET /sessions/current"), 401);
    }
    let answer = sign_in(&mut client, "ann", PASSWORD, &[("cookie", &chosen)]);
    assert_ne!(cookie(&answer), chosen);
    assert_eq!(status(&mut client, &chosen, "GET /notes"), 401);
}

/// Conformance 125: signing in again ends the session of the request, and signing out ends it too.
#[test]
fn a_session_ends_at_once() {
    for store in stores() {
        let server = stored(store);
        // Two connections, so that several workers and their caches are asked.
        let mut clients: Vec<_> = (0..6).map(|_| server.client()).collect();
        let client = &mut server.client();
        let first = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        let all = |clients: &mut [Client], cookie: &str, expected: u16| {
            for client in clients {
                for _ in 0..3 {
                    assert_eq!(status(client, cookie, "GET /notes"), expected, "{store}");
                }
            }
        };
        all(&mut clients, &first, 200);
        let second = cookie(&sign_in(client, "bob", PASSWORD, &[("cookie", &first)]));
        all(&mut clients, &first, 401);
        all(&mut clients, &second, 200);
        let out = with(client, ("cookie", &second), "DELETE /sessions/current", &nothing());
        assert_eq!(out.status(), 204);
        assert_eq!(
            out.field("set-cookie"),
            Some(
                "session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; HttpOnly; SameSite=Lax"
            )
        );
        all(&mut clients, &second, 401);
        assert_eq!(status(client, &second, "DELETE /sessions/current"), 401);
    }
}

#[test]
fn an_account_sees_and_ends_its_own_sessions_alone() {
    for store in stores() {
        let server = stored(store);
        let client = &mut server.client();
        let sessions: Vec<_> = ["ann", "ann", "bob"]
            .into_iter()
            .map(|login| {
                let answer = sign_in(client, login, PASSWORD, &[]);
                (cookie(&answer), answer.json()["id"].as_str().unwrap().to_owned())
            })
            .collect();
        let list = with(client, ("cookie", &sessions[0].0), "GET /sessions", &nothing()).json();
        let mut items: Vec<_> = list["items"].as_array().unwrap().iter().collect();
        items.sort_by_key(|item| item["current"] != true);
        let of = |item: &Json| (item["id"].as_str().unwrap().to_owned(), item["current"].clone());
        let (own, other) = (&sessions[0].1, &sessions[1].1);
        assert_eq!(
            items.into_iter().map(of).collect::<Vec<_>>(),
            [(own.clone(), json!(true)), (other.clone(), json!(false))]
        );
        for request in ["GET", "DELETE"] {
            let foreign = format!("{request} /sessions/{}", sessions[2].1);
            assert_eq!(status(client, &sessions[0].0, &foreign), 404, "{store}");
        }
        assert_eq!(status(client, &sessions[0].0, &format!("DELETE /sessions/{other}")), 204);
        assert_eq!(status(client, &sessions[1].0, "GET /notes"), 401);
        assert_eq!(status(client, &sessions[0].0, "GET /notes"), 200);
        assert_eq!(status(client, &sessions[2].0, "GET /notes"), 200);
    }
}

/// Conformance 128: sessions in files and in the database survive the process, those in memory do
/// not.
#[test]
fn a_session_survives_a_restart() {
    for (store, expected) in
        STORES.into_iter().zip([401, 200, 200]).filter(|(store, _)| is_there(store))
    {
        let mut server = stored(store);
        let mut client = server.client();
        let kept = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
        let ended = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
        assert_eq!(status(&mut client, &ended, "DELETE /sessions/current"), 204);
        server.restart();
        let mut client = server.client();
        assert_eq!(status(&mut client, &kept, "GET /notes"), expected, "{store}");
        assert_eq!(status(&mut client, &ended, "GET /notes"), 401, "{store}");
    }
}

/// Another password ends all sessions. Whoever changes the own password gets a new one.
#[test]
fn another_password_ends_all_sessions() {
    for store in stores() {
        let server = stored(store);
        let client = &mut server.client();
        let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        let device = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        let admin = cookie(&sign_in(client, "root", PASSWORD, &[]));
        let set = |client: &mut Client, cookie: &str, password: &str| {
            let body = json!({ "password": password });
            with(client, ("cookie", cookie), "PATCH /users/1", &body)
        };
        let changed = set(client, &own, "another horse");
        assert_eq!(changed.status(), 200);
        let new = cookie(&changed);
        for (cookie, expected) in [(&own, 401), (&device, 401), (&new, 200), (&admin, 200)] {
            assert_eq!(status(client, cookie, "GET /notes"), expected, "{store}");
        }
        let reset = set(client, &admin, "a third horse");
        assert_eq!((reset.status(), reset.field("set-cookie")), (200, None));
        assert_eq!(status(client, &new, "GET /notes"), 401, "{store}");
        // An account that is deleted and made again with the same id has no old sessions.
        let other = cookie(&sign_in(client, "ann", "a third horse", &[]));
        let hash = super::HASH;
        server.elsewhere(&format!("UPDATE users SET password = '{hash}' WHERE id = 1"));
        assert_eq!(status(client, &other, "GET /notes"), 401, "{store}");
    }
}

/// Conformance 118: a session cookie, or one that the browser keeps.
#[test]
fn a_persistent_cookie_has_an_end() {
    let server = blog_with(", session: { ttl: 1h }");
    let mut client = server.client();
    let body = json!({ "login": "ann", "password": PASSWORD, "persistent": true }).to_string();
    let fields = [("content-type", "application/json")];
    let answer = client.request("POST", "/sessions", &fields, Some(body.as_bytes()));
    let set = answer.field("set-cookie").unwrap();
    // The clock may have gone on to the next second before the cookie was made.
    let ends = ["; Max-Age=3600; ", "; Max-Age=3599; "].iter().any(|end| set.contains(end));
    assert!(ends && set.contains("; Expires="), "{set}");
    assert_eq!(answer.json()["persistent"], true);
}

/// Conformance 120: over TLS the cookie is `Secure`, and has the prefix `__Host-`, so that no other
/// host can set it. A cookie without the prefix does not count then.
#[test]
fn a_cookie_over_tls_belongs_to_the_host() {
    let server = blog_with(", session: { secure: true }");
    let mut client = server.client();
    let answer = sign_in(&mut client, "ann", PASSWORD, &[]);
    let set = answer.field("set-cookie").unwrap();
    assert!(set.starts_with("__Host-session="), "{set}");
    assert!(set.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax"), "{set}");
    let own = cookie(&answer);
    assert_eq!(status(&mut client, &own, "GET /notes"), 200);
    let tossed = own.strip_prefix("__Host-").unwrap();
    assert_eq!(status(&mut client, tossed, "GET /notes"), 401);
    let eve = cookie(&sign_in(&mut client, "eve", PASSWORD, &[]));
    let both = format!("{}; {own}", eve.strip_prefix("__Host-").unwrap());
    let current = with(&mut client, ("cookie", &both), "GET /sessions/current", &nothing());
    assert_eq!(current.json()["account"], 1, "what a neighbour host has set does not count");
}

#[test]
fn a_cookie_has_the_declared_attributes() {
    let server = blog_with(
        ", session: { cookie: sid, domain: example.org, path: /, http_only: false, same_site: strict }",
    );
    let set = sign_in(&mut server.client(), "ann", PASSWORD, &[]);
    let set = set.field("set-cookie").unwrap();
    assert!(
        set.starts_with("sid=") && set.ends_with("; Path=/; Domain=example.org; SameSite=Strict"),
        "{set}"
    );
}

/// Conformance 130: only signing in begins a session.
#[test]
fn a_crawler_gets_no_session() {
    let server = blog();
    let mut client = server.client();
    for _ in 0..50 {
        assert_eq!(client.get("/tags").field("set-cookie"), None);
    }
    assert_eq!(server.cell("SELECT count(*) FROM _nouns_grants"), "0");
}

/// Conformance 123: a response that depends on a cookie is private, whoever the cookie names.
#[test]
fn a_response_with_a_cookie_is_private() {
    let server = blog();
    let mut client = server.client();
    let own = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    for given in [&*own, "session=x"] {
        for _ in 0..3 {
            let answer = with(&mut client, ("cookie", given), "GET /tags", &nothing());
            assert_eq!(answer.field("cache-control"), Some("private, no-cache"));
        }
    }
    assert_eq!(client.get("/tags").field("cache-control"), Some("no-cache"));
}

#[test]
fn a_session_ends_by_the_clock() {
    for store in ["database"] {
        let server = stored(store);
        let client = &mut server.client();
        for set in ["used_at = used_at - 86400", "expires_at = 1"] {
            let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
            server.elsewhere(&format!("UPDATE _nouns_grants SET {set}"));
            assert_eq!(status(client, &own, "GET /notes"), 401, "{set}");
        }
        let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        assert_eq!(status(client, &own, "GET /notes"), 200);
        let left = server.cell("SELECT count(*) FROM _nouns_grants");
        assert_eq!(left, "1", "the expired sessions were swept up");
    }
}

/// Another program, or another node on the same database, ends a session.
#[test]
fn a_session_that_another_process_ends_is_refused_at_once() {
    let server = blog();
    let client = &mut server.client();
    let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
    for _ in 0..3 {
        assert_eq!(status(client, &own, "GET /notes"), 200);
    }
    server.elsewhere("DELETE FROM _nouns_grants");
    assert_eq!(status(client, &own, "GET /notes"), 401);
}

/// The last use is stored once a minute, and does not change the validators of any resource.
#[test]
fn the_last_use_is_stored() {
    let server = blog();
    let client = &mut server.client();
    let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
    server.elsewhere("UPDATE _nouns_grants SET used_at = used_at - 100");
    let used = || server.cell("SELECT used_at FROM _nouns_grants").parse::<i64>().unwrap();
    let before = used();
    let mut tag = || {
        let answer = with(client, ("cookie", &own), "GET /notes", &nothing());
        answer.field("etag").unwrap().to_owned()
    };
    let first = tag();
    while used() < before + 99 {
        std::thread::yield_now();
    }
    assert_eq!(tag(), first);
}

/// An account has at most 100 sessions; with one more, the oldest ends.
#[test]
fn sessions_of_an_account_have_a_limit() {
    for store in ["memory", "database"] {
        let server = stored(store);
        let client = &mut server.client();
        let cookies: Vec<_> =
            (0..103).map(|_| cookie(&sign_in(client, "ann", PASSWORD, &[]))).collect();
        let list = with(client, ("cookie", &cookies[102]), "GET /sessions", &nothing()).json();
        assert_eq!(list["items"].as_array().unwrap().len(), 100, "{store}");
        let left = cookies.iter().filter(|own| status(client, own, "GET /notes") == 200).count();
        assert_eq!(left, 100, "{store}");
    }
}

#[test]
fn what_signs_in_is_checked() {
    let server = blog();
    let mut client = server.client();
    let mut refused = |kind: &str, body: &str| {
        let fields = [("content-type", kind), ("origin", "http://zoo.localhost")];
        let answer = client.request("POST", "/sessions", &fields, Some(body.as_bytes()));
        (answer.status(), answer.problem())
    };
    let json = "application/json";
    let big = format!("{{\"login\":\"{}\"}}", "a".repeat(20_000));
    let many: String = (0..20).map(|at| format!("a{at}=1&")).collect();
    for (kind, body, expected) in [
        (json, "{}", (422, "invalid-content")),
        (json, "[]", (422, "invalid-content")),
        (json, "{", (400, "malformed-body")),
        (json, "{\"login\":\"ann\",\"password\":1}", (422, "invalid-content")),
        (
            json,
            "{\"login\":\"ann\",\"password\":\"x\",\"role\":\"admin\"}",
            (422, "invalid-content"),
        ),
        (
            json,
            "{\"login\":\"ann\",\"login\":\"bob\",\"password\":\"x\"}",
            (422, "invalid-content"),
        ),
        (json, "{\"login\":\"ann\",\"password\":\"x\",\"persistent\":1}", (422, "invalid-content")),
        (json, "{\"login\":\"ann\",\"password\":\"wrong\"}", (401, "unauthenticated")),
        (json, &big, (413, "content-too-large")),
        ("text/plain", "login=ann", (415, "unsupported-media-type")),
        ("application/x-www-form-urlencoded", "login=ann", (422, "invalid-content")),
        ("application/x-www-form-urlencoded", &many, (422, "invalid-content")),
        ("application/x-www-form-urlencoded", "login=ann&password=x", (401, "unauthenticated")),
        ("application/x-www-form-urlencoded", "login=ann&password=%ff", (400, "malformed-body")),
        ("application/x-www-form-urlencoded", "login=ann%&password=x", (400, "malformed-body")),
    ] {
        let (status, problem) = refused(kind, body);
        assert_eq!((status, &*problem), expected, "{kind} {}", &body[..body.len().min(80)]);
    }
    let form = format!("login=ann&password={}&persistent=on", PASSWORD.replace(' ', "+"));
    let fields =
        [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let answer = client.request("POST", "/sessions", &fields, Some(form.as_bytes()));
    assert_eq!((answer.status(), &answer.json()["persistent"]), (201, &json!(true)));
    let key = [("content-type", json), ("idempotency-key", "\"a\"")];
    for target in ["/sessions", "/tokens"] {
        assert_eq!(client.request("POST", target, &key, Some(b"{}")).status(), 400, "{target}");
    }
    let wrong = sign_in(&mut client, "ann", "wrong", &[]);
    assert_eq!(wrong.field("www-authenticate"), Some("Bearer realm=\"The blog\""));
    assert_eq!(client.get("/sessions?limit=1").status(), 400);
}

/// Conformance 129: the files of sessions are named by the server, and only it can read them.
#[cfg(unix)]
#[test]
fn session_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut server = stored("file");
    let mut client = server.client();
    let own = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    for traversal in ["session=../../test.db", "session=/etc/passwd", "session=lock"] {
        assert_eq!(status(&mut client, traversal, "GET /notes"), 401);
    }
    let folder = std::path::PathBuf::from(format!("{}.sessions", server.database.file.display()));
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let secret = own.split_once('=').unwrap().1;
    let mut names = vec![];
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600);
        let content = std::fs::read_to_string(&path).unwrap();
        assert!(!content.contains(secret) && !path.to_str().unwrap().contains(secret));
        names.push(path);
    }
    assert_eq!(names.len(), 2, "a session and the lock: {names:?}");
    // What a crash has left is removed, and what is no session is ignored.
    std::fs::write(folder.join("0123.new"), "half").unwrap();
    std::fs::write(folder.join("a".repeat(64)), "{").unwrap();
    server.restart();
    assert_eq!(status(&mut server.client(), &own, "GET /notes"), 200);
    assert!(!folder.join("0123.new").exists() && folder.join("a".repeat(64)).exists());
}

/// A folder of sessions that somebody has removed is made again.
#[test]
fn a_removed_folder_of_sessions_is_made_again() {
    let mut server = stored("file");
    let mut client = server.client();
    let first = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    let folder = format!("{}.sessions", server.database.file.display());
    std::fs::remove_dir_all(&folder).unwrap();
    // A session whose file is gone ends nevertheless.
    assert_eq!(status(&mut client, &first, "DELETE /sessions/current"), 204);
    assert_eq!(status(&mut client, &first, "GET /notes"), 401);
    let second = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    server.restart();
    assert_eq!(status(&mut server.client(), &second, "GET /notes"), 200);
    // Without a place for the folder, nobody can sign in until there is one.
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    let refused = sign_in(&mut server.client(), "ann", PASSWORD, &[]);
    assert_eq!((refused.status(), refused.field("retry-after")), (503, Some("2")), "{refused:?}");
    assert_eq!(refused.field("set-cookie"), None);
    std::fs::remove_file(&folder).unwrap();
    assert_eq!(sign_in(&mut server.client(), "ann", PASSWORD, &[]).status(), 201);
}

/// Conformance 126, 127: the secret of a session in the URL or in a form, if that is declared.
#[test]
fn a_session_may_be_in_the_url_or_in_a_form() {
    let server = blog_with(", session: { url_parameter: sid, form_field: sid }");
    let mut client = server.client();
    let own = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    let secret = own.split_once('=').unwrap().1;
    let page = client.get(&format!("/articles?limit=1&sid={secret}"));
    assert_eq!(page.status(), 200);
    assert_eq!(page.field("cache-control"), Some("no-store"));
    assert_eq!(page.field("referrer-policy"), Some("no-referrer"));
    for (name, value) in &page.fields {
        assert!(!value.contains(secret), "{name}: {value}");
    }
    assert!(!String::from_utf8_lossy(&page.body).contains(secret));
    assert_eq!(page.json()["links"]["self"], "/articles?limit=1");
    assert_eq!(client.get(&format!("/notes?sid={secret}")).status(), 200);
    assert_eq!(client.get("/notes?sid=x").status(), 401);
    let moved = client.get(&format!("/notes/?sid={secret}"));
    assert_eq!((moved.status(), moved.field("location")), (301, Some("/notes")));
    // A cookie takes precedence.
    let bob = cookie(&sign_in(&mut client, "bob", PASSWORD, &[]));
    let target = format!("GET /sessions/current?sid={secret}");
    assert_eq!(with(&mut client, ("cookie", &bob), &target, &nothing()).json()["account"], 2);
    // Signing in with a form whose field has the old session ends that session.
    let form = format!("sid={secret}&login=ann&password={}", PASSWORD.replace(' ', "+"));
    let fields =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "http://zoo.localhost")];
    assert_eq!(client.request("POST", "/sessions", &fields, Some(form.as_bytes())).status(), 201);
    assert_eq!(client.get(&format!("/notes?sid={secret}")).status(), 401);
}

#[test]
fn a_session_in_the_url_must_be_declared() {
    let server = blog();
    let mut client = server.client();
    let own = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    assert_eq!(client.get(&format!("/tags?{own}")).status(), 400, "an unknown parameter");
}
