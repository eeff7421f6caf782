//! From a target, a caller and a request to what is meant; afterwards only indices name resources and fields.

mod assign;
mod condition;
mod content;
mod filter;
mod member;
mod method;
mod page;
mod parameter;
mod query;
mod sort;

use bytes::Buf;
use http::{Method, StatusCode, request::Parts};

pub use self::{
    assign::Assignments,
    filter::Condition,
    page::{Family, Page},
    query::Query,
};
pub(crate) use self::{
    condition::{collection_tag, member_tag},
    content::{ACCEPT_PATCH, ACCEPT_POST, JSON, PATCHES, pass_over},
    method::allow,
    parameter::encode_segment,
};
use crate::{
    error::{Error, Kind},
    identify::Caller,
    model::Model,
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
        method::check(model, &target, &head.method)?;
        let conditions = Conditions::parse(model, &head.headers, matches!(target, Target::Member(..)))?;
        let kind = match target {
            Target::Moved(location) => moved(location, &head.method),
            target if head.method == Method::OPTIONS => ActionKind::Describe(target),
            Target::Collection(chain) => collection(model, chain, head, body).await?,
            Target::Member(chain, id) => member(model, chain, id, head, body).await?,
            target => system(&target, head)?,
        };
        Ok(Self { caller, conditions, kind })
    }
}

fn moved(location: String, method: &Method) -> ActionKind {
    let safe = method == Method::GET || method == Method::HEAD;
    let status = if safe { StatusCode::MOVED_PERMANENTLY } else { StatusCode::PERMANENT_REDIRECT };
    ActionKind::Moved { location, status }
}

fn system(target: &Target, head: &Parts) -> Result<ActionKind, Error> {
    query::refuse_any(head.uri.query())?;
    Ok(match target {
        Target::Health => ActionKind::Health,
        Target::Ready => ActionKind::Ready,
        Target::Problems => ActionKind::Problems,
        Target::Problem(kind) => ActionKind::Problem(*kind),
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
