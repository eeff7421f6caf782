//! A service for an API declared in Rust. The tests call it without a socket.

use std::future::Future;

use http::Request;
use nouns::{
    __runtime::{Body, reply::Reply},
    Api, Service, Store,
};
use serde_json::Value as Json;

use crate::database::TestDatabase;

/// A service with a database of its own: the test bed of the derives.
pub(crate) struct Bed {
    pub(crate) service: Service,
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) database: TestDatabase,
    _folder: tempfile::TempDir,
}

impl Bed {
    pub(crate) fn of(api: Api) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let database = TestDatabase::new(folder.path().join("test.db"));
        let service = api.open(database.location()).unwrap();
        Self { service, runtime, database, _folder: folder }
    }

    pub(crate) fn store(&self) -> &Store {
        self.service.store()
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Sends a request. `request` is a method and a target, as in `GET /zoos`. Returns the status,
    /// the header fields and the JSON body of the response.
    pub(crate) fn ask(&self, request: &str, body: &Json) -> (u16, http::HeaderMap, Json) {
        let (method, target) = request.split_once(' ').unwrap();
        let bytes = if body.is_null() { vec![] } else { body.to_string().into_bytes() };
        let request =
            Request::builder().method(method).uri(target).body(Body::from(bytes)).unwrap();
        let Reply { status, headers, body, .. } = self.wait(self.service.reply(request));
        let json = match body {
            Body::Full(bytes) => serde_json::from_slice(&bytes).unwrap(),
            _ => Json::Null,
        };
        (status.as_u16(), headers, json)
    }
}
