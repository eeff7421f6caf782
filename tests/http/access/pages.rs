//! Every web page for every class of callers, with a marked value in every place that some of them
//! may not read: no page has a value that its reader could not get as JSON.

use serde_json::json;

use super::{PASSWORD, add_accounts, ask, basic, nothing};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// Fields whose rule for writing is wider than that for reading, labels among them; rows that only
/// some may read or change; children, referrers and accounts.
pub(crate) const CLUBS: &str = "
nouns: 1
server: { query: true }
auth: { accounts: user, login: login }
resources:
  user:
    timestamps: false
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, editor, admin], required: true, default: reader, access: { write: { role: admin } } }
      nick: { type: string, access: { read: { role: admin }, write: signed_in } }
    access:
      read: { any: [{ role: admin }, { where: { id: $account.id } }] }
      create: { role: admin }
      update: { any: [{ role: admin }, { where: { id: $account.id } }] }
      delete: { role: admin }
  club:
    label: motto
    methods: [list, get, create, replace, update, delete, delete_many]
    timestamps: false
    fields:
      name: { type: string, required: true, max_length: 20 }
      motto: { type: string, access: { read: { role: admin }, write: signed_in } }
      code: { type: string, access: { read: { role: [editor, admin] }, write: signed_in } }
      vault: { type: string, access: { read: { role: admin }, write: { role: admin } } }
      memo: { type: string, write_only: true }
      stage: { enum: [zzstage1zz, zzstage2zz, zzstage3zz], access: { read: { role: admin }, write: signed_in } }
      is_open: { type: boolean, required: true }
      owner_id: { references: user, required: true }
    access:
      read: { any: [{ role: admin }, { where: { is_open: true } }, { where: { owner_id: $account.id } }] }
      create: signed_in
      update: { any: [{ role: admin }, { where: { owner_id: $account.id } }] }
      delete: { any: [{ role: admin }, { where: { owner_id: $account.id } }] }
  desk:
    parent: club
    routes: both
    label: text
    timestamps: false
    fields:
      text: { type: string, required: true, max_length: 20 }
      pin: { type: string, access: { read: { role: admin }, write: public } }
    access: { read: public, create: signed_in, update: signed_in, delete: signed_in }
  ticket:
    label: title
    timestamps: false
    fields:
      title: { type: string, access: { read: signed_in, write: public } }
      text: { type: string, max_length: 20 }
      club_id: { references: club }
      desk_id: { references: desk, access: { read: signed_in } }
      item_id: { references: { resource: item, on_delete: set_null } }
    access: { read: public, create: public, update: public, delete: { role: admin } }
  item:
    methods: [list, get, create, replace, update, delete, delete_many]
    cache: { max_age: 60s }
    fields:
      name: { type: string, required: true, unique: true, ignore_case: true, max_length: 20 }
      kind: { enum: [bird, fish], required: true, default: bird }
      rank: { type: integer, minimum: -9, index: true }
      weight: number
      price: { type: decimal, scale: 2 }
      sold: boolean
      made: date
      opens: time
      seen: datetime
      code: uuid
      extra: json
      club_id: { references: { resource: club, on_delete: set_null } }
      owner_id: { references: user }
    access:
      read: { any: [{ role: admin }, { where: { kind: bird } }, { where: { owner_id: $account.id } }] }
      create: signed_in
      update: signed_in
      delete: { any: [{ role: admin }, { where: { owner_id: $account.id } }] }
  tag:
    id: string
    methods: [list, get, create, replace, update, delete, delete_many]
    timestamps: false
    fields:
      text: { type: string, index: true }
      extra: json
    access: { read: public, create: signed_in, update: public, delete: signed_in }
  audit:
    timestamps: false
    fields: { text: string, club_id: { references: { resource: club, on_delete: cascade } } }
    access: { read: { role: admin }, create: { role: admin }, update: { role: admin }, delete: { role: admin } }
";

/// The callers; the first is anonymous. Each has the clubs that it may read and change.
const CALLERS: [(&str, &[u32], &[u32]); 5] = [
    ("", &[1], &[]),
    ("ann", &[1, 2], &[1, 2]),
    ("bob", &[1], &[]),
    ("eve", &[1, 3], &[3]),
    ("root", &[1, 2, 3], &[1, 2, 3]),
];

fn clubs() -> TestServer {
    filled(TestServer::of(CLUBS))
}

