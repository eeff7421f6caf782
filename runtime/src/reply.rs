//! The conversion of the outcome of an action to a response. Only this module builds
//! representations and header fields.

mod browse;
mod cors;
mod describe;
mod digests;
mod fields;
mod fixed;
mod form;
mod html;
mod members;
mod openapi;
mod page;
mod partial;
mod problem;
mod reason;
mod references;
mod refusal;
mod representation;
mod upgrade;
mod vary;

use std::sync::Arc;

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version, header,
    request::Parts,
};
use serde::Serialize;

pub use self::openapi::openapi;
pub(crate) use self::{
    browse::{form_address, sign_in_address},
    fields::add_headers,
    page::{PageMetadata, close_page},
    references::References,
    refusal::{error as refused, overtaken},
    vary::vary,
};
pub use crate::http::audience::Audience;
use crate::{
    base::error::Error,
    http::{answer::Answer, body::Body},
    model::{
        Chain, FieldIx, Model, ResourceIx, encoded,
        fields::{FIELDS_USUAL, SERVER},
        value::Value,
    },
    plan::{Ends, Outcome, SourcesState, validator::CurrentState},
    request::{
        action::{Action, ActionKind},
        route::Scope,
    },
    store::{PlanResult, sink::Sink},
};

/// A response, independent of the connection that sends it.
#[derive(Debug)]
pub struct Reply {
    /// The status code.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The content.
    pub body: Body,
    /// The number of SQL statements that the store ran for the response.
    pub statements: u32,
    /// Whether the header fields that all responses of the resource share are already set.
    pub(crate) has_headers: bool,
    /// The part of the interface that the request was for. `None` if the request was refused before
    /// it was routed.
    pub(crate) scope: Option<Scope>,
    /// The state of the tables that the response was made from, or `None` if the response is not to
    /// be cached.
    pub(crate) state: Option<SourcesState>,
    /// The resources whose rows the response passes for the caller, besides those of its place.
    /// `None` if there are none.
    pub(crate) passed: Option<Arc<[ResourceIx]>>,
    /// Whether it is a web page that is made for its reader, so that no cache may give it to
    /// another.
    pub(crate) names_reader: bool,
    /// The members that the response refers to, if they are to be pushed.
    pub(crate) references: Option<References>,
}

impl Reply {
    /// Builds the response for the result of an action.
    ///
    /// # Errors
    /// The error of an action that the store refused. It becomes a problem response (RFC 9457).
    pub fn render(model: &Model, action: &Action, result: PlanResult) -> Result<Self, Error> {
        let (statements, modified) = (result.statements, result.outcome.modified());
        let state = result.state.filter(|_| action.is_cached);
        let references = References::of(model, &result.sink);
        let mut reply = match (&action.kind, result.outcome) {
            (_, Outcome::Static) => fixed::reply(model, action, &result.sink)?,
            (_, Outcome::Refused(refusal)) => {
                return Err(refusal::error(model, action, refusal).after(statements));
            }
            (
                ActionKind::List { chain, query },
                Outcome::Page { ends, has_more, total, tag, modified },
            ) => {
                let found = PageMetadata {
                    ends,
                    has_more,
                    total,
                    current: Some(CurrentState { tag, passed: 0, modified, is_ordered: true }),
                };
                page::reply(model, action, chain, query, &found, result.sink)?
            }
            (ActionKind::List { chain, query }, Outcome::Listed { has_more, total, early }) => {
                let ends = Ends { early, ..Ends::default() };
                let found = PageMetadata { ends, has_more, total, current: None };
                page::reply(model, action, chain, query, &found, result.sink)?
            }
            (_, Outcome::Answered(answer)) => answered(*answer)?,
            (_, Outcome::Exported { total, current, content }) => {
                page::exported(model, action, total, current, content)
            }
            (_, Outcome::Unchanged { tag, passed, coding }) => {
                Self::unchanged(model, action, (tag, passed), coding)
            }
            (ActionKind::NewForm { chain }, Outcome::Members { .. }) => {
                let found = result.sink.found().cloned().unwrap_or_default();
                browse::new(model, action, chain, &found)?
            }
            (_, Outcome::Members { written, passed, created, modified, place }) => {
                if let (ActionKind::Get { chain, id }, Sink::Cells(cells), true) =
                    (&action.kind, &result.sink, action.is_form())
                {
                    let read = (&*written, passed);
                    let reply = members::form(model, action, (chain, id), read, cells)?;
                    return Ok(Self { statements, ..reply });
                }
                let state = members::state(&result.sink, passed, modified);
                let content = members::content(model, action, (&written, passed), result.sink)?;
                let reply = members::reply(model, action, &written, created, state, content);
                reply.moved(model, action, &written, place)
            }
            (_, Outcome::Repeated(first)) => members::repeated(model, action, first),
            (_, Outcome::Deleted(_)) => Self::new(StatusCode::NO_CONTENT),
            (
                _,
                outcome @ (Outcome::Page { .. }
                | Outcome::TooLarge
                | Outcome::Listed { .. }
                | Outcome::Ids(_)),
            ) => {
                let text = format!("no response is made from the outcome {outcome:?}");
                return Err(Error::internal(text));
            }
        };
        reply.admit(model, action, modified).map_err(|error| error.after(statements))?;
        (reply.statements, reply.state, reply.scope) = (statements, state, Some(action.scope));
        reply.passed.clone_from(&action.passed);
        reply.references = references.filter(|_| reply.status == StatusCode::OK);
        Ok(reply)
    }

