//! The responses with the files that pages load.

use http::{HeaderValue, StatusCode, header};

use crate::{
    base::error::Error,
    http::{coding::decode, negotiate::Coding, page_file::PageFile},
    model::Model,
    reply::Reply,
    request::action::Action,
};

/// The `Cache-Control` of a file whose URL contains a hash of its content (RFC 8246).
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Builds the response with a file of the pages.
///
/// # Errors
/// 412 if `If-Match` does not list the current tag.
pub(in crate::reply) fn file(
    model: &Model,
    action: &Action,
    file: &PageFile,
) -> Result<Reply, Error> {
    let mut reply = Reply::new(StatusCode::OK);
    reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    reply.headers.insert(header::CACHE_CONTROL, FOR_EVER);
    if !file.is_compressed {
        reply.body = file.content.clone().into();
        return reply.validated(model, action);
    }
    let is_accepted = action.preferences.codings.accepts(Coding::Gzip);
    let coding = if is_accepted { Coding::Gzip } else { Coding::Identity };
    reply.coded(model, action, file.hash, coding, || match coding {
        Coding::Identity => decompressed(&file.content).into(),
        _ => file.content.clone(),
    })
}

/// Decompresses an embedded file, for a client that does not accept gzip.
fn decompressed(bytes: &[u8]) -> Vec<u8> {
    let mut content = decode(Coding::Gzip, bytes, usize::MAX)
        .expect("a test compares each embedded file with its digest");
    content.shrink_to_fit();
    content
}