/// Adds the accounts, and rows with marks, to a server of the schema.
pub(crate) fn filled(server: TestServer) -> TestServer {
    add_accounts(
        &server,
        &[("ann", "reader"), ("bob", "reader"), ("eve", "editor"), ("root", "admin")],
    );
    server.elsewhere("UPDATE users SET nick = 'zznick' || CAST(id AS text) || 'zz'");
    for (club, owner, is_open) in [(1, 1, true), (2, 1, false), (3, 3, false)] {
        server.elsewhere(&format!(
            "INSERT INTO clubs (name, motto, code, vault, memo, stage, is_open, owner_id) VALUES
                ('zzname{club}zz', 'zzmotto{club}zz', 'zzcode{club}zz', 'zzvault{club}zz',
                 'zzmemo{club}zz', 'zzstage{club}zz', {is_open}, {owner});
             INSERT INTO desks (club_id, text, pin) VALUES ({club}, 'zzdesk{club}zz', 'zzpin{club}zz');
             INSERT INTO tickets (title, text, club_id, desk_id) VALUES
                ('zztitle{club}zz', 'zztext{club}zz', {club}, {club});"
        ));
    }
    server
}

/// Whether a caller may read a marked value: that of a field of a row with this number.
fn may_read(login: &str, clubs: &[u32], field: &str, row: u32) -> bool {
    let is_admin = login == "root";
    match field {
        "name" | "desk" => clubs.contains(&row),
        "code" => clubs.contains(&row) && (is_admin || login == "eve"),
        "title" => !login.is_empty(),
        "text" => true,
        "memo" => false,
        _ => is_admin,
    }
}

/// The marks in a page: the field and the number of the row of each.
fn marks(page: &str) -> Vec<(String, u32)> {
    let mark = |(at, _): (usize, &str)| {
        let (mark, _) = page[at + 2..].split_once("zz")?;
        let number = mark.find(|letter: char| letter.is_ascii_digit())?;
        Some((mark[..number].to_owned(), mark[number..].parse().ok()?))
    };
    page.match_indices("zz").filter_map(mark).collect()
}

/// Sends a request as a browser does, from a page of the server.
fn browse(client: &mut Client, login: &str, method: &str, target: &str, body: &str) -> Answer {
    let authorization = basic(login, PASSWORD);
    let mut fields = vec![("accept", "text/html,*/*;q=0.8"), ("sec-fetch-site", "same-origin")];
    if !login.is_empty() {
        fields.push(("authorization", authorization.as_str()));
    }
    if method == "POST" {
        fields.push(("content-type", "application/x-www-form-urlencoded"));
    }
    client.request(method, target, &fields, (method == "POST").then_some(body.as_bytes()))
}

/// The requests that a browser may send, with their bodies. None of them writes anything.
pub(crate) fn requests() -> Vec<(&'static str, String, &'static str)> {
    let mut all: Vec<(&str, String, &str)> = vec![];
    let mut get = |target: &str| all.push(("GET", target.to_owned(), ""));
    for target in ["/", "/-/docs", "/-/problems", "/-/sign-in", "/no", "/users/1/no"] {
        get(target);
    }
    let mut members = vec![];
    for id in 1..=3 {
        members.extend(["users", "clubs", "tickets", "desks"].map(|all| format!("/{all}/{id}")));
        members.push(format!("/clubs/{id}/desks/{id}"));
        for below in [format!("/clubs/{id}/desks"), format!("/clubs/{}/desks/{id}", id % 3 + 1)] {
            get(&below);
            get(&format!("/-/forms{below}"));
        }
    }
    for collection in ["/users", "/clubs", "/tickets", "/desks"] {
        get(collection);
        get(&format!("{collection}?sortby=-id&count=true&limit=2"));
        get(&format!("/-/forms{collection}"));
    }
    for target in
        ["/clubs?is_open=false", "/clubs?fields=name", "/tickets?club_id=2", "/clubs?motto=x"]
    {
        get(target);
    }
    for member in &members {
        get(member);
        get(&format!("/-/forms{member}"));
    }
    const LONG: &str = "name=a-name-that-is-too-long&text=a-text-that-is-too-long&login=";
    for member in members {
        let change = |query: &str| format!("{member}?_method={query}");
        let inputs = match &member {
            member if member.starts_with("/users") => "nick=b",
            member if member.contains("desks") || member.starts_with("/tickets") => "text=b",
            _ => "name=b&before:name=a&motto=b&before:motto=a",
        };
        all.push(("POST", change("PATCH"), LONG));
        all.push(("POST", change("PUT"), LONG));
        all.push(("POST", change("PATCH&_if_match=%22x%22"), inputs));
        all.push(("POST", change("DELETE&_if_match=%22x%22"), ""));
    }
    for collection in ["/clubs", "/desks", "/clubs/1/desks", "/clubs/2/desks", "/tickets", "/users"]
    {
        all.push(("POST", collection.to_owned(), LONG));
    }
    all
}

