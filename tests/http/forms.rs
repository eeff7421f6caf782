//! Tests of the forms of web pages over HTTP: which pages may send them, what their bodies mean,
//! and what people get. What they look like is tested in a browser (`tests/browser`).

mod entries;
mod followed;

use serde_json::json;

use crate::{
    access::{PASSWORD, blog, cookie, sign_in},
    client::{Answer, Client},
    server::TestServer,
};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");
/// The header field `Accept` that a browser sends with a form.
const PERSON: (&str, &str) =
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

/// A resource with a field of each type.
const THINGS: &str = "
nouns: 1
resources:
  kind: { fields: { name: { type: string, required: true, unique: true } } }
  thing:
    fields:
      name: { type: string, required: true, max_length: 20 }
      note: string
      count: { type: integer, default: 3 }
      weight: number
      price: { type: decimal, scale: 2 }
      is_new: boolean
      size: { enum: [small, large] }
      day: date
      hour: time
      at: datetime
      seen: { type: datetime, default: $now }
      code: uuid
      data: json
      kind_id: { references: kind }
      secret: { type: string, write_only: true }
      born: { type: date, create_only: true }
      inner: { type: string, read_only: true, default: fixed }
";

/// Submits a form as a browser does.
fn submit(client: &mut Client, target: &str, body: &str) -> Answer {
    client.request("POST", target, &[FORM, OWN, PERSON], Some(body.as_bytes()))
}

fn html(answer: &Answer) -> String {
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"), "{answer:?}");
    String::from_utf8(answer.body.clone()).unwrap()
}

#[track_caller]
fn has(html: &str, text: &str) {
    assert!(html.contains(text), "the page must contain `{text}`: {html}");
}

/// Forms need the word of a browser that a page of this server has sent them, also without
/// accounts.
#[test]
fn a_form_must_come_from_a_page_of_this_server() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Bergzoo" }));
    let own = "http://zoo.localhost";
    let others: [&[(&str, &str)]; 7] = [
        &[],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
        &[("origin", "null")],
        &[("origin", "https://evil.example")],
        &[("sec-fetch-site", "cross-site"), ("origin", own)],
    ];
    for fields in others {
        for (target, body) in [
            ("/zoos", "name=Evil"),
            ("/zoos/1?_method=PATCH", "name=Evil"),
            ("/zoos/1?_method=PUT", "name=Evil"),
            ("/zoos/1?_method=DELETE", ""),
        ] {
            let fields = [&[FORM], fields].concat();
            let answer = client.request("POST", target, &fields, Some(body.as_bytes()));
            assert_eq!(answer.status(), 403, "{target} {fields:?}");
            assert_eq!(answer.problem(), "cross-site-request");
        }
        for method in ["PATCH", "PUT"] {
            let fields = [&[FORM], fields].concat();
            let answer = client.request(method, "/zoos/1", &fields, Some(b"name=Evil"));
            assert_eq!(answer.status(), 403, "{method} {fields:?}");
        }
    }
    assert_eq!(client.names("/zoos"), "Bergzoo");
    for (name, field) in [("A", OWN), ("B", ("origin", own))] {
        let body = format!("name={name}");
        let answer = client.request("POST", "/zoos", &[FORM, field], Some(body.as_bytes()));
        assert_eq!(answer.status(), 201, "{answer:?}");
        assert_eq!(answer.json()["name"], name, "a program gets JSON");
    }
}