    fn new(status: StatusCode) -> Self {
        let mut headers = HeaderMap::with_capacity(FIELDS_USUAL);
        headers.insert(header::SERVER, SERVER);
        Self::with_header(status, headers)
    }

    /// Creates a response with a status and header fields, but without content.
    pub(crate) const fn with_header(status: StatusCode, headers: HeaderMap) -> Self {
        Self {
            status,
            headers,
            body: Body::Empty,
            statements: 0,
            has_headers: false,
            scope: None,
            state: None,
            passed: None,
            names_reader: false,
            references: None,
        }
    }

    fn json(status: StatusCode, bytes: Vec<u8>) -> Self {
        let mut reply = Self::new(status);
        reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        reply.body = bytes.into();
        reply
    }

    /// Adds `Content-Location` with the current URL of a member, if a write may have changed its
    /// parent (RFC 9110 §8.7).
    fn moved(
        self,
        model: &Model,
        action: &Action,
        written: &[(Value, u64)],
        place: Option<Vec<Value>>,
    ) -> Self {
        let (ActionKind::Write { chain, .. }, [(id, _)], Some(ids)) =
            (&action.kind, written, place)
        else {
            return self;
        };
        let chain = Chain { resource: chain.resource, ids };
        self.with(header::CONTENT_LOCATION, &location(model, &chain, id))
    }

    /// Builds a response with a JSON document that is not made of rows.
    fn document(status: StatusCode, document: &impl Serialize) -> Self {
        Self::json(
            status,
            serde_json::to_vec(document).expect("the keys of each document are strings"),
        )
    }

    /// Sets a header field. The value is a constant or percent-encoded, so it has no control
    /// characters.
    fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.insert(name, value);
        self
    }

    fn insert(&mut self, name: HeaderName, value: &str) {
        let value =
            HeaderValue::from_str(value).expect("the value of a header field is visible ASCII");
        self.headers.insert(name, value);
    }

    /// Adds the digests that the request asks for, and cuts the content to the requested range.
    ///
    /// # Errors
    /// 416 if the content has no bytes in the range.
    pub(crate) fn select(&mut self, head: &Parts) -> Result<(), Error> {
        // Earlier versions have neither server push nor early hints from this server.
        self.references.take_if(|_| head.version != Version::HTTP_2);
        self.add_repr_digest(head);
        self.cut(head)?;
        self.add_content_digest(head);
        Ok(())
    }

    /// Removes the content, as in the response to a HEAD request (RFC 9110 §9.3.2).
    #[must_use]
    pub fn without_content(mut self) -> Self {
        let length = match std::mem::take(&mut self.body) {
            Body::Full(bytes) => Some(bytes.len()),
            Body::Empty => Some(0),
            Body::Stream(_) => None,
        };
        if let Some(length) = length.filter(|_| self.status != StatusCode::NOT_MODIFIED) {
            self.headers.insert(header::CONTENT_LENGTH, length.into());
        }
        self
    }
}

impl From<Reply> for Response<Body> {
    fn from(reply: Reply) -> Self {
        let mut response = Self::new(reply.body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        if let Some(phrase) = reason::extension(reply.status) {
            response.extensions_mut().insert(phrase);
        }
        if let Some(references) = reply.references {
            response.extensions_mut().insert(references);
        }
        response
    }
}

/// Returns the path of a collection, with the ancestors in the URL of the request. The path is
/// relative to the base URL.
fn path(model: &Model, chain: &Chain) -> String {
    let above: Vec<_> = model.ancestors(chain.resource).take(chain.ids.len()).collect();
    let mut path = String::with_capacity(64);
    for (resource, id) in above.iter().rev().zip(&chain.ids) {
        let resource = &model[*resource];
        let id = encoded(&id.spell(resource[FieldIx::ID].kind)).to_string();
        path.extend(["/", resource.def.collection, "/", &id]);
    }
    path + "/" + model[chain.resource].def.collection
}

fn location(model: &Model, chain: &Chain, id: &Value) -> String {
    let id = encoded(&id.spell(model[chain.resource][FieldIx::ID].kind)).to_string();
    model.urls.location(&[&path(model, chain), "/", &id].concat())
}

/// Whether the method is GET, HEAD or QUERY, whose responses contain a representation that may be
/// cached.
fn is_read(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::QUERY].contains(method)
}

/// Fields of the connection, which only the server sets (RFC 9110 §7.6.1, RFC 9112 §6).
const FRAMING: [HeaderName; 6] = [
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TRAILER,
    header::TE,
    HeaderName::from_static("keep-alive"),
];

/// Builds the reply from the response of a custom handler. The status must be from 200 to 599.
/// Header fields of the connection are removed.
fn answered(answer: Answer) -> Result<Reply, Error> {
    let Answer { status, mut headers, body } = answer;
    if !(200..=599).contains(&status.as_u16()) {
        let status = status.as_u16();
        return Err(Error::internal(format!(
            "a handler returned the status {status}; it must be from 200 to 599"
        )));
    }
    FRAMING.iter().chain([&header::CONNECTION]).for_each(|name| drop(headers.remove(name)));
    let mut reply = Reply::new(status);
    reply.headers.extend(headers);
    // These statuses have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    let empty = [StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT, StatusCode::NOT_MODIFIED];
    if !empty.contains(&status) {
        reply.body = body;
    }
    Ok(reply)
}
