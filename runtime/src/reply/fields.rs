//! The header fields that every response has: security, caching, CORS and deprecation.
//!
//! Fields that a custom handler has set are not overwritten.

use http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts};

use super::{Reply, cors, is_read, upgrade, vary};
use crate::{
    base::unwind::or_default,
    http::{
        client::Client,
        request_id::{self, REQUEST_ID},
        single::essence,
    },
    model::{
        Model,
        caching::{ASK_AGAIN, ASK_AGAIN_ALONE, Caching, NEVER, Sender},
        fields::{NO_REFERRER, NO_SNIFF, NOTHING, RESOURCE_POLICY, resource_policy},
    },
    plan::Caller,
    request::{enclosed::EnclosedSession, route::Scope},
};

/// The `Cache-Control` of a permanent redirect. Clients request the old URL again after a day, so a
/// redirect can be withdrawn.
const MOVED: HeaderValue = HeaderValue::from_static("max-age=86400");

/// The `Cache-Control` of a permanent redirect that may be meant for one client alone.
const MOVED_ALONE: HeaderValue = HeaderValue::from_static("private, max-age=86400");

/// Adds the header fields that every response has. Their values depend on the status, and on the
/// part of the interface that the URL belongs to.
pub(crate) fn add_headers(model: &Model, head: &Parts, reply: &mut Reply) {
    let sender = sender(head, reply);
    let scope = reply.scope.unwrap_or_else(|| or_default(|| Scope::of(model, &head.uri)));
    let resource = match scope {
        Scope::Resource(ix) => Some(&model[ix]),
        _ => None,
    };
    match resource.filter(|_| reply.has_headers) {
        // The fixed fields are already set. Only those that depend on the request and the content
        // are changed.
        Some(resource) => {
            if let Some(passed) = &reply.passed {
                let caching = model.caching(resource, passed);
                reply.headers.insert(header::CACHE_CONTROL, caching.value(sender).clone());
                if caching.is_ruled {
                    vary(&mut reply.headers, "cookie, authorization");
                }
            } else if sender != Sender::Unknown {
                let caching = resource.caching.value(sender).clone();
                reply.headers.insert(header::CACHE_CONTROL, caching);
            }
            if reply.body.is_empty() {
                reply.headers.remove(header::X_CONTENT_TYPE_OPTIONS);
                reply.headers.remove(header::CONTENT_SECURITY_POLICY);
            }
        }
        None => {
            let cached =
                resource.map(|resource| &resource.caching).filter(|_| is_read(&head.method));
            let caching = match scope {
                Scope::Health => NEVER,
                _ => caching(reply.status, cached, sender),
            };
            if cached.is_some_and(|cached| cached.is_ruled) {
                vary(&mut reply.headers, "cookie, authorization");
            }
            add(reply, scope, model.origins.is_some(), caching);
        }
    }
    let headers = &mut reply.headers;
    if reply.names_reader && reply.has_headers && headers.get(header::CACHE_CONTROL) != Some(&NEVER)
    {
        headers.insert(header::CACHE_CONTROL, ASK_AGAIN_ALONE);
    }
    if head.extensions.get::<EnclosedSession>().is_some() {
        headers.insert(header::CACHE_CONTROL, NEVER);
        headers.insert(header::REFERRER_POLICY, NO_REFERRER);
    }
    if let Some(origins) = &model.origins {
        cors::add_headers(origins, head, headers);
    }
    if let Some(hsts) = &model.hsts
        && Client::is_encrypted(head, &model.proxies)
    {
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert_with(|| hsts.clone());
    }
    upgrade::add_vary(head, headers);
    if let Some(id) = request_id::client_request_id(head) {
        headers.entry(REQUEST_ID).or_insert_with(|| id.clone());
    }
    if let Some(retirement) = resource.and_then(|resource| resource.retirement.as_ref()) {
        retirement.add_headers(headers);
    }
}

/// Adds the security and caching fields that a response does not have yet.
fn add(reply: &mut Reply, scope: Scope, has_origins: bool, caching: HeaderValue) {
    let headers = &mut reply.headers;
    if !reply.body.is_empty() {
        headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(NO_SNIFF);
        if scope != Scope::Custom || is_json(headers) {
            headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING);
        }
    }
    headers.entry(header::REFERRER_POLICY).or_insert(NO_REFERRER);
    headers.entry(RESOURCE_POLICY).or_insert(resource_policy(has_origins));
    headers.entry(header::CACHE_CONTROL).or_insert(caching);
}

/// Returns what an HTTP cache sees of the client. A response to a client that something names may
/// be meant for it alone (RFC 9111 §3.5). No other code decides this.
///
/// A cookie may identify the client just as `Authorization` does. Shared caches ignore either
/// field. A program may identify the client by anything else, and then sets the caller.
fn sender(head: &Parts, reply: &Reply) -> Sender {
    let mut sender = Sender::Unknown;
    for name in head.headers.keys() {
        if *name == header::AUTHORIZATION {
            return Sender::Other;
        }
        if *name == header::COOKIE {
            sender = Sender::Cookie;
        }
    }
    if head.extensions.get::<Caller>().is_some_and(|caller| *caller != Caller::Anonymous) {
        return Sender::Other;
    }
    match !reply.has_headers && reply.headers.contains_key(header::SET_COOKIE) {
        true => Sender::Cookie,
        false => sender,
    }
}

/// Returns the `Cache-Control` for a status. Successful responses and 304 get the value that the
/// resource declares. Caches may use a permanent redirect for a day. They must not store any other
/// response, or must validate it before each use.
fn caching(status: StatusCode, declared: Option<&Caching>, sender: Sender) -> HeaderValue {
    let [shared, alone] = match status {
        // A cache may store these statuses by default (RFC 9111 §4.2.2). Temporary redirects are
        // treated in the same way.
        StatusCode::NOT_FOUND
        | StatusCode::METHOD_NOT_ALLOWED
        | StatusCode::GONE
        | StatusCode::URI_TOO_LONG
        | StatusCode::NOT_IMPLEMENTED => [ASK_AGAIN, ASK_AGAIN_ALONE],
        StatusCode::MOVED_PERMANENTLY | StatusCode::PERMANENT_REDIRECT => [MOVED, MOVED_ALONE],
        _ if status.is_client_error() || status.is_server_error() => return NEVER,
        StatusCode::NOT_MODIFIED => return of_content(declared, sender),
        _ if status.is_success() => return of_content(declared, sender),
        _ => [ASK_AGAIN, ASK_AGAIN_ALONE],
    };
    if sender == Sender::Unknown { shared } else { alone }
}

fn of_content(declared: Option<&Caching>, sender: Sender) -> HeaderValue {
    match (declared, sender) {
        (Some(declared), sender) => declared.value(sender).clone(),
        (None, Sender::Unknown) => ASK_AGAIN,
        (None, _) => ASK_AGAIN_ALONE,
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE).map(essence) else { return false };
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}
