//! Custom routes in an interface that also has generated routes.

use http::{Method, Response, StatusCode};
use nouns_runtime::{
    Api, Body, Error,
    custom::{Answer, RouteRequest},
    error::Kind,
    route,
};
use serde_json::json;

use crate::{
    hooks::bed::Bed,
    store::bed::wait,
    typed::zoo::{Animal, NewAnimal, NewZoo, Zoo},
};

#[derive(serde::Deserialize)]
struct Opening {
    year: i32,
}

async fn open(request: RouteRequest) -> Result<Answer, Error> {
    let Opening { year } = request.json()?;
    let zoo = request.member::<Zoo>().await?;
    Answer::json(StatusCode::CREATED, &json!({ "zoo": zoo.name, "year": year }))
}

async fn weigh(request: RouteRequest) -> Result<Answer, Error> {
    let animal = request.member::<Animal>().await?;
    Answer::member(&request, animal)
}

fn api() -> Api {
    Api::new("Zoos")
        .base_path("/api")
        .resource::<Zoo>()
        .resource::<Animal>()
        .route(Method::POST, "/zoos/{zoo}/openings", open)
        .route(Method::DELETE, "/zoos/{zoo}/openings", |_| async { Ok(Answer::no_content()) })
        .route(Method::GET, "/zoos/{zoo}/animals/{animal}/weight", weigh)
        .route(Method::GET, "/zoos/{zoo_id}/animals/{animal_id}/mass", weigh)
        .route(Method::GET, "/years/{year}", |request: RouteRequest| async move {
            let query = request.query().unwrap_or_default();
            let text = format!("{} {query}", request.parameter("year")?);
            Response::builder().header("x-a", "b").body(Body::from(text)).map_err(Error::internal)
        })
        .route(Method::GET, "/years/current", |_| async { Answer::see_other("/api/years/2026") })
        .route(Method::PUT, "/zoos/statistics", |request: RouteRequest| async move {
            assert_ne!(request.body().as_ref(), b"boom");
            Err::<Answer, _>(Error::new(Kind::UNAVAILABLE, "Later."))
        })
}

fn bed() -> Bed {
    let bed = Bed::new(api());
    wait(async {
        for name in ["a", "b"] {
            let zoo = bed.store.of::<Zoo>().create(NewZoo::new(name.into())).await.unwrap();
            bed.store
                .of::<Animal>()
                .within(zoo.id)
                .create(NewAnimal::new(name.into()))
                .await
                .unwrap();
        }
    });
    bed
}

