//! From an outcome to an answer: the one place of representation and headers.

mod describe;
mod page;
mod problem;
mod refusal;
mod representation;

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

pub(crate) use self::refusal::error as refused;
use crate::{
    action::{Action, ActionKind},
    body::Body,
    custom::Answer,
    error::Error,
    model::{FieldIx, Model, encoded},
    plan::Outcome,
    route::Chain,
    sink::Sink,
    store::Ran,
    validator::{NO_TAG, member_tag},
    value::Value,
};

/// An answer: everything but the connection that carries it.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The fields of the header.
    pub headers: HeaderMap,
    /// The content.
    pub body: Body,
    /// How many statements the store ran for it.
    pub statements: u32,
}

impl Reply {
    /// Makes the answer to an action.
    ///
    /// # Errors
    /// What the store refused, as a problem.
    pub fn render(model: &Model, action: &Action, ran: Ran) -> Result<Self, Error> {
        let statements = ran.statements;
        let reply = match (&action.kind, ran.outcome) {
            (_, Outcome::Static) => fixed(model, &action.kind),
            (_, Outcome::Refused(refusal)) => {
                return Err(refusal::error(model, action, refusal).after(statements));
            }
            (ActionKind::List { chain, query }, Outcome::Page { has_more, total, tag, .. }) => {
                page::reply(model, chain, query, &page::Found { has_more, total, tag: Some(tag) }, ran.sink)
            }
            (ActionKind::List { chain, query }, Outcome::Listed { has_more, total }) => {
                page::reply(model, chain, query, &page::Found { has_more, total, tag: None }, ran.sink)
            }
            (_, Outcome::Answered(answer)) => answered(answer)?,
            (ActionKind::List { .. }, Outcome::Unchanged { tag }) => page::unchanged(tag),
            (_, Outcome::Unchanged { tag }) => Self::new(StatusCode::NOT_MODIFIED).tagged(model, tag),
            (kind, Outcome::Members { written, created }) => {
                members(model, kind, &written, created, ran.sink)
            }
            _ => Self::new(StatusCode::NO_CONTENT),
        };
        Ok(Self { statements, ..reply })
    }

    fn new(status: StatusCode) -> Self {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(header::SERVER, HeaderValue::from_static("nouns"));
        Self { status, headers, body: Body::Empty, statements: 0 }
    }

    fn json(status: StatusCode, bytes: Vec<u8>) -> Self {
        let mut reply = Self::new(status);
        reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        reply.body = bytes.into();
        reply
    }

    /// A document that is not made of rows.
    fn document(status: StatusCode, document: &impl Serialize) -> Self {
        Self::json(status, serde_json::to_vec(document).expect("our documents have only texts for keys"))
    }

    /// The same with a field whose value is ours, or encoded, and so without control characters.
    fn with(mut self, name: HeaderName, value: &str) -> Self {
        let value = HeaderValue::from_str(value).expect("what we write into a field is visible ASCII");
        self.headers.insert(name, value);
        self
    }

    /// The same with the validator of a member, where it has one.
    fn tagged(self, model: &Model, revision: u64) -> Self {
        if revision == NO_TAG { self } else { self.with(header::ETAG, &member_tag(model, revision)) }
    }

    /// The same without its content, for HEAD (RFC 9110 §9.3.2).
    #[must_use]
    pub fn without_content(mut self) -> Self {
        let length = match std::mem::take(&mut self.body) {
            Body::Full(bytes) => bytes.len(),
            Body::Empty => 0,
        };
        if self.status != StatusCode::NOT_MODIFIED {
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
        response
    }
}

/// The path of a collection in the spelling of the request's URL, below the base.
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

fn members(model: &Model, kind: &ActionKind, written: &[(Value, u64)], created: bool, sink: Sink) -> Reply {
    let mut bytes = representation::content(sink);
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    match (kind, written) {
        (ActionKind::Create { many: true, .. }, _) => {
            bytes.extend_from_slice(representation::CLOSING);
            Reply::json(status, bytes)
        }
        // PUT may have stored something else than was sent, so it promises no validator (RFC 9110 §9.3.4).
        (ActionKind::Write { complete: true, .. }, [_]) if !created => Reply::json(status, bytes),
        (ActionKind::Create { chain, .. } | ActionKind::Write { chain, .. }, [(id, revision)]) if created => {
            let reply = Reply::json(status, bytes).with(header::LOCATION, &location(model, chain, id));
            if matches!(kind, ActionKind::Write { .. }) {
                return reply;
            }
            reply.tagged(model, *revision)
        }
        (_, [(_, revision), ..]) => Reply::json(status, bytes).tagged(model, *revision),
        (_, []) => Reply::json(status, bytes),
    }
}

/// Fields of the connection, which only the server that carries an answer knows (RFC 9110 §7.6.1, RFC 9112 §6).
const FRAMING: [HeaderName; 6] = [
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TRAILER,
    header::TE,
    HeaderName::from_static("keep-alive"),
];

/// The answer of a handler of the author's: one that is final, and says nothing of the connection.
fn answered(answer: Answer) -> Result<Reply, Error> {
    let Answer { status, mut headers, body } = answer;
    if !(200..=599).contains(&status.as_u16()) {
        let status = status.as_u16();
        return Err(Error::internal(format!(
            "a handler answered with the status {status}; it must be one from 200 to 599"
        )));
    }
    FRAMING.iter().chain([&header::CONNECTION]).for_each(|name| drop(headers.remove(name)));
    let mut reply = Reply::new(status);
    reply.headers.extend(headers);
    reply.body = body;
    Ok(reply)
}

/// What needs nothing of the store.
fn fixed(model: &Model, kind: &ActionKind) -> Reply {
    match kind {
        ActionKind::Moved { location, status } => Reply::new(*status).with(header::LOCATION, location),
        ActionKind::Describe(target) => describe::target(model, target),
        ActionKind::Health | ActionKind::Ready => Reply::json(StatusCode::OK, br#"{"status":"ok"}"#.to_vec()),
        ActionKind::Problems => Reply::document(StatusCode::OK, &problem::Pages::all(model)),
        ActionKind::Problem(kind) => Reply::document(StatusCode::OK, &problem::Page::of(model, *kind)),
        _ => Reply::document(StatusCode::OK, &describe::Home::of(model)),
    }
}
