//! Tests of what a page adds to its rows: labels of other members, counts, and choices.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::{BROWSER, browse, has, page};
use crate::{
    access::{add_accounts, ask},
    client::Client,
    server::TestServer,
};

const SHOP: &str = "
nouns: 1
resources:
  maker:
    label: trade_name
    fields: { name: { type: string, required: true, unique: true }, trade_name: string }
  item:
    parent: maker
    fields:
      title: { type: string, required: true, unique: true }
      size: { enum: [small, large] }
      sold: boolean
      like_id: { references: item }
  order:
    fields:
      item_id: { references: item, required: true }
      maker_id: { references: maker }
      state: { enum: [open, sent, lost], default: open }
      paid: { type: boolean, default: false }
";

fn shop() -> (TestServer, Client) {
    let server = TestServer::of(SHOP);
    let mut client = server.client();
    let makers = json!([
        { "name": "a", "trade_name": "Ames & <Sons>" },
        { "name": "b", "trade_name": "Bo" },
        { "name": "c" },
    ]);
    client.create("/makers", &makers);
    client.create("/makers/1/items", &json!({ "title": "Chair", "size": "small" }));
    client.create("/makers/2/items", &json!({ "title": "Table", "like_id": 1 }));
    let order = |item: i64, maker: Option<i64>, state: &str| json!({ "item_id": item, "maker_id": maker, "state": state });
    let orders = [order(1, Some(1), "open"), order(1, Some(1), "sent"), order(2, Some(2), "open")];
    client.create("/orders", &json!(orders));
    client.create("/orders", &order(2, Some(3), "open"));
    client.create("/orders", &order(2, None, "open"));
    (server, client)
}

#[test]
fn a_reference_shows_the_label_of_its_member() {
    let (_server, mut client) = shop();
    let table = page(&mut client, "/orders?sortby=id");
    has(&table, "title=\"1\"><a href=\"/makers/1\">Ames &amp; &lt;Sons&gt;</a></td>");
    has(&table, "title=\"2\"><a href=\"/makers/2\">Bo</a></td>");
    // A member without a value in its label is shown by its id.
    has(&table, "<a href=\"/makers/3\">3</a></td>");
    // A member of a nested collection has a label, but no URL of its own.
    has(&table, "<td class=\"text\" title=\"1\">Chair</td>");
    let member = page(&mut client, "/orders/1");
    has(
        &member,
        "<dd class=\"text\" title=\"1\"><a href=\"/makers/1\">Ames &amp; &lt;Sons&gt;</a></dd>",
    );
    has(&member, "<dd class=\"text\" title=\"1\">Chair</dd>");
    // In JSON a reference is an id.
    assert_eq!(client.get("/orders/1").json()["maker_id"], json!(1));
}

#[test]
fn the_way_to_a_page_has_the_labels_of_the_members_above_it() {
    let (_server, mut client) = shop();
    let html = page(&mut client, "/makers/1/items/1");
    has(&html, "<li><a href=\"/makers/1\">Ames &amp; &lt;Sons&gt;</a></li>");
    has(&html, "aria-current=\"page\">Chair</a>");
    has(&html, "<h1>Chair <small>Item 1</small></h1>");
    has(&page(&mut client, "/makers/3/items"), "<li><a href=\"/makers/3\">3</a></li>");
    let maker = page(&mut client, "/makers/1");
    has(&maker, "<h1>Ames &amp; &lt;Sons&gt; <small>Maker 1</small></h1>");
}

/// The bars of a field, each as its text, its count and its link.
fn bars(html: &str, field: &str) -> Vec<(String, String, String)> {
    let heading = format!("<h2>{field}</h2>\n");
    let Some((_, rest)) = html.split_once(&heading) else { return vec![] };
    let list = rest.split("</ul>").next().unwrap();
    let between = |text: &str, before: &str, after: &str| {
        text.split(before).nth(1).unwrap().split(after).next().unwrap().to_owned()
    };
    let bar = |text: &str| {
        let (label, count) =
            (between(text, "<span>", "</span>"), between(text, "<small>", "</small>"));
        (label, count, between(text, "href=\"", "\""))
    };
    list.split("<li>").skip(1).map(bar).collect()
}

