//! Tests of the page that a browser shows after a form: one that its reader may see, and that says
//! that the form was successful.

use serde_json::json;

use super::{FORM, OWN, PERSON, has, html, submit};
use crate::{
    access::{PASSWORD, add_accounts, cookie, sign_in},
    client::{Answer, Client},
    server::TestServer,
};

const CLUB: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true, default: reader }
    access:
      read: { any: [{ role: admin }, { where: { id: $account.id } }] }
      create: public
      update: { where: { id: $account.id } }
      delete: { where: { id: $account.id } }
  message: { fields: { text: string }, access: { read: { role: admin }, create: public } }
  ticket:
    fields: { text: string, open: { type: boolean, default: false } }
    access: { read: { where: { open: true } }, create: public, update: public, delete: public }
";

/// Follows the redirect of a form as a browser does, and returns where it leads and the page.
fn followed(client: &mut Client, answer: &Answer, fields: &[(&str, &str)]) -> (String, Answer) {
    assert_eq!(answer.status(), 303, "{answer:?}");
    let location = answer.field("location").unwrap().to_owned();
    let fields = [&[PERSON], fields].concat();
    let page = client.request("GET", &location, &fields, None);
    assert_eq!(page.status(), 200, "{location}: {page:?}");
    (location, page)
}

/// The page of a new account is not for those who have not signed in to it.
#[test]
fn who_has_signed_up_is_told_to_sign_in() {
    let server = TestServer::of(CLUB);
    let mut client = server.client();
    let answer = submit(&mut client, "/users", &format!("login=ann&password={PASSWORD}"));
    let (location, page) = followed(&mut client, &answer, &[]);
    assert_eq!(location, "/-/sign-in?next=%2F&created=true");
    has(&html(&page), "<strong>The account was created.</strong>");
    let answer =
        submit(&mut client, "/sessions?_next=/", &format!("login=ann&password={PASSWORD}"));
    let session = cookie(&answer);
    followed(&mut client, &answer, &[("cookie", &session)]);
    for wrong in ["created=false", "created", "created=true&x=1"] {
        assert_eq!(client.get(&format!("/-/sign-in?{wrong}")).status(), 400, "{wrong}");
    }
    assert!(!html(&client.get("/-/sign-in")).contains("was created"));
}

#[test]
fn a_form_for_strangers_says_that_it_was_sent() {
    let server = TestServer::of(CLUB);
    add_accounts(&server, &[("root", "admin")]);
    let mut client = server.client();
    let answer = submit(&mut client, "/messages", "text=hello");
    let (location, page) = followed(&mut client, &answer, &[]);
    assert_eq!(location, "/-/forms/messages?created=true");
    has(&html(&page), "<strong>Created.</strong>");
    assert_eq!(client.get("/-/forms/messages?created=1").status(), 400);
    let session = cookie(&sign_in(&mut client, "root", PASSWORD, &[]));
    let fields = [FORM, OWN, PERSON, ("cookie", &*session)];
    let answer = client.request("POST", "/messages", &fields, Some(b"text=mine"));
    assert_eq!(followed(&mut client, &answer, &fields[3..]).0, "/messages/2");
}

/// A rule may hide the row that was written. Then its collection is shown.
#[test]
fn a_hidden_row_leads_to_its_collection() {
    let server = TestServer::of(CLUB);
    let mut client = server.client();
    let answer = submit(&mut client, "/tickets", "text=a&open=true");
    assert_eq!(followed(&mut client, &answer, &[]).0, "/tickets/1");
    let answer = submit(&mut client, "/tickets", "text=b&open=false");
    assert_eq!(followed(&mut client, &answer, &[]).0, "/tickets");
    let answer = submit(&mut client, "/tickets/1?_method=PATCH", "text=c");
    assert_eq!(followed(&mut client, &answer, &[]).0, "/tickets/1");
    let answer = submit(&mut client, "/tickets/1?_method=DELETE", "");
    assert_eq!(followed(&mut client, &answer, &[]).0, "/tickets");
}

/// After the end of the account there is no session, and no page of accounts.
#[test]
fn who_has_left_is_led_to_a_page_that_they_may_see() {
    let server = TestServer::of(CLUB);
    let mut client = server.client();
    client.create("/users", &json!({ "login": "ann", "password": PASSWORD }));
    let session = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    let fields = [FORM, OWN, PERSON, ("cookie", &*session)];
    let answer = client.request("POST", "/users/1?_method=DELETE", &fields, Some(b""));
    let (location, _) = followed(&mut client, &answer, &fields[3..]);
    assert!(["/", "/-/sign-in?next=%2F", "/users"].contains(&&*location), "{location}");
}
