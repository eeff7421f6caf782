//! From a target, a caller and a request to what is meant; afterwards only indices name resources and fields.

mod assign;
mod condition;
mod content;
mod filter;
mod member;
mod page;
mod query;
mod sort;

use bytes::Buf;
use http::{HeaderValue, Method, StatusCode, header, request::Parts};

pub(crate) use self::{
    condition::{collection_tag, member_tag},
    content::{ACCEPT_PATCH, ACCEPT_POST, JSON, PATCHES},
    query::encode_segment,
};
pub use self::{
    assign::Assignments,
    filter::Condition,
    page::{Family, Page},
    query::Query,
};
use crate::{
    def::Operation,
    error::{Error, Kind},
    identify::Caller,
    model::{Model, Resource},
    plan::Tags,
    route::{Chain, Target},
    value::Value,
};

/// What a request means.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Who asks.
    pub caller: Caller,
    /// The preconditions.
    pub conditions: Conditions,
    /// What is asked.
    pub kind: ActionKind,
}

/// The preconditions of a request (RFC 9110 §13.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// `If-Match`.
    pub if_match: Option<Tags>,
    /// `If-None-Match`.
    pub if_none_match: Option<Tags>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// What there is.
    Home,
    /// Is the process alive?
    Health,
    /// Can it answer?
    Ready,
    /// Every kind of problem.
    Problems,
    /// What a problem means.
    Problem(Kind),
    /// What a target offers.
    Describe(Target),
    /// Another URL.
    Moved {
        /// Where to.
        location: String,
        /// By which status.
        status: StatusCode,
    },
    /// A page of a collection.
    List {
        /// Where.
        chain: Chain,
        /// Which page of which members.
        query: Query,
    },
    /// A member.
    Get {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
    },
    /// New members.
    Create {
        /// Where.
        chain: Chain,
        /// Each of them.
        members: Vec<Assignments>,
        /// Whether the body was an array.
        many: bool,
    },
    /// Other values for a member.
    Write {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
        /// The values.
        change: Assignments,
        /// The member to create where there is none.
        create: Option<Assignments>,
        /// Whether the body was the complete member (PUT).
        complete: bool,
    },
    /// A member goes.
    Delete {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
    },
    /// All members go that pass a filter.
    DeleteMany {
        /// Where.
        chain: Chain,
        /// The filter.
        condition: Condition,
    },
}

impl Action {
    /// Reads what a request means, its body included.
    ///
    /// # Errors
    /// 405 and 501 for the method, 400 for parameters and syntax, 413, 415 and 422 for the body.
    pub async fn parse<B>(
        model: &Model,
        target: Target,
        caller: Caller,
        head: &Parts,
        body: B,
    ) -> Result<Self, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        check_method(model, &target, &head.method)?;
        let conditions = Conditions::parse(&head.headers, matches!(target, Target::Member(..)))?;
        let kind = match target {
            Target::Moved(location) => moved(location, &head.method),
            target if head.method == Method::OPTIONS => ActionKind::Describe(target),
            Target::Collection(chain) => collection(model, chain, head, body).await?,
            Target::Member(chain, id) => member(model, chain, id, head, body).await?,
            target => system(target, head)?,
        };
        Ok(Self { caller, conditions, kind })
    }
}

fn moved(location: String, method: &Method) -> ActionKind {
    let safe = method == Method::GET || method == Method::HEAD;
    let status = if safe { StatusCode::MOVED_PERMANENTLY } else { StatusCode::PERMANENT_REDIRECT };
    ActionKind::Moved { location, status }
}

fn system(target: Target, head: &Parts) -> Result<ActionKind, Error> {
    query::refuse_any(head.uri.query())?;
    Ok(match target {
        Target::Health => ActionKind::Health,
        Target::Ready => ActionKind::Ready,
        Target::Problems => ActionKind::Problems,
        Target::Problem(kind) => ActionKind::Problem(kind),
        _ => ActionKind::Home,
    })
}