fn bar(text: &str, count: &str, href: &str) -> (String, String, String) {
    (text.into(), count.into(), href.into())
}

#[test]
fn a_page_of_a_collection_counts_the_values_of_its_fields() {
    let (_server, mut client) = shop();
    let html = page(&mut client, "/orders?limit=1&sortby=-id&offset=1");
    let kept = "/orders?limit=1&amp;sortby=-id&amp;";
    assert_eq!(
        bars(&html, "state"),
        [
            bar("open", "4", &format!("{kept}state=open")),
            bar("sent", "1", &format!("{kept}state=sent"))
        ]
    );
    assert_eq!(bars(&html, "paid"), [bar("false", "5", &format!("{kept}paid=false"))]);
    // The labels of values that are not on the page are looked up, too.
    assert_eq!(
        bars(&html, "maker_id"),
        [
            bar("Ames &amp; &lt;Sons&gt;", "2", &format!("{kept}maker_id=1")),
            bar("Bo", "1", &format!("{kept}maker_id=2")),
            bar("3", "1", &format!("{kept}maker_id=3")),
        ]
    );
    // A field is counted under the filters of the other fields. A second click removes its filter.
    let html = page(&mut client, "/orders?state=sent&maker_id=1");
    assert_eq!(
        bars(&html, "state"),
        [
            bar("open", "1", "/orders?maker_id=1&amp;state=open"),
            bar("sent", "1", "/orders?maker_id=1"),
        ]
    );
    has(&html, "aria-current=\"true\"><span>sent</span>");
    // In a nested collection, its own members are counted.
    let html = page(&mut client, "/makers/1/items");
    assert_eq!(bars(&html, "size"), [bar("small", "1", "/makers/1/items?size=small")]);
    assert_eq!(bars(&html, "maker_id"), []);
    assert_eq!(bars(&html, "sold"), [], "a field without values has no bars");
}

#[test]
fn a_filter_offers_the_members_that_a_reference_may_have() {
    let (_server, mut client) = shop();
    let html = page(&mut client, "/orders?maker_id=2");
    has(
        &html,
        "<select aria-label=\"maker_id is\" name=\"maker_id\">\n<option value=\"\">any</option>",
    );
    has(&html, "<option value=\"2\" selected>Bo</option>");
    has(&html, "<option value=\"1\">Ames &amp; &lt;Sons&gt;</option>");
    has(&html, "<option value=\"3\">3</option>");
    has(&html, "<option value=\"2\">Table</option>");
    // They are in the order of their labels, and those without one come last.
    let choices = html.split("aria-label=\"maker_id is\"").nth(1).unwrap();
    let choices = choices.split("</select>").next().unwrap();
    let ids = choices.split("<option value=\"").skip(1).map(|option| &option[..1]);
    assert_eq!(ids.collect::<Vec<_>>(), ["\"", "1", "2", "3"], "{choices}");
    // An id that no choice has stays in the form.
    has(&page(&mut client, "/orders?maker_id=77"), "<option value=\"77\" selected>77</option>");
    let more: Vec<_> =
        (0..48).map(|nr| json!({ "name": nr.to_string(), "trade_name": "Bo" })).collect();
    for part in more.chunks(24) {
        client.create("/makers", &json!(part));
    }
    let html = page(&mut client, "/orders?maker_id=2");
    has(
        &html,
        "<input type=\"text\" aria-label=\"maker_id is\" name=\"maker_id\" value=\"2\" list=\"choices-maker_id\"",
    );
    has(&html, "<option value=\"1\">Ames &amp; &lt;Sons&gt;</option>");
    let listed = html.split("<datalist").nth(1).unwrap().split("</datalist>").next().unwrap();
    assert_eq!(listed.matches("<option").count(), 50, "{listed}");
    has(
        &html,
        "<form id=\"search-maker_id\" action=\"/makers\" method=\"get\" target=\"_blank\"></form>",
    );
    has(&html, "form=\"search-maker_id\" name=\"trade_name[contains]\"");
    // Members with the same label show their ids.
    has(&html, "<option value=\"2\">Bo (2)</option>");
}

