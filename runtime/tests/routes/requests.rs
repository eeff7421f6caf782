//! Tests of what user code learns about a request: its caller, extensions, id and span, its query
//! and its body; and pages that it sends.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
};

use http::{Method, Request, StatusCode};
use nouns_runtime::{Answer, Api, Body, Caller, Context, Error, RouteRequest, Service};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    hooks::bed::Bed,
    store::bed::wait,
    typed::zoo::{NewZoo, Zoo},
};

/// An extension that a layer of the program adds to requests.
#[derive(Clone)]
struct Tenant(&'static str);

/// The facts in the context of a call, as JSON.
fn facts(context: &Context) -> Json {
    json!({
        "caller": context.caller().name(),
        "tenant": context.extension::<Tenant>().map(|tenant| tenant.0),
        "id": context.request_id(),
    })
}

async fn show(request: RouteRequest) -> Result<Answer, Error> {
    tracing::info!("the handler runs");
    Answer::json(StatusCode::OK, &facts(&request))
}

/// The parameters of the route `/period`.
#[derive(Deserialize)]
struct Period {
    from: i32,
    to: Option<i32>,
    #[serde(default)]
    tag: Vec<String>,
}

async fn period(request: RouteRequest) -> Result<Answer, Error> {
    let Period { from, to, tag } = request.query_as()?;
    Answer::json(StatusCode::OK, &json!([from, to, tag]))
}

async fn ages(request: RouteRequest) -> Result<Answer, Error> {
    let ages: BTreeMap<String, Vec<u8>> = request.json()?;
    Answer::json(StatusCode::OK, &ages.len())
}

/// Sends a page of the zoos whose name does not begin with `x`, in pages of at most three.
async fn search(request: RouteRequest) -> Result<Answer, Error> {
    let query = request.query_of::<Zoo>()?.filter(|zoo| !zoo.name.starts_with("x"));
    let page = request.store().of::<Zoo>().list(&query).await?;
    Answer::page(&request, page)
}

fn bed() -> Bed {
    let api = Api::new("Zoos")
        .base_path("/api")
        .resource::<Zoo>()
        .route(Method::GET, "/facts", show)
        .route(Method::GET, "/period", period)
        .route(Method::POST, "/ages", ages)
        .route(Method::GET, "/search", search)
        .hooks::<Zoo>(|hooks| {
            hooks.before_create(|context, new: NewZoo| async move {
                tracing::info!("the hook runs");
                let caller = context.caller().name().unwrap_or("nobody");
                Ok(NewZoo { name: format!("{} of {caller}", new.name), ..new })
            })
        });
    Bed::new(api)
}

async fn send(service: &Service, request: Request<Body>) -> (u16, Json) {
    let reply = service.reply(request).await;
    let json = match &reply.body {
        Body::Full(bytes) => serde_json::from_slice(bytes).unwrap(),
        _ => Json::Null,
    };
    (reply.status.as_u16(), json)
}

#[test]
fn a_layer_sets_the_caller_and_extensions_that_user_code_reads() {
    let bed = bed();
    let of = |path: &str| Request::get(path).header("request-id", "r-1").body(Body::Empty).unwrap();
    let (status, anonymous) = wait(send(&bed.service, of("/api/facts")));
    assert_eq!((status, anonymous), (200, json!({ "caller": null, "tenant": null, "id": "r-1" })));
    let mut request = of("/api/facts");
    request.extensions_mut().insert(Caller::named("ada"));
    request.extensions_mut().insert(Tenant("north"));
    let (_, known) = wait(send(&bed.service, request));
    assert_eq!(known, json!({ "caller": "ada", "tenant": "north", "id": "r-1" }));

    let mut request = Request::post("/api/zoos").body(Body::from(r#"{ "name": "a" }"#)).unwrap();
    request.headers_mut().insert("content-type", "application/json".parse().unwrap());
    request.extensions_mut().insert(Caller::named("ada"));
    let (status, zoo) = wait(send(&bed.service, request));
    assert_eq!((status, &zoo["name"]), (201, &json!("a of ada")));
}

#[test]
fn a_response_to_a_known_caller_is_for_nobody_else() {
    let bed = bed();
    let get = || Request::get("/api/zoos").body(Body::Empty).unwrap();
    let control = |request| {
        let reply = wait(bed.service.reply(request));
        reply.headers["cache-control"].to_str().unwrap().to_owned()
    };
    assert!(!control(get()).contains("private"));
    let mut known = get();
    known.extensions_mut().insert(Caller::named("ada"));
    assert!(control(known).contains("private"));
}

#[test]
fn equal_idempotency_keys_of_different_callers_are_different() {
    let bed = bed();
    let post = |name: &str, caller: &str| {
        let mut request = Request::post("/api/zoos")
            .header("content-type", "application/json")
            .header("idempotency-key", "\"key\"")
            .body(Body::from(format!(r#"{{ "name": "{name}" }}"#)))
            .unwrap();
        request.extensions_mut().insert(Caller::named(caller));
        wait(send(&bed.service, request))
    };
    let first = post("a", "ada");
    assert_eq!(first.0, 201);
    assert_eq!(post("a", "ada"), first, "the same caller gets the stored response");
    let other = post("b", "ada\" POST");
    assert_eq!(other.0, 201, "{}", other.1);
    assert_ne!(other.1["id"], first.1["id"]);
}

/// The lines that a subscriber has written.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn logs_of_user_code_name_the_request_like_its_own_log_line() {
    let (bed, lines) = (bed(), Lines::default());
    let ask = || {
        wait(async {
            bed.ask("GET /api/facts", "").await;
            bed.ask("POST /api/zoos", r#"{ "name": "a" }"#).await;
        });
    };
    // A place that logs for the first time on another thread might miss the new subscriber.
    ask();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .finish();
    tracing::subscriber::with_default(subscriber, ask);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let line = |word: &str| text.lines().find(|line| line.contains(word)).unwrap().to_owned();
    let field = |line: &str, name: &str| {
        let (_, value) = line.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("{text}"));
        value.split([' ', '}']).next().unwrap().trim_matches('"').to_owned()
    };
    let handler = line("the handler runs");
    assert_eq!(field(&handler, "route"), "/facts");
    assert_eq!(field(&handler, "method"), "GET");
    let id = field(&handler, "request_id");
    let logged = text.lines().filter(|line| line.contains("nouns::request")).collect::<Vec<_>>();
    let own = logged.iter().find(|line| line.contains("micros=")).unwrap();
    assert_eq!(field(own, "request_id"), id, "the line of the request has the same id");
    let hook = line("the hook runs");
    assert_eq!(field(&hook, "route"), "/zoos");
    assert_eq!(field(&hook, "resource"), "zoo");
    let closed = text.lines().find(|line| line.contains("close") && line.contains("/facts"));
    assert_eq!(field(closed.unwrap(), "status"), "200");
}

#[test]
fn a_query_string_is_read_into_any_type_and_a_fault_names_the_parameter() {
    let bed = bed();
    wait(async {
        let ok = bed.ask("GET /api/period?from=3&tag=a&tag=b%20c", "").await;
        assert_eq!((ok.status, ok.json), (200, json!([3, null, ["a", "b c"]])));
        let wrong = bed.ask("GET /api/period?from=3&to=x", "").await;
        assert_eq!(wrong.status, 400);
        let fault = &wrong.json["errors"][0];
        assert_eq!(fault["parameter"], "to");
        assert_eq!(
            fault["detail"],
            "`to` does not have the expected form: invalid digit found in string."
        );
        let missing = bed.ask("GET /api/period", "").await;
        let detail = "The query does not have the expected form: missing field `from`.";
        assert_eq!((missing.status, &missing.json["detail"]), (400, &json!(detail)));
    });
}

#[test]
fn a_fault_in_a_body_has_the_pointer_of_the_value() {
    let bed = bed();
    wait(async {
        let ok = bed.ask("POST /api/ages", r#"{ "a": [1, 2] }"#).await;
        assert_eq!((ok.status, ok.json), (200, json!(1)));
        let wrong = bed.ask("POST /api/ages", r#"{ "a": [1], "b/~": [1, 256] }"#).await;
        assert_eq!(wrong.status, 422);
        let fault = &wrong.json["errors"][0];
        assert_eq!((&fault["pointer"], &fault["code"]), (&json!("/b~1~0/1"), &json!("type")));
        let detail = fault["detail"].as_str().unwrap();
        assert!(detail.contains("invalid value: integer `256`, expected u8"), "{detail}");
        assert!(!detail.contains("line"), "{detail}");
        let rest = bed.ask("POST /api/ages", "{} {}").await;
        assert_eq!(rest.json["type"], "/api/-/problems/malformed-body");
    });
}

#[test]
fn a_page_of_a_route_is_like_a_page_of_its_collection() {
    let bed = bed();
    let names = ["a", "b", "x1", "c", "d", "x2", "e"];
    wait(async {
        for name in names {
            let new = NewZoo::new(name.into());
            bed.store
                .transaction_as_system(move |tx| tx.of::<Zoo>().create(new.clone()))
                .await
                .unwrap();
        }
        for first in ["sortby=name&limit=2", "limit=2&count=true", "limit=2&offset=0", "limit=9"] {
            let mut url = format!("/api/search?{first}");
            let mut seen = vec![];
            loop {
                let page = bed.ask(&format!("GET {url}"), "").await;
                assert_eq!(page.status, 200, "{url}: {}", page.json);
                assert_eq!(page.json["links"]["self"], url);
                assert!(page.json["items"].as_array().unwrap().len() <= 9);
                let items = page.json["items"].as_array().unwrap();
                seen.extend(items.iter().map(|zoo| zoo["name"].as_str().unwrap().to_owned()));
                let Some(next) = page.json["links"]["next"].as_str() else { break };
                url = next.to_owned();
                if first.contains("count") {
                    assert_eq!(page.json["total"], 5);
                }
            }
            assert_eq!(seen, ["a", "b", "c", "d", "e"], "{first}");
        }
        let wrong = bed.ask("GET /api/search?nothing=1", "").await;
        assert_eq!((wrong.status, &wrong.json["errors"][0]["parameter"]), (400, &json!("nothing")));
        // The members of a page are those of the collection, without hidden fields.
        let page = bed.ask("GET /api/search?limit=1&fields=", "").await;
        assert_eq!(page.status, 400);
        let page = bed.ask("GET /api/search?limit=1", "").await.json;
        let same = bed.ask("GET /api/zoos?limit=1", "").await.json;
        assert_eq!(page["items"], same["items"]);
    });
}