/// The inputs of a form become the values that JSON would have.
#[test]
fn an_input_has_the_type_of_its_field() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    client.create("/kinds", &json!({ "name": "k" }));
    let body = "name=a%0D%0Ab&note=&count=+7+&weight=1.50&price=9.90&is_new=true&size=large\
                &day=2026-01-31&hour=09%3A30&at=2026-01-31T12%3A00&seen=&code=\
                &data=%7B%22a%22%3A+%5B1%5D%7D&kind_id=1&secret=s&born=2000-01-01";
    let answer = submit(&mut client, "/things", body);
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/things/1")));
    assert_eq!(answer.body, b"");
    let mut thing = client.get("/things/1").json();
    for time in ["created_at", "updated_at", "seen"] {
        assert!(thing.as_object_mut().unwrap().remove(time).unwrap().is_string(), "{time}");
    }
    assert_eq!(
        thing,
        json!({
            "id": 1, "name": "a\nb", "note": null, "count": 7, "weight": 1.5, "price": "9.90",
            "is_new": true, "size": "large", "day": "2026-01-31", "hour": "09:30:00",
            "at": "2026-01-31T12:00:00.000000Z", "code": null, "data": { "a": [1] },
            "kind_id": 1, "born": "2000-01-01", "inner": "fixed",
        })
    );
    // Empty inputs are null, and not the default.
    let answer = submit(&mut client, "/things", "name=c&count=&data=");
    assert_eq!(answer.status(), 303);
    let thing = client.get("/things/2").json();
    assert_eq!((&thing["count"], &thing["data"]), (&json!(null), &json!(null)));
    assert_eq!(submit(&mut client, "/things", "name=d").status(), 303);
    assert_eq!(client.get("/things/3").json()["count"], 3, "an input that is not there is none");
}

/// The schema refuses in a form what it refuses in JSON, with the same faults.
#[test]
fn a_form_is_checked_as_json_is() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    for (body, faults) in [
        ("name=", "/name required"),
        ("name=a&count=x", "/count type"),
        ("name=a&count=1e999", "/count type"),
        ("name=a&is_new=yes", "/is_new type"),
        ("name=a&size=huge", "/size enum"),
        ("name=a&data=%7B", "/data type"),
        ("name=a&data=1%2C%22x%22%3A2", "/data type"),
        ("name=a&at=2026-02-31T12%3A00", "/at type"),
        ("name=a&inner=b", "/inner read_only"),
        ("name=a&nome=b", "/nome unknown"),
        ("name=a&name=b", "/name duplicate"),
        ("name=aaaaaaaaaaaaaaaaaaaaa", "/name max_length"),
        ("name=a&id=7", "/id read_only"),
    ] {
        let answer = client.request("POST", "/things", &[FORM, OWN], Some(body.as_bytes()));
        assert_eq!((answer.status(), &*answer.faults()), (422, faults), "{body}");
        let again = submit(&mut client, "/things", body);
        assert_eq!(again.status(), 422, "{body}");
        has(&html(&again), "<form class=\"entry\" action=\"/things\" method=\"post\">");
    }
    let answer = client.request("POST", "/things", &[FORM, OWN], Some(b"name=%ff"));
    assert_eq!(answer.status(), 400, "{answer:?}");
    assert_eq!(client.get("/things?count=true").json()["total"], 0);
}

/// A form changes only what its user has changed.
#[test]
fn an_unchanged_input_is_not_written() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let thing = json!({
        "name": "a", "note": "x\r\ny\rz", "at": "2026-01-31T12:00:00Z", "secret": "s",
    });
    client.create("/things", &thing);
    let page = html(&client.request("GET", "/-/forms/things/1", &[PERSON], None));
    has(&page, "name=\"at\" value=\"2026-01-31T12:00:00\"");
    assert!(!page.contains("name=\"born\"") && !page.contains("name=\"inner\""), "{page}");
    // Browsers end lines by CR and LF, and leave seconds out that are 0.
    let body = "name=b&before:name=a&note=x%0D%0Ay%0D%0Az&before:note=x%0D%0Ay%0D%0Az\
                &at=2026-01-31T12%3A00&before:at=2026-01-31T12%3A00%3A00&secret=&before:secret=";
    let answer = submit(&mut client, "/things/1?_method=PATCH", body);
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/things/1")));
    let after = client.get("/things/1").json();
    assert_eq!(after["name"], "b");
    assert_eq!(after["note"], "x\r\ny\rz");
    assert_eq!(after["at"], "2026-01-31T12:00:00.000000Z");
    assert_eq!(server.cell("SELECT secret FROM things"), "s");
}

