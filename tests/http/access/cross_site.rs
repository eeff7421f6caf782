//! Requests that a page of another site makes a browser send.

use serde_json::json;

use super::{PASSWORD, basic, blog, blog_with, cookie, sign_in};
use crate::{client::Client, server::TestServer};

const JSON: (&str, &str) = ("content-type", "application/json");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

fn post(client: &mut Client, fields: &[(&str, &str)], body: &[u8]) -> u16 {
    client.request("POST", "/notes", fields, Some(body)).status()
}

/// Conformance 131: `Sec-Fetch-Site` and `Origin` say where a request comes from.
#[test]
fn a_cookie_of_a_foreign_page_changes_nothing() {
    let server = blog();
    let client = &mut server.client();
    let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
    let cookie = ("cookie", own.as_str());
    for (fields, expected) in [
        // Programs say nothing, and send JSON.
        (&[JSON][..], 201),
        (&[JSON, ("sec-fetch-site", "same-origin"), ("origin", "null")], 201),
        (&[JSON, ("sec-fetch-site", "none")], 201),
        (&[JSON, ("origin", "http://zoo.localhost")], 201),
        (&[JSON, ("sec-fetch-site", "cross-site")], 403),
        (&[JSON, ("sec-fetch-site", "same-site"), ("origin", "https://app.zoo.localhost")], 403),
        (&[JSON, ("sec-fetch-site", "cross-site"), ("origin", "http://zoo.localhost")], 403),
        (&[JSON, ("origin", "https://evil.example")], 403),
        (&[JSON, ("origin", "null")], 403),
        // What a form of a very old browser could send.
        (&[FORM], 403),
        (&[("content-type", "text/plain")], 403),
        (&[], 403),
    ] {
        let fields = [&[cookie], fields].concat();
        assert_eq!(post(client, &fields, b"{}"), expected, "{fields:?}");
    }
    let foreign = ("sec-fetch-site", "cross-site");
    for (method, target) in [("DELETE", "/notes/1"), ("PATCH", "/notes/1"), ("PUT", "/notes/1")] {
        let answer = client.request(method, target, &[cookie, JSON, foreign], Some(b"{}"));
        assert_eq!((answer.status(), &*answer.problem()), (403, "cross-site-request"), "{method}");
    }
    // Safe requests change nothing, and the page cannot read the response without CORS.
    assert_eq!(client.request("GET", "/notes", &[cookie, foreign], None).status(), 200);
    // A cookie that is no session is no credential.
    assert_eq!(post(client, &[("cookie", "session=x"), JSON, foreign], b"{}"), 401);
}

/// A foreign page must not sign a victim in to an account of the attacker.
#[test]
fn a_foreign_page_cannot_sign_in() {
    let server = blog();
    let client = &mut server.client();
    let json = json!({ "login": "eve", "password": PASSWORD }).to_string();
    let form = format!("login=eve&password={}", PASSWORD.replace(' ', "+"));
    for (fields, body) in [
        (&[JSON, ("sec-fetch-site", "cross-site")][..], &json),
        (&[JSON, ("origin", "https://evil.example")], &json),
        (&[FORM, ("origin", "https://evil.example")], &form),
        (&[FORM, ("origin", "null")], &form),
        (&[FORM], &form),
        (&[("content-type", "text/plain")], &json),
        (&[], &json),
    ] {
        let answer = client.request("POST", "/sessions", fields, Some(body.as_bytes()));
        assert_eq!((answer.status(), answer.field("set-cookie")), (403, None), "{fields:?}");
    }
}

/// A browser that has asked for a password sends it with requests of foreign pages, too.
#[test]
fn a_password_counts_as_a_cookie_if_a_browser_sends_it() {
    let server = blog();
    let client = &mut server.client();
    let own = basic("ann", PASSWORD);
    let own = ("authorization", own.as_str());
    for (field, expected) in [
        (None, 201),
        (Some(("sec-fetch-site", "same-origin")), 201),
        (Some(("sec-fetch-site", "cross-site")), 403),
        (Some(("origin", "https://evil.example")), 403),
    ] {
        let fields: Vec<_> = [own, JSON].into_iter().chain(field).collect();
        assert_eq!(post(client, &fields, b"{}"), expected, "{field:?}");
    }
    // No browser adds a token.
    let made = client.request("POST", "/tokens", &[own, JSON], Some(b"{\"name\":\"ci\"}"));
    let token = format!("Bearer {}", made.json()["token"].as_str().unwrap());
    let fields = [("authorization", &*token), JSON, ("sec-fetch-site", "cross-site")];
    assert_eq!(post(client, &fields, b"{}"), 201);
}

#[test]
fn pages_of_declared_origins_may_act_for_their_users() {
    let declared = "https://app.zoo.localhost";
    let cors = |credentials| {
        format!("\nserver: {{ cors: {{ origins: [{declared}], credentials: {credentials} }} }}\n")
    };
    for (credentials, same_site, cross_site) in [(true, 201, 403), (false, 403, 403)] {
        let schema =
            super::BLOG.replace("\nresources:", &format!("{}resources:", cors(credentials)));
        let server = TestServer::of(&schema);
        super::add_accounts(&server, &[("ann", "reader")]);
        let client = &mut server.client();
        let own = cookie(&sign_in(client, "ann", PASSWORD, &[]));
        for (site, expected) in [("same-site", same_site), ("cross-site", cross_site)] {
            let fields = [("cookie", &*own), JSON, ("origin", declared), ("sec-fetch-site", site)];
            assert_eq!(post(client, &fields, b"{}"), expected, "{credentials} {site}");
        }
    }
}

#[test]
fn a_form_of_the_own_site_is_accepted_for_signing_in() {
    let server = blog_with(", session: { cookie: sid }");
    let client = &mut server.client();
    let form = format!("login=ann&password={}", PASSWORD.replace(' ', "%20"));
    let fields = [FORM, ("origin", "http://zoo.localhost")];
    let answer = client.request("POST", "/sessions", &fields, Some(form.as_bytes()));
    assert_eq!(answer.status(), 201);
    assert!(answer.field("set-cookie").unwrap().starts_with("sid="));
}

/// A page without TLS can be changed by anybody on the way. So it is foreign to a server with TLS.
#[test]
fn a_page_of_another_scheme_is_foreign_if_the_scheme_is_known() {
    let settings = "\nserver: { trusted_proxies: [127.0.0.1] }\nresources:";
    let server = TestServer::of(&super::BLOG.replace("\nresources:", settings));
    super::add_accounts(&server, &[("ann", "reader")]);
    let client = &mut server.client();
    for (scheme, http, https) in
        [(None, 201, 201), (Some("https"), 403, 201), (Some("http"), 201, 403)]
    {
        let way =
            scheme.map(|scheme| [("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", scheme)]);
        let way: Vec<_> = way.into_iter().flatten().collect();
        let own = cookie(&sign_in(client, "ann", PASSWORD, &way));
        for (origin, expected) in [("http://zoo.localhost", http), ("https://zoo.localhost", https)]
        {
            let fields = [&way[..], &[("cookie", &*own), JSON, ("origin", origin)]].concat();
            assert_eq!(post(client, &fields, b"{}"), expected, "{scheme:?} {origin}");
        }
    }
}
