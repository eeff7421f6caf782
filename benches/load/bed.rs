//! A service in this process, called on a worker thread: no hyper, no sockets, no log. It is the
//! test bed of the benchmarks that measure single requests.

use std::{io, path::Path, sync::Arc};

use bytes::Bytes;
use http::{Request, StatusCode};
use nouns::__runtime::{
    Body, Model, Service, Store,
    reply::Reply,
    store::{StoreOptions, Synchronous, Worker},
};
use tokio::runtime::Runtime;

/// A service, with its store and the runtime that runs it.
pub(crate) struct Bed {
    pub(crate) runtime: Runtime,
    pub(crate) store: Store,
    /// The service, without a response cache.
    pub(crate) service: Service,
    _worker: Worker,
}

impl Bed {
    /// Opens a service for the text of a schema. The database is created if it is missing.
    pub(crate) fn open(schema: &str, database: &Path) -> io::Result<Self> {
        let schema = nouns::codegen::read_yaml("bench.yaml", schema);
        let schema =
            schema.map_err(|_| io::Error::other("the schema of the benchmark has mistakes"))?;
        let model = Model::link(nouns::interpret::api_def(&schema)).map_err(io::Error::other)?;
        let options = StoreOptions::new(database).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(&Arc::new(model), &options).map_err(io::Error::other)?;
        let worker = store.enter_worker().map_err(io::Error::other)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // From this call on, the worker keeps one read snapshot for several reads, as a busy worker
        // does.
        store.end_turn();
        Ok(Self { runtime, service: Service::with_cache(store.clone(), 0), store, _worker: worker })
    }

    /// Sends a request to the service and returns the reply.
    pub(crate) fn ask(&self, request: Request<Body>) -> Reply {
        self.runtime.block_on(self.service.reply(request))
    }

    /// The body of the response to GET. It is an error if the status is not 200.
    pub(crate) fn get(&self, target: &str) -> io::Result<Bytes> {
        let reply = self.ask(Request::get(target).body(Body::Empty).map_err(io::Error::other)?);
        match (reply.status, reply.body) {
            (StatusCode::OK, Body::Full(content)) => Ok(content),
            (status, _) => Err(io::Error::other(format!("{status} for {target}"))),
        }
    }

    /// Creates one member, or one for each element of an array, with POST. It is an error if the
    /// status is not 201.
    pub(crate) fn create(&self, target: &str, content: impl Into<Bytes>) -> io::Result<()> {
        let request =
            Request::post(target).body(Body::from(content.into())).map_err(io::Error::other)?;
        match self.ask(request).status {
            StatusCode::CREATED => Ok(()),
            status => Err(io::Error::other(format!("{status} for {target}"))),
        }
    }
}
