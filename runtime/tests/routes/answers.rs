//! The responses of custom routes. A mistake in a handler gives an error response and does not
//! close the connection.

use http::{HeaderValue, Method, StatusCode, header};
use nouns_runtime::{
    Api, Error, Id,
    custom::{Answer, RouteRequest},
    error::Kind,
    typed::Query,
};

use crate::{
    hooks::{
        bed::Bed,
        pen::{NewPen, Pen},
    },
    store::bed::wait,
    typed::{
        staff::{Keeper, NewKeeper},
        zoo::{Animal, NewZoo, Zoo},
    },
};

async fn status(request: RouteRequest) -> Result<Answer, Error> {
    let status = request.parameter("status")?.parse().map_err(Error::internal)?;
    Ok(Answer::status(StatusCode::from_u16(status).map_err(Error::internal)?))
}

fn framed(answer: Answer) -> Answer {
    [
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "upgrade",
        "trailer",
        "te",
        "x-a",
    ]
    .into_iter()
    .fold(answer, |answer, name| answer.with(name.parse().unwrap(), HeaderValue::from_static("1")))
}

fn api() -> Api {
    Api::new("Zoos")
        .resource::<Zoo>()
        .resource::<Animal>()
        .resource::<Pen>()
        .resource::<Keeper>()
        .route(Method::GET, "/statuses/{status}", status)
        .route(Method::GET, "/framed", |_| async { Answer::json(StatusCode::OK, &1).map(framed) })
        .route(Method::GET, "/refused", |_| async {
            let error = Error::new(Kind::UNAVAILABLE, "Later.");
            Err::<Answer, _>(error.with_header(header::CONTENT_LENGTH, 1.into()))
        })
        .route(Method::GET, "/wrong", |request: RouteRequest| async move {
            request.parameter("ghost").map(|_| Answer::no_content())
        })
        .route(Method::GET, "/why", |request: RouteRequest| async move {
            let causes = [
                request.parameter("ghost").unwrap_err(),
                request.member::<Zoo>().await.unwrap_err(),
            ];
            let causes = causes.map(|error| error.source().map(ToString::to_string));
            Answer::json(StatusCode::OK, &causes)
        })
        .route(Method::GET, "/staff", |request: RouteRequest| async move {
            let keepers = request.store().of::<Keeper>().list(&Query::new()).await?;
            Answer::members(&request, keepers)
        })
        .route(Method::GET, "/nobody", |request: RouteRequest| async move {
            Answer::members::<Keeper>(&request, [])
        })
        .route(Method::GET, "/zoos/{zoo}/pens/{pen}/plan", |request: RouteRequest| async move {
            Answer::member(&request, request.member::<Pen>().await?)
        })
}

#[test]
fn a_status_is_that_of_a_final_answer() {
    let bed = Bed::new(api());
    wait(async {
        for (given, answered) in
            [(100, 500), (101, 500), (103, 500), (199, 500), (600, 500), (999, 500)]
        {
            assert_eq!(bed.ask(&format!("GET /statuses/{given}"), "").await.status, answered);
        }
        for status in [200, 304, 418, 599] {
            assert_eq!(bed.ask(&format!("GET /statuses/{status}"), "").await.status, status);
        }
    });
}

/// The header fields of every response.
const OF_ALL: [&str; 5] = [
    "cache-control",
    "content-security-policy",
    "cross-origin-resource-policy",
    "referrer-policy",
    "x-content-type-options",
];

/// Conformance 172: the fields of a connection that a handler sets are dropped.
#[test]
fn fields_of_the_connection_are_the_servers() {
    let bed = Bed::new(api());
    wait(async {
        let framed = bed.ask("GET /framed", "").await;
        let mut names: Vec<_> = framed.headers.keys().map(http::HeaderName::as_str).collect();
        names.sort_unstable();
        names.retain(|name| !OF_ALL.contains(name));
        assert_eq!((framed.status, names), (200, vec!["content-type", "server", "x-a"]));
        let refused = bed.ask("GET /refused", "").await;
        assert_eq!((refused.status, refused.headers.get("content-length")), (503, None));
    });
}

#[test]
fn a_placeholder_that_is_not_there_is_told_in_the_log() {
    let bed = Bed::new(api());
    wait(async {
        assert_eq!(bed.ask("GET /wrong", "").await.status, 500);
        let why = |name| {
            format!(
                "the path of the route has no placeholder `{{{name}}}`; add it to the path, or use a placeholder that the path has"
            )
        };
        assert_eq!(
            bed.ask("GET /why", "").await.json,
            serde_json::json!([why("ghost"), why("zoo")])
        );
    });
}

#[test]
fn a_member_with_json_has_no_validator() {
    let bed = Bed::new(api());
    wait(async {
        let zoo = bed.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        bed.store
            .of::<Pen>()
            .within(zoo.id)
            .create(NewPen { plan: None, code: None })
            .await
            .unwrap();
        let plan = bed.ask("GET /zoos/1/pens/1/plan", "").await;
        assert_eq!((plan.status, plan.headers.get("etag")), (200, None));
    });
}

/// A handler that sends members sends what a GET of their collection shows. A hidden field never
/// leaves the server.
#[test]
fn members_of_a_handler_have_only_the_fields_that_clients_may_see() {
    let bed = Bed::new(api());
    wait(async {
        for name in ["Ann", "Bob"] {
            let id = Id::new(name.to_ascii_lowercase());
            let keeper =
                NewKeeper { secret: Some("s3cret".into()), ..NewKeeper::new(id, name.into()) };
            bed.store.of::<Keeper>().create(keeper).await.unwrap();
        }
        let (staff, keepers) = (bed.ask("GET /staff", "").await, bed.ask("GET /keepers", "").await);
        assert_eq!(staff.status, 200);
        assert_eq!(staff.json, serde_json::json!({ "items": keepers.json["items"] }));
        assert_eq!(staff.json["items"].as_array().unwrap().len(), 2);
        assert!(!staff.json.to_string().contains("s3cret"), "{}", staff.json);
        let nobody = bed.ask("GET /nobody", "").await;
        assert_eq!((nobody.status, nobody.json), (200, serde_json::json!({ "items": [] })));
    });
}
