//! Tests of error responses in the format that the client accepts: as JSON (RFC 9457), or as an
//! HTML page.

use nouns::{
    __runtime::{Error, custom::Answer as Custom, error::Kind},
    Api,
};
use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// The header field `Accept` that a browser sends when a person follows a link.
const BROWSER: [(&str, &str); 1] = [(
    "accept",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
)];

/// A request: its method, target, header fields and content.
type RequestParts<'request> = (
    &'request str,
    &'request str,
    &'request [(&'request str, &'request str)],
    Option<&'request [u8]>,
);

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    (server, client)
}

/// Returns the HTML of a response. Checks its header fields, and that it loads nothing from other
/// sites.
fn page(answer: &Answer) -> String {
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"), "{answer:?}");
    assert!(
        answer.field("vary").unwrap().split(", ").any(|name| name.eq_ignore_ascii_case("accept"))
    );
    let policy = answer.field("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(
        policy.ends_with("frame-ancestors 'none'")
            && !policy.contains("unsafe")
            && !policy.contains("script")
    );
    assert_eq!(answer.field("x-content-type-options"), Some("nosniff"));
    let html = String::from_utf8(answer.body.clone()).unwrap();
    assert!(
        html.starts_with("<!doctype html>\n<html lang=\"en\">") && html.ends_with("</html>\n"),
        "{html}"
    );
    for foreign in ["<script", " src=", "@import", "url(", "<link", "javascript:"] {
        assert!(!html.contains(foreign), "the page must not contain `{foreign}`: {html}");
    }
    html
}

/// Conformance 94, 139, 142: every problem type has a page as JSON and as HTML.
#[test]
fn every_kind_of_problem_has_two_pages() {
    let (_server, mut client) = zoos();
    let all = client.get("/-/problems");
    let list = page(&client.request("GET", "/-/problems", &BROWSER, None));
    for kind in all.json()["items"].as_array().unwrap() {
        let target = kind["type"].as_str().unwrap();
        let data = client.get(target);
        assert_eq!(
            (data.field("content-type"), data.field("vary")),
            (Some("application/json"), Some("accept, accept-language, accept-encoding"))
        );
        assert_eq!(&data.json(), kind);
        let html = page(&client.request("GET", target, &BROWSER, None));
        let (status, title) = (&kind["status"], kind["title"].as_str().unwrap());
        assert!(html.contains(&format!("<h1><small>{status}</small> {title}</h1>")), "{html}");
        assert!(html.contains("<a href=\"/-/problems\">"));
        assert!(list.contains(&format!("<a href=\"{target}\">{status} {title}</a>")), "{list}");
    }
}

/// Conformance 62, 65, 66, 67, 73, 74: the server's own documents have validators, as members have.
#[test]
fn documents_have_validators() {
    let (_server, mut client) = zoos();
    let german = [("accept-language", "de")];
    let mut tags = vec![];
    for (target, fields) in
        [("/", &[][..]), ("/-/problems", &[]), ("/-/problems", &BROWSER), ("/-/problems", &german)]
    {
        let mut ask =
            |name, value| client.request("GET", target, &[fields, &[(name, value)]].concat(), None);
        let first = ask("x", "");
        let tag = first.field("etag").unwrap().to_owned();
        assert_eq!((first.status(), first.field("accept-ranges")), (200, Some("bytes")));
        let weak = format!("W/{tag}");
        for condition in [&tag, &weak, "*"] {
            let unchanged = ask("if-none-match", condition);
            assert_eq!(
                (unchanged.status(), unchanged.field("etag")),
                (304, Some(&*tag)),
                "{unchanged:?}"
            );
            assert_eq!(unchanged.field("vary"), first.field("vary"));
            assert_eq!((unchanged.field("content-type"), unchanged.body.len()), (None, 0));
            let of_content = ["content-language", "content-security-policy", "accept-ranges"];
            assert_eq!(of_content.map(|name| unchanged.field(name)), [None; 3], "{target}");
        }
        assert_eq!(ask("if-none-match", "\"0000000000000000-json\"").body, first.body);
        assert_eq!(ask("if-match", &tag).body, first.body);
        assert_eq!(ask("if-match", "\"0000000000000000-json\"").status(), 412);
        let part = ask("range", "bytes=0-4");
        assert_eq!((part.status(), &*part.body), (206, &first.body[..5]));
        tags.push(tag);
    }
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 4, "each document must have an `ETag` of its own: {tags:?}");
}