#[test]
fn a_form_offers_the_members_that_a_reference_may_be_set_to() {
    let (_server, mut client) = shop();
    let new = String::from_utf8(browse(&mut client, "/-/forms/orders").body).unwrap();
    has(&new, "<select id=\"input-item_id\" name=\"item_id\" required>");
    has(&new, "<option value=\"1\">Chair</option>");
    has(&new, "<select id=\"input-maker_id\" name=\"maker_id\">\n<option value=\"\">–</option>");
    let change = String::from_utf8(browse(&mut client, "/-/forms/orders/1").body).unwrap();
    has(&change, "<option value=\"1\" selected>Ames &amp; &lt;Sons&gt;</option>");
    has(&change, "<option value=\"1\" selected>Chair</option>");
    // The parent of a new member is in the URL, and its label in the way to the form.
    let item = String::from_utf8(browse(&mut client, "/-/forms/makers/1/items").body).unwrap();
    assert!(!item.contains("name=\"maker_id\""), "{item}");
    has(&item, "<li><a href=\"/makers/1\">Ames &amp; &lt;Sons&gt;</a></li>");
    has(&item, "<select id=\"input-like_id\"");
    let more: Vec<_> = (0..49).map(|nr| json!({ "name": format!("m{nr}") })).collect();
    for part in more.chunks(25) {
        client.create("/makers", &json!(part));
    }
    let new = String::from_utf8(browse(&mut client, "/-/forms/orders").body).unwrap();
    has(&new, "<input type=\"text\" id=\"input-maker_id\" name=\"maker_id\"");
    let (entry, rest) = new.split_once("</form>\n").unwrap();
    assert!(!entry.contains("action=\"/makers\""), "a form has no form in it: {entry}");
    has(rest, "<form id=\"search-maker_id\" action=\"/makers\"");
}

#[test]
fn the_home_page_counts_the_members() {
    let (_server, mut client) = shop();
    let html = page(&mut client, "/");
    has(&html, "<a class=\"name\" href=\"/orders\">Orders</a>\n<small>5 members</small>");
    has(&html, "<a class=\"name\" href=\"/makers\">Makers</a>\n<small>3 members</small>");
    assert_eq!(html.matches(" members</small>").count(), 2, "a nested collection has no count");
    let tag = browse(&mut client, "/").field("etag").unwrap().to_owned();
    client.delete("/orders/5");
    let answer = client.request("GET", "/", &[BROWSER, ("if-none-match", &tag)], None);
    assert_eq!(answer.status(), 200);
    has(&String::from_utf8(answer.body).unwrap(), "<small>4 members</small>");
}

/// The validator of a page depends on all that the page shows.
#[test]
fn a_page_changes_with_the_members_that_it_refers_to() {
    let (_server, mut client) = shop();
    for target in ["/orders", "/orders/1", "/makers/1/items", "/makers/1/items/1"] {
        let tag = browse(&mut client, target).field("etag").unwrap().to_owned();
        let again = browse(&mut client, target).field("etag").unwrap().to_owned();
        assert_eq!(tag, again, "{target}");
        let name = format!("Ames of {target}");
        client.patch("/makers/1", &json!({ "trade_name": name }));
        let answer = client.request("GET", target, &[BROWSER, ("if-none-match", &tag)], None);
        assert_eq!(answer.status(), 200, "{target}");
        assert_ne!(answer.field("etag"), Some(&*tag), "{target}");
        has(&String::from_utf8(answer.body).unwrap(), &name);
    }
    let tag = browse(&mut client, "/orders").field("etag").unwrap().to_owned();
    let answer = client.request("GET", "/orders", &[BROWSER, ("if-none-match", &tag)], None);
    assert_eq!(answer.status(), 304);
    // The tag of a page may be the condition of a read and of a write.
    let tag = browse(&mut client, "/orders/1").field("etag").unwrap().to_owned();
    let answer = client.request("GET", "/orders/1", &[BROWSER, ("if-match", &tag)], None);
    assert_eq!(answer.status(), 200);
    let fields = [("content-type", "application/json"), ("if-match", &*tag)];
    let body = br#"{"state":"lost"}"#;
    assert_eq!(client.request("PATCH", "/orders/1", &fields, Some(body)).status(), 200);
    assert_eq!(client.request("PATCH", "/orders/1", &fields, Some(body)).status(), 412);
    let answer = client.request("GET", "/orders/1", &[BROWSER, ("if-match", &tag)], None);
    assert_eq!(answer.status(), 412);
}

