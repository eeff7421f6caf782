//! Responses that the server writes itself, because the HTTP library ends a connection without one:
//! a head that has begun and did not arrive in time, and a connection too many (RFC 9110 §15.5.9,
//! §15.6.4).

use std::io;

use http::header;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::transport::Transport;
use crate::{
    base::limits,
    http::{body::Body, http_date::Second},
    reply::Reply,
};

/// Writes a reply to a connection that is then closed. If the system does not take it at once, the
/// client gets none.
pub(super) fn send(transport: &mut Transport, reply: Reply) {
    let status = reply.status;
    let is_sent = transport.send_last(&message(reply));
    tracing::debug!(target: "nouns", %status, is_sent, "a connection was refused or ended");
}

/// Ends a connection that has brought no request. If bytes that have arrived were not read, the
/// system would reset the connection instead (RFC 9112 §9.6).
pub(super) async fn end(mut transport: Transport) {
    let end = async {
        transport.shutdown().await?;
        while transport.read(&mut [0; 1024]).await? > 0 {}
        io::Result::Ok(())
    };
    timeout(limits::LAST_REQUEST_WAIT_MAX, end).await.ok();
}

/// The bytes of a reply.
fn message(mut reply: Reply) -> Vec<u8> {
    let content = match &reply.body {
        Body::Full(content) => content.clone(),
        _ => bytes::Bytes::new(),
    };
    reply.headers.insert(header::DATE, Second::now().into());
    reply.headers.insert(header::CONTENT_LENGTH, content.len().into());
    let mut message = format!("HTTP/1.1 {}\r\n", reply.status).into_bytes();
    for (name, value) in &reply.headers {
        message.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    message.extend_from_slice(b"\r\n");
    message.extend_from_slice(&content);
    message
}