#[test]
fn a_member_in_the_path_is_proven_with_its_chain() {
    let bed = bed();
    wait(async {
        let opened = bed.ask("POST /api/zoos/1/openings", r#"{ "year": 2026 }"#).await;
        assert_eq!((opened.status, opened.json), (201, json!({ "zoo": "a", "year": 2026 })));
        let body = r#"{ "year": 1 }"#;
        let missing = bed.status("POST /api/zoos/9/openings", body).await;
        assert_eq!(missing, (404, "There is no zoo `9`.".into()));
        let no_id = bed.status("POST /api/zoos/x/openings", body).await;
        assert_eq!(
            no_id,
            (404, "`x` is not an id of `zoo`; an id is a positive whole number.".into())
        );
        let weight = bed.ask("GET /api/zoos/2/animals/2/weight", "").await;
        let member = bed.ask("GET /api/zoos/2/animals/2", "").await;
        assert_eq!((weight.status, &weight.json), (200, &member.json));
        assert_eq!(weight.headers["etag"], member.headers["etag"]);
        let mass = bed.ask("GET /api/zoos/2/animals/2/mass", "").await;
        assert_eq!(mass.json, member.json, "a placeholder may end in `_id`");
        let strange = bed.status("GET /api/zoos/1/animals/2/weight", "").await;
        assert_eq!(strange, (404, "There is no animal `2` under zoo `1`.".into()));
    });
}

#[test]
fn bodies_are_json_only_where_the_handler_asks() {
    let bed = bed();
    wait(async {
        let broken = bed.ask("POST /api/zoos/1/openings", "{").await;
        assert_eq!(
            (broken.status, &broken.json["type"]),
            (400, &json!("/api/-/problems/malformed-body"))
        );
        let other = bed.ask("POST /api/zoos/1/openings", r#"{ "year": "x" }"#).await;
        assert_eq!((other.status, &other.json["errors"][0]["code"]), (422, &json!("type")));
        let fields = [("content-type", "text/plain")];
        assert_eq!(bed.ask_with("POST /api/zoos/1/openings", "{}", &fields).await.status, 415);
        assert_eq!(bed.ask_with("PUT /api/zoos/statistics", "x", &fields).await.status, 503);
        let large = "x".repeat(nouns_runtime::limits::BODY_BYTES_MAX + 1);
        assert_eq!(bed.ask("PUT /api/zoos/statistics", &large).await.status, 413);
        assert_eq!(bed.ask("PUT /api/zoos/statistics", "boom").await.status, 500);
    });
}

#[test]
fn parameters_are_decoded_and_literals_go_before_them() {
    let bed = bed();
    wait(async {
        let request = http::Request::get("/api/years/a%2Fb%20c?x=1").body(Body::Empty).unwrap();
        let reply = bed.service.reply(request).await;
        assert_eq!(
            (reply.headers["x-a"].as_bytes(), reply.body),
            (&b"b"[..], Body::from("a/b c x=1"))
        );
        let current = bed.ask("GET /api/years/current", "").await;
        assert_eq!(
            (current.status, &current.headers["location"]),
            (303, &"/api/years/2026".parse().unwrap())
        );
        let request = http::Request::head("/api/years/2026").body(Body::Empty).unwrap();
        let reply = bed.service.reply(request).await;
        assert_eq!(
            (reply.status, reply.headers["content-length"].as_bytes(), reply.body),
            (StatusCode::OK, &b"5"[..], Body::Empty)
        );
    });
}

#[test]
fn methods_are_those_of_the_path() {
    let bed = bed();
    wait(async {
        let refused = bed.ask("PATCH /api/zoos/1/openings", "{}").await;
        assert_eq!(
            (refused.status, &refused.headers["allow"]),
            (405, &"POST, DELETE, OPTIONS".parse().unwrap())
        );
        let options = bed.ask("OPTIONS /api/years/1", "").await;
        assert_eq!(
            (options.status, &options.headers["allow"]),
            (200, &"GET, HEAD, OPTIONS".parse().unwrap())
        );
        assert!(
            !bed.ask("OPTIONS /api/zoos/1/openings", "").await.headers.contains_key("accept-post")
        );
        assert_eq!(bed.ask("BREW /api/years/1", "").await.status, 501);
        assert_eq!(bed.ask("GET /api/years/1/", "").await.headers["location"], "/api/years/1");
        assert_eq!(bed.ask("GET /api/yeers/1", "").await.status, 404);
        assert_eq!(bed.ask("DELETE /api/zoos/1/openings", "").await.status, 204);
        assert_eq!(bed.ask("GET /api/zoos/2", "").await.json["name"], "b");
    });
}

#[test]
fn they_stand_in_the_table_of_routes() {
    let model = api().build().unwrap();
    let own = route::table(&model).into_iter().filter(|route| route.meaning == route::Meaning::Own);
    let own: Vec<_> = own.map(|route| format!("{} {}", route.method, route.path)).collect();
    let expected = [
        "GET /api/years/current",
        "GET /api/years/{year}",
        "PUT /api/zoos/statistics",
        "GET /api/zoos/{zoo_id}/animals/{animal_id}/mass",
        "GET /api/zoos/{zoo}/animals/{animal}/weight",
        "POST /api/zoos/{zoo}/openings",
        "DELETE /api/zoos/{zoo}/openings",
    ];
    assert_eq!(own, expected);
}