/// A form says in its URL what it has no method and no header field for.
#[test]
fn the_url_of_a_form_says_its_method_and_its_condition() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let made = client.create("/zoos", &json!({ "name": "Bergzoo" }));
    let tag = made.field("etag").unwrap().to_owned();
    let stale = tag.replacen('"', "\"9", 1);
    let escaped = |tag: &str| tag.replace('"', "%22");
    let target = |tag: &str| format!("/zoos/1?_method=PATCH&_if_match={}", escaped(tag));
    let answer = submit(&mut client, &target(&stale), "name=Tierpark&before:name=Bergzoo");
    assert_eq!(answer.status(), 412);
    has(&html(&answer), "Somebody else has changed this");
    assert_eq!(client.names("/zoos"), "Bergzoo");
    let answer = submit(&mut client, &target(&tag), "name=Tierpark&before:name=Bergzoo");
    assert_eq!(answer.status(), 303);
    assert_eq!(client.names("/zoos"), "Tierpark");
    let answer =
        submit(&mut client, &format!("/zoos/1?_method=DELETE&_if_match={}", escaped(&tag)), "");
    assert_eq!(answer.status(), 412, "{answer:?}");
    let answer = submit(&mut client, "/zoos/1?_method=DELETE", "");
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/zoos")));
    assert_eq!(client.get("/zoos/1").status(), 404);
    for target in
        ["/zoos?_method=GET", "/zoos?_method=", "/zoos?_if_match=%0a", "/zoos?_next=//evil.example"]
    {
        let answer = client.request("POST", target, &[FORM, OWN], Some(b"name=a"));
        assert_eq!(answer.status(), 400, "{target}");
    }
    // Other parameters, and other bodies and methods, have no instructions.
    for (method, target, kind) in [
        ("POST", "/zoos?_method=DELETE", "application/json"),
        ("PATCH", "/zoos/1?_method=DELETE", FORM.1),
        ("POST", "/zoos?a=1", FORM.1),
    ] {
        let fields = [("content-type", kind), OWN];
        let answer = client.request(method, target, &fields, Some(b"{}"));
        assert_eq!(answer.status(), 400, "{method} {target} {kind}");
    }
}

/// A form has no validators and is not stored, and everything in it is escaped.
#[test]
fn a_form_is_a_page_of_its_own() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "<b>\"&'</b>", "city": "\n</textarea><script>" }));
    for target in ["/-/forms/zoos", "/-/forms/zoos/1", "/-/forms/zoos/1/animals"] {
        for fields in [&[][..], &[PERSON], &[("accept", "application/json")]] {
            let answer = client.request("GET", target, fields, None);
            assert_eq!(answer.status(), 200, "{target}");
            assert_eq!(answer.field("cache-control"), Some("no-store"), "{target}");
            assert_eq!(answer.field("etag"), None, "{target}");
            assert_eq!(answer.field("referrer-policy"), Some("same-origin"), "{target}");
            assert!(
                answer.field("content-security-policy").unwrap().contains("form-action 'self'")
            );
            let page = html(&answer);
            assert!(!page.contains("<b>") && !page.contains("<script>"), "{page}");
        }
        let head = client.request("HEAD", target, &[PERSON], None);
        assert_eq!(head.status(), 200, "{target}");
        assert_eq!(client.post(target, &json!({})).status(), 405, "{target}");
        assert_eq!(client.get(&format!("{target}?x=1")).status(), 400, "{target}");
    }
    let page = html(&client.get("/-/forms/zoos/1"));
    has(&page, "\n\n&lt;/textarea&gt;&lt;script&gt;</textarea>");
    for target in
        ["/-/forms", "/-/forms/", "/-/forms/nothing", "/-/forms/zoos/9", "/-/forms/zoos/9/animals"]
    {
        assert_eq!(client.get(target).status(), 404, "{target}");
    }
    // Administrators can be added and deleted, but not changed.
    assert_eq!(client.get("/-/forms/admin").status(), 200);
    client.create("/admin", &json!({ "name": "ada" }));
    assert_eq!(client.get("/-/forms/admin/1").status(), 404);
    assert_eq!(client.get("/-/sign-in").status(), 404, "nobody can sign in");
}

