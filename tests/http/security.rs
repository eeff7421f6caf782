//! Tests of the header fields that restrict what a browser does with a response.

use nouns::{
    __runtime::{Error, custom::Answer as Custom, error::Kind},
    Api,
};
use serde_json::json;

use crate::{client::Answer, server::TestServer};

const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

fn fields(answer: &Answer) -> [Option<&str>; 4] {
    [
        "x-content-type-options",
        "content-security-policy",
        "referrer-policy",
        "cross-origin-resource-policy",
    ]
    .map(|name| answer.field(name))
}

/// Conformance 207, 208, 210: the browser must not sniff the content type, run scripts, put the
/// content in a frame, or send a referrer. Only pages of the same origin may load it.
#[test]
fn every_answer_with_content_says_what_a_browser_must_not_do() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let created = client.create("/zoos", &json!({ "name": "Tierpark" }));
    let answers = [
        created,
        client.get("/"),
        client.get("/zoos"),
        client.get("/zoos/1"),
        client.request("HEAD", "/zoos/1", &[], None),
        client.patch("/zoos/1", &json!({ "city": "Berlin" })),
        client.request("OPTIONS", "/zoos", &[], None),
        client.get("/-/health"),
        client.get("/-/problems/not-found"),
        client.get("/zoos/9"),
        client.get("/zoos?x=1"),
        client.request("BREW", "/zoos", &[], None),
        client.post("/zoos", &json!({})),
    ];
    for answer in answers {
        let expected = [Some("nosniff"), Some(NOTHING), Some("no-referrer"), Some("same-origin")];
        assert_eq!(fields(&answer), expected, "{answer:?}");
    }
    let moved = client.get("/zoos/");
    assert_eq!(fields(&moved), [None, None, Some("no-referrer"), Some("same-origin")]);
    let gone = client.delete("/zoos/1");
    assert_eq!(gone.status(), 204);
    assert_eq!(fields(&gone), [None, None, Some("no-referrer"), Some("same-origin")]);
}

/// Conformance 209: a response on an unencrypted connection has no `Strict-Transport-Security`.
#[test]
fn nothing_is_promised_that_only_an_encrypted_connection_can_keep() {
    let server = TestServer::zoo();
    let mut client = server.client();
    for target in ["/", "/zoos", "/nowhere"] {
        let answer = client.get(target);
        assert_eq!(answer.field("strict-transport-security"), None);
        assert_eq!(answer.field("x-powered-by"), None);
        assert_eq!(answer.field("server"), Some("nouns"));
    }
}

/// Conformance 214: tracking preferences of a browser (`DNT`, `Sec-GPC`) change no response. A
/// handler can read them.
#[test]
fn wishes_about_tracking_are_readable_and_change_nothing() {
    let wishes = [
        ("dnt", "1"),
        ("sec-gpc", "1"),
        ("user-agent", "a"),
        ("referer", "http://b/"),
        ("from", "c@d"),
    ];
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    let mut plain = client.get("/zoos/1");
    let mut wished = client.request("GET", "/zoos/1", &wishes, None);
    for answer in [&mut plain, &mut wished] {
        answer.fields.retain(|(name, _)| name != "date");
    }
    assert_eq!((plain.fields, plain.body), (wished.fields, wished.body));

    let api = Api::new("Zoos").route(
        http::Method::GET,
        "/wishes",
        |request: nouns::__runtime::custom::RouteRequest| async move {
            let values = ["dnt", "sec-gpc", "user-agent", "referer"]
                .map(|name| request.header(&name.parse().unwrap()));
            Custom::json(http::StatusCode::OK, &values)
        },
    );
    let server = TestServer::serve(api.build().unwrap());
    let answer = server.client().request("GET", "/wishes", &wishes, None);
    assert_eq!(answer.json(), json!(["1", "1", "a", "http://b/"]));
}

/// Conformance 208: the security fields that a handler sets are not replaced.
#[test]
fn what_a_handler_has_set_itself_stays() {
    let html = |text: &'static str| {
        let response = http::Response::builder().header("content-type", "text/html");
        response.body(nouns::__runtime::Body::from(text)).unwrap()
    };
    let api = Api::new("Zoos")
        .route(http::Method::GET, "/page", move |_| async move { Ok(html("<script>1</script>")) })
        .route(http::Method::GET, "/own", move |_| async move {
            let mut answer = Custom::from(html("x"));
            for (name, value) in [
                ("x-content-type-options", "own"),
                ("content-security-policy", "default-src 'self'"),
                ("referrer-policy", "origin"),
                ("cross-origin-resource-policy", "same-site"),
                ("cache-control", "max-age=1"),
            ] {
                answer = answer.with(name.parse().unwrap(), value.parse().unwrap());
            }
            Ok(answer)
        })
        .route(http::Method::GET, "/json", |_| async { Custom::json(http::StatusCode::OK, &1) })
        .route(http::Method::GET, "/error", |_| async {
            Err::<Custom, _>(Error::new(Kind::UNAVAILABLE, "Later."))
        });
    let server = TestServer::serve(api.build().unwrap());
    let mut client = server.client();
    let page = client.get("/page");
    assert_eq!(fields(&page), [Some("nosniff"), None, Some("no-referrer"), Some("same-origin")]);
    let own = client.get("/own");
    assert_eq!(
        fields(&own),
        [Some("own"), Some("default-src 'self'"), Some("origin"), Some("same-site")]
    );
    assert_eq!(own.field("cache-control"), Some("max-age=1"));
    for target in ["/json", "/error"] {
        let answer = client.get(target);
        assert_eq!(
            fields(&answer),
            [Some("nosniff"), Some(NOTHING), Some("no-referrer"), Some("same-origin")]
        );
    }
    assert_eq!(client.get("/json").field("cache-control"), Some("no-cache"));
}