/// Conformance 142: an error is an HTML page if the client prefers HTML to JSON. If the client
/// accepts neither, the error is problem+json.
#[test]
fn an_error_is_what_its_reader_asks_for() {
    let (_server, mut client) = zoos();
    for (accept, html) in [
        ("text/html", true),
        (BROWSER[0].1, true),
        ("text/html;q=0.9, application/json;q=0.5", true),
        ("application/json, text/html;q=0.9", false),
        ("application/problem+json, text/html;q=0.9", false),
        ("application/problem+json", false),
        ("text/html, application/problem+json;q=0.9", true),
        ("text/html, application/problem+json;q=0", true),
        ("text/html, application/problem+json", false),
        ("text/html;q=0.9, application/problem+json", false),
        ("text/html, application/vnd.problem+json", true),
        ("application/json;q=0, application/problem+json;q=0, text/html;q=0.1", true),
        ("text/html;q=0", false),
        ("*/*", false),
        ("image/png", false),
        ("text/html/", false),
        ("", false),
    ] {
        let answer = client.request("GET", "/nowhere", &[("accept", accept)], None);
        assert_eq!(answer.status(), 404, "{accept}");
        assert!(answer.field("vary").unwrap().contains("accept"), "{accept}");
        if html {
            page(&answer);
        } else {
            assert_eq!(answer.problem(), "not-found", "{accept}");
        }
    }
    let body = br#"{"name":"x"}"#;
    let refused = client.request("POST", "/zoos", &[("accept", "text/html")], Some(body));
    assert_eq!(refused.status(), 406, "406 must be an HTML page, too");
    assert!(page(&refused).contains("application/json"));
}

/// Conformance 141, 142: the HTML page of an error has everything that the problem has: each error
/// with its pointer and its hint.
#[test]
fn a_page_lists_every_fault() {
    let (_server, mut client) = zoos();
    let body = br#"{"nmae":"x","city":5}"#;
    let problem = client.request("POST", "/zoos", &[], Some(body)).json();
    let answer = client.request("POST", "/zoos", &BROWSER, Some(body));
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    let html = page(&answer);
    for text in [
        "<h1><small>422</small> Invalid content</h1>",
        "<code>/nmae</code>",
        "Did you mean <code>name</code>?",
        "<code>/city</code>",
        "<dt>URL</dt><dd><code>/zoos</code></dd>",
        "<a href=\"/-/problems/invalid-content\">",
        "Each error has a JSON Pointer",
    ] {
        assert!(html.contains(text), "the page must contain `{text}`: {html}");
    }
    assert_eq!(html.matches("<li>").count(), problem["errors"].as_array().unwrap().len());
    assert!(html.contains(answer.field("request-id").unwrap()));
}

/// Conformance 143: text from a request is escaped in HTML, and is a string in JSON.
#[test]
fn nothing_that_was_sent_is_unescaped() {
    let (server, mut client) = zoos();
    let body = br#"{"<script>alert(1)</script>":1,"name":"\u0000\u001b<b>"}"#;
    let requests: [RequestParts<'_>; 7] = [
        ("GET", "/<script>alert(1)</script>", &BROWSER, None),
        ("GET", "/zoos/%3Cscript%3Ealert(1)%3C%2Fscript%3E", &BROWSER, None),
        ("GET", "/zoos?<script>alert(1)</script>='><img", &BROWSER, None),
        ("GET", "/zoos?%3Cscript%3E=%22onload=x", &BROWSER, None),
        ("POST", "/zoos", &BROWSER, Some(body)),
        ("GET", "/zoos/`<script>`%60", &[BROWSER[0], ("request-id", "<script>")], None),
        ("POST", "/zoos", &[BROWSER[0], ("content-type", "text/<script>")], Some(b"x")),
    ];
    for (method, target, fields, content) in requests {
        let answer = server.client().request(method, target, fields, content);
        if answer.body.is_empty() {
            assert_eq!(
                answer.status(),
                400,
                "without a body, the response must be hyper's own 400: {target}"
            );
            continue;
        }
        assert!((400..500).contains(&answer.status()), "{answer:?}");
        let html = page(&answer);
        assert!(
            !html.contains("<img") && !html.contains("<b>") && !html.contains("\"onload"),
            "{html}"
        );
        let controls = html.chars().filter(|one| one.is_control() && *one != '\n').count();
        assert_eq!(controls, 0, "{html:?}");
    }
    let json = client.request("POST", "/zoos", &[], Some(body));
    assert_eq!(json.problem(), "invalid-content");
    assert!(
        json.body.iter().all(|byte| *byte >= b' '),
        "{:?}",
        String::from_utf8_lossy(&json.body)
    );
}

