//! The own password and login: who may change them with which proof.

use serde_json::{Value as Json, json};

use super::{PASSWORD, add_accounts, ask, blog, blog_with, cookie, nothing, sign_in, with};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const OTHER: &str = "another horse";
const FORM: &str = "application/x-www-form-urlencoded";
const PATCH: &str = "application/json-patch+json";

/// A token of an account, as the value of `Authorization`.
fn token(client: &mut Client, login: &str) -> String {
    let made = ask(client, login, "POST /tokens", &json!({ "name": "narrow" }));
    format!("Bearer {}", made.json()["token"].as_str().unwrap())
}

/// Sends a body of a media type, with one header field.
fn send(
    client: &mut Client,
    field: (&str, &str),
    request: &str,
    (kind, body): (&str, &str),
) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let fields = [field, ("content-type", kind), ("sec-fetch-site", "same-origin")];
    client.request(method, target, &fields, Some(body.as_bytes()))
}

/// The pointer and the code of the first error of a response.
fn first(answer: &Answer) -> (Json, Json) {
    let error = &answer.json()["errors"][0];
    (error["pointer"].clone(), error["code"].clone())
}

fn signs_in(client: &mut Client, login: &str, password: &str) -> bool {
    sign_in(client, login, password, &[]).status() == 201
}

