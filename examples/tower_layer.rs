//! A Nouns service with a layer of tower-http. The service implements `tower_service::Service`.
//!
//! Run this example with `cargo run --example tower_layer`.

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

/// Sends a request through the layer, and prints the response header that the layer added.
pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let service = Api::new("City zoos").resource::<Zoo>().open(folder.path().join("zoo.db"))?;
    let name = HeaderName::from_static("x-served-by");
    let layer =
        SetResponseHeaderLayer::overriding(name.clone(), HeaderValue::from_static("the zoo"));
    let wrapped = ServiceBuilder::new().layer(layer).service(service.clone());

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let request = Request::get("/zoos").body(Body::Empty)?;
        let answer = wrapped.oneshot(request).await?;
        writeln!(stdout(), "{} {:?}", answer.status(), answer.headers()[name])?;
        service.store().close().await;
        Ok(())
    })
}
