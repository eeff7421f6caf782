//! Tests of error responses (RFC 9457) in the language of the client (RFC 9110 §12.5.4). Only the
//! texts for people are translated.

use nouns::{
    __runtime::{
        Error,
        custom::Answer as Custom,
        error::{Fault, Kind},
    },
    Api,
};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const GERMAN: (&str, &str) = ("accept-language", "de");

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    (server, client)
}

/// Returns the `Content-Language` and the detail of a problem. Checks that the response varies by
/// `Accept-Language`.
fn language_and_detail(answer: &Answer) -> (Option<&str>, String) {
    let texts =
        (answer.field("content-language"), answer.json()["detail"].as_str().unwrap().to_owned());
    assert!(answer.field("vary").unwrap().contains("accept-language"), "{answer:?}");
    texts
}

/// Conformance 98: a problem is in the preferred language, which is in `Content-Language`.
#[test]
fn a_problem_speaks_german() {
    let (_server, mut client) = zoos();
    for (method, target, fields, title, detail) in [
        (
            "GET",
            "/zoos/9",
            [("accept", "*/*")],
            "Nicht gefunden",
            "Den Eintrag zoo `9` gibt es nicht.",
        ),
        (
            "GET",
            "/zooss",
            [("accept", "*/*")],
            "Nicht gefunden",
            "Es gibt keine Sammlung `zooss`; meinten Sie `zoos`?",
        ),
        (
            "GET",
            "/zoos",
            [("accept", "image/png")],
            "Kein passendes Format",
            "Keine Darstellung passt zu `image/png`; verfügbar sind: application/json, application/x-ndjson, text/csv, text/html.",
        ),
        (
            "DELETE",
            "/zoos/1",
            [("if-match", "\"other\"")],
            "Vorbedingung nicht erfüllt",
            "Die aktuelle Darstellung erfüllt die Vorbedingung nicht.",
        ),
        (
            "GET",
            "/zoos?nmae=x",
            [("accept", "*/*")],
            "Ungültiger Abfrageparameter",
            "`zoo` hat weder ein Feld noch einen Abfrageparameter `nmae`.",
        ),
    ] {
        let answer = client.request(method, target, &[GERMAN, fields[0]], None);
        let json = answer.json();
        assert_eq!(json["title"], title, "{target}");
        let translated =
            language_and_detail(&answer).1.replace("; charset=utf-8; header=present", "");
        assert_eq!(
            (answer.field("content-language"), translated.as_str()),
            (Some("de"), detail),
            "{target}"
        );
    }
    let refused = client.request("PUT", "/zoos", &[GERMAN], None);
    assert_eq!(
        (refused.status(), refused.json()["title"].as_str()),
        (405, Some("Methode nicht erlaubt"))
    );
    assert!(
        language_and_detail(&refused).1.starts_with("`PUT` ist hier nicht erlaubt; erlaubt sind: ")
    );
    assert!(refused.field("allow").unwrap().contains("GET"));
}

/// Returns a problem without its titles, details and hints.
fn bare(mut problem: Value) -> Value {
    let texts = |object: &mut Value| {
        for text in ["title", "detail", "hint"] {
            object.as_object_mut().unwrap().remove(text);
        }
    };
    texts(&mut problem);
    problem["errors"].as_array_mut().into_iter().flatten().for_each(texts);
    problem
}

/// Conformance 98, 141: each error and its hint are translated. Types, statuses, codes and pointers
/// are the same in both languages.
#[test]
fn nothing_but_the_texts_is_translated() {
    let (_server, mut client) = zoos();
    let body = br#"[{"nmae":"x","city":5},{"name":"a","opened":20}]"#;
    let english = client.request("POST", "/zoos", &[], Some(body));
    let german = client.request("POST", "/zoos", &[GERMAN], Some(body));
    assert_eq!(german.status_line, "HTTP/1.1 422 Unprocessable Content");
    assert_eq!(language_and_detail(&english).1, "At `/0`: `zoo` has no field `nmae`; and 3 more.");
    assert_eq!(
        language_and_detail(&german),
        (Some("de"), "Bei `/0`: `zoo` hat kein Feld `nmae`; und noch 3.".into())
    );
    assert_eq!(bare(english.json()), bare(german.json()));
    let errors = german.json()["errors"].clone();
    for (at, detail, hint) in [
        (0, "`zoo` hat kein Feld `nmae`.", Some("Meinten Sie `name`?")),
        (
            1,
            "`city` muss Text sein, nicht eine Zahl.",
            Some("Schreiben Sie es als JSON-String, in Anführungszeichen."),
        ),
        (2, "`name` ist ein Pflichtfeld.", None),
    ] {
        let fault = errors.as_array().unwrap().iter().find(|fault| fault["detail"] == detail);
        let fault =
            fault.unwrap_or_else(|| panic!("error {at} must have the detail `{detail}`: {errors}"));
        assert_eq!(fault["hint"].as_str(), hint);
    }
    let whole = client.request("POST", "/zoos", &[GERMAN], Some(b"5"));
    assert_eq!(language_and_detail(&whole).1, "Der Body muss ein Objekt sein, nicht eine Zahl.");
    let listed = client.request("POST", "/zoos", &[GERMAN], Some(b"[5]"));
    assert!(
        listed.json()["errors"][0]["detail"] == "Element 0 muss ein Objekt sein, nicht eine Zahl."
    );
    let names = client.request("GET", "/zoos?limit=0&opened=x", &[GERMAN], None);
    assert_eq!(
        (
            language_and_detail(&names).1.as_str(),
            names.json()["errors"][1]["detail"].as_str().unwrap()
        ),
        (
            "`limit` muss eine ganze Zahl von 1 bis 100 sein; und noch 1.",
            "`opened` muss ein gültiges Datum wie 2026-11-20 sein, nicht `x`."
        )
    );
}