/// Conformance 143: a response never repeats the credentials of its request.
#[test]
fn no_secret_is_repeated() {
    let (_server, mut client) = zoos();
    let fields = [("authorization", "Bearer s3cret"), ("cookie", "session=s3cret")];
    for target in ["/nowhere", "/zoos?x=1", "/zoos/x"] {
        for accept in ["text/html", "application/json"] {
            let answer =
                client.request("GET", target, &[fields[0], fields[1], ("accept", accept)], None);
            assert!(
                !format!("{:?}{}", answer.fields, String::from_utf8_lossy(&answer.body))
                    .contains("s3cret")
            );
        }
    }
}

/// Conformance 144: the response to HEAD has the header fields of the error of GET, and no content.
#[test]
fn an_error_of_head_has_the_same_fields() {
    let (_server, mut client) = zoos();
    for target in ["/zoos/9", "/nowhere", "/zoos?x=1", "/-/problems/nothing"] {
        for accept in ["text/html", "application/json"] {
            let fields = [("accept", accept), ("request-id", "same")];
            let mut get = client.request("GET", target, &fields, None);
            let mut head = client.request("HEAD", target, &fields, None);
            for answer in [&mut get, &mut head] {
                answer.fields.retain(|(name, _)| name != "date");
                answer.fields.sort();
            }
            assert_eq!(
                (&head.status_line, &head.fields),
                (&get.status_line, &get.fields),
                "{target}"
            );
            assert!(head.body.is_empty() && !get.body.is_empty());
        }
    }
    assert_eq!(client.get("/zoos/1").status(), 200, "the connection must stay usable after HEAD");
}

/// Conformance 139, 140: a problem of user code without a type has the title of its status.
#[test]
fn a_problem_without_a_page_is_called_as_its_status() {
    const CLOSED: Kind = Kind {
        slug: "closed",
        status: http::StatusCode::CONFLICT,
        title: "Closed",
        meaning: "It is night.",
    };
    let closed = |_| async { Err::<Custom, _>(Error::new(CLOSED, "Come back at nine.")) };
    let server = TestServer::serve(
        Api::new("Zoos").route(http::Method::GET, "/door", closed).build().unwrap(),
    );
    let mut client = server.client();
    assert_eq!(
        client.get("/door").json(),
        json!({ "type": "about:blank", "title": "Conflict", "status": 409, "detail": "Come back at nine.", "instance": "/door" })
    );
    let html = page(&client.request("GET", "/door", &BROWSER, None));
    assert!(
        html.contains("<h1><small>409</small> Conflict</h1>") && !html.contains("about:blank"),
        "{html}"
    );
    let phrases = [(413, "Content Too Large"), (422, "Unprocessable Content"), (404, "Not Found")];
    for (status, phrase) in phrases {
        let status = http::StatusCode::from_u16(status).unwrap();
        let kind = Kind { status, ..CLOSED };
        let door = move |_| async move { Err::<Custom, _>(Error::new(kind, "Come back at nine.")) };
        let api = Api::new("Zoos").route(http::Method::GET, "/door", door).build().unwrap();
        let answer = TestServer::serve(api).client().get("/door");
        assert_eq!(answer.json()["title"], phrase);
        assert_eq!(answer.status_line, format!("HTTP/1.1 {} {phrase}", status.as_u16()));
    }
    let api = Api::new("Zoos").route(http::Method::GET, "/door", closed).problem(CLOSED);
    let server = TestServer::serve(api.build().unwrap());
    let mut client = server.client();
    assert_eq!(client.get("/door").json()["title"], "Closed");
    let html = page(&client.request("GET", "/door", &BROWSER, None));
    assert!(
        html.contains("<h1><small>409</small> Closed</h1>") && html.contains("It is night."),
        "{html}"
    );
}
