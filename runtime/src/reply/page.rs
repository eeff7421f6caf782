//! A page of a collection: the members, the links to other pages, and the validator.

use http::{StatusCode, header};

use super::{Reply, path, representation::content};
use crate::{
    action::Query,
    limits,
    model::Model,
    route::Chain,
    sink::{Sink, write_string},
    validator::collection_tag,
};

/// What the store found out about a page beside its members.
pub(super) struct Found {
    pub(super) has_more: bool,
    pub(super) total: Option<u64>,
    pub(super) tag: Option<u64>,
}

pub(super) fn unchanged(tag: u64) -> Reply {
    Reply::new(StatusCode::NOT_MODIFIED).with(header::ETAG, &collection_tag(tag))
}

pub(super) fn reply(model: &Model, chain: &Chain, query: &Query, page: &Found, sink: Sink) -> Reply {
    let mut bytes = content(sink);
    let links = links(model, chain, query, page.has_more);
    bytes.extend_from_slice(b"],\"links\":");
    let mut before = b'{';
    for (relation, link) in &links[1..] {
        bytes.extend_from_slice(&[before, b'"']);
        bytes.extend_from_slice(relation.as_bytes());
        bytes.extend_from_slice(b"\":");
        write_string(&mut bytes, link);
        before = b',';
    }
    bytes.extend_from_slice(b"},\"limit\":");
    bytes.extend_from_slice(itoa::Buffer::new().format(query.page.limit).as_bytes());
    if let Some(total) = page.total {
        bytes.extend_from_slice(b",\"total\":");
        bytes.extend_from_slice(itoa::Buffer::new().format(total).as_bytes());
    }
    bytes.push(b'}');
    let mut reply = Reply::json(StatusCode::OK, bytes);
    if let Some(tag) = page.tag {
        reply = reply.with(header::ETAG, &collection_tag(tag));
    }
    let field = link_field(&links);
    if field.len() > limits::LINK_BYTES_MAX { reply } else { reply.with(header::LINK, &field) }
}

/// Each relation with its target: `first` for the header alone, then those of the body.
fn links(model: &Model, chain: &Chain, query: &Query, has_more: bool) -> Vec<(&'static str, String)> {
    let path = model.urls.link(&path(model, chain));
    let to = |offset| {
        let and = if query.kept.is_empty() { "" } else { "&" };
        [&path, "?", &query.kept, and, &query.page.parameters(offset)].concat()
    };
    let this = if query.given.is_empty() { path.clone() } else { [&path, "?", &query.given].concat() };
    let mut links = vec![("first", to(0)), ("self", this)];
    links.extend(query.page.before().map(|offset| ("prev", to(offset))));
    links.extend(query.page.after().filter(|_| has_more).map(|offset| ("next", to(offset))));
    links
}

/// The value of `Link` (RFC 8288 §3).
fn link_field(links: &[(&str, String)]) -> String {
    let values: Vec<_> =
        links.iter().map(|(relation, link)| format!("<{link}>; rel=\"{relation}\"")).collect();
    values.join(", ")
}