async fn collection<B>(model: &Model, chain: Chain, head: &Parts, body: B) -> Result<ActionKind, Error>
where
    B: http_body::Body<Data: Buf>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let resource = &model[chain.resource];
    let query = head.uri.query();
    if head.method == Method::POST {
        query::refuse_any(query)?;
        let bytes = content::read(head, body).await?;
        let (members, many) = assign::create(resource, &chain, &bytes)?;
        return Ok(ActionKind::Create { chain, members, many });
    }
    if head.method == Method::DELETE {
        let condition = Condition::parse(resource, query)?;
        return Ok(ActionKind::DeleteMany { chain, condition });
    }
    Ok(ActionKind::List { query: Query::parse(resource, query)?, chain })
}

async fn member<B>(model: &Model, chain: Chain, id: Value, head: &Parts, body: B) -> Result<ActionKind, Error>
where
    B: http_body::Body<Data: Buf>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let resource = &model[chain.resource];
    query::refuse_any(head.uri.query())?;
    if head.method == Method::DELETE {
        return Ok(ActionKind::Delete { chain, id });
    }
    let complete = head.method == Method::PUT;
    if !complete && head.method != Method::PATCH {
        return Ok(ActionKind::Get { chain, id });
    }
    let bytes = content::read(head, body).await?;
    let (change, create) = match complete {
        true => assign::replace(resource, &chain, &id, &bytes)?,
        false => (assign::update(resource, &chain, &id, &bytes)?, None),
    };
    Ok(ActionKind::Write { chain, id, change, create, complete })
}

/// Methods that the server knows, whether or not a target offers them.
const KNOWN: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

fn check_method(model: &Model, target: &Target, method: &Method) -> Result<(), Error> {
    let redirected = matches!(target, Target::Moved(_)) && KNOWN[..6].contains(&method.as_str());
    if redirected || offers(model, target, method) {
        return Ok(());
    }
    if !KNOWN.contains(&method.as_str()) {
        return Err(Error::new(Kind::NOT_IMPLEMENTED, format!("Nothing here knows the method `{method}`.")));
    }
    let allow = allow(model, target);
    let detail = format!("`{method}` is not offered here; these are: {allow}.");
    let value = HeaderValue::from_str(&allow).expect("names of methods are tokens");
    Err(Error::new(Kind::METHOD_NOT_ALLOWED, detail).with_header(header::ALLOW, value))
}

/// Whether a target offers a method, without making a list.
fn offers(model: &Model, target: &Target, method: &Method) -> bool {
    let operation = match (target, method.as_str()) {
        (_, "OPTIONS") => return true,
        (Target::Collection(_), "GET" | "HEAD") => Operation::List,
        (Target::Collection(_), "POST") => Operation::Create,
        (Target::Collection(_), "DELETE") => Operation::DeleteMany,
        (Target::Member(..), "GET" | "HEAD") => Operation::Get,
        (Target::Member(..), "PUT") => Operation::Replace,
        (Target::Member(..), "PATCH") => Operation::Update,
        (Target::Member(..), "DELETE") => Operation::Delete,
        (Target::Collection(_) | Target::Member(..) | Target::Server | Target::Moved(_), _) => return false,
        (_, method) => return method == "GET" || method == "HEAD",
    };
    let (Target::Collection(chain) | Target::Member(chain, _)) = target else { return false };
    model[chain.resource].def.methods.contains(operation)
}

/// The value of `Allow` (RFC 9110 §10.2.1).
pub(crate) fn allow(model: &Model, target: &Target) -> String {
    let methods = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let offered = methods.into_iter().filter(|method| match target {
        Target::Server => model.resources().iter().any(|resource| somewhere(resource, method)),
        target => offers(model, target, method),
    });
    let names: Vec<_> = offered.chain([Method::OPTIONS]).map(|method| method.to_string()).collect();
    names.join(", ")
}

/// Whether any URL of a resource offers a method.
fn somewhere(resource: &Resource, method: &Method) -> bool {
    let operations: &[Operation] = match method.as_str() {
        "POST" => &[Operation::Create],
        "PUT" => &[Operation::Replace],
        "PATCH" => &[Operation::Update],
        "DELETE" => &[Operation::Delete, Operation::DeleteMany],
        _ => return true,
    };
    operations.iter().any(|operation| resource.def.methods.contains(*operation))
}
