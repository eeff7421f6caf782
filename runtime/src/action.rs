//! From a target, a caller and a request to what is meant; afterwards only indices name resources and fields.

mod assign;
mod content;
mod filter;
mod member;
mod method;
mod page;
mod parameter;
mod precondition;
mod query;
mod sort;
mod tree;

use bytes::Buf;
use http::{Method, StatusCode, request::Parts};

pub use self::{
    assign::{Assignments, Created},
    filter::Condition,
    page::{Family, Page},
    precondition::Preconditions,
    query::Query,
};
pub(crate) use self::{
    assign::{broken, created, replaced, updated},
    content::{ACCEPT_PATCH, ACCEPT_POST, JSON, PATCHES, check_json, pass_over},
    filter::operator,
    member::admit,
    method::allow,
    parameter::{RESERVED, append},
    tree::Tree,
};
use crate::{
    custom::Call,
    error::{Error, Kind},
    identify::Caller,
    model::Model,
    route::{Chain, Target},
    value::Value,
};

/// What a request means.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Who asks.
    pub caller: Caller,
    /// What must hold before.
    pub preconditions: Preconditions,
    /// What is asked.
    pub kind: ActionKind,
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
        create: Created,
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
        /// The query as it came, encoded our way.
        given: String,
    },
    /// What a handler of the author's answers at a URL of his own.
    Custom(Box<Call>),
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
        let member = matches!(target, Target::Member(..));
        let preconditions = match target {
            // What a validator of the author's is, only his handler knows.
            Target::Custom(..) => Preconditions::default(),
            _ => Preconditions::parse(model, &head.headers, member)?,
        };
        let reader = Reader { model, caller: &caller, head };
        let kind = match target {
            Target::Moved(location) => moved(location, &head.method),
            target if head.method == Method::OPTIONS => ActionKind::Describe(target),
            Target::Collection(chain) => reader.collection(chain, body).await?,
            Target::Member(chain, id) => reader.member(chain, id, body).await?,
            Target::Custom(shape, values) => {
                let body = content::whole(head, body).await?;
                ActionKind::Custom(Box::new(Call { shape, values, body }))
            }
            target => system(&target, head)?,
        };
        Ok(Self { caller, preconditions, kind })
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

/// Reads what is asked of a resource. Rules join the filters here, once there are any: what they let pass depends on
/// the caller.
struct Reader<'request> {
    model: &'request Model,
    caller: &'request Caller,
    head: &'request Parts,
}

impl Reader<'_> {
    async fn collection<B>(&self, chain: Chain, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let resource = &self.model[chain.resource];
        let query = self.head.uri.query();
        if self.head.method == Method::POST {
            query::refuse_any(query)?;
            let bytes = content::read(self.head, body).await?;
            let (members, many) = assign::create(resource, self.caller, &chain, &bytes)?;
            return Ok(ActionKind::Create { chain, members, many });
        }
        if self.head.method == Method::DELETE {
            let (condition, given) = Condition::parse(resource, query)?;
            return Ok(ActionKind::DeleteMany { chain, condition, given });
        }
        Ok(ActionKind::List { query: Query::parse(resource, query)?, chain })
    }

    async fn member<B>(&self, chain: Chain, id: Value, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let resource = &self.model[chain.resource];
        query::refuse_any(self.head.uri.query())?;
        let complete = match self.head.method {
            Method::DELETE => return Ok(ActionKind::Delete { chain, id }),
            Method::PUT => true,
            Method::PATCH => false,
            _ => return Ok(ActionKind::Get { chain, id }),
        };
        let bytes = content::read(self.head, body).await?;
        let (change, create) = match complete {
            true => assign::replace(resource, self.caller, &chain, &id, &bytes)?,
            false => (assign::update(resource, self.caller, &chain, &id, &bytes)?, Err(vec![])),
        };
        Ok(ActionKind::Write { chain, id, change, create, complete })
    }
}