/// A resource that only a PUT changes has a form that sends the whole member.
#[test]
fn a_form_replaces_where_a_patch_is_not_offered() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  note:
    methods: [list, get, create, replace]
    fields: { title: { type: string, required: true, unique: true }, text: string }
",
    );
    let mut client = server.client();
    client.create("/notes", &json!({ "title": "a", "text": "b" }));
    let page = html(&client.get("/-/forms/notes/1"));
    has(&page, "action=\"/notes/1?_method=PUT&amp;_if_match=");
    let body = "title=c&before:title=a&text=b&before:text=b";
    let answer = submit(&mut client, "/notes/1?_method=PUT", body);
    assert_eq!(answer.status(), 303, "{answer:?}");
    let note = client.get("/notes/1").json();
    assert_eq!((&note["title"], &note["text"]), (&json!("c"), &json!("b")));
}

/// A value that is very long is neither in the form nor lost by it.
#[test]
fn a_very_long_value_stays() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let city = "x".repeat(100_000);
    client.create("/zoos", &json!({ "name": "a", "city": city }));
    let page = html(&client.get("/-/forms/zoos/1"));
    has(&page, "The value is too long for a form.");
    assert!(page.len() < 20_000 && !page.contains("name=\"city\""), "{}", page.len());
    submit(&mut client, "/zoos/1?_method=PATCH", "name=b&before:name=a");
    assert_eq!(client.get("/zoos/1").json()["city"], city);
}

/// A person signs in by a form. The browser goes on to a path of this server.
#[test]
fn a_person_signs_in_and_out() {
    let server = blog();
    let mut client = server.client();
    let page = html(&client.get("/-/sign-in?next=/notes%3Flimit=2"));
    has(&page, "action=\"/sessions?_next=%2Fnotes%3Flimit%3D2\"");
    for next in ["https://evil.example", "//evil.example", "/%5Cevil.example", "", "x"] {
        assert_eq!(client.get(&format!("/-/sign-in?next={next}")).status(), 400, "{next}");
        let target = format!("/sessions?_next={next}");
        let body = format!("login=ann&password={PASSWORD}");
        assert_eq!(submit(&mut client, &target, &body).status(), 400, "{next}");
    }
    let body = "login=ann&password=wrong%20%3Cb%3E";
    let answer = submit(&mut client, "/sessions?_next=/notes", body);
    assert_eq!(answer.status(), 401);
    let page = html(&answer);
    has(&page, "value=\"ann\"");
    assert!(!page.contains("wrong &lt;b") && !page.contains("wrong%20"), "{page}");
    let foreign = [FORM, PERSON, ("sec-fetch-site", "cross-site")];
    let body = format!("login=ann&password={PASSWORD}");
    let answer = client.request("POST", "/sessions?_next=/", &foreign, Some(body.as_bytes()));
    assert_eq!(answer.status(), 403);
    let answer = submit(&mut client, "/sessions?_next=/notes%3Flimit=2", &body);
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/notes?limit=2")));
    let session = cookie(&answer);
    let fields = [PERSON, ("cookie", &*session)];
    let page = client.request("GET", "/notes", &fields, None);
    assert_eq!(page.status(), 200);
    has(&html(&page), "action=\"/sessions/current?_method=DELETE&amp;_next=%2F\"");
    let fields = [FORM, OWN, PERSON, ("cookie", &*session)];
    let answer =
        client.request("POST", "/sessions/current?_method=DELETE&_next=/", &fields, Some(b""));
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/")));
    assert!(answer.field("set-cookie").unwrap().contains("Max-Age=0"), "{answer:?}");
    let page = client.request("GET", "/notes", &[PERSON, ("cookie", &*session)], None);
    assert_eq!(page.status(), 401);
    has(&html(&page), "<a href=\"/-/sign-in?next=%2Fnotes\">Sign in</a>");
    let challenge = page.field("www-authenticate").unwrap();
    assert!(challenge.starts_with("Bearer"), "no browser asks by itself: {challenge}");
    let program = client.get("/notes");
    assert!(program.fields.iter().any(|(_, value)| value.starts_with("Basic")), "{program:?}");
}

