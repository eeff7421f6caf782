//! Wrapped in layers of tower-http: the service is a `tower_service::Service` like any other.
//!
//! Run it with `cargo run --example tower_layer`.

use std::{
    error::Error,
    io::{Write, stdout},
};

use http::{HeaderName, HeaderValue, Request};
use nouns::{Api, Body, Id, Resource};
use tower::{ServiceBuilder, ServiceExt as _};
use tower_http::set_header::SetResponseHeaderLayer;

/// A park in which animals live.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
}

/// Asks a wrapped service, and shows what the layer added.
pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let service = Api::new("City zoos").resource::<Zoo>().open(folder.path().join("zoo.db"))?;
    let marked = HeaderName::from_static("x-served-by");
    let layer =
        SetResponseHeaderLayer::overriding(marked.clone(), HeaderValue::from_static("the zoo"));
    let wrapped = ServiceBuilder::new().layer(layer).service(service.clone());

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let request = Request::get("/zoos").body(Body::Empty)?;
        let answer = wrapped.oneshot(request).await?;
        writeln!(stdout(), "{} {:?}", answer.status(), answer.headers()[marked])?;
        service.store().close().await;
        Ok(())
    })
}
