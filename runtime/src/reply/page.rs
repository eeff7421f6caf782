//! The response with a page of a collection: its members, the links to other pages, and its
//! validator.

use std::slice;

use http::{HeaderName, header};

use super::{Reply, browse, path, refusal};
use crate::{
    base::{error::Error, json::write_string, limits},
    http::{body::Stream, negotiate::Format},
    model::{Chain, Model, ResourceModel, def::Limit},
    plan::{Ends, validator::CurrentState},
    request::action::{Action, CollectionQuery, Window},
    store::sink::Sink,
};

/// The properties of a page except its members.
pub(crate) struct PageMetadata {
    pub(crate) ends: Ends,
    pub(crate) has_more: bool,
    pub(crate) total: Option<u64>,
    pub(crate) current: Option<CurrentState>,
}

pub(super) fn reply(
    model: &Model,
    action: &Action,
    chain: &Chain,
    query: &CollectionQuery,
    page: &PageMetadata,
    sink: Sink,
) -> Result<Reply, Error> {
    if let (Window::Page(_), Some(early)) = (&query.page.window, page.ends.early) {
        return Err(refusal::page_too_large(query.page.limit, early));
    }
    let path = model.urls.link(&path(model, chain));
    let links = PageLinks::of(&model[chain.resource], &path, query, page);
    let mut bytes = match sink {
        Sink::Cells(cells) => {
            browse::collection(model, action, (chain, query), (page, &links.links), &cells)?
        }
        sink => sink.into_bytes(),
    };
    let in_content = action.preferences.format == Format::Json;
    if in_content {
        links.close(&mut bytes, query, page.total);
    }
    let mut reply = Reply::of_members(model, action, bytes, page.current);
    if let Some(total) = page.total.filter(|_| !in_content) {
        reply.headers.insert(TOTAL_COUNT, total.into());
    }
    Ok(reply.linked(&links.links))
}

impl Reply {
    /// Adds the links as a `Link` field (RFC 8288 §3). If the field would be too long for proxies,
    /// adds only the link `next`.
    pub(super) fn linked(self, links: &[(&str, String)]) -> Self {
        let next = || links.iter().find(|(relation, _)| *relation == "next");
        let fits = |field: &String| (1..=limits::LINK_BYTES_MAX).contains(&field.len());
        let field = Some(link_field(links)).filter(fits);
        match field.or_else(|| next().map(|next| link_field(slice::from_ref(next))).filter(fits)) {
            Some(field) => self.with(header::LINK, &field),
            None => self,
        }
    }
}

/// Writes the JSON text that follows the members of a page of a custom route. `path` is the path
/// that clients use for the route.
pub(crate) fn close_page(
    bytes: &mut Vec<u8>,
    resource: &ResourceModel,
    path: &str,
    query: &CollectionQuery,
    page: &PageMetadata,
) {
    PageLinks::of(resource, path, query, page).close(bytes, query, page.total);
}

/// Builds the response with a whole collection. The content is streamed.
pub(super) fn exported(
    model: &Model,
    action: &Action,
    total: Option<u64>,
    current: CurrentState,
    content: Stream,
) -> Reply {
    let mut reply = Reply::streamed(model, action, content, current);
    if let Some(total) = total {
        reply.headers.insert(TOTAL_COUNT, total.into());
    }
    reply
}

/// The field for the total number of members, in formats whose content has no place for it. Many
/// APIs use this name.
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// The links of a page, and the cursor of the next page.
struct PageLinks {
    /// Each link as a relation and a URL. The first link has the relation `first` and is only used
    /// in the header. Links that are too long for a URL are left out, because the query of a QUERY
    /// request may be longer than a URL.
    links: Vec<(&'static str, String)>,
    /// The value of `after` for the next page. It is known even if the link is too long.
    next_cursor: Option<String>,
}

impl PageLinks {
    fn of(
        resource: &ResourceModel,
        path: &str,
        query: &CollectionQuery,
        found: &PageMetadata,
    ) -> Self {
        let to = |parameters: &str| {
            let and = if query.link_parameters.is_empty() { "" } else { "&" };
            [path, "?", &query.link_parameters, and, parameters].concat()
        };
        let this =
            if query.text.is_empty() { path.into() } else { [path, "?", &query.text].concat() };
        let mut links = vec![("first", to(&query.first())), ("self", this)];
        let PageMetadata { ends, has_more, total, .. } = found;
        let prev = query.prev(resource, ends, *has_more, *total);
        links.extend(prev.map(|page| ("prev", to(&page))));
        let next = query.next(resource, ends, *has_more);
        links.extend(next.as_deref().map(|page| ("next", to(page))));
        links.retain(|(_, link)| link.len() <= resource.limits.size(Limit::TargetBytes));
        let cursor = |page: String| page.split_once(AFTER).map(|(_, cursor)| cursor.to_owned());
        Self { links, next_cursor: next.and_then(cursor) }
    }

    /// Writes the JSON text that follows the members of a page: the links, the cursor, the limit
    /// and the total number of members.
    fn close(&self, bytes: &mut Vec<u8>, query: &CollectionQuery, total: Option<u64>) {
        bytes.extend_from_slice(b"],\"links\":{");
        let mut before: &[u8] = b"";
        for (relation, link) in self.links.iter().filter(|(relation, _)| *relation != "first") {
            bytes.extend_from_slice(before);
            bytes.push(b'"');
            bytes.extend_from_slice(relation.as_bytes());
            bytes.extend_from_slice(b"\":");
            write_string(bytes, link);
            before = b",";
        }
        bytes.extend_from_slice(b"},");
        if let Some(cursor) = &self.next_cursor {
            bytes.extend_from_slice(b"\"next_cursor\":");
            write_string(bytes, cursor);
            bytes.push(b',');
        }
        bytes.extend_from_slice(b"\"limit\":");
        bytes.extend_from_slice(itoa::Buffer::new().format(query.page.limit).as_bytes());
        if let Some(total) = total {
            bytes.extend_from_slice(b",\"total\":");
            bytes.extend_from_slice(itoa::Buffer::new().format(total).as_bytes());
        }
        bytes.push(b'}');
    }
}

/// The text that precedes the cursor in the parameters of the next page.
const AFTER: &str = "&after=";

/// Formats the value of the `Link` field (RFC 8288 §3).
fn link_field(links: &[(&str, String)]) -> String {
    let bytes = links.iter().map(|(relation, link)| relation.len() + link.len() + 12).sum();
    let mut field = String::with_capacity(bytes);
    for (relation, link) in links {
        if !field.is_empty() {
            field.push_str(", ");
        }
        let parts = ["<", link.as_str(), ">; rel=\"", relation, "\""];
        parts.iter().for_each(|part| field.push_str(part));
    }
    field
}
