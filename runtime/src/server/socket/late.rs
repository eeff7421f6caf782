//! The response to a head that has begun and did not arrive in time (RFC 9110 §15.5.9). The HTTP
//! library ends the connection without a response then, so the socket writes it.

use std::{io::Write as _, time::SystemTime};

use http::{HeaderValue, header};
use tokio::net::TcpStream;

use crate::{http::body::Body, reply::Reply, service::Service};

/// Writes a response with the status 408. If the system does not take it at once, the client gets
/// none.
pub(super) fn answer(stream: &TcpStream, service: Option<&Service>) {
    let Some(service) = service else { return };
    let written = stream.try_write(&message(service.late_head()));
    tracing::debug!(target: "nouns", ?written, "a head did not arrive in time");
}

/// The bytes of a reply.
fn message(mut reply: Reply) -> Vec<u8> {
    let content = match &reply.body {
        Body::Full(content) => content.clone(),
        _ => bytes::Bytes::new(),
    };
    let date = HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::now()));
    reply.headers.extend(date.ok().map(|date| (header::DATE, date)));
    reply.headers.insert(header::CONTENT_LENGTH, content.len().into());
    let mut message = format!("HTTP/1.1 {}\r\n", reply.status).into_bytes();
    for (name, value) in &reply.headers {
        message.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    message.write_all(b"\r\n").expect("writing to a vector does not fail");
    message.extend_from_slice(&content);
    message
}