/// A page names its reader, so its validators differ for readers.
#[test]
fn a_page_is_valid_for_its_reader_alone() {
    let server = blog();
    let mut client = server.client();
    let session = |client: &mut Client, login: &str| {
        let answer = sign_in(client, login, PASSWORD, &[]);
        cookie(&answer)
    };
    let (ann, bob) = (session(&mut client, "ann"), session(&mut client, "bob"));
    let mut tag = |cookie: &str, target: &str| {
        let fields = [PERSON, ("cookie", cookie)];
        let answer = client.request("GET", target, &fields, None);
        assert_eq!(answer.status(), 200, "{target}: {answer:?}");
        answer.field("etag").unwrap().to_owned()
    };
    for target in ["/", "/notes"] {
        assert_ne!(tag(&ann, target), tag(&bob, target), "{target}");
        assert_eq!(tag(&ann, target), tag(&ann, target), "{target}");
    }
}

/// A body without a media type is read as JSON, and any page can make a browser send one.
#[test]
fn a_foreign_page_sends_no_body_without_a_media_type() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = Some(&br#"{"name":"Evil"}"#[..]);
    for fields in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
    ] {
        let answer = client.request("POST", "/zoos", fields, body);
        assert_eq!(
            (answer.status(), &*answer.problem()),
            (403, "cross-site-request"),
            "{fields:?}"
        );
    }
    for fields in [&[][..], &[OWN]] {
        let body = json!({ "name": format!("{fields:?}") }).to_string();
        let answer = client.request("POST", "/zoos", fields, Some(body.as_bytes()));
        assert_eq!(answer.status(), 201, "{fields:?}");
    }
}

/// A form has the whole value of a `json` field, so it replaces the value and does not merge it.
#[test]
fn a_form_replaces_json() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    client.create("/things", &json!({ "name": "a", "data": { "a": 1, "b": 2 } }));
    let body =
        "data=%7B%22a%22%3A1%2C%22n%22%3Anull%7D&before:data=%7B%22a%22%3A1%2C%22b%22%3A2%7D";
    assert_eq!(submit(&mut client, "/things/1?_method=PATCH", body).status(), 303);
    assert_eq!(client.get("/things/1").json()["data"], json!({ "a": 1, "n": null }));
}

/// A form takes away no field that it does not have, even if it replaces the member.
#[test]
fn a_replacement_loses_nothing() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  note:
    methods: [list, get, create, replace]
    fields:
      title: { type: string, required: true, unique: true }
      text: string
      code: { type: string, write_only: true }
",
    );
    let mut client = server.client();
    client.create("/notes", &json!({ "title": "a", "code": "c" }));
    let body = "title=b&before:title=a&text=&before:text=&code=&before:code=";
    assert_eq!(submit(&mut client, "/notes/1?_method=PUT", body).status(), 303);
    assert_eq!(server.cell("SELECT code FROM notes"), "c");
    client.put("/notes/1", &json!({ "title": "b", "text": "x".repeat(70_000) }));
    let page = html(&client.get("/-/forms/notes/1"));
    has(&page, "it cannot be sent");
    assert!(!page.contains(">Save<"), "{page}");
}