/// Conformance 98, 99: the language is chosen by the lookup of RFC 4647 §3.4. A client that accepts
/// no supported language gets English, and never a 406.
#[test]
fn a_language_is_looked_up() {
    let (_server, mut client) = zoos();
    for (wished, language) in [
        ("de-CH", "de"),
        ("DE", "de"),
        ("de-Latn-AT-1996", "de"),
        ("de;q=0.5, en", "en"),
        ("en;q=0.5, de", "de"),
        ("fr, de;q=0.1", "de"),
        ("fr", "en"),
        ("*", "en"),
        ("de;q=0", "en"),
        ("", "en"),
        ("deutsch", "en"),
        ("de;q=x", "en"),
    ] {
        let answer = client.request("GET", "/zoos/9", &[("accept-language", wished)], None);
        let detail = if language == "de" {
            "Den Eintrag zoo `9` gibt es nicht."
        } else {
            "There is no zoo `9`."
        };
        assert_eq!(answer.status(), 404, "{wished}");
        assert_eq!(language_and_detail(&answer), (Some(language), detail.into()), "{wished}");
    }
    let answer = client.get("/zoos/9");
    assert_eq!(language_and_detail(&answer), (Some("en"), "There is no zoo `9`.".into()));
    let (accept, head) = (("accept", "application/json"), ("accept-language", "de"));
    let head = client.request("HEAD", "/zoos/9", &[accept, head], None);
    assert_eq!(head.field("content-language"), Some("de"));
}

/// Conformance 94, 98: a response that does not depend on the language has no language fields.
#[test]
fn members_have_no_language() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1", "/", "/-/health"] {
        let plain = client.get(target);
        let german = client.request("GET", target, &[GERMAN], None);
        assert_eq!(
            (german.field("vary"), &german.body),
            (plain.field("vary"), &plain.body),
            "{target}"
        );
        assert!(!german.field("vary").unwrap_or_default().contains("language"), "{target}");
        assert_eq!(german.field("content-language"), None, "{target}");
    }
}

/// Conformance 94, 98, 142: the pages about problem types are translated, both as JSON and as HTML.
#[test]
fn what_a_problem_means_is_translated_too() {
    let (_server, mut client) = zoos();
    for target in ["/-/problems", "/-/problems/not-found"] {
        let page = client.request("GET", target, &[GERMAN], None);
        assert_eq!(
            (page.field("content-language"), page.field("vary")),
            (Some("de"), Some("accept, accept-language, accept-encoding"))
        );
        assert!(
            String::from_utf8(page.body).unwrap().contains("Diese URL gibt es nicht."),
            "{target}"
        );
        assert_eq!(client.get(target).field("content-language"), Some("en"));
    }
    for (method, target, body, texts) in [
        (
            "GET",
            "/-/problems",
            None,
            ["<h1>Probleme</h1>", "404 Nicht gefunden", "Was ein Fehler dieser"],
        ),
        (
            "GET",
            "/-/problems/not-found",
            None,
            ["Nicht gefunden</h1>", "Diese URL gibt es nicht", "Alle Arten von"],
        ),
        (
            "GET",
            "/zoos/9",
            None,
            ["Den Eintrag zoo <code>9</code>", "Was das bedeutet", "Kennung der Anfrage"],
        ),
        (
            "POST",
            "/zoos",
            Some(&b"5"[..]),
            ["<h2>Fehler</h2>", "(der Body)", "Der Body muss ein Objekt sein"],
        ),
    ] {
        let answer =
            client.request(method, target, &[GERMAN, ("accept", "text/html, */*;q=0.1")], body);
        let html = String::from_utf8(answer.body.clone()).unwrap();
        assert!(html.starts_with("<!doctype html>\n<html lang=\"de\">"), "{html}");
        assert_eq!(answer.field("content-language"), Some("de"));
        for text in texts {
            assert!(html.contains(text), "the page must contain `{text}`: {html}");
        }
    }
}

/// Conformance 98, 99: texts of user code are not translated, since their language is unknown.
#[test]
fn words_of_the_author_stay_as_they_are() {
    const CLOSED: Kind = Kind {
        slug: "closed",
        status: http::StatusCode::CONFLICT,
        title: "Closed",
        meaning: "It is night.",
    };
    let api = Api::new("Zoos")
        .problem(CLOSED)
        .route(http::Method::GET, "/door", |_| async {
            Err::<Custom, _>(Error::new(CLOSED, "Ring the bell."))
        })
        .route(http::Method::GET, "/gate", |_| async {
            Err::<Custom, _>(Error::new(Kind::NOT_FOUND, "The gate is gone."))
        })
        .route(http::Method::GET, "/bell", |_| async {
            let fault = Fault::body("/times", "order", "must be rung.");
            Err::<Custom, _>(Error::from_faults(Kind::INVALID_CONTENT, vec![fault.clone(), fault]))
        });
    let server = TestServer::serve(api.build().unwrap());
    let mut client = server.client();
    for (target, title, detail) in [
        ("/door", "Closed", "Ring the bell."),
        ("/gate", "Not found", "The gate is gone."),
        ("/bell", "Invalid content", "`times` must be rung; and 1 more."),
    ] {
        let answer = client.request("GET", target, &[GERMAN], None);
        assert_eq!(answer.json()["title"], title);
        assert_eq!(language_and_detail(&answer), (None, detail.into()));
    }
    let page = client.request("GET", "/-/problems/closed", &[GERMAN], None);
    assert_eq!(
        (page.field("content-language"), page.json()["meaning"].as_str()),
        (None, Some("It is night."))
    );
}
