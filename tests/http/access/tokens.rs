//! Tokens: what they may do, and what ends them.

use serde_json::{Value as Json, json};

use super::{PASSWORD, ask, basic, blog, cookie, nothing, sign_in, with};
use crate::{
    client::{Answer, Client},
    database,
};

/// Makes a token as an account, and returns the response.
fn make(client: &mut Client, login: &str, body: &Json) -> Answer {
    ask(client, login, "POST /tokens", body)
}

/// The value of `Authorization` for a token.
fn bearer(answer: &Answer) -> String {
    format!("Bearer {}", answer.json()["token"].as_str().unwrap_or_else(|| panic!("{answer:?}")))
}

fn status(client: &mut Client, bearer: &str, request: &str, body: &Json) -> u16 {
    with(client, ("authorization", bearer), request, body).status()
}

#[test]
fn a_token_is_shown_once() {
    let server = blog();
    let client = &mut server.client();
    let answer = make(client, "ann", &json!({ "name": "ci", "scopes": ["read"] }));
    assert_eq!((answer.status(), answer.field("cache-control")), (201, Some("no-store")));
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("nouns_") && token.len() == 49, "{token}");
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(answer.field("location"), Some(&*format!("/tokens/{id}")));
    for target in ["GET /tokens".to_owned(), format!("GET /tokens/{id}")] {
        let shown = ask(client, "ann", &target, &nothing());
        let text = String::from_utf8_lossy(&shown.body).into_owned();
        assert!(text.contains("\"name\":\"ci\"") && !text.contains(&token), "{text}");
    }
    assert_eq!(ask(client, "bob", &format!("GET /tokens/{id}"), &nothing()).status(), 404);
    assert_eq!(client.get("/tokens").status(), 401);
    let stored = match database::is_postgres() {
        true => ["_nouns_grants", "_nouns_answers", "_nouns_state"]
            .map(|table| format!("{:?}", server.database.rows(&format!("SELECT * FROM {table}"))))
            .map(String::into_bytes)
            .to_vec(),
        false => ["", "-wal"]
            .map(|end| format!("{}{end}", server.database.file.display()))
            .map(|file| std::fs::read(file).unwrap_or_default())
            .to_vec(),
    };
    assert!(stored.iter().any(|part| part.windows(id.len()).any(|text| text == id.as_bytes())));
    for part in stored {
        assert!(!part.windows(43).any(|part| part == &token.as_bytes()[6..]), "it is not stored");
    }
}

/// Conformance 134: the challenges of the scheme `Bearer`.
#[test]
fn a_token_may_do_what_its_scopes_allow() {
    let server = blog();
    let client = &mut server.client();
    let read = bearer(&make(client, "root", &json!({ "name": "r", "scopes": ["read"] })));
    let write = bearer(&make(client, "root", &json!({ "name": "w", "scopes": ["write"] })));
    let both = bearer(&make(client, "root", &json!({ "name": "rw" })));
    let note = json!({ "text": "a" });
    for (token, get, post) in [(&read, 200, 403), (&write, 403, 201), (&both, 200, 201)] {
        assert_eq!(status(client, token, "GET /notes", &nothing()), get);
        assert_eq!(status(client, token, "POST /notes", &note), post);
    }
    let refused = with(client, ("authorization", &read), "POST /notes", &note);
    assert_eq!(
        refused.field("www-authenticate"),
        Some("Bearer realm=\"The blog\", error=\"insufficient_scope\", scope=\"write\"")
    );
    for wrong in ["Bearer x", &format!("Bearer nouns_{}", "A".repeat(43)), &read[..54]] {
        let answer = with(client, ("authorization", wrong), "GET /tags", &nothing());
        let challenge = Some("Bearer realm=\"The blog\", error=\"invalid_token\"");
        assert_eq!(
            (answer.status(), answer.field("www-authenticate")),
            (401, challenge),
            "{wrong}"
        );
    }
    // A token in the query is a parameter as any other.
    assert_eq!(client.get(&format!("/tags?access_token={}", &both[7..])).status(), 400);
}