/// In the comparison of two versions, an input can have what was entered.
#[test]
fn an_entry_survives_the_change_of_another() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let thing = json!({ "name": "a", "note": "one", "at": "2026-01-31T12:00:00Z" });
    let tag = client.create("/things", &thing).field("etag").unwrap().replace('"', "%22");
    let theirs = json!({ "note": "x".repeat(70_000), "at": "2027-01-01T00:00:00Z" });
    assert_eq!(client.patch("/things/1", &theirs).status(), 200);
    let body = "note=mine%0D%0Atwo&before:note=one&at=2021-05-05T05%3A05%3A05.250Z\
                &before:at=2026-01-31T12%3A00%3A00";
    let target = format!("/things/1?_method=PATCH&_if_match={tag}");
    let answer = submit(&mut client, &target, body);
    assert_eq!(answer.status(), 412);
    let page = html(&answer);
    has(&page, "type=\"text\" name=\"at\" value=\"2021-05-05T05:05:05.250Z\"");
    has(&page, "<textarea id=\"input-note\" name=\"note\" aria-describedby=");
    has(&page, "\nmine\r\ntwo</textarea>");
    has(&page, "<th scope=\"row\">note</th>");
    assert!(page.len() < 30_000, "{}", page.len());
}

/// A form shows what a GET shows, and no more.
#[test]
fn a_resource_without_get_has_no_form_with_values() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  box:
    collection: boxes
    methods: [create, update, delete]
    fields: { text: { type: string, required: true }, count: { type: integer, minimum: 0 } }
",
    );
    let mut client = server.client();
    client.create("/boxes", &json!({ "text": "hidden" }));
    assert_eq!(client.get("/-/forms/boxes").status(), 200);
    assert_eq!(client.get("/-/forms/boxes/1").status(), 404);
    for (target, body, status) in [
        ("/boxes/1?_method=PATCH", "count=-1", 422),
        ("/boxes/1?_method=DELETE&_if_match=%22x%22", "", 412),
        ("/boxes/1?_method=PATCH", "count=1", 303),
        ("/boxes", "text=more", 303),
    ] {
        let is_new = target == "/boxes";
        let answer = submit(&mut client, target, body);
        assert_eq!(answer.status(), status, "{target}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("hidden"), "{target}");
        let page = if is_new { "/-/forms/boxes?created=true" } else { "/" };
        let location = (status == 303).then_some(page);
        assert_eq!(answer.field("location"), location, "there is no page to go to: {target}");
    }
}

/// The redirects of forms are below the public URL.
#[test]
fn a_form_leads_below_the_public_url() {
    let server = TestServer::of(
        "
nouns: 1
api: { public_url: https://zoo.example/city, base_path: /api }
server: { hosts: [zoo.localhost] }
resources: { zoo: { fields: { name: string } } }
",
    );
    let mut client = server.client();
    for (target, body, location) in [
        ("/api/zoos", "name=a", "https://zoo.example/city/api/zoos/1"),
        ("/api/zoos/1?_method=PATCH", "name=b", "/city/api/zoos/1"),
        ("/api/zoos/1?_method=DELETE", "", "/city/api/zoos"),
    ] {
        let answer = submit(&mut client, target, body);
        assert_eq!((answer.status(), answer.field("location")), (303, Some(location)), "{target}");
    }
}

/// A form in which nothing was changed writes nothing.
#[test]
fn a_form_without_a_change_writes_nothing() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let tag = client.create("/zoos", &json!({ "name": "a" })).field("etag").unwrap().to_owned();
    let answer = submit(&mut client, "/zoos/1?_method=PATCH", "name=a&before:name=a");
    assert_eq!((answer.status(), answer.field("location")), (303, Some("/zoos/1")));
    assert_eq!(client.get("/zoos/1").field("etag"), Some(&*tag));
}

