//! Tests of the links of pages: where they lead, whom they are for, and that people see them.

use serde_json::json;

use super::{BROWSER, browse, has, page};
use crate::{
    access::{PASSWORD, add_accounts, ask, basic},
    client::Client,
    server::TestServer,
};

/// The links of a page, each with its text.
fn links(html: &str) -> Vec<(String, String)> {
    let link = |part: &str| {
        let href = part.split("href=\"").nth(1)?.split('"').next()?;
        let text = part.split_once('>')?.1.split("</a>").next()?;
        Some((href.replace("&amp;", "&"), text.to_owned()))
    };
    html.split("<a ").skip(1).filter_map(link).collect()
}

fn targets(html: &str) -> Vec<String> {
    links(html).into_iter().map(|(href, _)| href).collect()
}

/// The page of a member links to those that refer to it, whatever the name of the field is.
#[test]
fn a_link_to_referrers_filters_by_their_field() {
    for field in ["order", "limit", "fields", "format", "page", "filter", "target_id"] {
        let server = TestServer::of(&format!(
            "
nouns: 1
resources:
  target: {{ fields: {{ number: {{ type: string, required: true, unique: true }} }} }}
  shipment: {{ fields: {{ {field}: {{ references: target, required: true }} }} }}
"
        ));
        let mut client = server.client();
        client.create("/targets", &json!([{ "number": "A" }, { "number": "B" }]));
        client.create("/shipments", &json!([{ field: 2 }, { field: 1 }, { field: 1 }]));
        let html = page(&mut client, "/targets/2");
        let link = targets(&html).into_iter().find(|href| href.starts_with("/shipments?")).unwrap();
        let found = client.get(&format!("{link}&fields={field}")).json();
        assert_eq!(found["items"], json!([{ field: 2 }]), "{link}");
    }
}

/// A parent is a reference, too.
#[test]
fn a_parent_links_to_its_children_wherever_they_are() {
    for (routes, expected) in [
        ("nested", "/orders/1/invoices"),
        ("both", "/orders/1/invoices"),
        ("flat", "/invoices?order_id=1"),
    ] {
        let server = TestServer::of(&format!(
            "
nouns: 1
resources:
  order: {{ fields: {{ number: string }} }}
  invoice: {{ parent: order, routes: {routes}, fields: {{ n: string }} }}
"
        ));
        let mut client = server.client();
        client.create("/orders", &json!([{ "number": "A" }, { "number": "B" }]));
        let html = page(&mut client, "/orders/1");
        let found = targets(&html).into_iter().filter(|href| href.contains("invoices"));
        assert_eq!(found.collect::<Vec<_>>(), [expected], "{routes}");
        assert_eq!(client.get(expected).status(), 200);
    }
}

const HIDDEN: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true, default: reader }
    access: { read: signed_in, create: public }
  folder: { fields: { name: string }, methods: [get, create], access: { read: public, create: public } }
  note:
    parent: folder
    fields: { text: string, user_id: { references: user } }
    access: { read: public, create: public }
  message: { fields: { text: string }, access: { read: { role: admin }, create: public } }
";

/// A link that leads to a refusal is none: on no page, for no reader.
#[test]
fn a_page_has_no_link_that_its_reader_may_not_follow() {
    let server = TestServer::of(HIDDEN);
    add_accounts(&server, &[("ann", "reader"), ("root", "admin")]);
    let mut client = server.client();
    client.create("/folders", &json!({ "name": "f" }));
    let note = json!({ "text": "a", "user_id": 1 });
    assert_eq!(ask(&mut client, "ann", "POST /folders/1/notes", &note).status(), 201);
    client.create("/messages", &json!({ "text": "m" }));
    let pages = ["/", "/folders/1", "/folders/1/notes", "/folders/1/notes/1", "/-/forms/messages"];
    for login in ["", "ann", "root"] {
        let authorization = basic(login, PASSWORD);
        let mut fields = vec![BROWSER];
        if !login.is_empty() {
            fields.push(("authorization", &authorization));
        }
        for from in pages {
            let answer = client.request("GET", from, &fields, None);
            assert_eq!(answer.status(), 200, "{from}");
            for href in targets(&String::from_utf8(answer.body).unwrap()) {
                if href.starts_with('/') {
                    let status = client.request("GET", &href, &fields, None).status();
                    assert_eq!(status, 200, "{from} leads `{login}` to {href}");
                }
            }
        }
    }
    let has_link = |html: &str, wanted: &str| targets(html).iter().any(|href| href == wanted);
    let anonymous = page(&mut client, "/");
    assert!(!has_link(&anonymous, "/users") && has_link(&anonymous, "/"), "{anonymous}");
    let note = page(&mut client, "/folders/1/notes/1");
    assert!(has_link(&note, "/folders/1") && !has_link(&note, "/folders"), "{note}");
    has(&note, "<li><span>folders</span></li>");
    let authorization = basic("ann", PASSWORD);
    let fields = [BROWSER, ("authorization", &*authorization)];
    let note = client.request("GET", "/folders/1/notes/1", &fields, None);
    assert!(has_link(&String::from_utf8(note.body).unwrap(), "/users/1"));
}

