//! Tests of the booking service, through its axum router.

#![expect(clippy::unwrap_used, reason = "a failed test panics, also in helper functions")]

use axum::{Router, body::Body};
use booking::{
    AppState, api,
    resources::{Booking, NewRoom, Room},
    router,
};
use http_body_util::BodyExt as _;
use nouns::{
    Query, Store,
    http::{HeaderMap, Request},
};
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use tower::ServiceExt as _;

/// An HTTP response to a test.
struct Got {
    status: u16,
    headers: HeaderMap,
    json: Json,
}

/// A router with an empty database.
fn app() -> (Router, Store) {
    let store = Store::temporary(&api().build().unwrap()).unwrap();
    let users = vec![("ada", "a-token")];
    (router(AppState { store: store.clone(), users }), store)
}

/// Sends a request as the user Ada. `line` is the method and the path.
async fn ask(app: &Router, line: &str, body: Json) -> Got {
    let (method, uri) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(uri).header("x-token", "a-token");
    let mut content = Body::empty();
    if !body.is_null() {
        request = request.header("content-type", "application/json");
        content = Body::from(body.to_string());
    }
    let response = app.clone().oneshot(request.body(content).unwrap()).await.unwrap();
    let (head, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
    Got { status: head.status.as_u16(), headers: head.headers, json }
}

/// Creates a room with as many seats as given.
async fn room(app: &Router, name: &str, seats: u16) {
    let made = ask(app, "POST /api/rooms", json!({ "name": name, "seats": seats })).await;
    assert_eq!(made.status, 201, "{}", made.json);
}

/// A booking from one hour of a day to another.
fn hours(from: u8, to: u8) -> Json {
    let at = |hour: u8| format!("2026-12-01T{hour:02}:00:00Z");
    json!({ "guest": "Linus", "starts_at": at(from), "ends_at": at(to) })
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_overlapping_bookings_exactly_one_is_made() {
    for run in 0..100 {
        let (app, store) = app();
        room(&app, "Blue", 4).await;
        let posts = (0..50_u8).map(|at| {
            let app = app.clone();
            // Each booking contains noon, so all of them overlap.
            let body = hours(at % 12, 13 + at % 11);
            tokio::spawn(async move { ask(&app, "POST /api/rooms/1/bookings", body).await.status })
        });
        let mut statuses = vec![];
        for post in posts.collect::<Vec<_>>() {
            statuses.push(post.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!(statuses[0], 201, "run {run}");
        assert!(statuses[1..].iter().all(|status| *status == 409), "run {run}: {statuses:?}");
        assert_eq!(store.of::<Booking>().count(&Query::new()).await.unwrap(), 1, "run {run}");
        store.close().await;
    }
}

#[tokio::test]
async fn a_refused_booking_says_why_and_leaves_no_record() {
    let (app, _store) = app();
    room(&app, "Blue", 4).await;
    let bookings = "POST /api/rooms/1/bookings";
    let made = ask(&app, bookings, hours(9, 11)).await;
    assert_eq!(made.status, 201);
    assert_eq!(made.headers["location"], "/api/rooms/1/bookings/1");
    assert_eq!(made.json["status"], "confirmed");
    let taken = ask(&app, bookings, hours(10, 12)).await;
    assert_eq!(taken.status, 409);
    assert_eq!(taken.json["type"], "/api/-/problems/room-taken");
    assert_eq!(taken.json["errors"][0]["pointer"], "/starts_at");
    assert_eq!(ask(&app, bookings, hours(11, 11)).await.status, 422);
    assert_eq!(ask(&app, bookings, hours(11, 12)).await.status, 201, "one ends, one begins");
    let patch = json!({ "ends_at": "2026-12-01T11:30:00Z" });
    assert_eq!(ask(&app, "PATCH /api/rooms/1/bookings/1", patch).await.status, 409);
    let guest = json!({ "guest": "Margaret" });
    assert_eq!(ask(&app, "PATCH /api/rooms/1/bookings/1", guest).await.status, 200);
    assert_eq!(ask(&app, "DELETE /api/rooms/1/bookings/2", Json::Null).await.status, 204);
    let records = ask(&app, "GET /api/audits?sortby=id", Json::Null).await.json;
    let records: Vec<_> = records["items"].as_array().unwrap().iter().collect();
    let what: Vec<_> = records.iter().map(|record| record["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["create 1", "create 2", "update 1", "delete 2"]);
    assert!(records.iter().all(|record| record["user"] == "ada"), "a layer has set the caller");
}

#[tokio::test]
async fn a_fault_in_an_array_has_the_index_of_its_booking() {
    let (app, _store) = app();
    room(&app, "Blue", 4).await;
    let many = json!([hours(9, 11), hours(10, 12)]);
    let refused = ask(&app, "POST /api/rooms/1/bookings", many).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/1/starts_at");
    let listed = ask(&app, "GET /api/rooms/1/bookings?count=true", Json::Null).await;
    assert_eq!(listed.json["total"], 0, "all bookings of the array or none");
}

#[tokio::test]
async fn the_gaps_between_bookings_are_available() {
    let (app, _store) = app();
    room(&app, "Blue", 4).await;
    for (from, to) in [(9, 10), (10, 12), (14, 15)] {
        assert_eq!(ask(&app, "POST /api/rooms/1/bookings", hours(from, to)).await.status, 201);
    }
    let period = "from=2026-12-01T09:30:00Z&to=2026-12-01T16:00:00Z";
    let line = |room: u8, query: &str| format!("GET /api/rooms/{room}/availability?{query}");
    let free = ask(&app, &line(1, period), Json::Null).await;
    let gap = |from: &str, to: &str| json!({ "from": from, "to": to });
    let noon = gap("2026-12-01T12:00:00Z", "2026-12-01T14:00:00Z");
    let evening = gap("2026-12-01T15:00:00Z", "2026-12-01T16:00:00Z");
    assert_eq!((free.status, free.json), (200, json!([noon, evening])));
    let wrong = ask(&app, &line(1, "from=today&to=2026-12-01T16:00:00Z"), Json::Null).await;
    assert_eq!((wrong.status, &wrong.json["errors"][0]["parameter"]), (400, &json!("from")));
    assert_eq!(ask(&app, &line(9, period), Json::Null).await.status, 404);
}

#[tokio::test]
async fn a_relocation_moves_all_bookings_or_none() {
    let (app, _store) = app();
    for (name, seats) in [("Blue", 4), ("Red", 6), ("Closet", 1)] {
        room(&app, name, seats).await;
    }
    for (room, from, to) in [(1, 9, 10), (1, 11, 12), (2, 11, 13)] {
        let line = format!("POST /api/rooms/{room}/bookings");
        assert_eq!(ask(&app, &line, hours(from, to)).await.status, 201);
    }
    let into = |room: u8| json!({ "into": room, "after": "2026-12-01T00:00:00Z" });
    let count = async |room: u8| {
        let line = format!("GET /api/rooms/{room}/bookings?count=true");
        ask(&app, &line, Json::Null).await.json["total"].clone()
    };
    let line = "POST /api/rooms/1/relocation";
    let taken = ask(&app, line, into(2)).await;
    assert_eq!((taken.status, &taken.json["type"]), (409, &json!("/api/-/problems/room-taken")));
    assert_eq!((count(1).await, count(2).await), (json!(2), json!(1)), "nothing was moved");
    assert_eq!(ask(&app, line, into(3)).await.json["errors"][0]["code"], "seats");
    assert_eq!(ask(&app, line, into(9)).await.status, 409);
    assert_eq!(ask(&app, "DELETE /api/rooms/2/bookings/3", Json::Null).await.status, 204);
    let moved = ask(&app, line, into(2)).await;
    assert_eq!((moved.status, moved.json), (200, json!(2)));
    assert_eq!((count(1).await, count(2).await), (json!(0), json!(2)));
}

#[tokio::test]
async fn the_api_is_nested_beside_the_routes_of_the_program() {
    let (app, store) = app();
    room(&app, "Blue", 4).await;
    let status = ask(&app, "GET /status", Json::Null).await;
    assert_eq!((status.status, status.json), (200, json!({ "bookings": 0 })));
    let page = ask(&app, "GET /api/rooms?limit=1", Json::Null).await;
    assert_eq!(page.json["links"]["self"], "/api/rooms?limit=1");
    assert!(page.headers["cache-control"].to_str().unwrap().contains("private"));
    let missing = ask(&app, "GET /api/rooms/9", Json::Null).await;
    assert_eq!((missing.status, &missing.json["instance"]), (404, &json!("/api/rooms/9")));
    for home in ["GET /api", "GET /api/"] {
        assert_ne!(ask(&app, home, Json::Null).await.status, 404, "{home}");
    }
    assert_eq!(ask(&app, "GET /rooms", Json::Null).await.status, 404, "a 404 of axum");
    store.close().await;
    assert_eq!(ask(&app, "DELETE /api/rooms/1", Json::Null).await.status, 503, "it is closed");
}

#[tokio::test]
async fn a_shutdown_answers_the_last_request_and_then_closes_the_store() {
    let (app, store) = app();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async { drop(stopped.await) });
    let serving = tokio::spawn(serving.into_future());
    let mut client = TcpStream::connect(address).await.unwrap();
    let body = r#"{ "name": "Blue", "seats": 4 }"#;
    let head = format!(
        "POST /api/rooms HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).await.unwrap();
    let mut interim = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    client.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n", "the service reads the body");
    stop.send(()).unwrap();
    client.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    serving.await.unwrap().unwrap();
    store.close().await;
    let closed = store.of::<Room>().create(NewRoom::new("Red".into(), 2)).await;
    assert_eq!(closed.unwrap_err().status().as_u16(), 503);
}

#[test]
fn the_interface_is_the_one_we_know() {
    use nouns::snapshot::{Recorder, routes, sql};
    let model = api().build().unwrap();
    insta::assert_snapshot!("routes", routes(&model));
    insta::assert_snapshot!("tables", sql(&model));
    let recorder = Recorder::new(model);
    let room = recorder.exchange("POST /api/rooms", r#"{ "name": "Blue", "seats": 4 }"#);
    insta::assert_snapshot!("new_room", room);
}
