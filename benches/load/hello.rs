//! The bare server: hyper configured as in the workers of Nouns. The path of a request is the
//! length of the response body in bytes.

use std::{convert::Infallible, io, net::SocketAddr, num::NonZero, thread, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{Domain, Protocol, Socket, Type};

use crate::child;

static BODY: [u8; 64 * 1024] = [b'1'; 64 * 1024];

/// Serves until the process is killed. Each core has a runtime and a listener, and all listeners
/// share one port.
pub(crate) fn serve() -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN).get();
    let (address, listeners) = listeners(workers)?;
    child::announce(address);
    let threads: Vec<_> =
        listeners.into_iter().map(|listener| thread::spawn(move || work(listener))).collect();
    threads
        .into_iter()
        .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a worker panicked"))?)
}

/// Opens this many listeners on one free port, with `SO_REUSEPORT`.
pub(crate) fn listeners(count: usize) -> io::Result<(SocketAddr, Vec<std::net::TcpListener>)> {
    let first = socket(([127, 0, 0, 1], 0).into())?;
    let address = first.local_addr()?;
    let mut listeners = vec![first];
    while listeners.len() < count {
        listeners.push(socket(address)?);
    }
    Ok((address, listeners))
}

fn socket(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(1024)?;
    Ok(socket.into())
}

fn work(listener: std::net::TcpListener) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10))
                .pipeline_flush(true)
                .serve_connection(TokioIo::new(stream), service_fn(answer));
            tokio::spawn(connection);
        }
    })
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let length: usize = request.uri().path()[1..].parse().unwrap_or_default();
    let mut response =
        Response::new(Full::new(Bytes::from_static(&BODY[..length.min(BODY.len())])));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