#[test]
fn the_name_of_the_reader_leads_to_the_own_account() {
    let server = TestServer::of(HIDDEN);
    add_accounts(&server, &[("ann", "reader"), ("bob", "reader")]);
    let mut client = server.client();
    let body = json!({ "login": "bob", "password": PASSWORD }).to_string();
    let json = [("content-type", "application/json")];
    let answer = client.request("POST", "/sessions", &json, Some(body.as_bytes()));
    let session = crate::access::cookie(&answer);
    let home = client.request("GET", "/", &[BROWSER, ("cookie", &session)], None);
    has(&String::from_utf8(home.body).unwrap(), "<a href=\"/users/2\">bob</a> <button");
}

const TASKS: &str = "
nouns: 1
resources:
  task:
    label: name
    fields:
      name: string
      state: { enum: [\"\", open, done] }
  step: { fields: { task_id: { references: task } } }
";

fn tasks() -> (TestServer, Client) {
    let server = TestServer::of(TASKS);
    let mut client = server.client();
    let names = ["", " ", "\u{200b}\u{feff}", "\u{3164}", "Named"];
    for name in names {
        client.create("/tasks", &json!({ "name": name, "state": "" }));
    }
    client.create("/tasks", &json!({ "state": "open" }));
    (server, client)
}

/// The label of a member may be a text that nobody sees.
#[test]
fn each_link_has_a_text_that_people_see() {
    let (_server, mut client) = tasks();
    for task in 1..=6 {
        client.create("/steps", &json!({ "task_id": task }));
    }
    let is_blank = |text: &str| {
        let text =
            text.split("<small>").next().unwrap().replace("<span>", "").replace("</span>", "");
        text.chars().all(|one| one.is_whitespace() || "\u{200b}\u{feff}\u{3164}".contains(one))
    };
    for from in
        ["/tasks", "/tasks?fields=name", "/tasks/1", "/tasks/2", "/tasks/3", "/steps", "/steps/3"]
    {
        let html = page(&mut client, from);
        for (href, text) in links(&html) {
            assert!(!is_blank(&text), "{from} has a link without a name to {href}");
        }
    }
    let table = page(&mut client, "/tasks?fields=name");
    has(&table, "<a href=\"/tasks/1\">(empty)</a>");
    has(&table, "<a href=\"/tasks/3\">(blank)</a>");
    has(&page(&mut client, "/tasks/3"), "<h1>Task 3</h1>");
    has(&page(&mut client, "/steps/4"), "<a href=\"/tasks/4\">4</a>");
    let form = String::from_utf8(browse(&mut client, "/-/forms/tasks/2").body).unwrap();
    has(&form, "<a href=\"/tasks/2\">2</a>");
    has(
        &String::from_utf8(browse(&mut client, "/-/forms/steps").body).unwrap(),
        "<option value=\"3\">3</option>",
    );
}

/// In a page an empty parameter is no filter, so the empty string has another name there.
#[test]
fn the_empty_string_among_choices_has_a_filter() {
    let (_server, mut client) = tasks();
    let html = page(&mut client, "/tasks");
    has(&html, "<a href=\"/tasks?state%5Beq%5D=\"><span>(empty)</span> <small>5</small>");
    has(&html, "<a href=\"/tasks?state=open\"><span>open</span> <small>1</small>");
    let select =
        html.split("<select name=\"state\"").nth(1).unwrap().split("</select>").next().unwrap();
    assert_eq!(select.matches("<option").count(), 3, "{select}");
    assert_eq!(select.matches("value=\"\"").count(), 1, "{select}");
    assert!(!select.contains("selected"), "{select}");
    has(
        &html,
        "<input type=\"checkbox\" name=\"state[eq]\" value=\"\" aria-label=\"state is empty\">",
    );
    let empty = page(&mut client, "/tasks?state[eq]=");
    has(&empty, "<span>5 members</span>");
    has(&empty, "name=\"state[eq]\" value=\"\" checked");
    has(&empty, "<a href=\"/tasks\" aria-current=\"true\"><span>(empty)</span>");
    has(&empty, "<li>state is empty");
}
