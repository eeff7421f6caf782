//! Tests of requests whose response is too large for a worker.

use std::{
    future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use http::{Method, StatusCode};
use http_body_util::Full;

use super::*;
use crate::{
    model::Model,
    store::{Store, bed::API},
};

/// The size of a page that a worker makes itself, in bytes.
const PAGE_BYTES_MAX: usize = 300;

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn request(method: &Method, target: &str, body: &str) -> Request<Full<bytes::Bytes>> {
    let request = Request::builder().method(method).uri(target).header("host", "localhost");
    let request = request.header("content-type", "application/json");
    request.body(Full::from(body.to_owned())).unwrap()
}

/// A large page moves to another thread from each client, also one behind a proxy, whose request
/// the server has not identified.
#[test]
fn a_large_page_moves_from_each_client_if_its_method_is_safe() {
    let model = Arc::new(Model::link(&API).unwrap());
    let service = Service::new(Store::temporary(&model).unwrap());
    let notes = format!("[{}]", [r#"{"text":"note"}"#; 20].join(","));
    let made = wait(service.call_for(None, request(&Method::POST, "/notes", &notes))).unwrap();
    assert_eq!(made.status(), StatusCode::CREATED);
    let _worker = service.store().enter_worker_for(PAGE_BYTES_MAX).unwrap();
    let is_moved = |client: Option<ClientKey>, method: &Method, target: &str| {
        let moved = Arc::new(AtomicBool::new(false));
        let elsewhere = {
            let moved = Arc::clone(&moved);
            move |_: Request<Body>| -> ResponseFuture {
                moved.store(true, Ordering::Relaxed);
                Box::pin(future::ready(Ok(Response::new(Body::Empty))))
            }
        };
        let request = request(method, target, "");
        let response = wait(service.call_here(client, request, elsewhere)).unwrap();
        assert!(response.status().is_success(), "{method} {target}: {}", response.status());
        moved.load(Ordering::Relaxed)
    };
    for (id, client) in [(1, None), (2, Some(ClientKey::connect()))] {
        assert!(is_moved(client, &Method::GET, "/notes"), "{client:?}");
        assert!(is_moved(client, &Method::HEAD, "/notes"), "{client:?}");
        assert!(!is_moved(client, &Method::GET, "/notes?limit=1"), "{client:?}");
        assert!(!is_moved(client, &Method::DELETE, &format!("/notes/{id}")), "{client:?}");
        // Who has no other thread makes the page itself.
        let whole = wait(service.call_for(client, request(&Method::GET, "/notes", ""))).unwrap();
        assert_eq!(whole.status(), StatusCode::OK);
        let created =
            wait(service.call_for(client, request(&Method::POST, "/notes", r#"{"text":"a"}"#)));
        assert_eq!(created.unwrap().status(), StatusCode::CREATED);
    }
}