/// A token without `read` reads nothing, whatever the server has cached, in no format and by no
/// form.
#[test]
fn a_token_without_read_gets_nothing_to_read() {
    let server = blog();
    let client = &mut server.client();
    let write = bearer(&make(client, "root", &json!({ "name": "w", "scopes": ["write"] })));
    let read = bearer(&make(client, "root", &json!({ "name": "r", "scopes": ["read"] })));
    for text in ["zz1", "zz2"] {
        ask(client, "root", "POST /notes", &json!({ "text": text }));
    }
    ask(client, "root", "POST /tags", &json!({ "id": "t", "text": "x" }));
    let targets = ["/notes", "/notes/1", "/tags", "/tags/t", "/articles", "/users/4"];
    let mut tags = vec![];
    for target in targets {
        // The response cache has the third response.
        for _ in 0..3 {
            let answer = ask(client, "root", &format!("GET {target}"), &nothing());
            assert_eq!(answer.status(), 200, "{target}");
            tags.push((target, answer.field("etag").unwrap().to_owned()));
        }
    }
    let authorization = ("authorization", &*write);
    for (target, tag) in &tags {
        let unchanged =
            client.request("GET", target, &[authorization, ("if-none-match", tag)], None);
        assert_eq!((unchanged.status(), unchanged.field("etag")), (403, None), "{target}");
    }
    let system = [
        "/",
        "/openapi.json",
        "/-/problems",
        "/tokens",
        "/sessions",
        "/-/forms/notes",
        "/-/forms/notes/1",
        "/-/forms/users/4",
    ];
    for target in targets.into_iter().chain(system) {
        for method in ["GET", "HEAD", "OPTIONS"] {
            for accept in ["application/json", "text/csv", "application/x-ndjson", "text/html"] {
                let fields = [authorization, ("accept", accept)];
                let refused = client.request(method, target, &fields, None);
                assert_eq!(refused.status(), 403, "{method} {target} {accept}");
                let text = String::from_utf8_lossy(&refused.body).into_owned();
                assert!(!text.contains("zz") && !text.contains("b draft"), "{text}");
            }
        }
        let needs = client.request("GET", target, &[authorization], None);
        let scope = "Bearer realm=\"The blog\", error=\"insufficient_scope\", scope=\"read\"";
        assert_eq!(needs.field("www-authenticate"), Some(scope), "{target}");
    }
    // A form shows what it changes, so it needs both.
    for target in ["/-/forms/notes", "/-/forms/notes/1"] {
        let fields = [("authorization", &*read)];
        let refused = client.request("GET", target, &fields, None);
        let scope = "Bearer realm=\"The blog\", error=\"insufficient_scope\", scope=\"write\"";
        assert_eq!((refused.status(), refused.field("www-authenticate")), (403, Some(scope)));
        assert_eq!(ask(client, "root", &format!("GET {target}"), &nothing()).status(), 200);
    }
}

