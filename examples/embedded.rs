//! A program with its own hyper server, which also serves a Nouns API. Nouns handles the paths
//! below `/api`, and the program handles all other paths.
//!
//! Run this example with `cargo run --example embedded`, then `curl
//! http://127.0.0.1:8081/api/zoos`.

use std::{convert::Infallible, error::Error};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::{Request, Response, body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use nouns::{Api, Body, Id, Resource, Service};
use tokio::net::TcpListener;

/// A park in which animals live.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
}

/// The API. Its base path `/api` makes the links in its responses correct.
pub(crate) fn api() -> Api {
    Api::new("City zoos").base_path("/api").resource::<Zoo>()
}

/// Sends a request to Nouns if its path is below `/api`, otherwise to the program.
async fn lead(
    service: Service,
    request: Request<Incoming>,
) -> Result<Response<Either<Body, Full<Bytes>>>, Infallible> {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") {
        let answer: Response<Body> = service.reply(request).await.into();
        return Ok(answer.map(Either::Left));
    }
    Ok(Response::new(Either::Right(Full::from("The rest of the program.\n"))))
}

/// Accepts connections in an endless loop, and serves each connection in its own task.
pub(crate) async fn accept(listener: TcpListener, service: Service) -> std::io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let leading = service_fn(move |request| lead(service.clone(), request));
            let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            // An error of a connection concerns only the client of this connection.
            drop(server.serve_connection(TokioIo::new(stream), leading).await);
        });
    }
}

/// Serves Nouns and the rest of the program on one port, until Ctrl-C.
pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let service = api().open("zoo.db")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:8081").await?;
        tokio::select! {
            ended = accept(listener, service.clone()) => ended?,
            stopped = tokio::signal::ctrl_c() => stopped?,
        }
        service.store().close().await;
        Ok(())
    })
}