#[test]
fn a_token_alone_changes_neither_password_nor_login() {
    let server = blog();
    let client = &mut server.client();
    let token = token(client, "ann");
    let field = ("authorization", token.as_str());
    let json = "application/json";
    for (request, kind, body) in [
        ("PATCH /users/1", json, r#"{"password":"another horse"}"#),
        ("PATCH /users/1", json, r#"{"login":"eva"}"#),
        ("PATCH /users/1", "application/merge-patch+json", r#"{"login":"eva"}"#),
        ("PUT /users/1", json, r#"{"login":"ann","password":"another horse"}"#),
        ("PUT /users/1", json, r#"{"login":"eva"}"#),
        ("PATCH /users/1", PATCH, r#"[{"op":"add","path":"/password","value":"another horse"}]"#),
        ("PATCH /users/1", PATCH, r#"[{"op":"replace","path":"/login","value":"eva"}]"#),
        ("POST /users/1?_method=PATCH", FORM, "password=another+horse&current_password="),
        ("POST /users/1?_method=PUT", FORM, "login=eva"),
    ] {
        let answer = send(client, field, request, (kind, body));
        assert_eq!(answer.status(), 403, "{request} {body}: {answer:?}");
        assert_eq!(first(&answer), (json!("/current_password"), json!("required")), "{body}");
    }
    assert!(!signs_in(client, "ann", OTHER) && signs_in(client, "ann", PASSWORD));
    // What stays as it is needs no proof.
    for body in [r#"{"login":"ann"}"#, "{}"] {
        assert_eq!(send(client, field, "PATCH /users/1", (json, body)).status(), 200, "{body}");
    }
    assert_eq!(send(client, field, "PUT /users/1", (json, r#"{"login":"ann"}"#)).status(), 200);
}

#[test]
fn the_present_password_confirms_each_kind_of_write() {
    let server = blog();
    let client = &mut server.client();
    let token = token(client, "ann");
    let field = ("authorization", token.as_str());
    let json = "application/json";
    let mut present = PASSWORD;
    for (request, kind, body) in [
        ("PATCH /users/1", json, r#"{"password":"NEW","current_password":"OLD"}"#),
        ("PUT /users/1", json, r#"{"login":"ann","password":"NEW","current_password":"OLD"}"#),
        (
            "PATCH /users/1",
            PATCH,
            r#"[{"op":"add","path":"/current_password","value":"OLD"},{"op":"add","path":"/password","value":"NEW"}]"#,
        ),
        ("POST /users/1?_method=PATCH", FORM, "password=NEW&current_password=OLD"),
    ] {
        let next = if present == PASSWORD { OTHER } else { PASSWORD };
        let written = |old: &str| body.replace("NEW", next).replace("OLD", old);
        let wrong = send(client, field, request, (kind, &written("a wrong horse")));
        assert_eq!(wrong.status(), 403, "{request}: {wrong:?}");
        assert_eq!(first(&wrong), (json!("/current_password"), json!("wrong_password")));
        let right = send(client, field, request, (kind, &written(present)));
        assert_eq!(right.status(), 200, "{request}: {right:?}");
        assert!(signs_in(client, "ann", next) && !signs_in(client, "ann", present));
        present = next;
    }
    assert_eq!(with(client, field, "GET /notes", &nothing()).status(), 200, "the token stays");
}

#[test]
fn a_wrong_present_password_counts_as_a_guess() {
    let server = blog();
    let client = &mut server.client();
    let token = token(client, "bob");
    let field = ("authorization", token.as_str());
    let guess = json!({ "password": OTHER, "current_password": "a wrong horse" });
    for at in 0..11 {
        assert_eq!(with(client, field, "PATCH /users/2", &guess).status(), 403, "{at}");
    }
    let delayed = with(client, field, "PATCH /users/2", &guess);
    assert_eq!((delayed.status(), &*delayed.problem()), (429, "too-many-attempts"));
    assert_eq!(sign_in(client, "bob", "wrong", &[]).status(), 429);
}

/// A connection from the same machine may be one of a proxy that is not declared, so what others
/// guess there keeps nobody from a change.
#[test]
fn wrong_present_passwords_of_others_on_this_machine_do_not_count() {
    let server = blog();
    let client = &mut server.client();
    let others: Vec<_> = (0..8).map(|at| format!("other{at}")).collect();
    let accounts: Vec<_> = others.iter().map(|login| (login.as_str(), "reader")).collect();
    add_accounts(&server, &accounts);
    let guess = json!({ "password": OTHER, "current_password": "a wrong horse" });
    for (login, id) in others.iter().zip(5..) {
        let token = token(client, login);
        let field = ("authorization", token.as_str());
        for at in 0..9 {
            let answer = with(client, field, &format!("PATCH /users/{id}"), &guess);
            assert_eq!(answer.status(), 403, "{login} {at}: {answer:?}");
        }
    }
    let token = token(client, "ann");
    let right = json!({ "password": OTHER, "current_password": PASSWORD });
    let changed = with(client, ("authorization", &token), "PATCH /users/1", &right);
    assert_eq!(changed.status(), 200, "{changed:?}");
}

/// The access rules come before logins that are taken: what an account may not change tells nothing
/// about logins.
#[test]
fn a_change_of_an_account_of_others_tells_no_login() {
    let server = blog();
    let client = &mut server.client();
    for method in ["PATCH", "PUT"] {
        for login in ["bob", "eve", "free"] {
            for body in
                [json!({ "login": login }), json!({ "login": login, "password": "some horse" })]
            {
                let answer = ask(client, "ann", &format!("{method} /users/2"), &body);
                assert_eq!(answer.status(), 404, "{method} {body}: {answer:?}");
            }
        }
    }
    let body = json!({ "login": "eve", "password": "some horse" });
    let refused = ask(client, "root", "PATCH /users/2", &body);
    assert_eq!((refused.status(), &*refused.problem()), (409, "already-exists"), "{refused:?}");
}

/// The retry of a sign-up gets the first response, although its login is taken by now.
#[test]
fn an_account_is_created_once_for_each_idempotency_key() {
    let schema = super::BLOG.replacen("create: { role: admin }", "create: public", 1);
    let server = TestServer::of(&schema);
    let client = &mut server.client();
    let mut create = |password: &str| {
        let body = json!({ "login": "new", "password": password }).to_string();
        let fields = [("content-type", "application/json"), ("idempotency-key", "\"sign-up\"")];
        client.request("POST", "/users", &fields, Some(body.as_bytes()))
    };
    let first = create(PASSWORD);
    assert_eq!(first.status(), 201, "{first:?}");
    let again = create(PASSWORD);
    assert_eq!((again.status(), again.field("location")), (201, first.field("location")));
    let other = create(OTHER);
    assert_eq!((other.status(), &*other.problem()), (422, "idempotency-key-reused"), "{other:?}");
}

#[test]
fn only_a_new_session_confirms() {
    let change = json!({ "password": OTHER });
    for (keys, expected) in [("", 200), (", confirm_within: 0s", 403)] {
        let server = blog_with(keys);
        let client = &mut server.client();
        let session = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        let answer = with(client, ("cookie", &session), "PATCH /users/1", &change);
        assert_eq!(answer.status(), expected, "{keys}");
    }
    let server = blog();
    let client = &mut server.client();
    let session = cookie(&sign_in(client, "ann", PASSWORD, &[]));
    server.elsewhere("UPDATE _nouns_grants SET created_at = created_at - 901");
    let mut change =
        |body: &Json| with(client, ("cookie", &session), "PATCH /users/1", body).status();
    assert_eq!(change(&json!({ "password": OTHER })), 403);
    assert_eq!(change(&json!({ "password": OTHER, "current_password": PASSWORD })), 200);
}

/// The scheme `Basic` has the password already. Accounts of others are as they were.
#[test]
fn others_and_the_scheme_basic_send_no_present_password() {
    let server = blog();
    let client = &mut server.client();
    let admin = token(client, "root");
    let field = ("authorization", admin.as_str());
    let reset = with(client, field, "PATCH /users/2", &json!({ "password": OTHER }));
    assert_eq!(reset.status(), 200);
    assert!(signs_in(client, "bob", OTHER));
    let body = json!({ "login": "x", "password": OTHER, "current_password": PASSWORD });
    for request in ["PATCH /users/2", "POST /users"] {
        let refused = with(client, field, request, &body);
        assert_eq!(refused.status(), 422, "{request}");
        assert_eq!(first(&refused), (json!("/current_password"), json!("unknown")));
    }
    let set = json!({ "login": "anna", "password": OTHER });
    assert_eq!(ask(client, "ann", "PATCH /users/1", &set).status(), 200);
    assert!(signs_in(client, "anna", OTHER));
}

/// The page of the own account asks for the present password, and shows at its input what is wrong.
#[test]
fn the_form_of_the_own_account_asks_for_the_present_password() {
    let server = blog_with(", confirm_within: 0s");
    let client = &mut server.client();
    let input = r#"name="current_password" value="" autocomplete="current-password""#;
    let session = cookie(&sign_in(client, "root", PASSWORD, &[]));
    let mut page = |target: &str| {
        let fields = [("accept", "text/html"), ("cookie", &*session)];
        let answer = client.request("GET", target, &fields, None);
        String::from_utf8(answer.body).unwrap().contains(input)
    };
    assert_eq!([page("/-/forms/users/4"), page("/-/forms/users/1")], [true, false]);
    let fields = [
        ("accept", "text/html"),
        ("cookie", &session),
        ("content-type", FORM),
        ("sec-fetch-site", "same-origin"),
    ];
    let mut submit = |body: &str| {
        client.request("POST", "/users/4?_method=PATCH", &fields, Some(body.as_bytes()))
    };
    let wrong = submit("password=another+horse&current_password=wrong");
    let text = String::from_utf8(wrong.body.clone()).unwrap();
    assert_eq!(wrong.status(), 403);
    assert!(text.contains("must be the present password of your account."), "{text}");
    assert!(text.contains(input) && !text.contains("another horse"));
    // A browser that fills in the password alone changes nothing.
    assert_eq!(submit("login=root&before:login=root&current_password=wrong").status(), 303);
    assert_eq!(submit("password=another+horse&current_password=correct+horse").status(), 303);
    assert!(signs_in(&mut server.client(), "root", OTHER));
}

/// Of two changes at once one is made, by the password that both have named. Tokens stay.
#[test]
fn two_changes_at_once_keep_the_tokens() {
    let server = blog();
    let tokens: Vec<_> = ["ann", "ann"].map(|login| token(&mut server.client(), login)).into();
    let mut present = PASSWORD.to_owned();
    for round in 0..6 {
        let change = |server: &TestServer, at: usize| {
            let new = format!("another horse {round} {at}");
            let body = json!({ "password": new, "current_password": present });
            let field = ("authorization", tokens[at].as_str());
            let answer = with(&mut server.client(), field, "PATCH /users/1", &body);
            (answer.status(), new)
        };
        let changed = std::thread::scope(|scope| {
            let (change, server) = (&change, &server);
            let both = [0, 1].map(|at| scope.spawn(move || change(server, at)));
            both.map(|one| one.join().unwrap())
        });
        let mut made = changed.iter().filter(|(status, _)| *status == 200);
        let (_, new) = made.next().unwrap_or_else(|| panic!("{changed:?}"));
        assert_eq!(made.count(), 0, "{changed:?}");
        let other = changed.iter().find(|(status, _)| *status != 200).unwrap();
        assert!([503, 403].contains(&other.0), "{changed:?}");
        present = new.clone();
        for token in &tokens {
            let answer =
                with(&mut server.client(), ("authorization", token), "GET /notes", &nothing());
            assert_eq!(answer.status(), 200, "{changed:?}");
        }
        assert!(signs_in(&mut server.client(), "ann", &present));
    }
}
