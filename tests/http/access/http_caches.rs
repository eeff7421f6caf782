//! HTTP caches and responses that access rules have shaped (RFC 9111 §3.5, RFC 9110 §12.5.5). What
//! is for one caller is private to it, and no other gets it while it is fresh.

use super::{PASSWORD, add_accounts, basic, cookie, sign_in};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// Resources that all declare the same cache, with rules for reading of each kind. Everybody reads
/// the same of the first two.
const SHOP: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true, default: reader }
    access: { read: { where: { id: $account.id } } }
  brand:
    cache: { visibility: public, max_age: 60s }
    fields: { name: string }
    access: { read: public }
  model:
    cache: { visibility: public, max_age: 60s }
    fields: { name: string }
    access: { read: { where: { name: { ne: secret } } } }
  invoice:
    cache: { visibility: public, max_age: 60s, s_maxage: 90s }
    fields: { name: string, owner_id: { references: user } }
    access: { read: { any: [{ where: { owner_id: $account.id } }, { where: { name: open } }] } }
  line:
    parent: invoice
    routes: both
    cache: { max_age: 60s }
    fields: { name: string }
    access: { read: public }
  memo:
    cache: { visibility: public, max_age: 60s }
    fields: { name: string }
  price:
    cache: { visibility: public, max_age: 60s }
    fields: { name: string, cost: { type: integer, access: { read: { role: admin } } } }
    access: { read: public }
  draft:
    cache: { no_store: true }
    fields: { name: string, owner_id: { references: user } }
    access: { read: { any: [{ where: { owner_id: $account.id } }, { where: { name: open } }] } }
  ware:
    fields: { name: string, invoice_id: { references: invoice } }
    access: { read: { any: [{ where: { name: open } }, { role: admin }] } }
";

fn shop() -> (TestServer, Client) {
    let server = TestServer::of(SHOP);
    add_accounts(&server, &[("ann", "reader"), ("bob", "reader")]);
    for (table, rows) in [
        ("brands", "(name) VALUES ('open')"),
        ("models", "(name) VALUES ('open')"),
        ("memos", "(name) VALUES ('open')"),
        ("prices", "(name, cost) VALUES ('open', 7)"),
        ("wares", "(name) VALUES ('open')"),
        ("invoices", "(name, owner_id) VALUES ('open', 1), ('ann', 1), ('bob', 2)"),
        ("drafts", "(name, owner_id) VALUES ('open', 1), ('ann', 1), ('bob', 2)"),
        ("lines", "(name, invoice_id) VALUES ('open', 1), ('ann', 2), ('bob', 3)"),
    ] {
        server.elsewhere(&format!("INSERT INTO {table} {rows}"));
    }
    let client = server.client();
    (server, client)
}

/// Returns what a response says to caches: `Cache-Control`, and whether `Vary` names what tells
/// callers apart.
fn told(answer: &Answer) -> (&str, bool) {
    let vary = answer.field("vary").unwrap_or_default();
    let names = |name: &str| vary.split(", ").any(|one| one == name);
    assert_eq!(names("cookie"), names("authorization"), "{answer:?}");
    (answer.field("cache-control").unwrap(), names("cookie"))
}

/// Conformance 106: what rules have shaped for a known caller is private to it, whatever is
/// declared. An anonymous caller's response is not fresh for others.
#[test]
fn what_rules_have_shaped_is_for_its_caller_alone() {
    let (_server, mut client) = shop();
    let session = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    let password = basic("ann", PASSWORD);
    let public = "public, max-age=60";
    let (alone, again) = ("private, max-age=60", "private, no-cache");
    for (target, anonymous, by_cookie, by_other, varies) in [
        ("/brands", Some(public), public, public, false),
        ("/models/1", Some(public), public, public, false),
        ("/invoices", Some("public, max-age=60, s-maxage=90"), alone, again, true),
        ("/invoices/1", Some("public, max-age=60, s-maxage=90"), alone, again, true),
        ("/invoices/1/lines", Some("max-age=60"), alone, again, true),
        ("/lines", Some("max-age=60"), alone, again, true),
        ("/lines/1", Some("max-age=60"), alone, again, true),
        ("/memos", None, alone, again, true),
        ("/prices/1", Some(public), alone, again, true),
        ("/drafts", Some("no-store"), "no-store", "no-store", true),
        ("/wares/1", Some("no-cache"), again, again, true),
    ] {
        for format in ["json", "csv", "ndjson"] {
            let target = format!("{target}?format={format}");
            // The response cache has the third response.
            for _ in 0..3 {
                let answer = client.get(&target);
                match anonymous {
                    Some(expected) => assert_eq!(told(&answer), (expected, varies), "{target}"),
                    None => assert_eq!((answer.status(), told(&answer).0), (401, "no-store")),
                }
                for (credentials, expected) in
                    [(("cookie", &*session), by_cookie), (("authorization", &*password), by_other)]
                {
                    let answer = client.request("GET", &target, &[credentials], None);
                    assert_eq!(told(&answer), (expected, varies), "{target} {credentials:?}");
                    let tag = answer.field("etag").unwrap();
                    let fields = [credentials, ("if-none-match", tag)];
                    let same = client.request("GET", &target, &fields, None);
                    assert_eq!(same.status(), 304, "{target}");
                    assert_eq!(told(&same), (expected, varies), "{target}");
                }
            }
        }
    }
}

/// An error about a resource with rules is not fresh for anybody.
#[test]
fn an_error_is_not_fresh_for_another_caller() {
    let (_server, mut client) = shop();
    let session = cookie(&sign_in(&mut client, "ann", PASSWORD, &[]));
    for target in ["/invoices/3", "/lines/3", "/invoices/3/lines", "/prices/9", "/wares?none=1"] {
        let anonymous = client.get(target);
        let known = client.request("GET", target, &[("cookie", &*session)], None);
        let is_missing = !target.contains('?');
        let expected = if is_missing { ["no-cache", "private, no-cache"] } else { ["no-store"; 2] };
        assert_eq!(told(&anonymous), (expected[0], true), "{target} {anonymous:?}");
        assert_eq!(told(&known), (expected[1], true), "{target} {known:?}");
    }
}

/// A page has the labels and the links that its reader may see, of a resource that is the same for
/// all, too.
#[test]
fn a_page_is_for_its_reader_alone_without_sessions() {
    let yaml = SHOP.replace("login: login }", "login: login, schemes: [basic] }");
    let server = TestServer::of(&yaml);
    add_accounts(&server, &[("ann", "reader")]);
    server.elsewhere("INSERT INTO brands (name) VALUES ('a')");
    let mut client = server.client();
    let password = basic("ann", PASSWORD);
    for target in ["/brands?format=html", "/brands/1?format=html"] {
        for fields in [&[][..], &[("authorization", &*password)]] {
            let page = client.request("GET", target, fields, None);
            assert_eq!((page.status(), told(&page).0), (200, "private, no-cache"), "{target}");
        }
    }
}