/// A label, a count and a choice show no more than the reader may read.
#[test]
fn what_a_page_adds_follows_the_access_rules() {
    let server = TestServer::of(
        "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true, default: reader }
    access: { read: { role: admin }, create: public, update: { role: admin }, delete: { role: admin } }
  club:
    label: motto
    fields:
      name: { type: string, required: true }
      open: { type: boolean, default: true }
      motto: { type: string, access: { read: { role: admin }, write: signed_in } }
    access: { read: { any: [{ role: admin }, { where: { open: true } }] }, create: signed_in, update: signed_in, delete: signed_in }
  game:
    fields:
      club_id: { references: club }
      open: { type: boolean, default: true }
      league: { references: league }
      owner_id: { references: user, default: $account.id }
    access: { read: { any: [{ role: admin }, { where: { open: true } }] }, create: signed_in, update: signed_in, delete: signed_in }
  league:
    fields: { name: { type: string, required: true, unique: true }, open: boolean }
    access: { read: { any: [{ role: admin }, { where: { open: true } }] }, create: signed_in, update: signed_in, delete: signed_in }
",
    );
    add_accounts(&server, &[("root", "admin")]);
    let mut client = server.client();
    let mut create = |path: &str, body: &serde_json::Value| {
        let answer = ask(&mut client, "root", &format!("POST {path}"), body);
        assert_eq!(answer.status(), 201, "{answer:?}");
    };
    create("/leagues", &json!({ "name": "Premier", "open": true }));
    create("/leagues", &json!({ "name": "Shadow", "open": false }));
    create("/clubs", &json!({ "name": "Rowing", "motto": "Pull" }));
    for (league, open) in [(1, true), (2, true), (1, false)] {
        create("/games", &json!({ "club_id": 1, "league": league, "open": open }));
    }
    let null = serde_json::Value::Null;
    let all = ask(&mut client, "root", "GET /games?format=html", &null);
    let all = String::from_utf8(all.body).unwrap();
    for label in [">Premier</a>", ">Shadow</a>", ">Pull</a>", ">root</a>"] {
        has(&all, label);
    }
    assert_eq!(bars(&all, "league").len(), 2);
    assert_eq!(bars(&all, "league")[0].1, "2");
    let public = page(&mut client, "/games");
    has(&public, "<a href=\"/leagues/1\">Premier</a>");
    has(&public, "<a href=\"/leagues/2\">2</a>");
    for hidden in ["Shadow", "Pull", "root"] {
        assert!(!public.contains(hidden), "{hidden}: {public}");
    }
    let counts = bars(&public, "league").into_iter().map(|(text, count, _)| (text, count));
    assert!(
        counts.eq([("Premier", "1"), ("2", "1")].map(|(text, count)| (text.into(), count.into())))
    );
    has(
        &page(&mut client, "/"),
        "<a class=\"name\" href=\"/leagues\">Leagues</a>\n<small>1 member</small>",
    );
    assert!(!page(&mut client, "/games/1").contains("Pull"));
}

/// A page stays small and quick, whatever its labels and collections are.
#[test]
fn long_labels_and_large_collections_do_not_make_a_page_large() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  note: { fields: { title: { type: string, required: true, unique: true }, kind: { enum: [a, b] } } }
  tag: { fields: { note_id: { references: note }, mark: { enum: [x, y], index: true }, pin: { enum: [p, q] } } }
