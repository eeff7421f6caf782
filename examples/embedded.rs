//! Inside a hyper server of one's own: paths below `/api` are ours, everything else is the
//! program's.
//!
//! Run it with `cargo run --example embedded`, then `curl http://127.0.0.1:8081/api/zoos`.

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

/// The interface, which knows where it stands, so that its links do.
pub(crate) fn api() -> Api {
    Api::new("City zoos").base_path("/api").resource::<Zoo>()
}

/// Leads a request to whom it is for.
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

/// Accepts connections for ever, each in a task of the runtime.
pub(crate) async fn accept(listener: TcpListener, service: Service) -> std::io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let leading = service_fn(move |request| lead(service.clone(), request));
            let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            // A connection that breaks is its client's affair.
            drop(server.serve_connection(TokioIo::new(stream), leading).await);
        });
    }
}

/// Serves both on one port.
pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let service = api().open("zoo.db")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:8081").await?;
        tokio::select! {
            ended = accept(listener, service.clone()) => ended?,
            asked = tokio::signal::ctrl_c() => asked?,
        }
        service.store().close().await;
        Ok(())
    })
}
