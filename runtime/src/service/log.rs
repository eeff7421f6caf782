//! The log of a service about requests: a line for each, the causes of errors, and refusals.

use std::{
    borrow::Cow,
    sync::LazyLock,
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderName, StatusCode, header, request::Parts};

use super::{Service, ServiceState};
use crate::{
    base::{
        error::{Error, Kind},
        limits,
        repeated_lines::RepeatedLines,
    },
    http::{
        audit::AuditEvent, request_id::REQUEST_ID, request_scope::RequestScope,
        trace_context::TraceParent,
    },
    plan::Caller,
    reply::Reply,
};

/// The causes that were logged lately.
static REPEATED: LazyLock<RepeatedLines> = LazyLock::new(RepeatedLines::default);

impl Service {
    /// Records in the audit log that a request was refused.
    #[cold]
    pub(super) fn audit(&self, head: &Parts, error: &Error, caller: Option<&Caller>) {
        let event = match error.kind() {
            Kind::CROSS_SITE_REQUEST => AuditEvent::CrossSite,
            Kind::FORBIDDEN => AuditEvent::Refused,
            _ => return,
        };
        let ServiceState { model, store, .. } = &*self.0;
        let account = caller.and_then(Caller::account).zip(model.accounts.as_ref());
        let id = account.map(|(account, accounts)| store.spelled(accounts, account));
        let grant = account.and_then(|(account, _)| account.grant.as_deref());
        event.record(head, &model.proxies, id.as_deref(), grant.map(|grant| &*grant.id));
    }
}

/// Logs the cause of an error. The client does not receive the cause. While the server cannot do
/// something (503), all requests that need it fail, so only some of their causes are logged.
pub(super) fn cause(head: &Parts, reply: &Reply, error: &Error) {
    let Some(source) = error.source() else { return };
    let admitted = match error.status() {
        StatusCode::SERVICE_UNAVAILABLE => REPEATED.admit(&error.to_string(), Instant::now()),
        _ => Some(0),
    };
    let (method, path) = (beginning(head.method.as_str()), beginning(head.uri.path()));
    let (path, request_id) = (&*path, text(&reply.headers, &REQUEST_ID));
    let trace_id = TraceParent::of(&head.headers).map(|trace| trace.trace_id);
    if let Some(left_out) = admitted.filter(|_| error.status().is_server_error()) {
        let left_out = Some(left_out).filter(|count| *count > 0);
        tracing::error!(target: "nouns", %method, path, request_id, trace_id, left_out, cause = %source, "{error}");
    } else {
        tracing::debug!(target: "nouns", %method, path, request_id, trace_id, cause = %source, "{error}");
    }
}

/// Logs one line per request. Of the header fields, only the request id, `traceparent`,
/// `User-Agent` and `Referer` are logged. Credentials and addresses are never logged.
pub(super) fn request(head: &Parts, reply: &Reply, time: Duration) {
    let scope = RequestScope::of(head);
    if let Some(scope) = scope {
        scope.record_status(reply.status.as_u16());
    }
    if !tracing::enabled!(target: "nouns::request", tracing::Level::INFO) {
        return;
    }
    let trace = TraceParent::of(&head.headers);
    let id = scope.and_then(|scope| scope.known_id()?.to_str().ok());
    tracing::info!(
        target: "nouns::request",
        method = %beginning(head.method.as_str()),
        path = &*beginning(head.uri.path()),
        query = head.uri.query().map(beginning).as_deref(),
        status = reply.status.as_u16(),
        micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        statements = reply.statements,
        request_id = id.or_else(|| text(&reply.headers, &REQUEST_ID)),
        trace_id = trace.map(|trace| trace.trace_id),
        parent_id = trace.map(|trace| trace.parent_id),
        user_agent = text(&head.headers, &header::USER_AGENT),
        referer = text(&head.headers, &header::REFERER),
    );
}

/// Returns the method, path or query of a request, cut off at the maximum length for the log.
fn beginning(text: &str) -> Cow<'_, str> {
    if text.len() <= limits::LOGGED_TARGET_BYTES_MAX {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(limits::LOGGED_TARGET_BYTES_MAX);
    Cow::Owned([&text[..end], "…"].concat())
}

/// Returns the value of a header field, cut off at the maximum length for the log. Returns `None`
/// if the field is missing or not visible ASCII.
fn text<'field>(fields: &'field HeaderMap, name: &HeaderName) -> Option<&'field str> {
    let text = fields.get(name)?.to_str().ok()?;
    text.get(..limits::LOGGED_FIELD_BYTES_MAX).or(Some(text))
}