/// A token without `read` gets back nothing that it writes, and its writes tell it nothing.
#[test]
fn a_token_without_read_writes_and_gets_no_member() {
    let server = blog();
    let client = &mut server.client();
    let write = bearer(&make(client, "root", &json!({ "name": "w", "scopes": ["write"] })));
    let both = bearer(&make(client, "root", &json!({ "name": "rw" })));
    let sent =
        |client: &mut Client, token: &str, request: &str, fields: &[(&str, &str)], body: &str| {
            let (method, target) = request.split_once(' ').unwrap();
            let json = ("content-type", "application/json");
            let fields = [&[("authorization", token)], fields].concat();
            let typed = fields.iter().any(|(name, _)| *name == "content-type");
            let fields = if typed { fields } else { [&fields[..], &[json]].concat() };
            client.request(method, target, &fields, Some(body.as_bytes()))
        };
    for preferred in [None, Some("return=representation"), Some("return=minimal")] {
        let fields: Vec<_> = preferred.into_iter().map(|prefer| ("prefer", prefer)).collect();
        for (request, body, status) in [
            ("POST /notes", r#"{"text":"a"}"#, 201),
            ("PATCH /articles/1", r#"{"title":"other"}"#, 204),
            ("PUT /articles/3", r#"{"title":"other","author_id":2}"#, 204),
        ] {
            let answer = sent(client, &write, request, &fields, body);
            assert_eq!(
                (answer.status(), &*answer.body),
                (status, &b""[..]),
                "{request} {answer:?}"
            );
            assert_eq!(answer.field("preference-applied"), None, "{answer:?}");
            assert_eq!(answer.field("location").is_some(), status == 201, "{answer:?}");
        }
        let several = sent(client, &write, "POST /notes", &fields, r#"[{"text":"a"},{}]"#);
        let items = several.json()["items"].as_array().unwrap().clone();
        assert_eq!((several.status(), items.len()), (201, 2));
        assert!(items.iter().all(|item| item.as_object().unwrap().len() == 1), "{items:?}");
    }
    // A form without a change, a patch that tests, and a value that only the server sets.
    let form =
        [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let unchanged = sent(client, &write, "PATCH /articles/1", &form, "title=x&before:title=x");
    assert_eq!((unchanged.status(), &*unchanged.body), (204, &b""[..]), "{unchanged:?}");
    let patch = [("content-type", "application/json-patch+json")];
    let test = r#"[{"op":"test","path":"/author_id","value":1}]"#;
    assert_eq!(sent(client, &write, "PATCH /articles/1", &patch, test).status(), 403);
    assert_eq!(sent(client, &both, "PATCH /articles/1", &patch, test).status(), 200);
    let article = sent(client, &both, "GET /articles/1", &[], "").json();
    let echo = json!({ "created_at": article["created_at"] }).to_string();
    assert_eq!(sent(client, &both, "PATCH /articles/1", &[], &echo).status(), 200);
    assert_eq!(sent(client, &write, "PATCH /articles/1", &[], &echo).status(), 422);
    // A response that is sent again is as bare as the token demands.
    for (first, again, key) in [(&both, &write, "\"1\""), (&write, &both, "\"2\"")] {
        for (at, token) in [first, again].into_iter().enumerate() {
            let key = [("idempotency-key", key)];
            let answer = sent(client, token, "POST /notes", &key, r#"{"text":"key"}"#);
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert_eq!((answer.status(), answer.field("location").is_some()), (201, true));
            assert_eq!(text.contains("key"), at == 0 && *token == both, "{answer:?}");
        }
    }
}

#[test]
fn a_token_makes_none_that_may_do_more() {
    let server = blog();
    let client = &mut server.client();
    let end = "2099-01-01T00:00:00Z";
    let own = json!({ "name": "w", "scopes": ["write"], "expires_at": end });
    let own = bearer(&make(client, "ann", &own));
    let mut made = |body: &Json| with(client, ("authorization", &own), "POST /tokens", body);
    let less = made(&json!({ "name": "x" })).json();
    assert_eq!((&less["scopes"], &less["expires_at"]), (&json!(["write"]), &json!(end)));
    for more in [
        json!({ "name": "x", "scopes": ["read"] }),
        json!({ "name": "x", "scopes": ["read", "write"] }),
        json!({ "name": "x", "expires_at": "2099-01-01T00:00:01Z" }),
    ] {
        assert_eq!(made(&more).status(), 422, "{more}");
    }
    let read = make(client, "ann", &json!({ "name": "r", "scopes": ["read"] }));
    assert_eq!(status(client, &bearer(&read), "POST /tokens", &json!({ "name": "x" })), 403);
}

#[test]
fn a_token_is_declared_with_care() {
    let server = blog();
    let client = &mut server.client();
    for wrong in [
        json!({}),
        json!({ "name": "" }),
        json!({ "name": "a\nb" }),
        json!({ "name": "a".repeat(101) }),
        json!({ "name": 1 }),
        json!({ "name": "a", "scopes": [] }),
        json!({ "name": "a", "scopes": ["admin"] }),
        json!({ "name": "a", "scopes": "read" }),
        json!({ "name": "a", "expires_at": "2001-01-01T00:00:00Z" }),
        json!({ "name": "a", "expires_at": "tomorrow" }),
        json!({ "name": "a", "expires": 1 }),
    ] {
        let answer = make(client, "ann", &wrong);
        assert_eq!((answer.status(), &*answer.problem()), (422, "invalid-content"), "{wrong}");
    }
    let hint = make(client, "ann", &json!({ "name": "a", "scope": ["read"] }));
    assert!(String::from_utf8_lossy(&hint.body).contains("`scopes`"), "{hint:?}");
}

/// A revoked or expired token is refused everywhere at once, also where it was just used.
#[test]
fn a_revoked_token_is_refused_at_once() {
    let server = blog();
    let mut clients: Vec<_> = (0..6).map(|_| server.client()).collect();
    let client = &mut server.client();
    let answer = make(client, "ann", &json!({ "name": "ci" }));
    let (own, id) = (bearer(&answer), answer.json()["id"].as_str().unwrap().to_owned());
    for client in &mut clients {
        assert_eq!(status(client, &own, "GET /notes", &nothing()), 200);
    }
    assert_eq!(ask(client, "bob", &format!("DELETE /tokens/{id}"), &nothing()).status(), 404);
    assert_eq!(ask(client, "ann", &format!("DELETE /tokens/{id}"), &nothing()).status(), 204);
    for client in &mut clients {
        assert_eq!(status(client, &own, "GET /notes", &nothing()), 401);
    }
    let answer =
        make(client, "ann", &json!({ "name": "ci", "expires_at": "2099-01-01T00:00:00Z" }));
    let own = bearer(&answer);
    server.elsewhere("UPDATE _nouns_grants SET expires_at = 1");
    assert_eq!(status(client, &own, "GET /notes", &nothing()), 401);
}

/// Tokens survive a change of the own password. If somebody else sets it, they are void.
#[test]
fn a_reset_of_the_password_revokes_tokens() {
    let server = blog();
    let client = &mut server.client();
    let own = bearer(&make(client, "ann", &json!({ "name": "ci" })));
    let set = |password: &str| json!({ "password": password });
    assert_eq!(ask(client, "ann", "PATCH /users/1", &set("another horse")).status(), 200);
    assert_eq!(status(client, &own, "GET /notes", &nothing()), 200);
    // With a JSON Patch and with a token it is the own password, too.
    let add = |name: &str, value: &str| json!({ "op": "add", "path": name, "value": value });
    let patch =
        json!([add("/current_password", "another horse"), add("/password", "a third horse")]);
    let patch = patch.to_string();
    let fields = [("authorization", &*own), ("content-type", "application/json-patch+json")];
    let patched = client.request("PATCH", "/users/1", &fields, Some(patch.as_bytes()));
    assert_eq!(patched.status(), 200, "{patched:?}");
    assert_eq!(status(client, &own, "GET /notes", &nothing()), 200);
    assert_eq!(ask(client, "root", "PATCH /users/1", &set(PASSWORD)).status(), 200);
    assert_eq!(status(client, &own, "GET /notes", &nothing()), 401);
    // The old password again does not bring them back.
    assert_eq!(ask(client, "ann", "PATCH /users/1", &set("a third horse")).status(), 200);
    assert_eq!(status(client, &own, "GET /notes", &nothing()), 401);
}

/// The secret of a session is no token, and that of a token is no session.
#[test]
fn a_grant_counts_as_what_it_is() {
    let server = blog();
    let client = &mut server.client();
    let session = cookie(&sign_in(client, "ann", PASSWORD, &[]));
    let secret = session.split_once('=').unwrap().1.to_owned();
    let token = bearer(&make(client, "ann", &json!({ "name": "ci" })));
    for _ in 0..2 {
        let as_token = format!("Bearer nouns_{secret}");
        assert_eq!(status(client, &as_token, "GET /notes", &nothing()), 401);
        assert_eq!(with(client, ("cookie", &session), "GET /notes", &nothing()).status(), 200);
        let as_session = format!("session={}", &token[13..]);
        assert_eq!(with(client, ("cookie", &as_session), "GET /notes", &nothing()).status(), 401);
        assert_eq!(status(client, &token, "GET /notes", &nothing()), 200);
    }
}

/// An account that is gone, or has another role, acts at once through its grants.
#[test]
fn a_grant_follows_its_account() {
    let server = blog();
    let client = &mut server.client();
    let own = bearer(&make(client, "bob", &json!({ "name": "ci" })));
    assert_eq!(status(client, &own, "PATCH /users/1", &json!({ "role": "reader" })), 404);
    let admin = json!({ "role": "admin" });
    assert_eq!(ask(client, "root", "PATCH /users/2", &admin).status(), 200);
    assert_eq!(status(client, &own, "PATCH /users/1", &json!({ "role": "reader" })), 200);
    let eve = bearer(&make(client, "eve", &json!({ "name": "ci" })));
    assert_eq!(status(client, &eve, "GET /notes", &nothing()), 200);
    assert_eq!(ask(client, "root", "DELETE /users/3", &nothing()).status(), 204);
    assert_eq!(status(client, &eve, "GET /notes", &nothing()), 401);
    assert_eq!(
        with(client, ("authorization", &basic("eve", PASSWORD)), "GET /notes", &nothing()).status(),
        401
    );
}