",
    );
    let mut client = server.client();
    for letter in ["<", "&", "\""] {
        let title = letter.repeat(150_000);
        client.create("/notes", &json!({ "title": title, "kind": "a" }));
    }
    for note in 1..=3 {
        client.create("/tags", &json!({ "note_id": note, "mark": "y" }));
    }
    let html = page(&mut client, "/tags");
    assert!(html.len() < 60_000, "{}", html.len());
    assert!(!html.contains("<<"), "{html}");
    let text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) \
                INSERT INTO tags (note_id, mark, pin) SELECT 1, 'x', 'p' FROM n";
    server.elsewhere(text);
    // What takes too long is left out. A count is never wrong, and a page is the same each time,
    // also while other threads use the processor.
    let is_done = AtomicBool::new(false);
    let work = || {
        while !is_done.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    };
    std::thread::scope(|scope| {
        let _end = WorkEnd(&is_done);
        (0..8).for_each(|_| drop(scope.spawn(work)));
        let seen: Vec<_> = (0..8).map(|_| counted(&mut client)).collect();
        assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    });
}

/// Ends the work of other threads when it is dropped, also by a test that fails.
struct WorkEnd<'a>(&'a AtomicBool);

impl Drop for WorkEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns what the pages of the large collection count.
fn counted(client: &mut Client) -> (Vec<(String, String, String)>, String) {
    let html = page(client, "/tags");
    let counts = bars(&html, "mark");
    assert_eq!(counts, [bar("x", "10,000+", "/tags?mark=x"), bar("y", "3", "/tags?mark=y")]);
    assert_eq!(bars(&html, "note_id"), [], "references in a large collection are not counted");
    let home = page(client, "/");
    let card = home.split("href=\"/tags\">Tags</a>\n").nth(1).unwrap();
    let card = card.split("<code>").next().unwrap().to_owned();
    assert!(card.contains("10,000+ members"), "{card}");
    let pins = bars(&html, "pin").into_iter().map(|(text, count, _)| format!("{text}: {count}"));
    (counts, [card, pins.collect()].concat())
}

/// SQLite joins 64 tables at most, and a row may refer to more members.
#[test]
fn a_page_of_many_references_has_the_labels_of_the_first() {
    let fields: String =
        (0..70).map(|at| format!("      r{at}_id: {{ references: maker }}\n")).collect();
    let schema = format!(
        "nouns: 1
resources:
  maker: {{ label: name, fields: {{ name: {{ type: string, required: true }} }} }}
  part:
    parent: maker
    fields:
{fields}"
    );
    let server = TestServer::of(&schema);
    let mut client = server.client();
    client.create("/makers", &json!({ "name": "Ames" }));
    client.create("/makers/1/parts", &json!({ "r0_id": 1, "r69_id": 1 }));
    for target in ["/makers/1/parts", "/makers/1/parts/1"] {
        let html = page(&mut client, target);
        has(&html, "title=\"1\"><a href=\"/makers/1\">Ames</a>");
        has(&html, "><a href=\"/makers/1\">1</a>");
    }
}

#[test]
fn a_page_of_some_fields_has_the_labels_of_its_references() {
    let (_server, mut client) = shop();
    client.patch("/orders/2", &json!({ "maker_id": 2 }));
    let table = page(&mut client, "/orders?fields=maker_id,state&sortby=id");
    has(&table, "title=\"1\"><a href=\"/makers/1\">Ames &amp; &lt;Sons&gt;</a></td>");
    has(&table, "title=\"2\"><a href=\"/makers/2\">Bo</a></td>");
    assert!(!table.contains("<td class=\"text\" title=\"1\">Chair</td>"), "{table}");
    let table = page(&mut client, "/orders?fields=state&sortby=id");
    assert!(!table.contains("title=\"1\"><a href=\"/makers/1\">"), "{table}");
    // A reference to the same resource, beside the parent.
    let table = page(&mut client, "/makers/2/items");
    has(&table, "<td class=\"text\" title=\"1\">Chair</td>");
}