/// No cache gives the page of one reader to another, also if the resource is declared as public.
#[test]
fn a_page_of_a_public_resource_is_private() {
    let schema = crate::access::BLOG.replace(
        "  note:\n",
        "  note:\n    cache: { max_age: 60s, visibility: public }\n    access: { read: public, create: public, update: public, delete: public }\n",
    );
    let server = TestServer::of(&schema);
    let mut client = server.client();
    client.create("/notes", &json!({ "text": "a" }));
    for target in ["/notes", "/notes/1"] {
        assert_eq!(client.get(target).field("cache-control"), Some("public, max-age=60"));
        let page = client.request("GET", target, &[PERSON], None);
        assert_eq!(page.field("cache-control"), Some("private, no-cache"), "{target}");
        let tag = page.field("etag").unwrap();
        let fields = [PERSON, ("if-none-match", tag), ("cookie", "session=x")];
        let same = client.request("GET", target, &fields, None);
        assert_eq!(same.status(), 304);
        assert_eq!(same.field("cache-control"), Some("private, no-cache"), "{target}");
    }
    let refused = submit(&mut client, "/notes/1?_method=DELETE&_if_match=%22x%22", "");
    assert_eq!((refused.status(), refused.field("cache-control")), (412, Some("no-store")));
    assert_eq!(refused.field("etag"), None);
    let schema = schema.replace("{ max_age: 60s, visibility: public }", "{ no_store: true }");
    let server = TestServer::of(&schema);
    let page = server.client().request("GET", "/notes", &[PERSON], None);
    assert_eq!(page.field("cache-control"), Some("no-store"), "what is not stored stays so");
}

/// A person whose session has ended comes back to the form after the sign-in.
#[test]
fn the_sign_in_leads_back_to_the_form() {
    let server = blog();
    let mut client = server.client();
    let way_back = |client: &mut Client, target: &str, body: &str| {
        let answer = submit(client, target, body);
        assert_eq!(answer.status(), 401, "{target}");
        let page = html(&answer);
        let (_, href) = page.split_once("<a href=\"/-/sign-in?next=").unwrap();
        href.split_once('"').unwrap().0.to_owned()
    };
    let way = way_back(&mut client, "/notes", "text=a");
    assert_eq!(way, "%2F-%2Fforms%2Fnotes");
    let target = "/notes/1?_method=PATCH&_if_match=%221-json%22";
    assert_eq!(way_back(&mut client, target, "text=b"), "%2F-%2Fforms%2Fnotes%2F1");
    assert_eq!(way_back(&mut client, "/notes/1?_method=DELETE", ""), "%2Fnotes%2F1");
    let sign_out = "/sessions/current?_method=DELETE&_next=/notes";
    assert_eq!(way_back(&mut client, sign_out, ""), "%2Fnotes");
    let nested = way_back(&mut client, "/blogs/1/articles", "title=a");
    assert_eq!(nested, "%2F-%2Fforms%2Fblogs%2F1%2Farticles");
    let body = format!("login=ann&password={PASSWORD}");
    let answer = submit(&mut client, &format!("/sessions?_next={way}"), &body);
    let session = cookie(&answer);
    let to = answer.field("location").unwrap();
    let form = client.request("GET", to, &[PERSON, ("cookie", &*session)], None);
    assert_eq!((to, form.status()), ("/-/forms/notes", 200));
}

/// Who may not write gets no form, also not after a form that was refused.
#[test]
fn a_refused_form_is_shown_to_those_who_may_send_it() {
    let server = blog();
    let mut client = server.client();
    let answer = submit(&mut client, "/users?_next=/", "login=x");
    assert_eq!(answer.status(), 401);
    assert!(!html(&answer).contains("class=\"entry\""), "{answer:?}");
    let answer = submit(&mut client, "/sessions?_next=/", "login=ann&password=wrong");
    assert!(answer.field("www-authenticate").unwrap().starts_with("Bearer"), "{answer:?}");
    has(&html(&answer), "Not signed in");
}
