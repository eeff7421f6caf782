//! Passwords and logins with characters that have several forms in Unicode (RFC 8265).

use serde_json::json;

use super::{ask, basic, blog, nothing, sign_in, with};

const COMPOSED: &str = "p\u{e4}ssw\u{f6}rter";
const DECOMPOSED: &str = "pa\u{308}sswo\u{308}rter";

#[test]
fn a_password_is_right_in_each_form_of_its_characters() {
    let server = blog();
    let client = &mut server.client();
    for (login, sent) in [("zoe", COMPOSED), ("kim", DECOMPOSED)] {
        let new = json!({ "login": login, "password": sent });
        assert_eq!(ask(client, "root", "POST /users", &new).status(), 201);
        for form in [COMPOSED, DECOMPOSED] {
            assert_eq!(sign_in(client, login, form, &[]).status(), 201, "{login} {form:?}");
            let basic = basic(login, form);
            let read = with(client, ("authorization", &basic), "GET /notes", &nothing());
            assert_eq!(read.status(), 200, "{login} {form:?}");
        }
        assert_eq!(sign_in(client, login, "passworter", &[]).status(), 401);
    }
    let spaces = json!({ "login": "max", "password": "correct\u{a0}horse" });
    assert_eq!(ask(client, "root", "POST /users", &spaces).status(), 201);
    assert_eq!(sign_in(client, "max", "correct horse", &[]).status(), 201);
}

#[test]
fn a_login_is_one_in_each_form_of_its_characters() {
    let server = blog();
    let client = &mut server.client();
    let new = json!({ "login": "Zoe\u{301}\u{ff12}", "password": "correct horse" });
    let made = ask(client, "root", "POST /users", &new);
    assert_eq!((made.status(), &made.json()["login"]), (201, &json!("Zo\u{e9}2")));
    for form in ["Zo\u{e9}2", "Zoe\u{301}2", "Zo\u{e9}\u{ff12}"] {
        assert_eq!(sign_in(client, form, "correct horse", &[]).status(), 201, "{form:?}");
        let again = json!({ "login": form, "password": "correct horse" });
        assert_eq!(ask(client, "root", "POST /users", &again).status(), 409, "{form:?}");
    }
    assert_eq!(sign_in(client, "Zoe2", "correct horse", &[]).status(), 401);
    // The forms of a login share the limit of wrong passwords.
    for at in 0..11 {
        let form = ["Zo\u{e9}2", "Zoe\u{301}2", "Zo\u{e9}\u{ff12}"][at % 3];
        assert_eq!(sign_in(client, form, "wrong", &[]).status(), 401, "{at}");
    }
    assert_eq!(sign_in(client, "Zoe\u{301}2", "wrong", &[]).status(), 429);
}

/// Accounts of earlier versions have what their clients have sent.
#[test]
fn stored_logins_in_other_forms_sign_in() {
    let server = blog();
    let client = &mut server.client();
    super::add_accounts(
        &server,
        &[("Zoe\u{301}", "reader"), ("A\u{308}nn", "reader"), ("\u{c4}nn", "editor")],
    );
    for form in ["Zoe\u{301}", "Zo\u{e9}"] {
        let answer = sign_in(client, form, "correct horse", &[]);
        assert_eq!((answer.status(), &answer.json()["account"]), (201, &json!(5)), "{form:?}");
    }
    // Two that differ in their form alone are both there.
    for (form, id) in [("A\u{308}nn", 6), ("\u{c4}nn", 7)] {
        let answer = sign_in(client, form, "correct horse", &[]);
        assert_eq!((answer.status(), &answer.json()["account"]), (201, &json!(id)), "{form:?}");
    }
    let taken = json!({ "login": "Zo\u{e9}", "password": "correct horse" });
    assert_eq!(ask(client, "root", "POST /users", &taken).status(), 409);
}