#[test]
fn no_page_has_what_its_reader_may_not_read() {
    let server = clubs();
    let mut client = server.client();
    for (login, readable, _) in CALLERS {
        let mut seen = vec![];
        for (method, target, body) in requests() {
            let answer = browse(&mut client, login, method, &target, body);
            assert!(answer.status() < 500 && answer.status() != 303, "{login} {target} {answer:?}");
            let page = String::from_utf8_lossy(&answer.body).into_owned();
            for (field, row) in marks(&page) {
                // The values that a field may have are declared, and no secret.
                let is_choice = field == "stage" && target.contains("/-/forms") || method == "POST";
                let is_chosen = page.contains(&format!("<option selected>zz{field}{row}zz"));
                assert!(
                    may_read(login, readable, &field, row)
                        || field == "stage" && is_choice && !is_chosen,
                    "`{login}` reads {field} {row} in {method} {target}: {page}"
                );
                seen.push((field, row));
            }
        }
        // What it may read is on some page, so the test would notice the rest.
        for field in ["name", "desk", "code", "title", "text", "motto", "vault", "pin", "nick"] {
            for row in (1..=3).filter(|row| may_read(login, readable, field, *row)) {
                assert!(seen.contains(&(field.to_owned(), row)), "{login}: {field} {row}");
            }
        }
    }
}

/// A form is for those who may change its member. It has the values that its reader may read; the
/// others stay as they are.
#[test]
fn a_form_is_for_those_who_may_send_it() {
    let server = clubs();
    let mut client = server.client();
    for (login, readable, changeable) in CALLERS {
        for id in 1..=3 {
            let form = browse(&mut client, login, "GET", &format!("/-/forms/clubs/{id}"), "");
            let expected = match (readable.contains(&id), changeable.contains(&id)) {
                (_, true) => 200,
                _ if login.is_empty() => 401,
                (true, false) => 403,
                (false, false) => 404,
            };
            assert_eq!(form.status(), expected, "{login} {id}: {form:?}");
        }
    }
    let form = browse(&mut client, "ann", "GET", "/-/forms/clubs/1", "");
    let form = String::from_utf8(form.body).unwrap();
    assert!(form.contains("empty: stays as it is") && form.contains("zzname1zz"), "{form}");
    let inputs =
        "name=New&before:name=zzname1zz&motto=&before:motto=&code=c&before:code=&memo=&stage=";
    let sent = browse(&mut client, "ann", "POST", "/clubs/1?_method=PATCH", inputs);
    assert_eq!(sent.status(), 303, "{sent:?}");
    let sent = browse(
        &mut client,
        "ann",
        "POST",
        "/clubs/1?_method=PUT",
        "name=New&is_open=true&owner_id=1&motto=&code=",
    );
    assert_eq!(sent.status(), 303, "{sent:?}");
    let row = "SELECT name || ' ' || motto || ' ' || code || ' ' || memo || ' ' || stage FROM clubs WHERE id = 1";
    assert_eq!(server.cell(row), "New zzmotto1zz c zzmemo1zz zzstage1zz");
}

/// A patch that tests what a member has is for those who may change it.
#[test]
fn a_json_patch_is_for_those_who_may_change_the_member() {
    let server = clubs();
    let mut client = server.client();
    let patch = json!([{ "op": "test", "path": "/name", "value": "x" }]).to_string();
    for (login, expected) in [("bob", 403), ("ann", 409), ("root", 409)] {
        let authorization = basic(login, PASSWORD);
        let fields = [
            ("authorization", authorization.as_str()),
            ("content-type", "application/json-patch+json"),
        ];
        let answer = client.request("PATCH", "/clubs/1", &fields, Some(patch.as_bytes()));
        assert_eq!(answer.status(), expected, "{login} {answer:?}");
    }
    assert_eq!(ask(&mut client, "bob", "GET /clubs/1", &nothing()).status(), 200);
}
