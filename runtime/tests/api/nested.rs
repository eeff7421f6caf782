//! A service behind a router that removes the base path from the URLs of requests.

use http::{Method, Request, Response};
use nouns_runtime::{Answer, Api, Body, Nested, RouteRequest, Service, Store};
use tower_service::Service as _;

use crate::{
    store::bed::wait,
    typed::zoo::{Animal, Zoo},
};

fn nested(base: &str) -> Nested {
    let api = Api::new("Zoos").base_path(base).resource::<Zoo>().resource::<Animal>().route(
        Method::GET,
        "/path",
        |request: RouteRequest| async move { Answer::json(http::StatusCode::OK, &request.path()) },
    );
    Service::new(Store::temporary(&api.build().unwrap()).unwrap()).nested()
}

fn ask(service: &mut Nested, method: &str, uri: &str, body: &str) -> (u16, Response<Body>) {
    let request = Request::builder().method(method).uri(uri);
    let request = request.header("content-type", "application/json");
    let request = request.body(Body::from(body.as_bytes().to_vec())).unwrap();
    let response = wait(service.call(request)).unwrap();
    (response.status().as_u16(), response)
}

fn text(response: &Response<Body>) -> String {
    match response.body() {
        Body::Full(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        _ => String::new(),
    }
}

/// This test fails to compile if an async runtime could no longer embed the service.
#[test]
fn a_service_can_be_embedded_anywhere() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    fn sent<T: Send>(_: fn(&Service, Request<Body>) -> T) {}
    shared::<Service>();
    sent(|service, request| {
        let service = service.clone();
        async move { service.reply(request).await }
    });
}

#[test]
fn paths_lack_the_base_path_and_links_keep_it() {
    let mut service = nested("/api/v1");
    let (status, created) = ask(&mut service, "POST", "/zoos", r#"{ "name": "a" }"#);
    assert_eq!((status, &created.headers()["location"]), (201, &"/api/v1/zoos/1".parse().unwrap()));
    let (status, page) = ask(&mut service, "GET", "/zoos?limit=1&name=a", "");
    assert_eq!(status, 200);
    assert!(text(&page).contains(r#""self":"/api/v1/zoos?limit=1&name=a""#), "{}", text(&page));
    let (status, missing) = ask(&mut service, "GET", "/zoos/9", "");
    assert_eq!(status, 404);
    assert!(text(&missing).contains(r#""type":"/api/v1/-/problems/not-found""#));
    let (_, path) = ask(&mut service, "GET", "/path?x=1", "");
    assert_eq!(text(&path), r#""/api/v1/path""#);
    for home in ["/", "/?x=1"] {
        assert_ne!(ask(&mut service, "GET", home, "").0, 404, "{home}");
    }
    // A path that still has the base path is another path.
    assert_eq!(ask(&mut service, "GET", "/api/v1/zoos", "").0, 404);
    let (status, _) = ask(&mut service, "GET", "http://localhost/zoos/1", "");
    assert_eq!(status, 200, "a URL with scheme and authority");
}

#[test]
fn without_a_base_path_nothing_changes() {
    let mut service = nested("/");
    assert_eq!(ask(&mut service, "POST", "/zoos", r#"{ "name": "a" }"#).0, 201);
    assert_eq!(ask(&mut service, "GET", "/zoos/1?fields=name", "").0, 200);
    assert_ne!(ask(&mut service, "GET", "/", "").0, 500);
    assert_eq!(ask(&mut service, "OPTIONS", "*", "").0, 200);
}
