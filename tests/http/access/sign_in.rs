//! Callers sign in with the scheme `Basic`.

use serde_json::json;

use super::{HASH, PASSWORD, all, ask, basic, blog, nothing};
use crate::client::Answer;

fn with(client: &mut crate::client::Client, authorization: &[u8]) -> Answer {
    let mut request = b"GET /notes HTTP/1.1\r\nhost: localhost\r\nauthorization: ".to_vec();
    request.extend_from_slice(authorization);
    request.extend_from_slice(b"\r\n\r\n");
    client.raw(&request, false)
}

/// Conformance 38, 132: without credentials, or with wrong ones, the status is 401 with a
/// challenge. The name of the scheme has no case.
#[test]
fn a_challenge_says_how_to_sign_in() {
    let server = blog();
    let mut client = server.client();
    let challenges = ["Basic realm=\"The blog\", charset=\"UTF-8\"", "Bearer realm=\"The blog\""];
    let given = |answer: &Answer| -> Vec<String> {
        let named = answer.fields.iter().filter(|(name, _)| name == "www-authenticate");
        named.map(|(_, value)| value.clone()).collect()
    };
    for wrong in [
        "".to_owned(),
        "Basic".to_owned(),
        "Basic !".to_owned(),
        "Digest abc".to_owned(),
        basic("ann", "wrong horse"),
        basic("nobody", PASSWORD),
        basic("ann", ""),
        basic("", PASSWORD),
    ] {
        let answer = with(&mut client, wrong.as_bytes());
        assert_eq!(
            (answer.status(), given(&answer)),
            (401, challenges.map(str::to_owned).into()),
            "{wrong}"
        );
        assert_eq!(answer.field("cache-control"), Some("no-store"));
        assert!(!answer.problem().contains("horse"), "{wrong}");
    }
    let answer = client.get("/notes");
    assert_eq!((answer.status(), given(&answer)), (401, challenges.map(str::to_owned).into()));
    for right in [basic("ann", PASSWORD), basic("ann", PASSWORD).replace("Basic", "bASIC  ")] {
        assert_eq!(with(&mut client, right.as_bytes()).status(), 200, "{right}");
    }
}

/// Conformance 135: an unknown login gets the same response as a wrong password.
#[test]
fn nobody_learns_which_accounts_exist() {
    let server = blog();
    let mut client = server.client();
    let mut refused = |login: &str| {
        let answer = with(&mut client, basic(login, "wrong horse").as_bytes());
        let mut problem = answer.json();
        problem["request_id"] = json!(null);
        (answer.status(), problem)
    };
    assert_eq!(refused("ann"), refused("nobody"));
}

/// Conformance 137: credentials are checked before the body is read.
#[test]
fn wrong_credentials_are_refused_before_the_body_comes() {
    let server = blog();
    let mut client = server.client();
    for authorization in ["", &format!("authorization: {}\r\n", basic("ann", "wrong horse"))] {
        let head = format!(
            "POST /notes HTTP/1.1\r\nhost: localhost\r\n{authorization}content-type: application/json\r\n\
             expect: 100-continue\r\ncontent-length: 20\r\n\r\n"
        );
        let answer = client.begin(head.as_bytes());
        assert_eq!(answer.status(), 401, "the first response is no 100");
        client = server.client();
    }
}

#[test]
fn a_change_of_an_account_acts_at_once() {
    let server = blog();
    let mut client = server.client();
    let mut status =
        |login: &str, request: &str| ask(&mut client, login, request, &nothing()).status();
    assert_eq!((status("ann", "GET /notes"), status("ann", "GET /notes")), (200, 200));
    // Another password, which another process sets.
    let other = HASH.replace("eFQ3", "eFQ4");
    server.elsewhere(&format!("UPDATE users SET password = '{other}' WHERE id = 1"));
    assert_eq!(status("ann", "GET /notes"), 401);
    server.elsewhere(&format!("UPDATE users SET password = '{HASH}' WHERE id = 1"));
    assert_eq!(status("ann", "GET /notes"), 200);
    // Another role.
    assert_eq!(status("ann", "DELETE /users/3"), 403);
    server.elsewhere("UPDATE users SET role = 'admin' WHERE id = 1");
    assert_eq!(status("ann", "DELETE /users/3"), 204);
    // No account any more.
    server.elsewhere("DELETE FROM articles");
    server.elsewhere("DELETE FROM blogs");
    server.elsewhere("DELETE FROM users WHERE id = 1");
    assert_eq!(status("ann", "GET /notes"), 401);
}

#[test]
fn a_password_that_a_client_sets_signs_in() {
    let server = blog();
    let mut client = server.client();
    let set = json!({ "password": "another horse" });
    assert_eq!(ask(&mut client, "ann", "PATCH /users/1", &set).status(), 200);
    assert_eq!(with(&mut client, basic("ann", PASSWORD).as_bytes()).status(), 401);
    assert_eq!(with(&mut client, basic("ann", "another horse").as_bytes()).status(), 200);
}

/// A response that was made for one caller is never sent to another, and no shared cache stores it.
#[test]
fn no_cache_mixes_up_callers() {
    let server = blog();
    let mut client = server.client();
    for _ in 0..4 {
        for (login, expected) in [
            ("", vec!["b out"]),
            ("ann", vec!["a draft", "out", "b out"]),
            ("bob", vec!["b draft", "b out"]),
            ("eve", vec!["a draft", "out", "b draft", "b out"]),
        ] {
            let answer = ask(&mut client, login, "GET /articles?sortby=id", &nothing());
            assert_eq!(all(&answer, "title"), expected, "{login}");
            if !login.is_empty() {
                assert_eq!(answer.field("cache-control"), Some("private, no-cache"));
            }
        }
    }
    let tag = |client: &mut crate::client::Client, login: &str| {
        let answer = ask(client, login, "GET /articles", &nothing());
        answer.field("etag").unwrap().to_owned()
    };
    let tags: Vec<_> =
        ["", "ann", "bob", "eve"].iter().map(|login| tag(&mut client, login)).collect();
    let different: std::collections::BTreeSet<_> = tags.iter().collect();
    assert_eq!(different.len(), 4, "{tags:?}");
    // The tag of another caller does not give a 304.
    let fields = [("authorization", basic("bob", PASSWORD)), ("if-none-match", tags[1].clone())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(client.request("GET", "/articles", &fields, None).status(), 200);
}

/// A response that depends on the time is neither cached nor unchanged.
#[test]
fn a_row_appears_when_its_time_comes() {
    let server = blog();
    let mut client = server.client();
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_millis(700);
    let page = json!({ "text": "soon", "visible_from": soon.to_string() });
    assert_eq!(ask(&mut client, "", "POST /pages", &page).status(), 201);
    let get = |client: &mut crate::client::Client| {
        all(&ask(client, "", "GET /pages", &nothing()), "text")
    };
    let mut tries = 0;
    assert_eq!(get(&mut client), Vec::<String>::new());
    while get(&mut client).is_empty() {
        tries += 1;
        assert!(tries < 1000, "the page does not appear");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(get(&mut client), ["soon"]);
}
